"""Advice jobs in memory."""

import threading
from collections.abc import Callable


class MemoryAdviceStore:
    """Advice jobs in memory."""

    _changed: threading.Condition
    _now: Callable[[], int]
    _advice_jobs: dict[str, tuple[bytes, int]]

    def put_advice_job(self, name: str, body: bytes, *, replaces: bytes | None, expires_at: int) -> bool:
        with self._changed:
            if self.advice_job(name) not in (body, replaces):
                return False
            self._advice_jobs[name] = (body, expires_at)
            return True

    def advice_job(self, name: str) -> bytes | None:
        with self._changed:
            body, expires_at = self._advice_jobs.get(name, (b"", 0))
            return body if expires_at > self._now() else None
