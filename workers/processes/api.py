"""Serve the HTTP API with gunicorn, in several processes with many threads each.

It listens at BIND and PORT; API_PROCESSES and API_THREADS set the size. SIGTERM stops accepting requests
and finishes those in progress; SIGHUP replaces the processes one by one.
"""

import argparse
import logging
import signal
from types import FrameType
from typing import Any

from gunicorn import util
from gunicorn.app.base import BaseApplication
from gunicorn.workers.base import Worker

from service.config import Settings
from workers.processes import gunicorn_worker, log_setup, metrics_server
from workers.processes.child_process import exit_with_parent
from workers.processes.listener import listen
from workers.processes.readiness import require_stores

# Long-polls and streams are ended first; clients that read slowly have this long.
GRACEFUL_SECONDS = 30


class Server(BaseApplication):
    """Gunicorn, configured here alone: it reads no file and no environment variable of its own."""

    def __init__(self, options: dict[str, Any]) -> None:
        self._options = options
        super().__init__()

    def load_config(self) -> None:
        """Pass the options to gunicorn."""
        for name, value in self._options.items():
            self.cfg.set(name, value)

    def load(self) -> Any:  # noqa: ANN401 - a WSGI application is any callable
        """Import the application; every worker process does this for itself after the fork."""
        return util.import_app("service.wsgi:app")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the subcommand."""
    parser.add_argument("--listen-fd", type=int, metavar="FD", help="serve an inherited listening socket")
    parser.add_argument(
        "--graceful-seconds",
        type=int,
        default=GRACEFUL_SECONDS,
        metavar="N",
        help="how long requests in progress may take after SIGTERM (default: %(default)s)",
    )
    log_setup.add_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Serve until a signal stops it."""
    settings = Settings.from_environment()
    level = log_setup.configure(settings, quiet=arguments.quiet)
    require_stores(settings)
    fd = arguments.listen_fd
    if fd is None:
        fd = listen(settings).detach()
    server = Server(
        {
            "bind": f"fd://{fd}",
            "worker_class": gunicorn_worker.Worker,
            "workers": settings.api_processes,
            "threads": settings.api_threads,
            # Idle connections hold no thread.
            "worker_connections": settings.api_threads + 1000,
            # Players think between moves. With gunicorn's default of two seconds, a client's next request
            # would often meet a connection that is just being closed.
            "keepalive": 75,
            "graceful_timeout": arguments.graceful_seconds,
            "loglevel": logging.getLevelName(level).lower(),
            "logger_class": log_setup.Log,
            "child_exit": lambda _server, worker: metrics_server.forget_process(worker.pid),
            "post_worker_init": _drain_on_sigterm,
            "proc_name": "rummy500-api",
            # Its socket would be in the home folder, which several services may share.
            "control_socket_disable": True,
        }
    )
    with metrics_server.shared_folder():
        server.run()
    return 0


def _drain_on_sigterm(worker: Worker) -> None:
    """Make SIGTERM answer the long-polls and end the streams of this process at once."""
    # Imported here because only this process, and not the one that forks, loads the application.
    from service.api.services import current_services

    app: Any = worker.wsgi
    with app.app_context():
        here = current_services()
    begin_to_drain = signal.getsignal(signal.SIGTERM)

    def drain(number: int, frame: FrameType | None) -> None:
        if callable(begin_to_drain):
            begin_to_drain(number, frame)
        here.streams.stop()
        here.store.release_waiters()

    signal.signal(signal.SIGTERM, drain)
    # Gunicorn notices that its parent was killed, but would then wait for open streams.
    exit_with_parent(worker.ppid)
