"""Ratings, and the boards they make."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Protocol

from service.runtime.durations import DAY_MS


class Pool(StrEnum):
    """Who is rated among themselves."""

    PEOPLE = "people"
    BOTS = "bots"
    COMPUTERS = "computers"


POOLS: Final = tuple(Pool)

RATED_MS: Final = 400 * DAY_MS
"""How long a pool knows that a game has counted: far longer than anybody derives from one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rating:
    """A player's new rating in a pool, and the one it was reckoned from (None: he had none)."""

    player_id: str
    replaces: bytes | None
    body: bytes
    score: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A player's place on the board of a pool."""

    player_id: str
    score: int


class Ratings(Protocol):
    """Keeps the ratings of each of the `POOLS`."""

    def rate(self, pool: str, game_id: str, ratings: Sequence[Rating], *, at: int) -> bool:
        """Let a game count: write all ratings, or none; tell whether the game has counted now or before.

        False says that somebody's rating is not the one that his new one was reckoned from:
        reckon anew. A game counts once in a pool, however often it is brought, for `RATED_MS`.
        """
        ...

    def ratings(self, pool: str, player_ids: Sequence[str]) -> list[bytes | None]:
        """Return the players' ratings in the order given, None for those who have none."""
        ...

    def standings(self, pool: str, *, after: Standing | None = None, limit: int) -> list[Standing]:
        """Return the board behind the cursor, highest score first, then by id, the higher first.

        The cursor holds even when its own player has left the board. A player of the board
        may be no more: `forget_rating` him then.
        """
        ...

    def better_than(self, pool: str, scores: Sequence[int]) -> list[int]:
        """Return for each score how many on the board have a higher one, in one round trip."""
        ...

    def forget_rating(self, pool: str, player_id: str) -> None:
        """Take a player off the board."""
        ...
