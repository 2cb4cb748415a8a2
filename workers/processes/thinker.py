"""Play the turns of computers that search, for as long as `thinking_ms` of their games allows.

A process searches for one turn at a time, and plays quick turns while none needs a search. Run one for
each spare core. SIGTERM finishes the current turn.
"""

import argparse

from service.jobs.queues import QUEUE, THINKING_QUEUE
from workers.processes import log_setup, rq_worker


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the subcommand."""
    log_setup.add_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Process jobs until a signal stops it."""
    return rq_worker.work(THINKING_QUEUE, QUEUE, jobs="workers.jobs.turns", quiet=arguments.quiet)
