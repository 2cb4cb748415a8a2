"""`rummy500 run`: everything starts, survives a dead part, stops in order, and goes on next time."""

import os
import shlex
import signal
import socket
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
import redis
from rq import Queue

from tests.support.tree import Tree, command_line, is_alive, wait_for
from workers.processes.valkey import take_data_folder


def guest(url, name="Ana"):
    """Make a guest; return the headers that prove to be it."""
    answer = httpx.post(f"{url}/v1/players", json={"name": name, "kind": "human"})
    assert answer.status_code == 201, answer.text
    return {"Authorization": f"Bearer {answer.json()['token']}"}


def name_of(url, headers):
    return httpx.get(f"{url}/v1/me", headers=headers).json()["name"]


@pytest.fixture
def folder(tmp_path):
    """A data folder as people have them: with a space in its name."""
    return tmp_path / "my games"


@pytest.fixture
def server(tmp_path):
    """A separate Redis with a password; returns its URL."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    own = take_data_folder(tmp_path / "own server")
    command = [own.binary, "--port", str(port), "--requirepass", "hunter2", "--save", "", "--dir", tmp_path]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        url = f"redis://:hunter2@127.0.0.1:{port}/0"
        with redis.Redis.from_url(url) as connection:
            wait_for(lambda: pings(connection), "the server")
        yield url
        process.terminate()
    own.release()


def pings(connection):
    try:
        return connection.ping()
    except redis.ConnectionError:
        return False


class TestStarting:
    def test_the_first_line_it_proposes_works_as_printed(self, folder):
        # No number of processes: as many as the machine is good for.
        with Tree(folder, API_PROCESSES="") as tree:
            proposed = tree.wait_for_line(r"^  (curl .*)$")[1]

            answer = subprocess.run(
                [*shlex.split(proposed), "--silent", "--fail"], capture_output=True, text=True, check=True
            )

            # Access to the folder is access to its games.
            assert folder.stat().st_mode & 0o777 == 0o700
            assert (folder / "valkey.sock").is_socket()

        assert '"token"' in answer.stdout

    def test_a_folder_too_deep_for_a_socket_is_no_hindrance(self, folder):
        deep = folder.joinpath(*["a-rather-long-name"] * 8)
        with Tree(deep) as tree:
            assert name_of(tree.url, guest(tree.url)) == "Ana"

    def test_with_a_redis_url_it_brings_no_server_and_shows_no_password(self, folder, server):
        with Tree(folder, REDIS_URL=server) as tree:
            ana = guest(tree.url)
            assert name_of(tree.url, ana) == "Ana"
            commands = [command_line(pid) for pid in tree.descendants()]
            assert tree.stop() == 0

            assert not any("valkey-server" in command or "hunter2" in command for command in commands)
            assert not folder.exists()
            assert "hunter2" not in tree.output


class TestStopping:
    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
    def test_a_signal_to_the_whole_group_as_from_a_terminal_stops_all_in_order(self, folder, number):
        with Tree(folder) as tree:
            assert tree.url
            family = tree.descendants()

            os.killpg(tree.pid, number)

            assert tree.wait() == 0
            assert not any(map(is_alive, family))
            assert tree.lines[-1] == f"Stopped. Every game is kept in {folder}."

    def test_the_turn_at_work_is_finished_first(self, folder):
        with Tree(folder) as tree:
            assert tree.url
            with redis.Redis(unix_socket_path=str(folder / "valkey.sock")) as connection:
                turns = Queue("turns", connection=connection)
                job = turns.enqueue("time.sleep", 1.0)
                wait_for(job.get_status, "the job")
                wait_for(lambda: job.get_status(refresh=True) == "started", "the worker")
                begun = time.monotonic()

                assert tree.stop() == 0

            assert time.monotonic() - begun > 0.5

        with Tree(folder) as tree:
            assert tree.url
            with redis.Redis(unix_socket_path=str(folder / "valkey.sock")) as connection:
                again = Queue("turns", connection=connection).fetch_job(job.id)
                assert again.get_status() == "finished"

    def test_who_waits_for_a_move_is_answered_before_the_api_leaves(self, folder):
        with Tree(folder) as tree, ThreadPoolExecutor(1) as pool:
            ana = guest(tree.url)
            table = {"variant": {"preset": "classic"}, "seats": 2}
            opened = httpx.post(f"{tree.url}/v1/games", headers=ana, json=table)
            assert opened.status_code == 201, opened.text
            known = {**ana, "If-None-Match": opened.headers["ETag"]}
            game = f"{tree.url}/v1/games/{opened.json()['id']}"
            waiting = pool.submit(httpx.get, f"{game}?wait_ms=30000", headers=known, timeout=40)
            with redis.Redis(unix_socket_path=str(folder / "valkey.sock")) as connection:
                wait_for(
                    lambda: "xread" in {client["cmd"] for client in connection.client_list()},
                    "a waiting request",
                )
            assert not waiting.done()

            assert tree.stop() == 0

            assert waiting.result().status_code == 304

    def test_a_second_request_does_not_wait_for_a_slow_part(self, folder):
        with Tree(folder) as tree:
            assert tree.url
            os.kill(tree.part("turns"), signal.SIGSTOP)
            tree.send(signal.SIGINT)
            tree.wait_for_line("^Stopping")
            time.sleep(1.2)

            assert tree.stop() == 0

            assert "The turns worker did not stop in time; killing it." in tree.lines

    def test_told_to_stop_while_it_still_starts_it_stops(self, folder):
        with Tree(folder) as tree:
            tree.wait_for_line("^Starting Valkey")

            assert tree.stop() == 0


class TestGoingOn:
    def test_a_second_start_finds_what_the_first_left(self, folder):
        with Tree(folder) as tree:
            ana = guest(tree.url)
            assert tree.stop() == 0

        with Tree(folder) as tree:
            assert name_of(tree.url, ana) == "Ana"

    def test_killed_without_warning_it_leaves_no_process_and_loses_nothing(self, folder):
        with Tree(folder) as tree:
            ana = guest(tree.url)
            family = tree.descendants()

            tree.send(signal.SIGKILL)

            wait_for(lambda: not any(map(is_alive, family)), "the family to go")

        with Tree(folder) as tree:
            assert name_of(tree.url, ana) == "Ana"

    def test_a_part_that_is_killed_comes_back_and_that_is_said_in_a_line(self, folder):
        with Tree(folder) as tree:
            ana = guest(tree.url)
            for part in ("Valkey", "scheduler", "turns", "API"):
                killed = tree.kill(part)

                wait_for(lambda part=part, killed=killed: tree.part(part) != killed, f"another {part}")
                tree.wait_for_line(rf"^(The )?{part}( worker)? was killed by SIGKILL; restarting")
                wait_for(lambda: answers(tree.url), "the service")
                assert name_of(tree.url, ana) == "Ana"
                assert name_of(tree.url, guest(tree.url, "Ben")) == "Ben"

            # The turns worker lost its queue with Valkey, and was killed itself.
            with redis.Redis(unix_socket_path=str(folder / "valkey.sock")) as connection:
                job = Queue("turns", connection=connection).enqueue("time.sleep", 0)
                wait_for(lambda: job.get_status(refresh=True) == "finished", "the turn")
            assert tree.stop() == 0


def answers(url):
    try:
        return httpx.get(f"{url}/readyz").status_code == 200
    except httpx.TransportError:
        return False
