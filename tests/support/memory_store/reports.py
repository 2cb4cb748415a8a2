"""Reports in memory."""

import threading

from service.store.reports import REPORT_KEPT_MS


class MemoryReportStore:
    """Reports in memory."""

    _changed: threading.Condition
    _reports: list[tuple[int, bytes]]

    def add_report(self, body: bytes, *, at: int) -> None:
        with self._changed:
            self._reports = [kept for kept in self._reports if kept[0] >= at - REPORT_KEPT_MS]
            self._reports.append((at, body))

    def reports(self, *, since: int, limit: int) -> list[bytes]:
        with self._changed:
            return [body for at, body in self._reports if at >= since][:limit]
