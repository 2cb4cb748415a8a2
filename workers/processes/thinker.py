"""Play the turns of computers that think, as long as their games let them.

A process thinks about one turn at a time, and helps with the quick ones while nobody has to think.
Take as many as there are cores to spare. SIGTERM lets the turn at work finish.
"""

import argparse

from service.jobs.queues import QUEUE, THINKING_QUEUE
from workers.processes import log_setup, rq_worker


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the subcommand."""
    log_setup.add_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Work until told to stop."""
    return rq_worker.work(THINKING_QUEUE, QUEUE, jobs="workers.jobs.turns", quiet=arguments.quiet)
