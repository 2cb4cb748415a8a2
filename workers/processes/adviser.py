"""Think about the hints and reviews that players asked for.

It has queues of its own, so that no computer's turn ever waits for a long thought; hints come before
reviews. Take as many of these processes as there are people who learn. SIGTERM lets the thought at hand
finish: that takes some seconds. What is lost with a process can be asked for again.
"""

import argparse

from service.jobs.queues import HINTS, REVIEWS
from workers.processes import log_setup, rq_worker


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the subcommand."""
    log_setup.add_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Work until told to stop."""
    return rq_worker.work(HINTS, REVIEWS, jobs="workers.jobs.advice", quiet=arguments.quiet)
