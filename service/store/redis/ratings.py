"""Ratings in Redis: a pool lies in one slot, so a game is rated for all its players or for none."""

from collections.abc import Sequence

from service.store.ratings import RATED_RETENTION_MS, RatingStore, RatingUpdate, Standing
from service.store.redis import keys
from service.store.redis.connection import Argument, Connection, script
from service.store.redis.pages import page_of


class RedisRatingStore(RatingStore):
    """Stores ratings."""

    _redis: Connection

    def rate(self, pool: str, game_id: str, ratings: Sequence[RatingUpdate], *, at: int) -> bool:
        arguments: list[Argument] = [game_id, at, at - RATED_RETENTION_MS]
        for rating in ratings:
            arguments += [
                rating.player_id,
                rating.replaces or "",
                rating.body,
                "" if rating.score is None else rating.score,
            ]
        names = [keys.ratings(pool), keys.board(pool), keys.rated(pool)]
        return bool(self._redis.run(script("rate"), names, *arguments) != b"stale")

    def ratings(self, pool: str, player_ids: Sequence[str]) -> list[bytes | None]:
        if not player_ids:
            return []
        found: list[bytes | None] = self._redis.call("HMGET", keys.ratings(pool), *player_ids)
        return found

    def standings(self, pool: str, *, after: Standing | None = None, limit: int) -> list[Standing]:
        cursor = None if after is None else (after.score, after.player_id)
        page = page_of(self._redis, keys.board(pool), after=cursor, limit=limit)
        return [Standing(player_id=player_id, score=score) for score, player_id in page]

    def count_above(self, pool: str, scores: Sequence[int]) -> list[int]:
        return self._redis.call_all([("ZCOUNT", keys.board(pool), f"({score}", "+inf") for score in scores])

    def remove_rating(self, pool: str, player_id: str) -> None:
        self._redis.call_all([("HDEL", keys.ratings(pool), player_id), ("ZREM", keys.board(pool), player_id)])
