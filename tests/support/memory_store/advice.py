"""Work that goes on while nobody waits for it, in memory: the twin of `redis_work`."""

import threading
from collections.abc import Callable


class WorkInMemory:
    """The part of the store that keeps how far work has come."""

    _changed: threading.Condition
    _now: Callable[[], int]
    _work: dict[str, tuple[bytes, int]]

    def put_work(self, name: str, body: bytes, *, replaces: bytes | None, expires_at: int) -> bool:
        """Keep how far a piece of work has come, unless another writer was there first."""
        with self._changed:
            if self.work(name) not in (body, replaces):
                return False
            self._work[name] = (body, expires_at)
            return True

    def work(self, name: str) -> bytes | None:
        """Return what is kept of a piece of work, None where there is nothing."""
        with self._changed:
            body, expires_at = self._work.get(name, (b"", 0))
            return body if expires_at > self._now() else None
