"""Ratings, and the leaderboard of each pool.

A rating is stored under its player's id, and its score on the board:

    pcqAm3tL...  {"mu": 27.6, "sigma": 8.1, "games": 1, "wins": 1}
    pcqAm3tL...  206
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Protocol

from service.runtime.durations import DAY_MS


class Pool(StrEnum):
    """Players who are compared with each other only."""

    PEOPLE = "people"
    BOTS = "bots"
    COMPUTERS = "computers"


POOLS: Final = tuple(Pool)

RATED_RETENTION_MS: Final = 400 * DAY_MS
"""How long a pool remembers that a game was rated: far longer than its effects can be pending."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingUpdate:
    """A player's new rating in a pool, and the one it was computed from (None for their first).

    Without a `score` the player is not on the board.
    """

    player_id: str
    replaces: bytes | None
    body: bytes
    score: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A player's position on the leaderboard of a pool."""

    player_id: str
    score: int


class RatingStore(Protocol):
    """Stores the ratings of each of the `POOLS`."""

    def rate(self, pool: str, game_id: str, ratings: Sequence[RatingUpdate], *, at: int) -> bool:
        """Rate a game: write all new ratings, unless the game was rated before.

        Returns False, and writes nothing, if a rating is no longer the one that its update was
        computed from: compute the updates again. A game is rated once in a pool, however often
        this is called, within `RATED_RETENTION_MS`.
        """
        ...

    def ratings(self, pool: str, player_ids: Sequence[str]) -> list[bytes | None]:
        """Return the players' ratings in this order, None for an unrated player."""
        ...

    def standings(self, pool: str, *, after: Standing | None = None, limit: int) -> list[Standing]:
        """Return the leaderboard after the cursor: highest score first, then by id, descending.

        The cursor stays valid when its player has left the board. A player on the board may
        have been deleted: remove them then with `remove_rating`.
        """
        ...

    def count_above(self, pool: str, scores: Sequence[int]) -> list[int]:
        """Return for each score how many players on the board have a higher one, in one round trip."""
        ...

    def remove_rating(self, pool: str, player_id: str) -> None:
        """Remove a player from the ratings and the board."""
        ...
