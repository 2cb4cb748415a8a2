"""Keep deadlines, start the next deals, and find what got lost: computers' turns, what players are told.

One process is enough; with several nothing is done twice. SIGTERM lets the round at work finish.
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
from workers.processes.readiness import stores_must_answer

# Deadlines are kept to about this.
ROUND_SECONDS = 0.25
LONGEST_BACKOFF_SECONDS = 2.0

log = logging.getLogger("rummy500.clock")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the subcommand."""
    log_setup.add_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Tick until told to stop."""
    settings = Settings.from_environment()
    log_setup.configure(settings, quiet=arguments.quiet)
    stores_must_answer(settings)
    metrics_server.tell(settings)
    told_to_stop = threading.Event()

    def stop(_number: int, _frame: FrameType | None) -> None:
        told_to_stop.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    components = build_components(settings)
    backoff = 0.0
    while not told_to_stop.is_set():
        begun = time.monotonic()
        try:
            components.scheduler.tick()
            components.projector.catch_up()
            components.webhooks.catch_up()
        except StoreUnavailable as error:
            if not backoff:
                log.warning("%s. The clock goes on when it is back.", str(error).removesuffix("."))
            backoff = min(LONGEST_BACKOFF_SECONDS, backoff * 2 or ROUND_SECONDS)
        else:
            backoff = 0.0
        told_to_stop.wait(max(backoff, ROUND_SECONDS - (time.monotonic() - begun)))
    return 0
