"""The outbox in memory."""

import threading
from abc import ABC, abstractmethod
from dataclasses import dataclass

from service.store.contract import StoredGame, check_page
from service.store.outbox import OverdueEffects, PendingEffects


@dataclass(slots=True, kw_only=True)
class Mark:
    """The versions with pending effects: those after `done_version`, up to `marked`."""

    done_version: int
    marked: int


class MemoryOutboxStore(ABC):
    """The outbox in memory."""

    _changed: threading.Condition
    _marks: dict[str, Mark]
    _overdue_at: dict[str, int]

    @abstractmethod
    def load(self, game_id: str) -> StoredGame | None:
        """Return state and version."""

    def _mark(self, game_id: str, version: int, effects_due_at: int) -> bool:
        """Record effects of a version; return whether earlier ones are pending."""
        self._overdue_at.setdefault(game_id, effects_due_at)
        mark = self._marks.setdefault(game_id, Mark(done_version=version - 1, marked=0))
        was_marked, mark.marked = mark.marked > 0, version
        return was_marked

    def overdue_effects(self, *, now: int, limit: int) -> list[OverdueEffects]:
        check_page(limit=limit)
        with self._changed:
            found = sorted((at, game_id) for game_id, at in self._overdue_at.items() if at <= now)
            return [OverdueEffects(game_id=game_id, at=at) for at, game_id in found[:limit]]

    def pending_effects(self, game_id: str) -> PendingEffects | None:
        with self._changed:
            stored, mark = self.load(game_id), self._marks.get(game_id)
            if mark is None or stored is None:
                return None
            return PendingEffects(version=stored.version, state=stored.state, done_version=mark.done_version)

    def reschedule_effects(self, game_id: str, *, expected_at: int, at: int) -> bool:
        with self._changed:
            if self._overdue_at.get(game_id) != expected_at:
                return False
            self._overdue_at[game_id] = at
            return True

    def mark_effects_done(self, game_id: str, *, version: int) -> None:
        with self._changed:
            mark = None if self.load(game_id) is None else self._marks.get(game_id)
            if mark is None or mark.marked <= version:
                self._marks.pop(game_id, None)
                self._overdue_at.pop(game_id, None)
            else:
                mark.done_version = max(mark.done_version, version)
