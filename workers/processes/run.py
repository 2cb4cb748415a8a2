"""Start every process of the service on this machine: embedded Valkey, scheduler, workers and API.

Games are kept in DATA_DIR (default: data). If REDIS_URL is set, that server is used instead of an
embedded one. Ctrl-C or SIGTERM stops everything in order without losing anything; a second Ctrl-C does
not wait.
"""

import argparse
import http.client
import socket
import subprocess
from contextlib import suppress
from functools import partial
from pathlib import Path

from service import __version__
from service.config import Settings, redact_url
from service.effects.web_push import VapidKey
from workers.processes import metrics_server
from workers.processes.child_process import child_environment, rummy500_command, spawn
from workers.processes.listener import listen
from workers.processes.readiness import require_answer, require_stores
from workers.processes.supervisor import ManagedProcess, Signals, Supervisor
from workers.processes.valkey import DataFolder, take_data_folder

# Responses take milliseconds; a slow client must not keep the person at the terminal waiting.
API_GRACEFUL_SECONDS = 5
API_PATIENCE_SECONDS = 10.0
# A turn takes five seconds at most; this allows for a very busy machine.
TURN_PATIENCE_SECONDS = 20.0
# A delivery times out after ten seconds; one that is cut off is retried.
DELIVERY_PATIENCE_SECONDS = 15.0
# The server writes what is pending, which takes a while on a slow disk.
VALKEY_PATIENCE_SECONDS = 60.0


def add_arguments(_parser: argparse.ArgumentParser) -> None:
    """Declare nothing: the settings come from the environment."""


def run(_arguments: argparse.Namespace) -> int:
    """Start the processes, and supervise them until a signal or until one keeps failing."""
    settings = Settings.from_environment()
    # Whatever can be wrong is checked here, before the first child is started.
    with listen(settings) as listener:
        if settings.redis_url is not None:
            require_stores(settings)
            return _run_supervised(settings, listener, None)
        if settings.queue_redis_url is not None:
            require_answer("QUEUE_REDIS_URL", settings.queue_redis_url)
        folder = take_data_folder(settings.data_dir)
        try:
            return _run_supervised(settings, listener, folder)
        finally:
            folder.release()


def _run_supervised(settings: Settings, listener: socket.socket, folder: DataFolder | None) -> int:
    redis_url = settings.redis_url or (folder.url if folder else "")
    kept = f"in {folder.path}" if folder else f"by the server at {redact_url(redis_url)}"
    _say(f"Rummy 500 {__version__}. Games are kept {kept}.")
    with metrics_server.shared_folder(None if folder is None else folder.path / "metrics"):
        supervisor = Supervisor(
            _processes(listener, folder, redis_url, settings.queue_redis_url or redis_url), say=_say
        )
        _run_until_stopped(supervisor, listener, folder)
    _say(f"Stopped. Every game is kept {kept}.")
    return 0


def _run_until_stopped(supervisor: Supervisor, listener: socket.socket, folder: DataFolder | None) -> None:
    with Signals() as signals:
        try:
            _start(supervisor, listener, folder, signals)
            while not signals.is_stopping():
                signals.pause(supervisor.watch())
        finally:
            # From here on new connections are refused; accepted requests are answered.
            listener.close()
            if any(managed.is_running for managed in supervisor.processes):
                _say("Stopping: finishing requests and turns in progress.")
            supervisor.stop(is_hurried=signals.is_hurried, pause=signals.pause)


def _start(
    supervisor: Supervisor, listener: socket.socket, folder: DataFolder | None, signals: Signals
) -> None:
    """Start all processes and wait until the API answers, or until a stop is requested."""
    host, port = _local_address(listener)
    processes = list(supervisor.processes)
    if folder is not None:
        _say("Starting Valkey ...")
        folder.wait_until_ready(supervisor.start(processes.pop(0)), give_up=signals.is_stopping, say=_say)
    if not signals.is_stopping():
        _say("Starting the scheduler, the workers and the API ...")
        for managed in processes:
            supervisor.start(managed)
    while not signals.is_stopping():
        supervisor.watch()
        if _answers(host, port):
            _say(_welcome(f"http://{f'[{host}]' if ':' in host else host}:{port}"))
            return
        signals.pause(0.05)


def _local_address(listener: socket.socket) -> tuple[str, int]:
    """Return the address for clients on this machine, also when the API listens on all addresses."""
    host, port = listener.getsockname()[:2]
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host), port  # noqa: S104 - compared, not bound


def _answers(host: str, port: int) -> bool:
    """Return whether the API answers; until it starts, the connection waits in the backlog."""
    call = http.client.HTTPConnection(host, port, timeout=0.5)
    try:
        call.request("GET", "/healthz")
        return call.getresponse().status == http.HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        call.close()


def _welcome(url: str) -> str:
    return f"""
Rummy 500 listens at {url} (documentation: {url}/docs)
To create a player, run this in another terminal and keep the token of the answer:

  curl {url}/v1/players -H 'Content-Type: application/json' -d '{{"name": "Ana", "kind": "human"}}'

Ctrl-C stops the service and keeps the games.
"""


def _say(message: str) -> None:
    # A terminal that was closed must not keep the supervisor from stopping in order.
    with suppress(OSError):
        print(message, flush=True)


def _kept_vapid_key(folder: Path) -> str:
    """Return the key for Web Push that the data folder keeps, created with the first start."""
    path = folder / "vapid.key"
    if not path.exists():
        path.touch(mode=0o600)
        path.write_text(VapidKey.generate(), encoding="ascii")
    return path.read_text(encoding="ascii")


def _processes(
    listener: socket.socket, folder: DataFolder | None, redis_url: str, queue_url: str
) -> list[ManagedProcess]:
    environ = child_environment(REDIS_URL=redis_url, QUEUE_REDIS_URL=queue_url)
    if folder is not None and not environ.get("VAPID_PRIVATE_KEY"):
        environ["VAPID_PRIVATE_KEY"] = _kept_vapid_key(folder.path)
    fd = listener.fileno()

    def start(*arguments: str, keep_fds: tuple[int, ...] = ()) -> partial[subprocess.Popen[bytes]]:
        return partial(spawn, rummy500_command(*arguments), environ=environ, keep_fds=keep_fds)

    processes = [
        ManagedProcess(
            name="the scheduler", start=start("scheduler", "--quiet"), patience_seconds=TURN_PATIENCE_SECONDS
        ),
        ManagedProcess(
            name="the webhooks worker",
            start=start("webhooks", "--quiet"),
            patience_seconds=DELIVERY_PATIENCE_SECONDS,
        ),
        ManagedProcess(
            name="the turns worker", start=start("turns", "--quiet"), patience_seconds=TURN_PATIENCE_SECONDS
        ),
        ManagedProcess(
            name="the thinker", start=start("thinker", "--quiet"), patience_seconds=TURN_PATIENCE_SECONDS
        ),
        ManagedProcess(
            name="the adviser", start=start("adviser", "--quiet"), patience_seconds=TURN_PATIENCE_SECONDS
        ),
        ManagedProcess(
            name="the API",
            start=start(
                *("api", "--quiet", "--listen-fd", str(fd), "--graceful-seconds", str(API_GRACEFUL_SECONDS)),
                keep_fds=(fd,),
            ),
            patience_seconds=API_PATIENCE_SECONDS,
        ),
    ]
    if folder is not None:
        valkey = ManagedProcess(
            name="Valkey",
            start=folder.start_server,
            patience_seconds=VALKEY_PATIENCE_SECONDS,
            never_killed_early=True,
        )
        processes.insert(0, valkey)
    return processes
