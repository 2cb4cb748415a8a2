"""Counts that limits go by, in Redis: a number a window of time."""

from service.store.redis import keys
from service.store.redis.connection import Connection, script


class CountsInRedis:
    """The part of the store that counts."""

    _redis: Connection

    def count(self, name: str, *, window: int, hits: int, expires_at: int) -> tuple[int, int]:
        """Add hits to a window; return what the window before it and it itself have counted."""
        names = [keys.count(name, window), keys.count(name, window - 1)]
        before, counted = self._redis.run(script("count"), names, hits, expires_at)
        return before, counted
