"""Work that goes on while nobody waits for it, in Redis: a string a piece of work."""

from service.store.redis import keys
from service.store.redis.connection import Connection, script


class WorkInRedis:
    """The part of the store that keeps how far work has come."""

    _redis: Connection

    def put_work(self, name: str, body: bytes, *, replaces: bytes | None, expires_at: int) -> bool:
        """Keep how far a piece of work has come, unless another writer was there first."""
        replaced = () if replaces is None else (replaces,)
        return bool(self._redis.run(script("put_work"), [keys.work(name)], body, expires_at, *replaced))

    def work(self, name: str) -> bytes | None:
        """Return what is kept of a piece of work, None where there is nothing."""
        body: bytes | None = self._redis.call("GET", keys.work(name))
        return body
