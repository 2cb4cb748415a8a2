"""Lists of games."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Protocol, Self

from service.runtime.durations import DAY_MS

LISTED_MS: Final = 365 * DAY_MS
"""How much older than the newest a list's games are at most: nothing else ends a list that grows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameList:
    """Names a list of games. Sandbox games have lists of their own, always."""

    name: str
    player_id: str | None = None
    sandbox: bool = False

    @classmethod
    def of_player(cls, player_id: str, *, sandbox: bool = False) -> Self:
        """Name the games of one player."""
        return cls(name="games", player_id=player_id, sandbox=sandbox)

    @classmethod
    def going(cls, player_id: str | None = None, *, sandbox: bool = False) -> Self:
        """Name the games that are not over: those of one player, or those that anybody may see.

        Games that are over stay in the other lists for months: whoever looks for one that is not
        would read them all.
        """
        return cls(name="going", player_id=player_id, sandbox=sandbox)

    @classmethod
    def left_by(cls, player_id: str) -> Self:
        """Name the games, sandbox or not, in which a player sat once and sits no more."""
        return cls(name="left", player_id=player_id)

    @classmethod
    def open(cls, *, sandbox: bool = False) -> Self:
        """Name the public games that wait for players."""
        return cls(name="open", sandbox=sandbox)

    @classmethod
    def public(cls, *, sandbox: bool = False) -> Self:
        """Name the games that anybody may see."""
        return cls(name="public", sandbox=sandbox)


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """An entry of a list of games, and the cursor that goes on behind it."""

    game_id: str
    at: int


class Lists(Protocol):
    """Keeps lists of games, newest first."""

    def list_game(self, game_id: str, *, at: int, expires_at: int, lists: Iterable[GameList]) -> None:
        """Put a game into lists, or move it there; `at` orders it and should never change.

        A list lives as long as the longest-lived game ever put into it. Games that are
        `LISTED_MS` older than this one leave it.
        """
        ...

    def unlist_game(self, game_id: str, *, lists: Iterable[GameList]) -> None:
        """Take a game out of lists; those that do not hold it stay as they are."""
        ...

    def games_in(self, listing: GameList, *, after: Listed | None = None, limit: int) -> list[Listed]:
        """Return the list behind the cursor, newest first; the higher id first where times are equal.

        The cursor holds even when its own game has left the list. An entry's game may have
        expired: `unlist_game` it then.
        """
        ...
