"""A server that takes webhooks, on a free port of this machine: what it got, and what it answers."""

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

CERTIFICATE = Path(__file__).parent / "tls" / "hooks.example.pem"
"""A key and a certificate for hooks.example, good for nothing but tests, until 2126."""


@dataclass
class Got:
    """A request as it came."""

    path: str
    headers: dict[str, str]
    body: bytes


class Hooks:
    """What came so far, and what is answered: a status each, the last one for ever."""

    def __init__(self, port: int, scheme: str) -> None:
        self.port = port
        self.url = f"{scheme}://127.0.0.1:{port}/hook"
        self.got: list[Got] = []
        self.statuses = [204]
        self.location: str | None = None
        self.arrived = threading.Condition()

    def take(self, got: Got) -> int:
        with self.arrived:
            self.got.append(got)
            self.arrived.notify_all()
            return self.statuses.pop(0) if len(self.statuses) > 1 else self.statuses[0]

    def wait_for(self, count: int) -> None:
        """Wait until so many requests have come."""
        with self.arrived:
            assert self.arrived.wait_for(lambda: len(self.got) >= count, 60), self.got


@contextmanager
def hooks(*, tls: bool = False) -> Iterator[Hooks]:
    """Run a server that takes webhooks."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            got = Got(path=self.path, headers=dict(self.headers.items()), body=body)
            self.send_response(taken.take(got))
            if taken.location is not None:
                self.send_header("Location", taken.location)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = False

        def handle_error(self, *_: object) -> None:
            # A client that trusts nobody hangs up.
            pass

    server = Server(("127.0.0.1", 0), Handler)
    if tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(CERTIFICATE)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    taken = Hooks(server.server_port, "https" if tls else "http")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield taken
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def saying(talk: Callable[[socket.socket], None]) -> Iterator[str]:
    """Run a server that reads a request and says what it likes; yield its URL."""

    def serve() -> None:
        while True:
            try:
                link, _ = listener.accept()
            except OSError:
                return
            with link, suppress(OSError):
                link.settimeout(60)
                link.recv(65536)
                talk(link)
                # A socket that is closed with unread bytes resets the connection.
                link.shutdown(socket.SHUT_WR)
                while link.recv(65536):
                    pass

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()
