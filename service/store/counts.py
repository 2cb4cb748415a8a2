"""Counts that limits go by."""

from typing import Protocol


class Counts(Protocol):
    """Counts hits in windows of time."""

    def count(self, name: str, *, window: int, hits: int, expires_at: int) -> tuple[int, int]:
        """Add hits to a window; return what the window before it and it itself have counted.

        Windows of a name are numbered as they follow each other. Below 0 `hits` gives some back, never
        more than were counted. Where the connection broke, hits may be counted twice.
        """
        ...
