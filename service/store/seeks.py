"""Seeks: players who wait for others to play the same game.

A pool holds the seeks for one kind of game. A seek waits in it until enough seeks fit together.
"""

from dataclasses import dataclass
from typing import Final, Protocol

from service.runtime.durations import HOUR_MS

MATCH_RETENTION_MS: Final = HOUR_MS
"""How long a match can be read by its seeks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeekKey:
    """Names a seek: its pool, id and player. Only seeks of one pool are matched."""

    pool: str
    id: str
    player_id: str

    @property
    def member(self) -> str:
        """Its stored name in the pool; it names the player, so players cannot use each other's seeks."""
        return f"{self.player_id}/{self.id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Seek:
    """A player's search for a group of `size` players, themselves included, who all fit each other.

    `kind` is the player's own kind, `meets` the kind they want to meet, None for any. It never matches with
    the players in `blocked`, by their ids.
    """

    name: SeekKey
    kind: str
    meets: str | None
    size: int
    body: bytes
    blocked: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SeekState:
    """A seek that waits until `until`, or a match: the game, and the bodies of all matched seeks.

    Every seek of a match gets the same bodies in the same order. A waiting seek gets its own.
    """

    until: int
    game_id: str | None
    bodies: tuple[bytes, ...]


class SeekStore(Protocol):
    """Stores seeks and matches them."""

    def seek(self, seek: Seek, *, now: int, until: int, game_id: str) -> SeekState:
        """Add a seek, or extend it, and match it if enough others fit.

        A match gets `game_id` and is kept for `MATCH_RETENTION_MS`. Every caller who receives a
        match must make sure that the game exists. A player never matches themselves, a seek is
        matched once and not after its end, and the seek that came first is matched first.
        """
        ...

    def renew_seek(
        self, name: SeekKey, *, now: int, until: int, game_id: str, blocked: tuple[str, ...] = ()
    ) -> SeekState | None:
        """Extend a seek with a new list of blocked players, and try again to match it.

        None if it no longer exists.
        """
        ...

    def end_seek(self, name: SeekKey, *, now: int) -> str | None:
        """End a seek; return the game's id if it was matched before, "" if it has ended now.

        None if there is no such seek; after a broken connection also for one that has ended now.
        """
        ...
