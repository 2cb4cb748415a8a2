"""Hit counters of the rate limits, one for each window of time."""

from typing import Protocol


class CountStore(Protocol):
    """Counts hits in windows of time."""

    def count(self, name: str, *, window: int, hits: int, expires_at: int) -> tuple[int, int]:
        """Add hits to a window; return the counts of the previous window and of this one.

        The windows of a name are numbered in order. Negative `hits` are refunded; a count never
        falls below 0. After a broken connection hits may be counted twice.
        """
        ...
