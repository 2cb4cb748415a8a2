"""Reports in Redis: one stream."""

from service.store.redis import keys
from service.store.redis.connection import Connection
from service.store.reports import REPORT_KEPT_MS, ReportStore


class RedisReportStore(ReportStore):
    """Stores reports."""

    _redis: Connection

    def add_report(self, body: bytes, *, at: int) -> None:
        oldest = at - REPORT_KEPT_MS
        # An id of two reports of one millisecond has a number; XADD counts it up.
        self._redis.call("XADD", keys.REPORTS, "MINID", oldest, f"{at}-*", "body", body)

    def reports(self, *, since: int, limit: int) -> list[bytes]:
        entries = self._redis.call("XRANGE", keys.REPORTS, since, "+", "COUNT", limit)
        return [fields[1] for _, fields in entries]
