"""Where the processes of one machine count together, and where a part that serves no API tells its own.

The parts of `rummy500 run` share a folder, and /metrics of the API tells for all of them. Parts that are
started one by one do so where PROMETHEUS_MULTIPROC_DIR names the same folder to each; otherwise each but the
API tells for itself at METRICS_PORT.
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
def counting_together(own: Path | None = None) -> Iterator[None]:
    """Name the folder in which this process and its children count.

    One that was named before is taken as it is, but for what processes that are gone said of
    themselves: their counts stay. Else it is `own`, or one that is gone in the end; both begin empty.
    """
    if named := os.environ.get(FOLDER):
        folder = Path(named)
        folder.mkdir(parents=True, exist_ok=True)
        _forget_the_dead(folder)
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
        # A process that was forked in between leaves through here as well.
        if os.getpid() == owner:
            del os.environ[FOLDER]
            shutil.rmtree(folder, ignore_errors=True)


def forget(pid: int) -> None:
    """Forget what a process that has ended said of itself, such as how many wait there."""
    from prometheus_client.multiprocess import mark_process_dead

    mark_process_dead(pid)  # type: ignore[no-untyped-call] # prometheus_client


def tell(settings: Settings) -> None:
    """Serve what a process that counts alone counts, at METRICS_PORT; raise CannotStart where it is taken."""
    # Processes that share a folder would all want the same port, and the API tells for them.
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
            f"Metrics cannot be told at {where} ({reason}); set METRICS_PORT to a free port."
        ) from None


def _forget_the_dead(folder: Path) -> None:
    for path in folder.glob("gauge_live*.db"):
        pid = re.search(r"_(\d+)\.db$", path.name)
        if pid and not _is_alive(int(pid[1])):
            forget(int(pid[1]))


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
