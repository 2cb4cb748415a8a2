"""Lists of games in Redis: a sorted set a list."""

from collections.abc import Iterable

from service.store.lists import LISTED_MS, GameList, Listed
from service.store.redis import keys
from service.store.redis.connection import Command, Connection
from service.store.redis.pages import page_of


class ListsInRedis:
    """The part of the store that keeps lists of games."""

    _redis: Connection

    def list_game(self, game_id: str, *, at: int, expires_at: int, lists: Iterable[GameList]) -> None:
        """Put a game into lists, or move it there."""
        commands: list[Command] = []
        for name in map(keys.games, lists):
            commands += [
                ("ZADD", name, at, game_id),
                ("ZREMRANGEBYSCORE", name, "-inf", at - LISTED_MS),
                # GT alone never gives a first end: a list without one counts as endless.
                ("PEXPIREAT", name, expires_at, "NX"),
                ("PEXPIREAT", name, expires_at, "GT"),
            ]
        self._redis.call_all(commands)

    def unlist_game(self, game_id: str, *, lists: Iterable[GameList]) -> None:
        """Take a game out of lists; those that do not hold it stay as they are."""
        self._redis.call_all([("ZREM", name, game_id) for name in map(keys.games, lists)])

    def games_in(self, listing: GameList, *, after: Listed | None = None, limit: int) -> list[Listed]:
        """Return the list behind the cursor, newest first; the higher id first where times are equal."""
        cursor = None if after is None else (after.at, after.game_id)
        page = page_of(self._redis, keys.games(listing), after=cursor, limit=limit)
        return [Listed(game_id=game_id, at=at) for at, game_id in page]
