"""An open stream over HTTP: it reads a log, encodes frames, and ends for a reason.

A stream is a sequence of frames. The events of a log have an id, which is the cursor to
resume with. Advisories, such as presence changes, have none and are never sent again.
"""

import random
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from flask import Response, request

from service.api import auth
from service.api.auth import Caller
from service.api.limits import address_hash
from service.api.problems import Problem
from service.api.responses import encode
from service.api.services import Services
from service.api.sse import tickets
from service.runtime.durations import SECOND_MS
from service.runtime.json_object import Json
from service.runtime.timestamps import rfc3339
from service.store.contract import StoreUnavailable
from service.streams.broker import PAGE
from service.streams.connections import NoFreeSlot, ShareTaken, Slot, TooManyStreams
from service.streams.subscription import (
    Cursor,
    EndOfStream,
    LogEntry,
    Message,
    PresenceChange,
    QueueItem,
    Subscription,
)

SSE_TYPE: Final = "text/event-stream"
LINES_TYPE: Final = "application/x-ndjson"
#: The limits on open streams per token.
MAX_GAME_STREAMS: Final = 16
MAX_ACCOUNT_STREAMS: Final = 4

#: How long a client waits before it reconnects.
RETRY_MS: Final = 2000
_JITTER: Final = 0.1
#: How soon a failed read is tried again.
RETRY_READ_SECONDS: Final = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """One message of a stream. `cursor` is None for an advisory, which is not in the log."""

    type: str
    cursor: Cursor | None
    body: bytes


def sse_frame(frame: Frame) -> bytes:
    """Return the frame as a server-sent event."""
    named = b"" if frame.cursor is None else b"id: %d-%d\n" % frame.cursor
    return b"%sevent: %s\ndata: %s\n\n" % (named, frame.type.encode(), frame.body)


def json_line_frame(frame: Frame) -> bytes:
    """Return the frame as a line of JSON."""
    return frame.body + b"\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoding:
    """How frames are written. `encode_ping` encodes the frame that shows that the stream is alive."""

    media_type: str
    preamble: bytes
    encode_ping: Callable[[Frame], bytes]
    encode_frame: Callable[[Frame], bytes]


def empty_line(_: Frame) -> bytes:
    """Return the heartbeat of lines of JSON, which readers of lines skip."""
    return b"\n"


SSE: Final = Encoding(
    media_type=SSE_TYPE,
    preamble=b"retry: %d\n\n" % RETRY_MS,
    # An EventSource does not show a comment to the page.
    encode_ping=sse_frame,
    encode_frame=sse_frame,
)
JSON_LINES: Final = Encoding(
    media_type=LINES_TYPE, preamble=b"", encode_ping=empty_line, encode_frame=json_line_frame
)


class StreamEnded(Exception):  # noqa: N818 - named for what happened
    """The stream ends; its last frame gives the reason."""

    def __init__(self, reason: str) -> None:
        super().__init__()
        self.reason = reason


class Stream(ABC):
    """One open stream. The WSGI server iterates over it and closes it when the client disconnects."""

    def __init__(  # noqa: PLR0913 - the request's values, and what the stream holds
        self,
        services: Services,
        *,
        caller: Caller,
        encoding: Encoding,
        slot: Slot,
        subscription: Subscription,
        after: Cursor | None,
    ) -> None:
        self._services: Final = services
        self._caller: Final = caller
        self._encoding: Final = encoding
        self._slot: Final = slot
        self._subscription: Final = subscription
        slot.end = partial(subscription.end, "gone")
        self._ticket: tickets.HeldTicket | None = None
        self._cursor = after
        #: Whether the log may have events that were not read yet.
        self._has_unread_log = True
        self._first_chunk = b""
        self._closing_reason: str | None = None
        self._timing: Final = self._services.streams.timing
        moment = time.monotonic()
        jitter = random.uniform(1 - _JITTER, 1 + _JITTER)  # noqa: S311 - no secret
        self._ends_at = moment + self._timing.life_seconds * jitter
        self._heartbeat_at = moment + self._timing.heartbeat_seconds
        self._reread_at = moment + self._timing.heartbeat_seconds
        self._check_rights_at = moment + self._timing.check_seconds

    # What differs between the streams of games and of accounts.

    @property
    @abstractmethod
    def _context(self) -> Json:
        """The members that identify the game in an advisory."""

    @property
    def _read_cursor(self) -> Cursor | None:
        """How far the log has been read; delayed events are read but not delivered."""
        return self._cursor

    @abstractmethod
    def _first_frames(self) -> list[Frame]:
        """Return the frames to begin with, and set the cursor if there is none."""

    def _deliverable(self, entries: list[LogEntry]) -> list[LogEntry]:
        """Return the events that may be delivered now, in order."""
        return entries

    @abstractmethod
    def _event_frame(self, entry: LogEntry) -> Frame | None:
        """Return the frame of an event; None for an event that only a newer release knows."""

    @abstractmethod
    def _on_delivered(self, entries: list[LogEntry]) -> None:
        """Note the events just delivered. This must not read the store, because it is not repeated."""

    def _presence_frames(self, presence: PresenceChange) -> list[Frame]:
        """Return the frames for a presence change."""
        del presence
        return []

    def _message_frames(self, message: Message) -> list[Frame]:
        """Return the frames for a message."""
        del message
        return []

    @abstractmethod
    def _check_access(self) -> None:
        """Raise StreamEnded if the caller may not follow any more."""

    def _due_advisories(self) -> list[Frame]:
        """Return the advisories that are due by time."""
        return []

    def _seconds_to_advisory(self) -> float | None:
        """Return the seconds until the next advisory or delayed event; None if there is none."""
        return None

    # What is common to all streams.

    @property
    def media_type(self) -> str:
        """The media type of the response."""
        return self._encoding.media_type

    def begin(self) -> None:
        """Prepare the first frames. Errors are raised here, while a problem can still be the response."""
        self._first_chunk = self._encoding.preamble + self._encode(self._first_frames())
        self._ticket = tickets.hold(self._services, request, expires_at=self._ticket_expiry())

    def _ticket_expiry(self) -> int:
        """Return when the ticket expires unless it is renewed: a minute after a crash at the earliest."""
        return self._services.now() + round(self._timing.check_seconds * SECOND_MS) + tickets.TICKET_MS

    def __iter__(self) -> Iterator[bytes]:
        """Yield the encoded frames until the stream ends."""
        try:
            for chunk in self._chunks():
                self._slot.writing_since = time.monotonic()
                yield chunk
                self._slot.writing_since = None
        finally:
            self.close()

    def close(self) -> None:
        """Release the subscription, the slot and the ticket. A second call does nothing."""
        if self._ticket is not None:
            self._ticket.renew(expires_at=self._services.now() + tickets.TICKET_MS)
            self._ticket = None
        self._services.streams.broker.unsubscribe(self._subscription)
        self._services.streams.release(self._slot)

    def _chunks(self) -> Iterator[bytes]:
        yield self._first_chunk
        try:
            while self._closing_reason is None:
                if chunk := self._next_chunk():
                    yield chunk
        except StreamEnded as ended:
            self._closing_reason = ended.reason
        yield self._encode([self._advisory("stream.closing", reason=self._closing_reason)])

    def _next_chunk(self) -> bytes:
        items = self._next_items()
        frames = self._frames_of(items)
        chunk = self._encode(frames if self._closing_reason else [*frames, *self._due_advisories()])
        moment = time.monotonic()
        if not chunk and moment >= self._heartbeat_at:
            chunk = self._encoding.encode_ping(self._ping())
        if chunk:
            self._heartbeat_at = moment + self._timing.heartbeat_seconds
        return chunk

    def _next_items(self) -> list[QueueItem]:
        """Return the next items of the stream, or none after a timeout."""
        moment = time.monotonic()
        if moment >= self._ends_at and not self._has_unread_log:
            raise StreamEnded("rotate")
        if moment >= self._check_rights_at:
            self._check_rights_at = moment + self._timing.check_seconds
            self._check_rights()
        if self._has_unread_log or moment >= self._reread_at:
            # If a notification to the broker was lost, the log has the event.
            return self._read_log()
        until = min(self._ends_at, self._heartbeat_at, self._reread_at, self._check_rights_at)
        left = self._seconds_to_advisory()
        items = self._subscription.take(until - moment if left is None else min(until - moment, left))
        if any(isinstance(item, LogEntry) for item in items):
            self._reread_at = time.monotonic() + self._timing.heartbeat_seconds
        return items

    def _read_log(self) -> list[QueueItem]:
        try:
            page = self._services.streams.broker.read_page(self._subscription.name, self._read_cursor)
        except StoreUnavailable:
            if time.monotonic() >= self._ends_at:
                raise StreamEnded("rotate") from None
            # The log will be read again. Until then no event may be delivered out of order, but the end may.
            self._has_unread_log = True
            items = self._subscription.take(RETRY_READ_SECONDS)
            return [item for item in items if not isinstance(item, LogEntry)]
        self._has_unread_log = len(page) == PAGE
        self._reread_at = time.monotonic() + self._timing.heartbeat_seconds
        return [*page]

    def _frames_of(self, items: list[QueueItem]) -> list[Frame]:
        frames: list[Frame] = []
        try:
            self._add_event_frames([item for item in items if isinstance(item, LogEntry)], frames)
        except StoreUnavailable:
            self._reread_log()
        except StreamEnded as ended:
            # The frames before the end are delivered, nothing after it.
            self._closing_reason = ended.reason
            return frames
        for item in items:
            match item:
                case LogEntry():
                    pass
                case PresenceChange():
                    frames.extend(self._presence_frames(item))
                case Message():
                    frames.extend(self._message_frames(item))
                case EndOfStream():
                    self._closing_reason = item.reason
        return frames

    def _add_event_frames(self, entries: list[LogEntry], frames: list[Frame]) -> None:
        """Append the frames of the events one by one, so that an error keeps those before it."""
        delivered: list[LogEntry] = []
        for entry in self._deliverable(entries):
            # Otherwise it was read from the log before the broker delivered it.
            if self._cursor is None or entry.cursor > self._cursor:
                frame = self._event_frame(entry)
                if frame is not None:
                    frames.append(frame)
                self._cursor = entry.cursor
                delivered.append(entry)
        if delivered:
            self._on_delivered(delivered)

    def _reread_log(self) -> None:
        """Read the log again from the last delivered event."""
        self._has_unread_log = True

    def _check_rights(self) -> None:
        if self._ticket is not None and not self._ticket.renew(expires_at=self._ticket_expiry()):
            raise StreamEnded("replaced")
        try:
            found = auth.find_caller(self._services.store, self._caller.id, self._caller.token_hash)
            if found is None or found.account.is_leaving:
                raise StreamEnded("token_revoked")
            self._check_access()
        except StoreUnavailable:
            # The store cannot be read now; the next check follows.
            return

    def _encode(self, frames: Iterable[Frame]) -> bytes:
        return b"".join(map(self._encoding.encode_frame, frames))

    def _ping(self) -> Frame:
        ping = {"type": "ping", "server_time": rfc3339(self._services.now())}
        return Frame(type="ping", cursor=None, body=encode(ping))

    def _advisory(self, name: str, **members: Any) -> Frame:  # noqa: ANN401 - any JSON
        message = {"type": name, **self._context, "at": rfc3339(self._services.now()), **members}
        return Frame(type=name, cursor=None, body=encode(message))


def open_stream(
    services: Services, make: Callable[[Slot], Stream], caller: Caller, *, kind: str, max_streams: int
) -> Response:
    """Return the response that is the stream; raise `Problem` if too many are open.

    `max_streams` is the limit per token for streams of this kind.
    """
    connection = request.environ.get("gunicorn.socket")
    try:
        slot = services.streams.acquire(
            caller.id,
            kind=f"{kind}:{caller.token.id}",
            max_streams=max_streams,
            connection=connection,
            address=None if services.limiter is None else address_hash(),
        )
    except NoFreeSlot:
        raise Problem(
            "stream_capacity",
            "Too many streams are open. Retry in a few seconds, or poll with wait_ms.",
            headers={"Retry-After": "5"},
        ) from None
    except ShareTaken:
        raise Problem(
            "stream_capacity",
            "Too many streams are open from your address. Close one, or poll with wait_ms.",
            headers={"Retry-After": "5"},
        ) from None
    except TooManyStreams:
        raise Problem(
            "too_many_streams",
            f"This token has {max_streams} such streams open. Close one first.",
            headers={"Retry-After": "5"},
        ) from None
    try:
        stream = make(slot)
    except BaseException:
        services.streams.release(slot)
        raise
    try:
        stream.begin()
    except BaseException:
        stream.close()
        raise
    response = Response(stream, headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"})
    response.headers["Vary"] = "Authorization"
    response.headers["Content-Type"] = stream.media_type
    return response
