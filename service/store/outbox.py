"""What must be derived from games."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Behind:
    """A game from whose commits something has not been derived, though it should have been by `at`."""

    game_id: str
    at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Underived:
    """A game that something must be derived from: all that follows from versions up to `derived` is done."""

    version: int
    state: bytes
    derived: int


class Derivations(Protocol):
    """Knows which games are behind with what follows from their commits."""

    def behind(self, *, now: int, limit: int) -> list[Behind]:
        """Return the games whose derivation is overdue, over all shards, the longest overdue first."""
        ...

    def underived(self, game_id: str) -> Underived | None:
        """Return a game that something must be derived from; None where nothing must."""
        ...

    def put_off(self, game_id: str, *, expected_at: int, at: int) -> bool:
        """Move the time a derivation is overdue, unless another did first, as `lease` does."""
        ...

    def acknowledge(self, game_id: str, *, version: int) -> None:
        """Note that all is derived that follows from the game's commits up to the version.

        A game that was committed to since stays behind. One that has expired is forgotten.
        """
        ...
