"""Hit counters in Redis: a number for each window of time."""

from service.store.counts import CountStore
from service.store.redis import keys
from service.store.redis.connection import Connection, script


class RedisCountStore(CountStore):
    """Counts hits."""

    _redis: Connection

    def count(self, name: str, *, window: int, hits: int, expires_at: int) -> tuple[int, int]:
        names = [keys.count(name, window), keys.count(name, window - 1)]
        before, counted = self._redis.run(script("count"), names, hits, expires_at)
        return before, counted
