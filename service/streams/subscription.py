"""What one stream is handed: events in order, words beside them, and the end."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any, Final

Cursor = tuple[int, int]
"""A place in a log: the version and seq of an event, or what a player's log has in their place."""

MOST_WAITING: Final = 256
"""So many events may wait for a stream. Whoever reads more slowly than that comes back with his cursor."""


class Entry:
    """One event of a log, shared by all in this process who follow it.

    What is made of it is made once for all who may know the same of it.
    """

    __slots__ = ("_made", "body", "cursor")

    def __init__(self, cursor: Cursor, body: bytes) -> None:
        self.cursor: Final = cursor
        self.body: Final = body
        self._made: Final[dict[Hashable, Any]] = {}

    def made(self, name: Hashable, make: Callable[[], Any]) -> Any:  # noqa: ANN401 - whatever `make` makes
        """Return what was made of it under the name; made now, if nobody has."""
        # Two threads may make the same at once, which costs a little and harms nothing.
        if name not in self._made:
            self._made[name] = make()
        return self._made[name]


@dataclass(frozen=True, slots=True)
class Presence:
    """A player has come, or has gone."""

    player_id: str
    is_online: bool


@dataclass(frozen=True, slots=True)
class Closing:
    """Nothing follows."""

    reason: str


Item = Entry | Presence | Closing


class Feed:
    """The end of the hub that one stream holds; others put into it, one thread takes."""

    def __init__(self, name: str) -> None:
        self.name: Final = name
        #: What the stream was told of each player it asked for.
        self.told_online: Final[dict[str, bool]] = {}
        self._items: Final[SimpleQueue[Item]] = SimpleQueue()
        self._is_closed = False

    def put(self, entry: Entry) -> None:
        """Hand over an event; too many that wait end the stream."""
        if self._items.qsize() >= MOST_WAITING:
            self.end("slow_consumer")
        elif not self._is_closed:
            self._items.put(entry)

    def say(self, presence: Presence) -> None:
        """Hand over a word beside the log, unless there is no room for it."""
        if self._items.qsize() < MOST_WAITING and not self._is_closed:
            self.told_online[presence.player_id] = presence.is_online
            self._items.put(presence)

    def end(self, reason: str) -> None:
        """Let the stream end behind what waits for it."""
        if not self._is_closed:
            self._is_closed = True
            self._items.put(Closing(reason))

    def take(self, timeout_seconds: float) -> list[Item]:
        """Return all that waits, oldest first; wait for something as long as it is given to."""
        items: list[Item] = []
        try:
            items.append(self._items.get(timeout=max(0.0, timeout_seconds)))
            while True:
                items.append(self._items.get_nowait())
        except Empty:
            return items
