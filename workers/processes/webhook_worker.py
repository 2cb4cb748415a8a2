"""Deliver webhooks.

Run as many of these processes as the load needs. SIGTERM finishes the current delivery; one that is cut
off is retried within two minutes.
"""

import argparse

from service.jobs.queues import WEBHOOKS
from workers.processes import log_setup
from workers.processes.rq_worker import work


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the subcommand."""
    log_setup.add_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Process jobs until a signal stops it."""
    return work(WEBHOOKS, jobs="workers.jobs.deliveries", quiet=arguments.quiet)
