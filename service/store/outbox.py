"""The outbox: games with effects that still have to follow from their commits.

Effects (notifications, lists, ratings) lie outside the game's slot and are written after the
commit. A commit with effects marks its game in the same step. The mark goes when the effects
are done, so a crash in between only delays them.
"""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class OverdueEffects:
    """A game whose effects should have been done by `at`."""

    game_id: str
    at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingEffects:
    """A game with pending effects: those of all versions up to `done_version` are done."""

    version: int
    state: bytes
    done_version: int


class OutboxStore(Protocol):
    """Knows which games have pending effects."""

    def overdue_effects(self, *, now: int, limit: int) -> list[OverdueEffects]:
        """Return the games with overdue effects, over all shards, the longest overdue first."""
        ...

    def pending_effects(self, game_id: str) -> PendingEffects | None:
        """Return a game with pending effects, or None."""
        ...

    def reschedule_effects(self, game_id: str, *, expected_at: int, at: int) -> bool:
        """Move the time at which effects are overdue, by compare-and-set as `lease` does."""
        ...

    def mark_effects_done(self, game_id: str, *, version: int) -> None:
        """Record that the effects of all commits up to the version are done.

        A game with later commits stays in the outbox. An expired game leaves it.
        """
        ...
