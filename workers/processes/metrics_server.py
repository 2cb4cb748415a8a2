"""The folder in which the processes of a machine share their metrics, and a metrics server for each.

The processes of `rummy500 run` share a folder, and /metrics of the API reports all of them. Processes that
are started one by one share one if PROMETHEUS_MULTIPROC_DIR names it. Otherwise each one except the API
serves its own metrics at METRICS_PORT.
"""

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from service.config import Settings
from workers.errors import CannotStart

#: As in `service.runtime.metrics`, which must not be imported before the folder is named.
FOLDER = "PROMETHEUS_MULTIPROC_DIR"


@contextmanager
def shared_folder(own: Path | None = None) -> Iterator[None]:
    """Set the folder in which this process and its children keep their metrics.

    A folder that the environment names is kept, but without the gauges of processes that have exited; their
    counters stay. Otherwise it is `own` or a temporary folder, both empty and deleted at the end.
    """
    if named := os.environ.get(FOLDER):
        folder = Path(named)
        folder.mkdir(parents=True, exist_ok=True)
        _forget_exited(folder)
        yield
        return
    if own is not None:
        shutil.rmtree(own, ignore_errors=True)
        own.mkdir(parents=True)
    folder = own or Path(tempfile.mkdtemp(prefix="rummy500-metrics-"))
    owner = os.getpid()
    os.environ[FOLDER] = str(folder)
    try:
        yield
    finally:
        # A forked child also reaches this line, and must not delete the folder.
        if os.getpid() == owner:
            del os.environ[FOLDER]
            shutil.rmtree(folder, ignore_errors=True)


def forget_process(pid: int) -> None:
    """Remove the gauges of a process that has exited, such as its number of waiting requests."""
    from prometheus_client.multiprocess import mark_process_dead

    mark_process_dead(pid)  # type: ignore[no-untyped-call] # prometheus_client


def serve(settings: Settings) -> None:
    """Serve this process's metrics at METRICS_PORT; raises CannotStart if the port is taken."""
    # Processes that share a folder would compete for the port, and the API reports them.
    if settings.metrics_port is None or os.environ.get(FOLDER):
        return
    from prometheus_client import start_http_server

    from service.runtime.metrics import registry

    try:
        start_http_server(settings.metrics_port, addr=settings.bind, registry=registry())
    except OSError as error:
        where = f"{settings.bind} port {settings.metrics_port}"
        reason = os.strerror(error.errno or 0)
        raise CannotStart(
            f"Cannot serve metrics at {where} ({reason}); set METRICS_PORT to a free port."
        ) from None


def _forget_exited(folder: Path) -> None:
    for path in folder.glob("gauge_live*.db"):
        pid = re.search(r"_(\d+)\.db$", path.name)
        if pid and not _is_alive(int(pid[1])):
            forget_process(int(pid[1]))


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
