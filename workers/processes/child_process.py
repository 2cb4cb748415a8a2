"""Child processes that outlive a terminal's Ctrl-C, but not their parent."""

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
    """Start a child in a session of its own.

    The terminal's Ctrl-C reaches the parent alone, which stops its children in the right order.
    On Linux the child gets SIGTERM when the parent is gone, however it went. Call this from the
    main thread: the kernel means the death of the thread that forked.
    """
    return subprocess.Popen(  # noqa: S603 - our own commands, no shell
        command,
        stdin=subprocess.DEVNULL,
        env=environ,
        pass_fds=keep_fds,
        start_new_session=True,
        preexec_fn=tied_to_this_process(),  # noqa: PLW1509 - no threads here: see above
    )


def end_with_parent(parent: int) -> None:
    """See to it that this process gets SIGTERM when its parent is gone; on Linux only."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:
            os.kill(os.getpid(), signal.SIGTERM)


def our_command(*arguments: str) -> list[str]:
    """Return the command line that runs a part of this very program."""
    # -P: a folder named `service` where the user happens to stand is not our service.
    return [sys.executable, "-P", "-m", "workers.cli", *arguments]


def our_environment(**settings: str) -> dict[str, str]:
    """Return the environment for a part of this program, with some settings added."""
    here = str(Path(workers.__file__).resolve().parent.parent)
    inherited = os.environ.get("PYTHONPATH")
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([here, inherited] if inherited else [here]),
        "PYTHONUNBUFFERED": "1",
        **settings,
    }


def how_it_ended(status: int) -> str:
    """Tell in words how a child ended, from `Popen.returncode`."""
    if status >= 0:
        return f"ended with status {status}"
    try:
        return f"was killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"was killed by signal {-status}"


def tied_to_this_process() -> Callable[[], None] | None:
    """Return what a child does before it begins, so that it gets SIGTERM when this process is gone."""
    if sys.platform != "linux":
        return None
    # Loaded before the fork: between fork and exec only simple calls are safe.
    libc = ctypes.CDLL(None)
    parent = os.getpid()

    def tie() -> None:
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:
            # The parent went between the fork and the call above, which then came too late.
            os._exit(1)

    return tie
