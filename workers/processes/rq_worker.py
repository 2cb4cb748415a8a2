"""Play the turns of computers that move at once.

Run as many of these processes as the load needs: a turn is played once, whichever process takes it.
`rummy500 thinker` plays the turns of computers that search, so that no quick turn waits for one.
SIGTERM finishes the current turn. The scheduler requeues a turn that is lost.
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
from workers.processes.readiness import CONNECT_SECONDS, require_stores

# RQ lists a worker as alive for this long after its last sign; one read of the queue blocks for half of it.
WORKER_TTL_SECONDS = 30
MAINTENANCE_SECONDS = 15
MONITORING_SECONDS = 5


class NamedJob(Job):
    """A job whose name in the queue is not the import path of its function."""

    @property
    def func(self) -> Callable[..., Any]:
        """Return the function of this job."""
        function: Callable[..., Any] = resolve_job(self.func_name or "") or super().func
        return function


class InProcessWorker(SimpleWorker):
    """Runs jobs in its own process: a fork would take longer than most turns."""

    job_class = NamedJob
    # When the queue's server is back, its workers must not stay away for a minute.
    max_connection_wait_time = 2.0

    @property
    def was_stopped(self) -> bool:
        """Whether `work` ended because of a signal, and not because of an error."""
        return self._shutdown_requested_date is not None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the subcommand."""
    log_setup.add_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Process jobs until a signal stops it."""
    return work(QUEUE, jobs="workers.jobs.turns", quiet=arguments.quiet)


def work(*queues: str, jobs: str, quiet: bool) -> int:
    """Process jobs of the queues, the first one first, until a signal; `jobs` is the module to import."""
    settings = Settings.from_environment()
    level = log_setup.configure(settings, quiet=quiet)
    _, queue_url = require_stores(settings)
    # No read timeout: RQ sets one above the time that its reads block.
    connection = redis.Redis.from_url(queue_url, socket_connect_timeout=CONNECT_SECONDS)
    # Imported now, so that the first job does not wait for it.
    import_module(jobs)
    metrics_server.serve(settings)
    worker = InProcessWorker(
        [Queue(name, connection=connection) for name in queues],
        connection=connection,
        worker_ttl=WORKER_TTL_SECONDS,
        maintenance_interval=MAINTENANCE_SECONDS,
        job_monitoring_interval=MONITORING_SECONDS,
        # The description names the game; a busy queue would log little else.
        log_job_description=False,
    )
    worker.work(logging_level=logging.getLevelName(level))
    return 0 if worker.was_stopped else 1
