"""How the parts of the service log: one way for our own lines, gunicorn's and RQ's."""

import argparse
import logging
from datetime import timedelta
from typing import Any

from gunicorn import glogging

from service.config import Settings
from service.runtime import logs

access_log = logging.getLogger("rummy500.access")


def add_argument(parser: argparse.ArgumentParser) -> None:
    """Declare the argument that all parts take."""
    parser.add_argument(
        "--quiet", action="store_true", help="log warnings only, where LOG_LEVEL says nothing else"
    )


def configure(settings: Settings, *, quiet: bool) -> int:
    """Set this process's log up as the settings say; return its level."""
    by_default = "warning" if quiet else "info"
    level = logging.getLevelNamesMapping()[(settings.log_level or by_default).upper()]
    logs.configure(log_format=settings.log_format, level=level)
    return level


class Log(glogging.Logger):
    """Gunicorn's log, written as the rest of the process writes."""

    def setup(self, cfg: Any) -> None:  # noqa: ANN401 - gunicorn's own configuration
        """Hand everything to the root, which `configure` has set up."""
        self.cfg = cfg
        for log in (self.error_log, self.access_log):
            log.propagate = True
        self.error_log.setLevel(logging.NOTSET)

    @property
    def access_log_enabled(self) -> bool:
        """Tell whether a line is written for each request."""
        return access_log.isEnabledFor(logging.INFO)

    def access(self, resp: Any, req: Any, environ: Any, request_time: timedelta) -> None:  # noqa: ANN401 - as `setup`
        """Write a line for an answered request: no query, no header, no address.

        A query may hold a ticket or an invite code, and who asked is nobody's business who reads logs.
        """
        del req
        headers = {name.lower(): value for name, value in resp.headers}
        told = {
            "method": environ.get("REQUEST_METHOD"),
            "path": environ.get("PATH_INFO"),
            "status": int(str(resp.status).split(" ", 1)[0]),
            "bytes": getattr(resp, "sent", None),
            "duration_ms": round(request_time.total_seconds() * 1000, 1),
            "request_id": headers.get("x-request-id"),
        }
        access_log.info(
            "%(method)s %(path)s %(status)s, %(bytes)s B in %(duration_ms)s ms, request %(request_id)s",
            told,
            extra=told,
        )
