"""Lists of games in Redis: a sorted set for each."""

from collections.abc import Iterable

from service.store.lists import LIST_RETENTION_MS, GameList, ListEntry, ListStore
from service.store.redis import keys
from service.store.redis.connection import Command, Connection
from service.store.redis.pages import page_of


class RedisListStore(ListStore):
    """Stores lists of games."""

    _redis: Connection

    def list_game(self, game_id: str, *, at: int, expires_at: int, lists: Iterable[GameList]) -> None:
        commands: list[Command] = []
        for name in map(keys.games, lists):
            commands += [
                ("ZADD", name, at, game_id),
                ("ZREMRANGEBYSCORE", name, "-inf", at - LIST_RETENTION_MS),
                # GT alone never sets the first expiry: a key without one counts as never expiring.
                ("PEXPIREAT", name, expires_at, "NX"),
                ("PEXPIREAT", name, expires_at, "GT"),
            ]
        self._redis.call_all(commands)

    def unlist_game(self, game_id: str, *, lists: Iterable[GameList]) -> None:
        self._redis.call_all([("ZREM", name, game_id) for name in map(keys.games, lists)])

    def games_in(self, listing: GameList, *, after: ListEntry | None = None, limit: int) -> list[ListEntry]:
        cursor = None if after is None else (after.at, after.game_id)
        page = page_of(self._redis, keys.games(listing), after=cursor, limit=limit)
        return [ListEntry(game_id=game_id, at=at) for at, game_id in page]
