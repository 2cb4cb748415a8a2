"""`rummy500 run`: everything starts, survives a dead part, stops in order, and goes on next time.

A start takes seconds, so the tests share the starts: a fixture starts the service, does to it what people
do, and stops it; the tests compare what it saw.
"""

import os
import shlex
import signal
import socket
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import httpx
import pytest
import redis
from rq import Queue

from tests.support.tree import Tree, command_line, is_alive, wait_for
from workers.processes.valkey import take_data_folder

RESTARTED = ("Valkey", "scheduler", "turns", "API")


def guest(url, name="Ana"):
    """Make a guest; return the headers that prove to be it."""
    answer = httpx.post(f"{url}/v1/players", json={"name": name, "kind": "human"})
    assert answer.status_code == 201, answer.text
    return {"Authorization": f"Bearer {answer.json()['token']}"}


def name_of(url, headers):
    return httpx.get(f"{url}/v1/me", headers=headers).json()["name"]


def stop_group(tree, number):
    """Signal the whole group, as a terminal does; return the exit status and the processes left over."""
    family = tree.descendants()
    os.killpg(tree.pid, number)
    return tree.wait(), [pid for pid in family if is_alive(pid)]


def start_turn(connection, seconds):
    """Give the turns worker a job; return the job."""
    return Queue("turns", connection=connection).enqueue("time.sleep", seconds)


def pings(connection):
    try:
        return connection.ping()
    except redis.ConnectionError:
        return False


def answers(url):
    try:
        return httpx.get(f"{url}/readyz").status_code == 200
    except httpx.TransportError:
        return False


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A data folder as people have them: with a space in its name."""
    return tmp_path_factory.mktemp("run") / "my games"


@pytest.fixture(scope="module")
def first(folder):
    """Start in a new folder, and stop by Ctrl-C while a request waits and a turn is played."""
    # No number of processes: as many as the machine is good for.
    with Tree(folder, API_PROCESSES="") as tree, ThreadPoolExecutor(1) as pool:
        proposed = tree.wait_for_line(r"^  (curl .*)$")[1]
        curl = subprocess.run(
            [*shlex.split(proposed), "--silent", "--fail"], capture_output=True, text=True, check=False
        )
        mode, has_socket = folder.stat().st_mode & 0o777, (folder / "valkey.sock").is_socket()

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
            turn = start_turn(connection, 1.0)
            wait_for(lambda: turn.get_status(refresh=True) == "started", "the worker")
        assert not waiting.done()

        status, left_over = stop_group(tree, signal.SIGINT)

        return SimpleNamespace(
            ana=ana,
            answer=waiting.result(),
            curl=curl,
            has_socket=has_socket,
            left_over=left_over,
            lines=tree.lines,
            mode=mode,
            status=status,
            turn=turn.id,
        )


@pytest.fixture(scope="module")
def second(folder, first):
    """Start again, kill part after part, and at last everything without warning."""
    with Tree(folder) as tree:
        found = name_of(tree.url, first.ana)
        with redis.Redis(unix_socket_path=str(folder / "valkey.sock")) as connection:
            turn = Queue("turns", connection=connection).fetch_job(first.turn).get_status()
        names, reports = {}, {}
        for part in RESTARTED:
            killed = tree.kill(part)
            wait_for(lambda part=part, killed=killed: tree.part(part) != killed, f"another {part}")
            reports[part] = tree.wait_for_line(rf"^(The )?{part}( worker)? was killed by SIGKILL.*$")[0]
            wait_for(lambda: answers(tree.url), "the service")
            names[part] = name_of(tree.url, first.ana), name_of(tree.url, guest(tree.url, "Ben"))
        # The turns worker lost its queue with Valkey, and was killed itself.
        with redis.Redis(unix_socket_path=str(folder / "valkey.sock")) as connection:
            later = start_turn(connection, 0)
            wait_for(lambda: later.get_status(refresh=True) == "finished", "the turn")
        eve = guest(tree.url, "Eve")
        family = tree.descendants()

        tree.send(signal.SIGKILL)

        wait_for(lambda: not any(map(is_alive, family)), "the family to go")
        return SimpleNamespace(eve=eve, found=found, names=names, reports=reports, turn=turn)


@pytest.fixture(scope="module")
def third(folder, second):
    """Start after the kill, and stop twice while the turns worker does not react."""
    with Tree(folder) as tree:
        found = name_of(tree.url, second.eve)
        os.kill(tree.part("turns"), signal.SIGSTOP)
        tree.send(signal.SIGINT)
        tree.wait_for_line("^Stopping")
        # Two signals within a second are one request.
        time.sleep(1.2)
        return SimpleNamespace(found=found, status=tree.stop(), lines=tree.lines)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A separate Redis with a password; returns its URL."""
    folder = tmp_path_factory.mktemp("own server")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    own = take_data_folder(folder)
    command = [own.binary, "--port", str(port), "--requirepass", "hunter2", "--save", "", "--dir", folder]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        url = f"redis://:hunter2@127.0.0.1:{port}/0"
        with redis.Redis.from_url(url) as connection:
            wait_for(lambda: pings(connection), "the server")
        yield url
        process.terminate()
    own.release()


class TestStarting:
    def test_the_first_line_it_proposes_works_as_printed(self, first):
        assert first.curl.returncode == 0, first.curl.stderr
        assert '"token"' in first.curl.stdout

    def test_no_other_user_may_open_the_folder(self, first):
        # Access to the folder is access to its games.
        assert first.mode == 0o700
        assert first.has_socket

    def test_a_folder_too_deep_for_a_socket_is_no_hindrance(self, tmp_path):
        deep = tmp_path.joinpath(*["a-rather-long-name"] * 8)
        with Tree(deep) as tree:
            assert name_of(tree.url, guest(tree.url)) == "Ana"
            assert stop_group(tree, signal.SIGTERM) == (0, [])

            assert tree.lines[-1] == f"Stopped. Every game is kept in {deep}."

    def test_with_a_redis_url_it_brings_no_server_and_shows_no_password(self, tmp_path, server):
        folder = tmp_path / "unused"
        with Tree(folder, REDIS_URL=server) as tree:
            ana = guest(tree.url)
            assert name_of(tree.url, ana) == "Ana"
            commands = [command_line(pid) for pid in tree.descendants()]
            # As when the terminal is closed.
            assert stop_group(tree, signal.SIGHUP) == (0, [])

            assert not any("valkey-server" in command or "hunter2" in command for command in commands)
            assert not folder.exists()
            assert "hunter2" not in tree.output


class TestStopping:
    def test_a_signal_to_the_whole_group_as_from_a_terminal_stops_all_in_order(self, folder, first):
        assert first.status == 0
        assert first.left_over == []
        assert first.lines[-1] == f"Stopped. Every game is kept in {folder}."

    def test_the_turn_at_work_is_finished_first(self, second):
        assert second.turn == "finished"

    def test_a_waiting_request_is_answered_before_the_api_leaves(self, first):
        assert first.answer.status_code == 304

    def test_a_second_request_does_not_wait_for_a_slow_part(self, third):
        assert third.status == 0
        assert "The turns worker did not stop in time; killing it." in third.lines

    def test_told_to_stop_while_it_still_starts_it_stops(self, tmp_path):
        with Tree(tmp_path) as tree:
            tree.wait_for_line("^Starting Valkey")

            assert tree.stop() == 0


class TestGoingOn:
    def test_a_second_start_finds_what_the_first_left(self, second):
        assert second.found == "Ana"

    def test_killed_without_warning_it_leaves_no_process_and_loses_nothing(self, third):
        assert third.found == "Eve"

    @pytest.mark.parametrize("part", RESTARTED)
    def test_a_part_that_is_killed_comes_back_and_that_is_said_in_a_line(self, second, part):
        assert "; restarting" in second.reports[part]
        assert second.names[part] == ("Ana", "Ben")
