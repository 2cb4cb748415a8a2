"""How gunicorn serves us: what is no HTTP is refused as the API refuses, and nobody is waited for long.

By itself gunicorn answers HTML to what it cannot read, and writes the whole request line into the log,
where a ticket may stand. Whoever stops in the middle of a request or does not take an answer holds a thread
for ever, and whoever does not close a connection that is over holds up all others for two seconds.
"""

import logging
import socket
import time
from collections.abc import Mapping
from typing import Any, Final, Protocol, cast

from gunicorn import http, util
from gunicorn.http import errors
from gunicorn.workers.gthread import TConn, ThreadWorker
from msgspec import json

from service.api import problems, requests
from service.api.problems import MEDIA_TYPE, Problem

#: A whole request must have come within this time: it is 64 KB at most.
READ_SECONDS: Final = 15.0
#: So long a client may take for what has been written, as in a stream.
WRITE_SECONDS: Final = 30.0
#: So long the client has to close a connection that we have closed: it may still be reading.
LINGER_SECONDS: Final = 1.0

_log = logging.getLogger(__name__)


class TooSlow(Exception):  # noqa: N818 - it is told as a problem
    """A request has not come to its end in time."""


#: What gunicorn cannot read, in our words; whatever else it is, it is no HTTP.
_REFUSED: Final[Mapping[type[Exception], tuple[str, str]]] = {
    errors.LimitRequestLine: ("uri_too_long", "No path of ours is so long; /v1/openapi.json tells what is."),
    errors.LimitRequestHeaders: ("headers_too_large", "These are more headers than anything here needs."),
    TooSlow: ("request_timeout", "The request did not come to its end in time; send it again in one go."),
    errors.ExpectationFailed: ("bad_request", "Of Expect only 100-continue is known here."),
}
_NO_HTTP: Final = ("bad_request", "This is no HTTP/1.1 request.")


class _Reading:
    """A socket as requests are read from it, each up to its own deadline."""

    def __init__(self, sock: socket.socket) -> None:
        self._socket = sock
        self._ends_at = 0.0

    def begin(self) -> None:
        """Give the next request its time."""
        self._ends_at = time.monotonic() + READ_SECONDS

    def recv(self, size: int) -> bytes:
        """Return what has come; raise `TooSlow` when the time is over."""
        left = self._ends_at - time.monotonic()
        try:
            # Zero would mean not to wait, and be refused with another error.
            self._socket.settimeout(max(left, 0.001))
            return self._socket.recv(size)
        except TimeoutError:
            raise TooSlow from None
        finally:
            self._socket.settimeout(WRITE_SECONDS)


class _Reader(Protocol):
    def read(self, size: int) -> bytes:
        """Return so many bytes, or what is left."""


class _Body:
    """A body as the application reads it: what breaks off or is no HTTP is refused, and then over."""

    def __init__(self, reader: _Reader) -> None:
        self._reader = reader
        self._refused = False

    def read(self, size: int) -> bytes:
        if self._refused:
            return b""
        try:
            return self._reader.read(size)
        except (TooSlow, errors.ParseException, errors.NoMoreData) as error:
            self._refused = True
            raise _problem_of(error) from error


class Worker(ThreadWorker):
    """Gunicorn's worker with threads."""

    def handle(self, conn: TConn) -> Any:  # noqa: ANN401 - gunicorn's own mark for a connection put off
        """Handle a request on a connection, if it comes in time."""
        connection: Any = conn
        if connection.parser is None:
            connection.parser = http.get_parser(self.cfg, cast("Any", _Reading(conn.sock)), conn.client)
        connection.parser.unreader.sock.begin()
        goes_on = super().handle(conn)
        if goes_on is False:
            # Here, in a thread: gunicorn would wait for the client in the one that accepts connections.
            util.close_graceful(conn.sock, timeout=LINGER_SECONDS)
        return goes_on

    def finish_request(self, conn: TConn, fs: Any) -> None:  # noqa: ANN401 - as gunicorn declares it
        """Wait for the next request on the connection, unless it is closed."""
        if conn.sock.fileno() < 0:
            self.nr_conns -= 1
        else:
            super().finish_request(conn, fs)

    def handle_request(self, req: Any, conn: TConn) -> Any:  # noqa: ANN401 - as gunicorn declares it
        """Let the application answer."""
        req.body.reader = _Body(req.body.reader)
        conn.sock.settimeout(WRITE_SECONDS)
        try:
            return super().handle_request(req, conn)
        except TimeoutError:
            _log.info("a client did not take its answer in time")
            return False

    def handle_error(self, req: Any, client: socket.socket, addr: Any, exc: BaseException) -> None:  # noqa: ANN401 - as gunicorn declares it
        """Answer a request that never came as far as the application."""
        del req, addr
        request_id = requests.new_request_id()
        problem = _problem_of(exc)
        if problem.code == "internal_error":
            _log.error("request %s failed", request_id, exc_info=exc)
        else:
            # No word of the request itself: there may be a ticket or a token in it.
            _log.info("request %s was refused: %s", request_id, type(exc).__name__)
        try:
            util.write_nonblock(client, _written(problem, request_id))
        except OSError:
            _log.debug("request %s: nobody took the answer", request_id)


def _problem_of(error: BaseException) -> Problem:
    if not isinstance(error, (TooSlow, errors.ParseException, errors.NoMoreData)):
        return Problem("internal_error", None)
    return Problem(*next((told for kind, told in _REFUSED.items() if isinstance(error, kind)), _NO_HTTP))


def _written(problem: Problem, request_id: str) -> bytes:
    content = json.encode(problems.to_json(problem, instance="", request_id=request_id))
    headers = {
        "Connection": "close",
        "Content-Type": MEDIA_TYPE,
        "Content-Length": str(len(content)),
        **requests.common_headers(request_id),
    }
    kind = problems.type_of(problem.code)
    lines = [f"HTTP/1.1 {problem.status} {kind.title}", *(f"{name}: {it}" for name, it in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + content
