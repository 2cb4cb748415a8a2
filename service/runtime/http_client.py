"""One POST to somebody else's server: to a checked address, in little time, with little read.

No redirect is followed, no proxy is asked, nothing of the answer is kept but its status.
"""

import re
import socket
import ssl
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from service.runtime.ssrf_guard import TargetForbidden, check_addresses, check_url, resolve_addresses

#: From the lookup of the name to the status of the answer.
SECONDS: Final = 10.0
#: So much of an answer is read to find its status.
_MOST_BYTES: Final = 16 * 1024
_STATUS: Final = re.compile(rb"HTTP/1\.[01] ([1-5][0-9][0-9])(?: |\r|\n)")
_HTTPS_PORT, _HTTP_PORT = 443, 80

#: Tells the addresses that a host stands for, at a port.
Lookup = Callable[[str, int], Sequence[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class PostResult:
    """What came of it: the status of the answer, or one of `ERRORS` where there was none."""

    status: int | None = None
    error: str | None = None

    @property
    def is_success(self) -> bool:
        """Tell whether the other side took what was sent."""
        return self.status is not None and 200 <= self.status < 300  # noqa: PLR2004 - HTTP's own numbers


#: What can keep a request from being answered.
ERRORS: Final = (
    "target_refused",
    "name_not_found",
    "not_connected",
    "tls_failed",
    "timed_out",
    "no_http",
)


class _NoHttp(Exception):  # noqa: N818 - a case of `ERRORS`
    """What came is no answer of HTTP."""


class WebhookClient:
    """Posts to public addresses; with `private` also to those of one's own network, and over http.

    `tls` and `lookup` are for servers that only one's own network knows.
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
        """Post the body; never raises for what the other side does."""
        ends = time.monotonic() + self._seconds
        try:
            check_url(url, private=self._private)
            parts = urlsplit(url)
            host = parts.hostname or ""
            port = parts.port or (_HTTPS_PORT if parts.scheme == "https" else _HTTP_PORT)
            addresses = check_addresses(self._lookup(host, port), private=self._private)
            with _connected(addresses, port, ends) as plain:
                link = plain
                if parts.scheme == "https":
                    link = self._tls.wrap_socket(plain, server_hostname=host)
                with link:
                    link.settimeout(_left(ends))
                    link.sendall(_request(url, body, headers))
                    return PostResult(status=_status(link, ends))
        except TargetForbidden:
            return PostResult(error="target_refused")
        except (socket.gaierror, UnicodeError):
            return PostResult(error="name_not_found")
        except TimeoutError:
            return PostResult(error="timed_out")
        except ssl.SSLError:
            return PostResult(error="tls_failed")
        except OSError:
            return PostResult(error="not_connected")
        except _NoHttp:
            return PostResult(error="no_http")


def _connected(addresses: Sequence[str], port: int, ends: float) -> socket.socket:
    """Return a connection to the first address that takes one; the others were checked as well."""
    failure: OSError | None = None
    for address in addresses:
        try:
            return socket.create_connection((address, port), timeout=_left(ends))
        except TimeoutError:
            raise
        except OSError as error:
            failure = error
    raise failure or OSError("The name stands for nothing.")


def _left(ends: float) -> float:
    left = ends - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _request(url: str, body: bytes, headers: Mapping[str, str]) -> bytes:
    parts = urlsplit(url)
    lines = {
        "Host": parts.netloc,
        "User-Agent": "Rummy500-Webhooks/1",
        "Content-Type": "application/json",
        "Content-Length": str(len(body)),
        "Connection": "close",
        **headers,
    }
    target = f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}"
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return f"POST {target} HTTP/1.1\r\n{head}\r\n".encode("ascii") + body


def _status(link: socket.socket, ends: float) -> int:
    """Return the status of the answer; what was said on the way to it (1xx) is passed over."""
    read = b""
    while True:
        while b"\n" not in read or (_is_interim(read) and b"\r\n\r\n" not in read):
            if len(read) > _MOST_BYTES:
                raise _NoHttp
            link.settimeout(_left(ends))
            more = link.recv(4096)
            if not more:
                raise _NoHttp
            read += more
        found = _STATUS.match(read)
        if found is None:
            raise _NoHttp
        if not _is_interim(read):
            return int(found[1])
        read = read.partition(b"\r\n\r\n")[2]


def _is_interim(read: bytes) -> bool:
    found = _STATUS.match(read)
    return found is not None and found[1].startswith(b"1")
