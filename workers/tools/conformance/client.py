"""An HTTP client that retries requests safely and checks the form of every answer."""

import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Event, Lock
from typing import Final

import httpx

from workers.errors import CannotStart
from workers.tools.conformance.failures import Discrepancy, Json, Stopped

# Short enough to stop a game soon; news ends a long-poll at once in any case.
LONGEST_WAIT_MS: Final = 5_000
_PAUSE_SECONDS: Final = 0.25
_PROBLEM: Final = "application/problem+json"
_TRY_AGAIN: Final = frozenset({429, 502, 503, 504})


@dataclass(slots=True)
class Tally:
    """Totals over all games. `errors` counts answers and games with a discrepancy."""

    games: int = 0
    deals: int = 0
    moves: int = 0
    refused: int = 0
    errors: int = 0
    lost: int = 0
    overtaken: int = 0
    accounts_left: int = 0
    winning_totals: list[int] = field(default_factory=list)


class SharedTally:
    """A tally that several games add to concurrently."""

    def __init__(self) -> None:
        self._tally = Tally()
        self._lock = Lock()

    def add(self, what: str, number: int = 1) -> None:
        """Add to one of the numbers."""
        with self._lock:
            setattr(self._tally, what, getattr(self._tally, what) + number)

    def add_winning_total(self, total: int) -> None:
        """Add the winning total of a finished game."""
        with self._lock:
            self._tally.winning_totals.append(total)

    @property
    def tally(self) -> Tally:
        """The current numbers."""
        return self._tally


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """An HTTP answer; `body` is empty if it had none."""

    status: int
    body: Json
    etag: str | None
    replayed: bool

    @property
    def code(self) -> str | None:
        """The code of a problem, None for a success."""
        return self.body.get("code") if self.status >= httpx.codes.BAD_REQUEST else None

    def expect(self, *expected: int) -> Json:
        """Return the body; raises Discrepancy for any other status."""
        if self.status not in expected:
            raise Discrepancy(
                f"answered {self.status} {self.code or ''}: {self.body.get('detail', '')}".strip()
            )
        return self.body


class Client:
    """A client of one service, shared by concurrent games; each request has its player's token.

    A request without an answer, or with one that says to try again, is retried with the same
    Idempotency-Key for `patience_seconds`; after that its game fails.
    """

    def __init__(
        self,
        http: httpx.Client,
        tally: SharedTally,
        *,
        patience_seconds: float,
        stopped: Event,
    ) -> None:
        self._http = http
        self._patience_seconds = patience_seconds
        self._stopped = stopped
        self.tally = tally

    def get(self, path: str, *, token: str | None = None, **asked: str | None) -> Response:
        """Send a GET. `if_none_match` becomes a header, all else query parameters."""
        etag = asked.pop("if_none_match", None)
        headers = {} if etag is None else {"If-None-Match": etag}
        params = {name: value for name, value in asked.items() if value is not None}
        return self._send("GET", path, token=token, headers=headers, params=params)

    def post(  # noqa: PLR0913 - the parts of a request
        self,
        path: str,
        body: Json,
        *,
        token: str | None = None,
        version: int | None = None,
        key: str | None = None,
        dry_run: bool = False,
    ) -> Response:
        """Send a POST with an idempotency key. `version` becomes If-Match."""
        headers = {} if dry_run else {"Idempotency-Key": key or new_key()}
        if version is not None:
            headers["If-Match"] = f'"{version}"'
        params = {"dry_run": "true"} if dry_run else {}
        return self._send("POST", path, token=token, headers=headers, params=params, body=body)

    def put(self, path: str, body: Json, *, token: str) -> Response:
        """Send a PUT."""
        return self._send("PUT", path, token=token, headers={}, params={}, body=body)

    def delete(self, path: str, *, token: str) -> Response:
        """Send a DELETE."""
        return self._send("DELETE", path, token=token, headers={}, params={})

    def _send(  # noqa: PLR0913 - the parts of a request
        self,
        method: str,
        path: str,
        *,
        token: str | None,
        headers: Mapping[str, str],
        params: Mapping[str, str],
        body: Json | None = None,
    ) -> Response:
        sent = dict(headers)
        if token is not None:
            sent["Authorization"] = f"Bearer {token}"
        until = time.monotonic() + self._patience_seconds
        while True:
            try:
                response = self._http.request(method, path, json=body, headers=sent, params=params)
            except httpx.TransportError as error:
                self.tally.add("lost")
                self._wait(until, f"no answer ({error})", _PAUSE_SECONDS)
                continue
            answer = _read(response)
            if response.status_code in _TRY_AGAIN or answer.code == "idempotency_in_progress":
                if response.is_server_error:
                    self.tally.add("errors")
                seconds = float(response.headers.get("Retry-After", _PAUSE_SECONDS))
                self._wait(until, f"answered {response.status_code} {answer.code or ''}", seconds)
                continue
            return answer

    def _wait(self, until: float, why: str, seconds: float) -> None:
        if time.monotonic() + seconds > until:
            raise Discrepancy(f"{why} for {self._patience_seconds:.0f} s")
        if self._stopped.wait(seconds):
            raise Stopped


def new_key() -> str:
    """Return a new idempotency key."""
    return str(uuid.uuid4())


def _read(response: httpx.Response) -> Response:
    """Return the answer; raises Discrepancy if it breaks what the document promises of every answer."""
    body: Json = {}
    if response.content:
        try:
            body = response.json()
        except ValueError:
            raise Discrepancy(f"answered {response.status_code} with a body that is not JSON") from None
    if response.is_error:
        if response.headers.get("Content-Type") != _PROBLEM or "code" not in body:
            raise Discrepancy(f"answered {response.status_code} without a problem document")
    elif body.get("version") is not None and "ETag" in response.headers:
        version = body["version"]
        if response.headers["ETag"] != f'"{version}"':
            raise Discrepancy(f"the ETag {response.headers['ETag']} came with version {version}")
    return Response(
        status=response.status_code,
        body=body,
        etag=response.headers.get("ETag"),
        replayed=response.headers.get("Idempotency-Replayed") == "true",
    )


def meta_of(http: httpx.Client, url: str) -> Json:
    """Return the answer of getMeta; raises CannotStart if no Rummy 500 answers."""
    try:
        response = http.get("/v1/meta")
        meta: Json = response.json()
        response.raise_for_status()
        _ = meta["presets"], meta["levels"]
    except httpx.TransportError:
        raise CannotStart(
            f"No Rummy 500 answers at {url}; start one with `make run`, or name another with --url."
        ) from None
    except (ValueError, KeyError, TypeError, httpx.HTTPError):
        raise CannotStart(f"The server at {url} is not Rummy 500, or is not ready.") from None
    return meta
