"""Counts that limits go by, in memory: the twin of `redis_counts`."""

import threading
from collections.abc import Callable


class CountsInMemory:
    """The part of the store that counts."""

    _changed: threading.Condition
    _now: Callable[[], int]
    _counts: dict[tuple[str, int], tuple[int, int]]

    def count(self, name: str, *, window: int, hits: int, expires_at: int) -> tuple[int, int]:
        """Add hits to a window; return what the window before it and it itself have counted."""
        with self._changed:
            counted = max(0, self._counted(name, window) + hits)
            self._counts[name, window] = (counted, expires_at)
            return self._counted(name, window - 1), counted

    def _counted(self, name: str, window: int) -> int:
        counted, expires_at = self._counts.get((name, window), (0, 0))
        return counted if expires_at > self._now() else 0
