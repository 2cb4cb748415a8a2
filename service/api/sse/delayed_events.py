"""The delay buffer for spectators who see a game with a delay."""

from collections import deque
from collections.abc import Callable, Iterable
from typing import Final

from service.games.record import GameLogEntry
from service.rummy.events import GameStarted
from service.streams.subscription import Cursor, LogEntry


class DelayBuffer:
    """Events that are held until their delay is over, oldest first.

    Events before the version `dealt_at`, which dealt the first cards, are not delayed. The
    events of one version have the same time, so that they are released together.
    """

    def __init__(self, delay_ms: int, dealt_at: int | None) -> None:
        self._delay_ms: Final = delay_ms
        self._dealt_at = dealt_at
        self._waiting: Final[deque[tuple[LogEntry, GameLogEntry]]] = deque()

    @property
    def end(self) -> Cursor | None:
        """The cursor of the newest event held; None if there is none."""
        return self._waiting[-1][0].cursor if self._waiting else None

    @property
    def next_at(self) -> int | None:
        """When the next event is released."""
        return self._waiting[0][1].at + self._delay_ms if self._waiting else None

    def add(self, entries: Iterable[LogEntry], read: Callable[[LogEntry], GameLogEntry]) -> None:
        """Hold the events of whole versions."""
        for entry in entries:
            logged = read(entry)
            if self._dealt_at is None and isinstance(logged.event, GameStarted):
                self._dealt_at = logged.version
            self._waiting.append((entry, logged))

    def clear(self) -> None:
        """Drop all events; they are read from the log again."""
        self._waiting.clear()

    def release(self, *, now: int | None) -> list[LogEntry]:
        """Remove and return the events that are due, or all of them if `now` is None."""
        due: list[LogEntry] = []
        while self._waiting and (now is None or self._is_due(self._waiting[0][1], now)):
            due.append(self._waiting.popleft()[0])
        return due

    def _is_due(self, logged: GameLogEntry, now: int) -> bool:
        return self._dealt_at is None or logged.version < self._dealt_at or logged.at + self._delay_ms <= now
