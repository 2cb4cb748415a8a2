"""Hit counters in memory."""

import threading
from collections.abc import Callable


class MemoryCountStore:
    """Hit counters in memory."""

    _changed: threading.Condition
    _now: Callable[[], int]
    _counts: dict[tuple[str, int], tuple[int, int]]

    def count(self, name: str, *, window: int, hits: int, expires_at: int) -> tuple[int, int]:
        with self._changed:
            counted = max(0, self._counted(name, window) + hits)
            self._counts[name, window] = (counted, expires_at)
            return self._counted(name, window - 1), counted

    def _counted(self, name: str, window: int) -> int:
        counted, expires_at = self._counts.get((name, window), (0, 0))
        return counted if expires_at > self._now() else 0
