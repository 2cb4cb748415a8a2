"""Lists of games: those of a player, the public ones, and the open ones.

A list is ordered by time, newest first. Its entries are game ids:

    g374bpcIeywITybv6XK887uOTfHvn   1796080425985
    g33Tb1tLHWYHqd5U99xqjLCFdEL9F   1796080371483
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Protocol, Self

from service.runtime.durations import DAY_MS

LIST_RETENTION_MS: Final = 365 * DAY_MS
"""The largest age difference between the newest and the oldest entry; it bounds a growing list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameList:
    """Names a list of games. Sandbox games are always in lists of their own."""

    name: str
    player_id: str | None = None
    sandbox: bool = False

    @classmethod
    def of_player(cls, player_id: str, *, sandbox: bool = False) -> Self:
        """Name the games of one player."""
        return cls(name="games", player_id=player_id, sandbox=sandbox)

    @classmethod
    def unfinished(cls, player_id: str | None = None, *, sandbox: bool = False) -> Self:
        """Name the games that are not over: those of one player, or all public ones.

        Finished games stay in the other lists for months, so a search for unfinished games
        there would read all of them.
        """
        return cls(name="going", player_id=player_id, sandbox=sandbox)

    @classmethod
    def left_by(cls, player_id: str) -> Self:
        """Name the games, sandbox or not, in which a player once had a seat and has none now."""
        return cls(name="left", player_id=player_id)

    @classmethod
    def open(cls, *, sandbox: bool = False) -> Self:
        """Name the public games that wait for players."""
        return cls(name="open", sandbox=sandbox)

    @classmethod
    def public(cls, *, sandbox: bool = False) -> Self:
        """Name the games that anyone may watch."""
        return cls(name="public", sandbox=sandbox)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListEntry:
    """An entry of a list of games, and the cursor of the page after it."""

    game_id: str
    at: int


class ListStore(Protocol):
    """Stores lists of games, newest first."""

    def list_game(self, game_id: str, *, at: int, expires_at: int, lists: Iterable[GameList]) -> None:
        """Add a game to lists, or move it there; `at` orders it and should never change.

        A list expires with the longest-lived game ever added to it. Games that are
        `LIST_RETENTION_MS` older than this one are removed.
        """
        ...

    def unlist_game(self, game_id: str, *, lists: Iterable[GameList]) -> None:
        """Remove a game from lists; a list without it stays as it is."""
        ...

    def games_in(self, listing: GameList, *, after: ListEntry | None = None, limit: int) -> list[ListEntry]:
        """Return the list after the cursor, newest first; equal times are ordered by id, descending.

        The cursor stays valid when its game has left the list. An entry's game may have
        expired: remove it then with `unlist_game`.
        """
        ...
