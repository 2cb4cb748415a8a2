"""What must be derived from games, in memory: the twin of `redis_derivations`."""

import threading
from abc import ABC, abstractmethod
from dataclasses import dataclass

from service.store.contract import Stored, check_page
from service.store.outbox import Behind, Underived


@dataclass(slots=True, kw_only=True)
class Mark:
    """Says that something follows from a game's commits: behind which version, and up to which."""

    derived: int
    marked: int


class DerivationsInMemory(ABC):
    """The part of the store that knows which games are behind."""

    _changed: threading.Condition
    _marks: dict[str, Mark]
    _behind: dict[str, int]

    @abstractmethod
    def load(self, game_id: str) -> Stored | None:
        """Return state and version: the rest of the store knows."""

    def _mark(self, game_id: str, version: int, derive_at: int) -> bool:
        """Note that something follows from a version; tell whether something did already."""
        self._behind.setdefault(game_id, derive_at)
        mark = self._marks.setdefault(game_id, Mark(derived=version - 1, marked=0))
        was_marked, mark.marked = mark.marked > 0, version
        return was_marked

    def behind(self, *, now: int, limit: int) -> list[Behind]:
        """Return the games whose derivation is overdue, the longest overdue first."""
        check_page(limit=limit)
        with self._changed:
            found = sorted((at, game_id) for game_id, at in self._behind.items() if at <= now)
            return [Behind(game_id=game_id, at=at) for at, game_id in found[:limit]]

    def underived(self, game_id: str) -> Underived | None:
        """Return a game that something must be derived from; None where nothing must."""
        with self._changed:
            stored, mark = self.load(game_id), self._marks.get(game_id)
            if mark is None or stored is None:
                return None
            return Underived(version=stored.version, state=stored.state, derived=mark.derived)

    def put_off(self, game_id: str, *, expected_at: int, at: int) -> bool:
        """Move the time a derivation is overdue, unless another did first."""
        with self._changed:
            if self._behind.get(game_id) != expected_at:
                return False
            self._behind[game_id] = at
            return True

    def acknowledge(self, game_id: str, *, version: int) -> None:
        """Note that all is derived that follows from the game's commits up to the version."""
        with self._changed:
            mark = None if self.load(game_id) is None else self._marks.get(game_id)
            if mark is None or mark.marked <= version:
                self._marks.pop(game_id, None)
                self._behind.pop(game_id, None)
            else:
                mark.derived = max(mark.derived, version)
