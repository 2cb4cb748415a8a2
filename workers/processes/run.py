"""Start everything on this machine as one process tree: embedded Valkey, workers, clock and API.

The games are kept in DATA_DIR (default: data). With REDIS_URL no server is started and that one
is used. Ctrl-C or SIGTERM stops all in order and loses nothing; a second Ctrl-C does not wait.
"""

import argparse
import http.client
import socket
import subprocess
from contextlib import suppress
from functools import partial

from service import __version__
from service.config import Settings, redact_url
from workers.processes import metrics_server
from workers.processes.api import listen
from workers.processes.child_process import our_command, our_environment, spawn
from workers.processes.readiness import must_answer, stores_must_answer
from workers.processes.supervisor import Part, Signals, Tree
from workers.processes.valkey import DataFolder, take_data_folder

# Answers take milliseconds; whoever reads his slowly should not hold up somebody at a terminal.
API_GRACEFUL_SECONDS = 5
API_PATIENCE_SECONDS = 10.0
# A turn takes five seconds at most; this is for a machine that is very busy.
TURN_PATIENCE_SECONDS = 20.0
# A server that does not answer is given up after ten seconds; what is cut off is sent again.
DELIVERY_PATIENCE_SECONDS = 15.0
# The server writes what is left and leaves; on a slow disk that may take a while.
VALKEY_PATIENCE_SECONDS = 60.0


def add_arguments(_parser: argparse.ArgumentParser) -> None:
    """Take no arguments: the settings come from the environment."""


def run(_arguments: argparse.Namespace) -> int:
    """Start the tree, watch it, and stop it when told to or when a part cannot be kept alive."""
    settings = Settings.from_environment()
    # All that can be refused is refused here, before the first child is started.
    with listen(settings) as listener:
        if settings.redis_url is not None:
            stores_must_answer(settings)
            return _run_tree(settings, listener, None)
        if settings.queue_redis_url is not None:
            must_answer("QUEUE_REDIS_URL", settings.queue_redis_url)
        folder = take_data_folder(settings.data_dir)
        try:
            return _run_tree(settings, listener, folder)
        finally:
            folder.release()


def _run_tree(settings: Settings, listener: socket.socket, folder: DataFolder | None) -> int:
    redis_url = settings.redis_url or (folder.url if folder else "")
    kept = f"in {folder.path}" if folder else f"by the server at {redact_url(redis_url)}"
    _say(f"Rummy 500 {__version__}. Games are kept {kept}.")
    with metrics_server.counting_together(None if folder is None else folder.path / "metrics"):
        tree = Tree(_parts(listener, folder, redis_url, settings.queue_redis_url or redis_url), say=_say)
        _run_until_told(tree, listener, folder)
    _say(f"Stopped. Every game is kept {kept}.")
    return 0


def _run_until_told(tree: Tree, listener: socket.socket, folder: DataFolder | None) -> None:
    with Signals() as signals:
        try:
            _start(tree, listener, folder, signals)
            while not signals.is_stopping():
                signals.pause(tree.watch())
        finally:
            # From here on new callers are turned away; those who were let in get their answers.
            listener.close()
            if any(part.is_running for part in tree.parts):
                _say("Stopping: the API ends its answers, the workers their turns.")
            tree.stop(hurry=signals.is_hurried, pause=signals.pause)


def _start(tree: Tree, listener: socket.socket, folder: DataFolder | None, signals: Signals) -> None:
    """Start all parts and wait until the API answers, or until somebody says stop."""
    host, port = _where_to_call(listener)
    parts = list(tree.parts)
    if folder is not None:
        _say("Starting Valkey ...")
        folder.wait_until_ready(tree.start(parts.pop(0)), give_up=signals.is_stopping, say=_say)
    if not signals.is_stopping():
        _say("Starting the clock, the workers and the API ...")
        for part in parts:
            tree.start(part)
    while not signals.is_stopping():
        tree.watch()
        if _answers(host, port):
            _say(_welcome(f"http://{f'[{host}]' if ':' in host else host}:{port}"))
            return
        signals.pause(0.05)


def _where_to_call(listener: socket.socket) -> tuple[str, int]:
    """Return the address a caller on this machine takes: one that listens everywhere is also here."""
    host, port = listener.getsockname()[:2]
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host), port  # noqa: S104 - compared, not bound


def _answers(host: str, port: int) -> bool:
    """Tell whether the API answers; the connection waits in the backlog until somebody takes it."""
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
Rummy 500 listens at {url} and explains itself at {url}/docs
Say hello from another terminal, and keep the token it answers:

  curl {url}/v1/players -H 'Content-Type: application/json' -d '{{"name": "Ana", "kind": "human"}}'

Ctrl-C stops it; the games stay.
"""


def _say(message: str) -> None:
    # A terminal that was closed must not keep the tree from stopping in order.
    with suppress(OSError):
        print(message, flush=True)


def _parts(listener: socket.socket, folder: DataFolder | None, redis_url: str, queue_url: str) -> list[Part]:
    environ = our_environment(REDIS_URL=redis_url, QUEUE_REDIS_URL=queue_url)
    fd = listener.fileno()

    def start(*arguments: str, keep_fds: tuple[int, ...] = ()) -> partial[subprocess.Popen[bytes]]:
        return partial(spawn, our_command(*arguments), environ=environ, keep_fds=keep_fds)

    parts = [
        Part(name="the clock", start=start("scheduler", "--quiet"), patience_seconds=TURN_PATIENCE_SECONDS),
        Part(
            name="the webhooks' worker",
            start=start("webhooks", "--quiet"),
            patience_seconds=DELIVERY_PATIENCE_SECONDS,
        ),
        Part(name="the worker", start=start("turns", "--quiet"), patience_seconds=TURN_PATIENCE_SECONDS),
        Part(name="the thinker", start=start("thinker", "--quiet"), patience_seconds=TURN_PATIENCE_SECONDS),
        Part(name="the adviser", start=start("adviser", "--quiet"), patience_seconds=TURN_PATIENCE_SECONDS),
        Part(
            name="the API",
            start=start(
                *("api", "--quiet", "--listen-fd", str(fd), "--graceful-seconds", str(API_GRACEFUL_SECONDS)),
                keep_fds=(fd,),
            ),
            patience_seconds=API_PATIENCE_SECONDS,
        ),
    ]
    if folder is not None:
        valkey = Part(
            name="Valkey",
            start=folder.start_server,
            patience_seconds=VALKEY_PATIENCE_SECONDS,
            never_hurried=True,
        )
        parts.insert(0, valkey)
    return parts
