"""Compute the hints and reviews that players request, hints first.

They have their own queues, so that slow analysis never delays a computer's turn. Run as many of these
processes as the load needs. SIGTERM finishes the current job, which takes a few seconds. A job that is lost
with its process can be requested again.
"""

import argparse

from service.jobs.queues import HINTS, REVIEWS
from workers.processes import log_setup, rq_worker


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the subcommand."""
    log_setup.add_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Process jobs until a signal stops it."""
    return rq_worker.work(HINTS, REVIEWS, jobs="workers.jobs.hints_and_reviews", quiet=arguments.quiet)
