"""What spectators who see a game late are told of it later."""

from collections import deque
from collections.abc import Callable, Iterable
from typing import Final

from service.games.record import GameLogEntry
from service.rummy.events import GameStarted
from service.streams.subscription import Cursor, LogEntry


class DelayBuffer:
    """Events that wait for their time, oldest first.

    Up to the version `dealt_at`, in which the cards were dealt, nothing waits. The events of
    one version are of the same moment, so that they are let go together.
    """

    def __init__(self, delay_ms: int, dealt_at: int | None) -> None:
        self._delay_ms: Final = delay_ms
        self._dealt_at = dealt_at
        self._waiting: Final[deque[tuple[LogEntry, GameLogEntry]]] = deque()

    @property
    def end(self) -> Cursor | None:
        """The newest event that waits; None where none does."""
        return self._waiting[-1][0].cursor if self._waiting else None

    @property
    def next_at(self) -> int | None:
        """When the next is let go."""
        return self._waiting[0][1].at + self._delay_ms if self._waiting else None

    def add(self, entries: Iterable[LogEntry], read: Callable[[LogEntry], GameLogEntry]) -> None:
        """Let events wait, those of whole versions."""
        for entry in entries:
            logged = read(entry)
            if self._dealt_at is None and isinstance(logged.event, GameStarted):
                self._dealt_at = logged.version
            self._waiting.append((entry, logged))

    def clear(self) -> None:
        """Let nothing wait any more: what has waited is read again, and held again."""
        self._waiting.clear()

    def release(self, *, now: int | None) -> list[LogEntry]:
        """Return what may be told now, or all of it for None."""
        free: list[LogEntry] = []
        while self._waiting and (now is None or self._is_due(self._waiting[0][1], now)):
            free.append(self._waiting.popleft()[0])
        return free

    def _is_due(self, logged: GameLogEntry, now: int) -> bool:
        return self._dealt_at is None or logged.version < self._dealt_at or logged.at + self._delay_ms <= now
