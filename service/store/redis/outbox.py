"""The outbox in Redis: a sorted set of games for each shard, and two versions in each game."""

from service.store.contract import check_page
from service.store.ids import SHARDS, is_game_id, shard_of
from service.store.outbox import OutboxStore, OverdueEffects, PendingEffects
from service.store.redis import keys
from service.store.redis.connection import Connection, script


class RedisOutboxStore(OutboxStore):
    """Stores which games have pending effects."""

    _redis: Connection

    def overdue_effects(self, *, now: int, limit: int) -> list[OverdueEffects]:
        check_page(limit=limit)
        page = ("WITHSCORES", "LIMIT", 0, limit)
        replies = self._redis.call_all(
            [("ZRANGEBYSCORE", keys.outbox(shard), "-inf", now, *page) for shard in range(SHARDS)]
        )
        found = [
            OverdueEffects(game_id=game_id.decode(), at=int(at))
            for reply in replies
            for game_id, at in zip(reply[::2], reply[1::2], strict=True)
        ]
        found.sort(key=lambda entry: (entry.at, entry.game_id))
        return found[:limit]

    def pending_effects(self, game_id: str) -> PendingEffects | None:
        if not is_game_id(game_id):
            return None
        version, state, done_version = self._redis.call(
            "HMGET", keys.game(game_id), "version", "state", "derived"
        )
        if done_version is None:
            return None
        return PendingEffects(version=int(version), state=state, done_version=int(done_version))

    def reschedule_effects(self, game_id: str, *, expected_at: int, at: int) -> bool:
        if not is_game_id(game_id):
            return False
        shard = shard_of(game_id)
        names = [keys.outbox(shard), keys.attempts(shard)]
        return bool(self._redis.run(script("lease"), names, game_id, expected_at, at, ""))

    def mark_effects_done(self, game_id: str, *, version: int) -> None:
        if is_game_id(game_id):
            names = [keys.game(game_id), keys.outbox(shard_of(game_id))]
            self._redis.run(script("mark_effects_done"), names, game_id, version)
