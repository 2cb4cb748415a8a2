"""Act on deadlines, start the next deals, and requeue lost work: turns, projections and webhook deliveries.

One process is enough; several do nothing twice. SIGTERM finishes the current round.
"""

import argparse
import logging
import signal
import threading
import time
from types import FrameType

from service.bootstrap import build_components
from service.config import Settings
from service.store.contract import StoreUnavailable
from workers.processes import log_setup, metrics_server
from workers.processes.readiness import require_stores

# Deadlines are acted on about this late at most.
ROUND_SECONDS = 0.25
MAX_BACKOFF_SECONDS = 2.0

log = logging.getLogger("rummy500.scheduler")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the subcommand."""
    log_setup.add_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run rounds until a signal stops it."""
    settings = Settings.from_environment()
    log_setup.configure(settings, quiet=arguments.quiet)
    require_stores(settings)
    metrics_server.serve(settings)
    stopping = threading.Event()

    def stop(_number: int, _frame: FrameType | None) -> None:
        stopping.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    components = build_components(settings)
    backoff = 0.0
    while not stopping.is_set():
        begun = time.monotonic()
        try:
            components.scheduler.tick()
            components.projector.catch_up()
            components.webhooks.catch_up()
        except StoreUnavailable as error:
            if not backoff:
                log.warning("%s. The scheduler resumes when it is back.", str(error).removesuffix("."))
            backoff = min(MAX_BACKOFF_SECONDS, backoff * 2 or ROUND_SECONDS)
        else:
            backoff = 0.0
        stopping.wait(max(backoff, ROUND_SECONDS - (time.monotonic() - begun)))
    return 0
