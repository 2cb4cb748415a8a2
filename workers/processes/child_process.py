"""Child processes that ignore a terminal's Ctrl-C and exit with their parent."""

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import workers

PR_SET_PDEATHSIG = 1  # from <sys/prctl.h>


def spawn(
    command: Sequence[str], *, environ: Mapping[str, str] | None = None, keep_fds: Sequence[int] = ()
) -> subprocess.Popen[bytes]:
    """Start a child in its own session.

    The terminal's Ctrl-C reaches the parent alone, which stops its children in the right order.
    On Linux the child gets SIGTERM when the parent is gone, whatever ended it. Call this from the
    main thread: the kernel signals when the thread that forked ends.
    """
    return subprocess.Popen(  # noqa: S603 - our own commands, no shell
        command,
        stdin=subprocess.DEVNULL,
        env=environ,
        pass_fds=keep_fds,
        start_new_session=True,
        preexec_fn=parent_death_hook(),  # noqa: PLW1509 - called from the main thread, see above
    )


def exit_with_parent(parent: int) -> None:
    """Make this process get SIGTERM when its parent is gone; on Linux only."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:
            os.kill(os.getpid(), signal.SIGTERM)


def rummy500_command(*arguments: str) -> list[str]:
    """Return the command line that runs `rummy500` with this interpreter."""
    # -P: a folder named `service` in the working directory must not be imported.
    return [sys.executable, "-P", "-m", "workers.cli", *arguments]


def child_environment(**settings: str) -> dict[str, str]:
    """Return the environment for a child that runs `rummy500`, with some settings added."""
    here = str(Path(workers.__file__).resolve().parent.parent)
    inherited = os.environ.get("PYTHONPATH")
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([here, inherited] if inherited else [here]),
        "PYTHONUNBUFFERED": "1",
        **settings,
    }


def describe_exit(status: int) -> str:
    """Return how a child exited, in words, from `Popen.returncode`."""
    if status >= 0:
        return f"exited with status {status}"
    try:
        return f"was killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"was killed by signal {-status}"


def parent_death_hook() -> Callable[[], None] | None:
    """Return a `preexec_fn` that makes a child get SIGTERM when this process is gone."""
    if sys.platform != "linux":
        return None
    # Loaded before the fork: between fork and exec only system calls are safe.
    libc = ctypes.CDLL(None)
    parent = os.getpid()

    def tie() -> None:
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:
            # The parent exited between the fork and the call above.
            os._exit(1)

    return tie
