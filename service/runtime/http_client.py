"""Sends webhooks: one POST to a checked address of another server, within a deadline.

No redirect is followed, no proxy is used, nothing is retried here, and of the response
only the status is read.
"""

import io
import logging
import socket
import ssl
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from http.client import HTTPException, HTTPResponse, RemoteDisconnected
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from urllib3.connection import HTTPConnection, HTTPSConnection

from service.runtime.ssrf_guard import TargetForbidden, check_addresses, check_url, resolve_addresses

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

#: From the name lookup to the status of the response.
SECONDS: Final = 10.0
_SWITCHING_PROTOCOLS: Final = 101

#: Returns the addresses of a host, for a port.
Lookup = Callable[[str, int], Sequence[str]]

# Malformed headers of other people's servers are no faults of ours, and their URLs may hold secrets.
logging.getLogger("urllib3").setLevel(logging.ERROR)


@dataclass(frozen=True, slots=True, kw_only=True)
class PostResult:
    """The status of the response, or one of `ERRORS` if there was none."""

    status: int | None = None
    error: str | None = None

    @property
    def is_success(self) -> bool:
        """Whether the server accepted the request."""
        return self.status is not None and 200 <= self.status < 300  # noqa: PLR2004 - HTTP's own numbers


#: Why a request got no response.
ERRORS: Final = (
    "target_refused",
    "name_not_found",
    "not_connected",
    "tls_failed",
    "timed_out",
    "no_http",
)


class WebhookClient:
    """Posts to public addresses; with `private` also to private networks, and over http.

    `tls` and `lookup` allow for certificates and names that only a private network knows.
    """

    def __init__(
        self,
        *,
        private: bool = False,
        tls: ssl.SSLContext | None = None,
        lookup: Lookup = resolve_addresses,
        seconds: float = SECONDS,
    ) -> None:
        self._private: Final = private
        self._tls: Final = tls or ssl.create_default_context()
        self._lookup: Final = lookup
        self._seconds: Final = seconds

    def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> PostResult:
        """Post the body; never raises for what the server does."""
        try:
            return self._post(url, body, headers, deadline=time.monotonic() + self._seconds)
        except TargetForbidden:
            return PostResult(error="target_refused")
        except (socket.gaierror, UnicodeError):
            return PostResult(error="name_not_found")
        except TimeoutError:
            return PostResult(error="timed_out")
        except ssl.SSLError:
            return PostResult(error="tls_failed")
        except HTTPException:
            return PostResult(error="no_http")
        except OSError:
            return PostResult(error="not_connected")

    def _post(self, url: str, body: bytes, headers: Mapping[str, str], *, deadline: float) -> PostResult:
        check_url(url, private=self._private)
        parts = urlsplit(url)
        connection: _Connection
        if parts.scheme == "https":
            connection = _TlsConnection(parts.hostname or "", parts.port, ssl_context=self._tls)
        else:
            connection = _Connection(parts.hostname or "", parts.port)
        found = self._lookup(connection.host, connection.port)
        connection.addresses = check_addresses(found, private=self._private)
        connection.deadline = deadline
        try:
            connection.connect()
            connection.timeout = _remaining(deadline)
            connection.request(
                "POST",
                f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}",
                body,
                {
                    "User-Agent": "Rummy500-Webhooks/1",
                    **({"Content-Type": "application/json"} if body else {}),
                    "Connection": "close",
                    **headers,
                },
                preload_content=False,
            )
            status = connection.getresponse().status
        finally:
            connection.close()
        return PostResult(status=status) if status < 600 else PostResult(error="no_http")  # noqa: PLR2004 - HTTP


class _Connection(HTTPConnection):
    """A connection to the first reachable one of the checked `addresses`; all of it ends at `deadline`.

    The name of the host stays in the Host header and in the check of the certificate.
    """

    addresses: Sequence[str]
    deadline: float

    def _new_conn(self) -> socket.socket:
        """Return the connected socket, whose timeout is left to the TLS handshake."""
        failure: OSError | None = None
        for address in self.addresses:
            try:
                link = socket.create_connection((address, self.port), timeout=_remaining(self.deadline))
                link.settimeout(_remaining(self.deadline))
            except TimeoutError:
                raise
            except OSError as error:
                failure = error
            else:
                return link
        raise failure or OSError("The name has no address.")

    def response_class(  # type: ignore[override] # http.client only calls it
        self,
        link: socket.socket,
        **options: Any,  # noqa: ANN401 - passed on
    ) -> HTTPResponse:
        """Return the response, which is read until the deadline."""
        response = _FinalResponse(link, **options)
        response.fp = io.BufferedReader(_HeadReader(link, self.deadline))
        return response


class _TlsConnection(_Connection, HTTPSConnection):
    """The same over TLS."""


class _FinalResponse(HTTPResponse):
    """A response without the interim ones (1xx) before it, of which http.client skips only 100."""

    def begin(self) -> None:
        super().begin()
        while self.status < 200 and self.status != _SWITCHING_PROTOCOLS:  # noqa: PLR2004 - HTTP's own numbers
            # Without headers http.client reads the next response.
            self.headers = self.msg = None  # type: ignore[assignment] # as before the first one
            super().begin()


class _HeadReader(io.RawIOBase):
    """Reads status and headers of a response until the deadline, however slowly they arrive."""

    def __init__(self, link: socket.socket, deadline: float) -> None:
        self._link: Final = link
        self._deadline: Final = deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        self._link.settimeout(_remaining(self._deadline))
        count = self._link.recv_into(buffer)
        if not count:
            # The body is never read, so this is the middle of the head.
            raise RemoteDisconnected("The response ends before its headers do.")
        return count


def _remaining(deadline: float) -> float:
    seconds = deadline - time.monotonic()
    if seconds <= 0:
        raise TimeoutError
    return seconds
