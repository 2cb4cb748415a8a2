"""Times as RFC 3339 for clients; inside the service they are milliseconds since the epoch."""

from datetime import UTC, datetime, timedelta
from typing import Final

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def rfc3339(at_ms: int) -> str:
    """Return milliseconds since the epoch as a time of RFC 3339 in UTC, to the millisecond.

    >>> rfc3339(1_790_000_000_120)
    '2026-09-21T14:13:20.120Z'
    """
    # Integers are exact: as a float of seconds, a distant time would lose its last millisecond.
    at = _EPOCH + timedelta(milliseconds=at_ms)
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
