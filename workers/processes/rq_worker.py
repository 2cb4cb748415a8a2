"""Play the quick computers' turns that the service has put into the queue.

Take as many of these processes as there is work for: a turn is played once, whoever gets it. The
turns of computers that think go on to `rummy500 thinker`, so that no quick turn waits for them.
SIGTERM lets the turn at work finish. A turn that was lost is found by the clock.
"""

import argparse
import logging
from collections.abc import Callable
from importlib import import_module
from typing import Any

import redis
from rq import Queue, SimpleWorker
from rq.job import Job

from service.config import Settings
from service.jobs.queues import QUEUE
from workers.jobs import resolve_job
from workers.processes import log_setup, metrics_server
from workers.processes.readiness import CONNECT_SECONDS, stores_must_answer

# How long the queue may be silent before the worker looks after itself; it asks for work for
# half of that at a time, and is missed after the whole of it.
WORKER_TTL_SECONDS = 30
MAINTENANCE_SECONDS = 15
MONITORING_SECONDS = 5


class NamedJob(Job):
    """A job whose name in the queue is not the place of its function."""

    @property
    def func(self) -> Callable[..., Any]:
        """Return the function that does the work of this job."""
        function: Callable[..., Any] = resolve_job(self.func_name or "") or super().func
        return function


class TurnWorker(SimpleWorker):
    """Plays turns in its own process: they are short, and a fork would take longer than most."""

    job_class = NamedJob
    # A queue that comes back must not wait a minute for its workers.
    max_connection_wait_time = 2.0

    @property
    def was_told_to_stop(self) -> bool:
        """Tell whether `work` ended because of a signal, and not for some fault."""
        return self._shutdown_requested_date is not None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the subcommand."""
    log_setup.add_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Work until told to stop."""
    return work(QUEUE, jobs="workers.jobs.turns", quiet=arguments.quiet)


def work(*queues: str, jobs: str, quiet: bool) -> int:
    """Do the work of queues until told to stop, the first one first; `jobs` is the module it stands in."""
    settings = Settings.from_environment()
    level = log_setup.configure(settings, quiet=quiet)
    _, queue_url = stores_must_answer(settings)
    # RQ raises the time a blocking read may take above its own waiting time by itself.
    connection = redis.Redis.from_url(queue_url, socket_connect_timeout=CONNECT_SECONDS)
    # Imported before the first job is waited for, not while it is.
    import_module(jobs)
    metrics_server.tell(settings)
    worker = TurnWorker(
        [Queue(name, connection=connection) for name in queues],
        connection=connection,
        worker_ttl=WORKER_TTL_SECONDS,
        maintenance_interval=MAINTENANCE_SECONDS,
        job_monitoring_interval=MONITORING_SECONDS,
        # A job's description names the game, and a busy queue would log little else.
        log_job_description=False,
    )
    worker.work(logging_level=logging.getLevelName(level))
    return 0 if worker.was_told_to_stop else 1
