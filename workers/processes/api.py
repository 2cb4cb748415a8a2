"""Serve the HTTP API with gunicorn: threads for those who wait, processes for those who compute.

Listens at BIND and PORT; API_PROCESSES and API_THREADS set the size. SIGTERM stops taking
requests and lets those at work finish; SIGHUP replaces the processes one by one.
"""

import argparse
import errno
import logging
import os
import signal
import socket
from types import FrameType
from typing import Any

from gunicorn import util
from gunicorn.app.base import BaseApplication
from gunicorn.workers.base import Worker

from service.config import Settings
from workers.errors import CannotStart
from workers.processes import gunicorn_worker, log_setup, metrics_server
from workers.processes.child_process import end_with_parent
from workers.processes.readiness import stores_must_answer

# Those who wait for a move are sent home first; whoever is slow to read his answer has this long.
GRACEFUL_SECONDS = 30
BACKLOG = 2048


class Server(BaseApplication):
    """Gunicorn, configured here and nowhere else: no file and no variable of its own is read."""

    def __init__(self, options: dict[str, Any]) -> None:
        self._options = options
        super().__init__()

    def load_config(self) -> None:
        """Hand our options to gunicorn."""
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
        help="how long requests at work may take when it stops (default: %(default)s)",
    )
    log_setup.add_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Serve until told to stop."""
    settings = Settings.from_environment()
    level = log_setup.configure(settings, quiet=arguments.quiet)
    stores_must_answer(settings)
    fd = arguments.listen_fd
    if fd is None:
        fd = listen(settings).detach()
    server = Server(
        {
            "bind": f"fd://{fd}",
            "worker_class": gunicorn_worker.Worker,
            "workers": settings.api_processes,
            "threads": settings.api_threads,
            # Connections that are kept open between requests hold no thread.
            "worker_connections": settings.api_threads + 1000,
            # A client thinks between moves. Were its connection closed after gunicorn's two seconds, its
            # next request would often meet the closing door.
            "keepalive": 75,
            "graceful_timeout": arguments.graceful_seconds,
            "loglevel": logging.getLevelName(level).lower(),
            "logger_class": log_setup.Log,
            "child_exit": lambda _server, worker: metrics_server.forget(worker.pid),
            "post_worker_init": _send_waiters_home_on_sigterm,
            "proc_name": "rummy500-api",
            # It would open a socket in the home folder, which several services may share.
            "control_socket_disable": True,
        }
    )
    with metrics_server.counting_together():
        server.run()
    return 0


def _send_waiters_home_on_sigterm(worker: Worker) -> None:
    """Let a process that ends answer its long-polls and end its streams at once, not hold on for them."""
    # Imported here, in the process that has loaded the application, and not in the one that forks.
    from service.api.services import current_services

    app: Any = worker.wsgi
    with app.app_context():
        here = current_services()
    begin_to_drain = signal.getsignal(signal.SIGTERM)

    def drain(number: int, frame: FrameType | None) -> None:
        if callable(begin_to_drain):
            begin_to_drain(number, frame)
        here.streams.stop()
        here.store.stop_waiting()

    signal.signal(signal.SIGTERM, drain)
    # Gunicorn sees for itself that its head was killed, but would then hold on for open streams.
    end_with_parent(worker.ppid)


def listen(settings: Settings) -> socket.socket:
    """Open the listening socket, before anything else is started.

    Raises CannotStart when the address is taken or not ours.
    """
    where = f"{settings.bind} port {settings.port}"
    try:
        family, _, _, _, address = socket.getaddrinfo(
            settings.bind, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        return socket.create_server(address, family=family, backlog=BACKLOG)
    except socket.gaierror:
        raise CannotStart(f"BIND names no address of this machine: {settings.bind}.") from None
    except PermissionError:
        raise CannotStart(f"Listening at {where} is not allowed; set PORT to 1024 or more.") from None
    except OSError as error:
        raise CannotStart(_why_not(error, where)) from None


def _why_not(error: OSError, where: str) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"Another program listens at {where} already; stop it, or set PORT to a free port."
    if error.errno == errno.EADDRNOTAVAIL:
        return f"Listening at {where} is not possible; set BIND to an address of this machine."
    return f"Listening at {where} is not possible ({os.strerror(error.errno or 0)})."
