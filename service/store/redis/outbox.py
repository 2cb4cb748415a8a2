"""What must be derived from games, in Redis: a list of games a shard, and two numbers in each game."""

from service.store.contract import check_page
from service.store.ids import SHARDS, is_game_id, shard_of
from service.store.outbox import Behind, Underived
from service.store.redis import keys
from service.store.redis.connection import Connection, script


class DerivationsInRedis:
    """The part of the store that knows which games are behind."""

    _redis: Connection

    def behind(self, *, now: int, limit: int) -> list[Behind]:
        """Return the games whose derivation is overdue, over all shards, the longest overdue first."""
        check_page(limit=limit)
        page = ("WITHSCORES", "LIMIT", 0, limit)
        replies = self._redis.call_all(
            [("ZRANGEBYSCORE", keys.behind(shard), "-inf", now, *page) for shard in range(SHARDS)]
        )
        found = [
            Behind(game_id=game_id.decode(), at=int(at))
            for reply in replies
            for game_id, at in zip(reply[::2], reply[1::2], strict=True)
        ]
        found.sort(key=lambda entry: (entry.at, entry.game_id))
        return found[:limit]

    def underived(self, game_id: str) -> Underived | None:
        """Return a game that something must be derived from; None where nothing must."""
        if not is_game_id(game_id):
            return None
        version, state, derived = self._redis.call("HMGET", keys.game(game_id), "version", "state", "derived")
        if derived is None:
            return None
        return Underived(version=int(version), state=state, derived=int(derived))

    def put_off(self, game_id: str, *, expected_at: int, at: int) -> bool:
        """Move the time a derivation is overdue, unless another did first."""
        if not is_game_id(game_id):
            return False
        shard = shard_of(game_id)
        names = [keys.behind(shard), keys.attempts(shard)]
        return bool(self._redis.run(script("lease"), names, game_id, expected_at, at, ""))

    def acknowledge(self, game_id: str, *, version: int) -> None:
        """Note that all is derived that follows from the game's commits up to the version."""
        if is_game_id(game_id):
            names = [keys.game(game_id), keys.behind(shard_of(game_id))]
            self._redis.run(script("derived"), names, game_id, version)
