"""Advice jobs in Redis: a string for each."""

from service.store.advice import AdviceStore
from service.store.redis import keys
from service.store.redis.connection import Connection, script


class RedisAdviceStore(AdviceStore):
    """Stores advice jobs."""

    _redis: Connection

    def put_advice_job(self, name: str, body: bytes, *, replaces: bytes | None, expires_at: int) -> bool:
        replaced = () if replaces is None else (replaces,)
        return bool(
            self._redis.run(script("put_advice_job"), [keys.advice_job(name)], body, expires_at, *replaced)
        )

    def advice_job(self, name: str) -> bytes | None:
        body: bytes | None = self._redis.call("GET", keys.advice_job(name))
        return body
