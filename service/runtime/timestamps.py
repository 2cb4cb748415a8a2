"""How a time is written for people and programs outside; inside it is milliseconds since the epoch."""

from datetime import UTC, datetime, timedelta
from typing import Final

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def rfc3339(at_ms: int) -> str:
    """Return milliseconds since the epoch as a time of RFC 3339 in UTC, to the millisecond.

    >>> rfc3339(1_790_000_000_120)
    '2026-09-21T14:13:20.120Z'
    """
    # Added as whole numbers: as a fraction of seconds, a far time would lose its last millisecond.
    at = _EPOCH + timedelta(milliseconds=at_ms)
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
