"""A release that runs part by part: its Valkey, its API, and the workers that are wanted at the time."""

import os
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Self

import httpx
import redis

from tests.support.freeze.guests import wait_for
from workers.processes.valkey import DataFolder, take_data_folder

#: What a webhook at this path answers.
STATUSES = {"/taken": 204, "/busy": 503, "/gone": 410}


#: A part by the names that its command has had, the newest first.
COMMANDS = {"turns": ("turns", "worker"), "scheduler": ("scheduler", "clock")}


class House:
    """The parts of one release in one data folder. Use it in a `with`."""

    def __init__(self, rummy500: Path, folder: Path) -> None:
        self._rummy500 = rummy500
        told = subprocess.run([rummy500, "--help"], capture_output=True, text=True, check=True)
        self._commands = {line.split()[0] for line in told.stdout.splitlines() if line.startswith("  ")}
        self._stack = ExitStack()
        self._parts: dict[str, subprocess.Popen[bytes]] = {}
        self._folder: DataFolder = take_data_folder(folder)
        self._stack.callback(self._folder.release)
        self.server = self._folder.start_server()
        self._stack.callback(self._end, self.server)
        self._folder.wait_until_ready(self.server, give_up=lambda: False, say=print)
        self.redis = self._stack.enter_context(redis.Redis(unix_socket_path=str(self._folder.socket)))
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.http = self._stack.enter_context(
            httpx.Client(base_url=f"http://127.0.0.1:{self.port}", timeout=60)
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for name in list(self._parts):
            self.stop(name)
        self._stack.close()

    @staticmethod
    def _end(process: subprocess.Popen[bytes]) -> None:
        process.terminate()
        process.wait(60)

    def start(self, *names: str) -> None:
        """Start parts of the release: `api`, `turns`, ..."""
        environ = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        settings = {
            "REDIS_URL": self._folder.url,
            "PORT": str(self.port),
            "API_PROCESSES": "1",
            "RATE_LIMITS": "1000",
            "WEBHOOK_PRIVATE_TARGETS": "true",
        }
        for name in names:
            command = [str(self._rummy500), self._command(name), "--quiet"]
            self._parts[name] = subprocess.Popen(command, env={**environ, **settings}, start_new_session=True)
        if "api" in names:
            wait_for(self._answers, "the API")

    def stop(self, *names: str, kill: bool = False) -> None:
        """Stop parts in order, or kill them in the middle of what they do."""
        for name in names:
            process = self._parts.pop(name)
            if kill:
                process.kill()
            self._end(process)

    def _command(self, name: str) -> str:
        """Return what the release calls a part."""
        return next(command for command in COMMANDS.get(name, (name,)) if command in self._commands)

    def _answers(self) -> bool:
        try:
            return self.http.get("/readyz").status_code == 200
        except httpx.TransportError:
            return False


@contextmanager
def receiver() -> Iterator[str]:
    """Run a server that takes webhooks, each path as `STATUSES` says; yield its URL."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(STATUSES[self.path])
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
