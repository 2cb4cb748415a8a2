"""Sets up logging for the service's processes, including gunicorn and RQ."""

import argparse
import logging
from datetime import timedelta
from typing import Any

from gunicorn import glogging

from service.config import Settings
from service.runtime import logs

access_log = logging.getLogger("rummy500.access")


def add_argument(parser: argparse.ArgumentParser) -> None:
    """Declare the argument that all these subcommands share."""
    parser.add_argument(
        "--quiet", action="store_true", help="log from level warning on, unless LOG_LEVEL is set"
    )


def configure(settings: Settings, *, quiet: bool) -> int:
    """Set up the log of this process from the settings; return its level."""
    default = "warning" if quiet else "info"
    level = logging.getLevelNamesMapping()[(settings.log_level or default).upper()]
    logs.configure(log_format=settings.log_format, level=level)
    return level


class Log(glogging.Logger):
    """Gunicorn's log, written through the root logger."""

    def setup(self, cfg: Any) -> None:  # noqa: ANN401 - gunicorn's own configuration
        """Propagate everything to the root logger, which `configure` has set up."""
        self.cfg = cfg
        for log in (self.error_log, self.access_log):
            log.propagate = True
        self.error_log.setLevel(logging.NOTSET)

    @property
    def access_log_enabled(self) -> bool:
        """Whether each request is logged."""
        return access_log.isEnabledFor(logging.INFO)

    def access(self, resp: Any, req: Any, environ: Any, request_time: timedelta) -> None:  # noqa: ANN401 - as `setup`
        """Log a request without its query, headers and address.

        A query may hold a ticket or an invite code, and an address identifies a person.
        """
        del req
        headers = {name.lower(): value for name, value in resp.headers}
        fields = {
            "method": environ.get("REQUEST_METHOD"),
            "path": environ.get("PATH_INFO"),
            "status": int(str(resp.status).split(" ", 1)[0]),
            "bytes": getattr(resp, "sent", None),
            "duration_ms": round(request_time.total_seconds() * 1000, 1),
            "request_id": headers.get("x-request-id"),
        }
        access_log.info(
            "%(method)s %(path)s %(status)s, %(bytes)s B in %(duration_ms)s ms, request %(request_id)s",
            fields,
            extra=fields,
        )
