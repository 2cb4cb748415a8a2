"""Deliver to webhooks what the service has put into their queue.

Take as many of these processes as there is work for. SIGTERM lets the delivery at work end; one
that is cut off is made again within two minutes.
"""

import argparse

from service.jobs.queues import WEBHOOKS
from workers.processes import log_setup
from workers.processes.rq_worker import work


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the subcommand."""
    log_setup.add_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Work until told to stop."""
    return work(WEBHOOKS, jobs="workers.jobs.deliveries", quiet=arguments.quiet)
