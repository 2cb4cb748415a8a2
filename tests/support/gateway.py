"""A gateway between a client and the service that fails as gateways do, when the test wants it to.

    with Gateway(url) as gateway:
        gateway.fail(3, "lose answer")      # the third request that changes something

What passes is kept, so that a test can see what a client sent again, and when.
"""

import itertools
import select
import socket
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

#: How long a client is told to wait.
RETRY_AFTER_SECONDS = 1
_PATIENCE_SECONDS = 60
_CHUNKS_BEFORE_A_CUT = 2
_PROBLEM = b'{"type": "/problems/%s", "status": %d, "code": "%s", "detail": "Wait a little."}'
#: By the order: the status of an answer that is not the service's, its media type and body.
_ANSWERS = {
    "429": (429, "application/problem+json", _PROBLEM % (b"rate_limited", 429, b"rate_limited")),
    "503": (503, "application/problem+json", _PROBLEM % (b"store_unavailable", 503, b"store_unavailable")),
    "504": (504, "text/html", b"<html><body>Gateway Time-out</body></html>"),
}


@dataclass(frozen=True)
class Passed:
    """A request, what was done with it, and what the client was answered: 0 for nothing."""

    method: str
    path: str
    key: str | None
    body: bytes
    order: str
    status: int
    replayed: bool
    at: float


class Gateway:
    """Passes everything on, but for the requests that it has an order for.

    "lose request" breaks before the service hears of it, "lose answer" after it has done what it was asked,
    "half answer" in the middle of its answer. "429", "503" and "504" are answered in its place; a 504
    after it was done, as by a proxy that would not wait.
    """

    def __init__(self, url):
        self._service = urlsplit(url)
        self._orders = {}
        self._lock = threading.Lock()
        self.counts = {}
        self.passed = []
        gateway = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                gateway._pass(self)

            do_POST = do_GET  # noqa: N815 - so the library calls it

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = False
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05})

    @property
    def url(self):
        return f"http://127.0.0.1:{self._server.server_port}"

    def fail(self, method, number, order):
        """Treat the request of that number among those of a method, from 1, as ordered."""
        self._orders[method, number] = order

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _pass(self, handler):
        body = handler.rfile.read(int(handler.headers.get("Content-Length", 0)))
        with self._lock:
            number = self.counts[handler.command] = self.counts.get(handler.command, 0) + 1
            order = self._orders.get((handler.command, number), "pass")
        # One request a connection: a client that was let go is gone, and the test ends in time.
        handler.close_connection = True
        status, headers, answer = 0, {}, b""
        if order in {"pass", "half answer"} and "/stream" in handler.path:
            self.passed.append(
                Passed(handler.command, handler.path, None, b"", order, 200, False, time.monotonic())
            )
            self._pass_stream(handler, cut=order == "half answer")
            return
        if order not in {"lose request", "429", "503"}:
            status, headers, answer = self._asked(handler, body)
        replayed = headers.get("Idempotency-Replayed") == "true"
        if order in _ANSWERS:
            status, media_type, answer = _ANSWERS[order]
            headers = {"Content-Type": media_type, "Retry-After": str(RETRY_AFTER_SECONDS)}
        lost = order.startswith("lose")
        self.passed.append(
            Passed(
                method=handler.command,
                path=handler.path,
                key=handler.headers.get("Idempotency-Key"),
                body=body,
                order=order,
                status=0 if lost or order == "half answer" else status,
                replayed=replayed,
                at=time.monotonic(),
            )
        )
        if not lost:
            with suppress(OSError):
                _answer(handler, status, headers, answer, half=order == "half answer")

    def _pass_stream(self, handler, *, cut):
        """Pass the bytes of a stream on until one side closes it; `cut` breaks it in the middle."""
        head = [
            f"GET {handler.path} HTTP/1.1",
            *(f"{name}: {value}" for name, value in handler.headers.items()),
        ]
        with socket.create_connection((self._service.hostname, self._service.port)) as service:
            service.sendall("\r\n".join([*head, "", ""]).encode())
            for _ in range(_CHUNKS_BEFORE_A_CUT) if cut else itertools.count():
                ready, _, _ = select.select([service, handler.connection], [], [])
                received = b"" if handler.connection in ready else service.recv(65_536)
                if not received:
                    return
                with suppress(OSError):
                    handler.wfile.write(received)

    def _asked(self, handler, body):
        """Ask the service, and return its answer."""
        service = HTTPConnection(self._service.hostname, self._service.port, timeout=_PATIENCE_SECONDS)
        try:
            kept = {name: value for name, value in handler.headers.items() if name != "Connection"}
            service.request(handler.command, handler.path, body or None, kept)
            answer = service.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        finally:
            service.close()


def _answer(handler, status, headers, body, *, half):
    handler.send_response(status)
    for name, value in headers.items():
        if name not in {"Connection", "Content-Length", "Date", "Server", "Transfer-Encoding"}:
            handler.send_header(name, value)
    if status != 304:
        handler.send_header("Content-Length", str(len(body)))
    handler.send_header("Connection", "close")
    handler.end_headers()
    handler.wfile.write(body[: len(body) // 2] if half else body)
