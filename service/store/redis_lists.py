"""Lists of games in Redis: a sorted set a list."""

from collections.abc import Iterable

from service.store import keys
from service.store.base import check_page
from service.store.connection import Command, Connection
from service.store.lists import LISTED_MS, GameList, Listed


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
        check_page(limit=limit)
        name = keys.games(listing)
        page = ("WITHSCORES", "LIMIT", 0, limit)
        if after is None:
            return _listed(self._redis.call("ZREVRANGEBYSCORE", name, "+inf", "-inf", *page))
        # Few games share a millisecond: those of the cursor's own are sifted here.
        same, older = self._redis.call_all(
            [
                ("ZREVRANGEBYSCORE", name, after.at, after.at, "WITHSCORES"),
                ("ZREVRANGEBYSCORE", name, f"({after.at}", "-inf", *page),
            ]
        )
        behind = [entry for entry in _listed(same) if entry.game_id < after.game_id]
        return (behind + _listed(older))[:limit]


def _listed(reply: list[bytes]) -> list[Listed]:
    return [
        Listed(game_id=game_id.decode(), at=int(at))
        for game_id, at in zip(reply[::2], reply[1::2], strict=True)
    ]
