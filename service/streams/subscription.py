"""A stream's subscription: a bounded queue of events, presence changes, messages and the end."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any, Final

Cursor = tuple[int, int]
"""A position in a log: an event's version and seq, or milliseconds and a count in a player's log."""

MAX_QUEUED_EVENTS: Final = 256
"""How many events may wait for a stream. A slower client must reconnect with its cursor."""


class LogEntry:
    """One event of a log, shared by all subscribers in this process.

    What is rendered from it is cached here, and so rendered once for all viewers who may see
    the same.
    """

    __slots__ = ("_cache", "body", "cursor")

    def __init__(self, cursor: Cursor, body: bytes) -> None:
        self.cursor: Final = cursor
        self.body: Final = body
        self._cache: Final[dict[Hashable, Any]] = {}

    def cached(self, key: Hashable, make: Callable[[], Any]) -> Any:  # noqa: ANN401 - whatever `make` makes
        """Return the value cached under the key; call `make` for it if there is none."""
        # Two threads may make the same value at once, which costs a little and harms nothing.
        if key not in self._cache:
            self._cache[key] = make()
        return self._cache[key]


@dataclass(frozen=True, slots=True)
class PresenceChange:
    """A player came online or went offline."""

    player_id: str
    is_online: bool


@dataclass(frozen=True, slots=True)
class Message:
    """A message to those who follow a game; it is in no log."""

    body: bytes


@dataclass(frozen=True, slots=True)
class EndOfStream:
    """The last item of a subscription."""

    reason: str


QueueItem = LogEntry | PresenceChange | Message | EndOfStream


class Subscription:
    """What the broker delivers to one stream: other threads put, the stream's thread takes."""

    def __init__(self, name: str) -> None:
        self.name: Final = name
        #: The presence last delivered, for each player that the stream watches.
        self.known_online: Final[dict[str, bool]] = {}
        self._items: Final[SimpleQueue[QueueItem]] = SimpleQueue()
        self._is_closed = False

    def put(self, entry: LogEntry) -> None:
        """Queue an event; a full queue ends the stream."""
        if self._items.qsize() >= MAX_QUEUED_EVENTS:
            self.end("slow_consumer")
        elif not self._is_closed:
            self._items.put(entry)

    def put_presence(self, change: PresenceChange) -> None:
        """Queue a presence change; a full queue drops it."""
        if self._items.qsize() < MAX_QUEUED_EVENTS and not self._is_closed:
            self.known_online[change.player_id] = change.is_online
            self._items.put(change)

    def put_message(self, message: Message) -> None:
        """Queue a message; a full queue drops it."""
        if self._items.qsize() < MAX_QUEUED_EVENTS and not self._is_closed:
            self._items.put(message)

    def end(self, reason: str) -> None:
        """End the stream after the items that are queued."""
        if not self._is_closed:
            self._is_closed = True
            self._items.put(EndOfStream(reason))

    def take(self, timeout_seconds: float) -> list[QueueItem]:
        """Return all queued items, oldest first; wait up to the timeout for the first one."""
        items: list[QueueItem] = []
        try:
            items.append(self._items.get(timeout=max(0.0, timeout_seconds)))
            while True:
                items.append(self._items.get_nowait())
        except Empty:
            return items
