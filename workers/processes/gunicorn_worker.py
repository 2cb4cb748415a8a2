"""A gunicorn worker with timeouts, which refuses invalid HTTP with problem documents.

Gunicorn alone answers invalid HTTP with HTML and logs the whole request line, which may contain a ticket.
A client that stops in the middle of a request or does not read its response holds a thread for ever, and one
that does not close a finished connection blocks all others for two seconds. Here a thread gets a request when
all of it has arrived: until then it waits in the socket's buffer, and costs a file handle.
"""

import errno
import logging
import selectors
import socket
import time
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import Any, Final, Protocol, cast

from gunicorn import http, util
from gunicorn.http import errors
from gunicorn.workers.gthread import TConn, ThreadWorker
from msgspec import json

from service.api import problems, requests
from service.api.problems import MEDIA_TYPE, Problem
from workers.processes.request_framing import MAX_REQUEST_BYTES, missing_bytes

#: A whole request, which has 64 KB at most, must arrive within this time.
READ_SECONDS: Final = 15.0
#: How long one write may block, as in a stream.
WRITE_SECONDS: Final = 30.0
#: How long a client may take to close a connection that this side has closed.
LINGER_SECONDS: Final = 1.0

_log = logging.getLogger(__name__)


class RequestTimeout(Exception):  # noqa: N818 - it becomes a problem document
    """A request did not arrive in time."""


#: The problem for each error of gunicorn's parser; any other error means invalid HTTP.
_PROBLEMS: Final[Mapping[type[Exception], tuple[str, str]]] = {
    errors.LimitRequestLine: ("uri_too_long", "The URL is too long."),
    errors.LimitRequestHeaders: ("headers_too_large", "The headers are too large."),
    RequestTimeout: ("request_timeout", "The request was not complete in time; send it again."),
    errors.ExpectationFailed: ("bad_request", 'Only "Expect: 100-continue" is supported.'),
}
_NOT_HTTP: Final = ("bad_request", "This is not a valid HTTP/1.1 request.")


def _missing_bytes(client: socket.socket) -> int:
    """Return how many bytes the request on a readable socket lacks at least, and wake up no earlier."""
    try:
        received = client.recv(MAX_REQUEST_BYTES, socket.MSG_PEEK | socket.MSG_DONTWAIT)
    except BlockingIOError:
        return 1
    except OSError:
        return 0  # A thread finds the error again, and closes the connection.
    # Without any bytes the client has closed the connection.
    missing = missing_bytes(received) if received else 0
    with suppress(OSError):
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, len(received) + missing if missing else 1)
    return missing


class _TimedSocket:
    """A socket from which each request is read until its deadline."""

    def __init__(self, sock: socket.socket) -> None:
        self._socket = sock
        self._ends_at = 0.0

    def begin(self) -> None:
        """Set the deadline of the next request."""
        self._ends_at = time.monotonic() + READ_SECONDS

    def recv(self, size: int) -> bytes:
        """Return received bytes; raises RequestTimeout after the deadline."""
        left = self._ends_at - time.monotonic()
        try:
            # Zero would make the socket non-blocking, with another error.
            self._socket.settimeout(max(left, 0.001))
            return self._socket.recv(size)
        except TimeoutError:
            raise RequestTimeout from None
        finally:
            self._socket.settimeout(WRITE_SECONDS)


class _BoundedReader(Protocol):
    def read(self, size: int) -> bytes:
        """Return bytes of the body, up to a number."""


class _Body:
    """A request body that turns an incomplete or invalid body into a problem, and is then empty."""

    def __init__(self, reader: _BoundedReader) -> None:
        self._reader = reader
        self._failed = False

    def read(self, size: int) -> bytes:
        if self._failed:
            return b""
        try:
            return self._reader.read(size)
        except (RequestTimeout, errors.ParseException, errors.NoMoreData) as error:
            self._failed = True
            raise _problem_of(error) from error


class Worker(ThreadWorker):
    """Gunicorn's threaded worker, with timeouts and problem documents."""

    def accept(self, listener: socket.socket) -> None:
        """Accept a connection, which waits without a thread for its first request."""
        try:
            client, address = listener.accept()
        except OSError as error:
            if error.errno not in {errno.EAGAIN, errno.ECONNABORTED}:
                raise
            return
        self.nr_conns += 1
        conn = TConn(self.cfg, client, address, listener.getsockname())
        conn.data_ready = True
        conn.set_timeout()
        self.keepalived_conns.append(conn)
        self.poller.register(client, selectors.EVENT_READ, partial(self.on_client_socket_readable, conn))

    def on_client_socket_readable(self, conn: TConn, client: socket.socket) -> None:
        """Hand a connection to a thread if its request is whole; otherwise wait for the rest of it."""
        missing = _missing_bytes(client)
        if not missing:
            super().on_client_socket_readable(conn, client)
            return
        self.keepalived_conns.remove(conn)
        conn.timeout = time.monotonic() + READ_SECONDS
        self.pending_conns.append(conn)
        self.poller.modify(client, selectors.EVENT_READ, partial(self.on_pending_socket_readable, conn))

    def on_pending_socket_readable(self, conn: TConn, client: socket.socket) -> None:
        """Hand a connection to a thread if the rest of its request has arrived."""
        if not _missing_bytes(client):
            super().on_pending_socket_readable(conn, client)

    def murder_pending(self) -> None:
        """Refuse and close the connections whose request was not complete in time."""
        now = time.monotonic()
        while self.pending_conns and (self.pending_conns[0].timeout or now) <= now:
            conn = self.pending_conns.popleft()
            self.poller.unregister(conn.sock)
            self.nr_conns -= 1
            # The system discards a response to a client whose bytes were not read.
            with suppress(OSError):
                conn.sock.recv(MAX_REQUEST_BYTES, socket.MSG_DONTWAIT)
            self.handle_error(None, conn.sock, conn.client, RequestTimeout())
            conn.close()

    def handle(self, conn: TConn) -> Any:  # noqa: ANN401 - gunicorn's own marker for a deferred connection
        """Handle a request on a connection, with a deadline for reading it."""
        connection: Any = conn
        if connection.parser is None:
            connection.parser = http.get_parser(self.cfg, cast("Any", _TimedSocket(conn.sock)), conn.client)
        connection.parser.unreader.sock.begin()
        keep_open = super().handle(conn)
        if keep_open is False:
            # In this thread: gunicorn would wait for the client in the one that accepts connections.
            util.close_graceful(conn.sock, timeout=LINGER_SECONDS)
        return keep_open

    def finish_request(self, conn: TConn, fs: Any) -> None:  # noqa: ANN401 - as gunicorn declares it
        """Wait for the next request on the connection, unless it is closed."""
        if conn.sock.fileno() < 0:
            self.nr_conns -= 1
        else:
            super().finish_request(conn, fs)

    def handle_request(self, req: Any, conn: TConn) -> Any:  # noqa: ANN401 - as gunicorn declares it
        """Call the application, with a time limit for each write."""
        req.body.reader = _Body(req.body.reader)
        conn.sock.settimeout(WRITE_SECONDS)
        try:
            return super().handle_request(req, conn)
        except TimeoutError:
            _log.info("a client did not read its response in time")
            return False

    def handle_error(self, req: Any, client: socket.socket, addr: Any, exc: BaseException) -> None:  # noqa: ANN401 - as gunicorn declares it
        """Answer a request that never reached the application."""
        del req, addr
        request_id = requests.new_request_id()
        problem = _problem_of(exc)
        if problem.code == "internal_error":
            _log.error("request %s failed", request_id, exc_info=exc)
        else:
            # Nothing of the request is logged: it may contain a ticket or a token.
            _log.info("request %s was refused: %s", request_id, type(exc).__name__)
        try:
            util.write_nonblock(client, _written(problem, request_id))
        except OSError:
            _log.debug("request %s: the client was gone", request_id)


def _problem_of(error: BaseException) -> Problem:
    if not isinstance(error, (RequestTimeout, errors.ParseException, errors.NoMoreData)):
        return Problem("internal_error", None)
    return Problem(
        *next((problem for kind, problem in _PROBLEMS.items() if isinstance(error, kind)), _NOT_HTTP)
    )


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
