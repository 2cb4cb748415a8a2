"""Ratings in Redis: all of a pool lies in one slot, so that a game counts for all its players or for none."""

from collections.abc import Sequence

from service.store.ratings import RATED_MS, Rating, Standing
from service.store.redis import keys
from service.store.redis.connection import Argument, Connection, script
from service.store.redis.pages import page_of


class RatingsInRedis:
    """The part of the store that keeps ratings."""

    _redis: Connection

    def rate(self, pool: str, game_id: str, ratings: Sequence[Rating], *, at: int) -> bool:
        """Let a game count: write all ratings, or none; tell whether the game has counted now or before."""
        arguments: list[Argument] = [game_id, at, at - RATED_MS]
        for rating in ratings:
            arguments += [rating.player_id, rating.replaces or "", rating.body, rating.score]
        names = [keys.ratings(pool), keys.board(pool), keys.rated(pool)]
        return bool(self._redis.run(script("rate"), names, *arguments) != b"stale")

    def ratings(self, pool: str, player_ids: Sequence[str]) -> list[bytes | None]:
        """Return the players' ratings in the order given, None for those who have none."""
        if not player_ids:
            return []
        found: list[bytes | None] = self._redis.call("HMGET", keys.ratings(pool), *player_ids)
        return found

    def standings(self, pool: str, *, after: Standing | None = None, limit: int) -> list[Standing]:
        """Return the board behind the cursor, highest score first."""
        cursor = None if after is None else (after.score, after.player_id)
        page = page_of(self._redis, keys.board(pool), after=cursor, limit=limit)
        return [Standing(player_id=player_id, score=score) for score, player_id in page]

    def better_than(self, pool: str, scores: Sequence[int]) -> list[int]:
        """Return for each score how many on the board have a higher one, in one round trip."""
        return self._redis.call_all([("ZCOUNT", keys.board(pool), f"({score}", "+inf") for score in scores])

    def forget_rating(self, pool: str, player_id: str) -> None:
        """Take a player off the board."""
        self._redis.call_all([("HDEL", keys.ratings(pool), player_id), ("ZREM", keys.board(pool), player_id)])
