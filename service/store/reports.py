"""Reports of players about others, for the operator to read: oldest first, for 90 days.

1796080425985-0  {"id": "r4f...", "reporter": "pcq...", "player": "p3k...", "reason": "cheating", ...}
"""

from typing import Final, Protocol

from service.runtime.durations import DAY_MS

REPORT_KEPT_MS: Final = 90 * DAY_MS
"""How long a report is kept."""


class ReportStore(Protocol):
    """Stores reports."""

    def add_report(self, body: bytes, *, at: int) -> None:
        """Add a report, and remove those that are older than `REPORT_KEPT_MS`."""
        ...

    def reports(self, *, since: int, limit: int) -> list[bytes]:
        """Return the reports from a time on, oldest first."""
        ...
