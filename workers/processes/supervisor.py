"""Supervises child processes: starts them in order, restarts those that exit, stops them in reverse."""

import os
import select
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import FrameType, TracebackType
from typing import Self

from workers.errors import CannotStart
from workers.processes.child_process import describe_exit

# A process that exits this soon after its start never worked.
EARLY_SECONDS = 5.0
# After this many failed starts in a row, another would not help.
MAX_FAILED_STARTS = 3
FIRST_BACKOFF_SECONDS = 0.2
MAX_BACKOFF_SECONDS = 5.0
# A signal to the whole group may arrive twice, because make forwards SIGTERM: that is one request.
SECOND_REQUEST_AFTER_SECONDS = 1.0

Say = Callable[[str], None]


@dataclass(slots=True, kw_only=True)
class ManagedProcess:
    """A child process and its restarts.

    `name` is used in sentences: "the scheduler". `start` must return at once. After SIGTERM the process has
    `patience_seconds` to exit before it is killed.
    """

    name: str
    start: Callable[[], subprocess.Popen[bytes]]
    patience_seconds: float
    never_killed_early: bool = False
    popen: subprocess.Popen[bytes] | None = None
    started_at: float = 0.0
    quick_restarts: int = 0
    failed_starts: int = 0
    restart_at: float | None = None

    @property
    def title(self) -> str:
        """The name at the start of a sentence."""
        return self.name[0].upper() + self.name[1:]

    @property
    def is_running(self) -> bool:
        """Whether the process was started and has not exited."""
        return self.popen is not None and self.popen.poll() is None


class Supervisor:
    """Supervises processes that depend on those before them: the first starts first and stops last."""

    def __init__(self, processes: Sequence[ManagedProcess], *, say: Say) -> None:
        self.processes = tuple(processes)
        self._say = say

    def start(self, managed: ManagedProcess) -> subprocess.Popen[bytes]:
        """Start one process now."""
        managed.popen = managed.start()
        managed.started_at = time.monotonic()
        managed.restart_at = None
        return managed.popen

    def watch(self) -> float:
        """Restart processes that have exited, once their backoff is over.

        Returns the seconds until the next check is due. Raises CannotStart when a process keeps exiting
        right after its start; the others are left running for `stop`.
        """
        waits = [MAX_BACKOFF_SECONDS]
        for managed in self.processes:
            if managed.popen is not None and managed.popen.poll() is not None:
                self._on_exit(managed, managed.popen.returncode)
            if managed.restart_at is not None:
                wait = managed.restart_at - time.monotonic()
                if wait <= 0:
                    self.start(managed)
                else:
                    waits.append(wait)
        return min(waits)

    def stop(self, *, is_hurried: Callable[[], bool], pause: Callable[[float], None]) -> None:
        """Stop all processes in reverse order, one after the other.

        `is_hurried` returns whether a second stop was requested; `pause` sleeps until something happens.
        """
        for managed in reversed(self.processes):
            managed.restart_at = None
            process = managed.popen
            if process is None or process.poll() is not None:
                continue
            process.terminate()
            deadline = time.monotonic() + managed.patience_seconds
            while process.poll() is None and time.monotonic() < deadline:
                if is_hurried() and not managed.never_killed_early:
                    break
                pause(min(0.2, max(0.0, deadline - time.monotonic())))
            if process.poll() is None:
                self._say(f"{managed.title} did not stop in time; killing it.")
                # The child leads a process group, so its own children are killed too.
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    def _on_exit(self, managed: ManagedProcess, status: int) -> None:
        """Report how a process exited, and schedule its restart."""
        managed.popen = None
        exited_early = time.monotonic() - managed.started_at < EARLY_SECONDS
        managed.quick_restarts = managed.quick_restarts + 1 if exited_early else 0
        # Being killed from outside says nothing about whether the process can work.
        if status not in {-signal.SIGKILL, -signal.SIGTERM}:
            managed.failed_starts = managed.failed_starts + 1 if exited_early else 0
        if managed.failed_starts >= MAX_FAILED_STARTS:
            raise CannotStart(
                f"{managed.title} was started {managed.failed_starts} times and exited at once each time; "
                f"the last time it {describe_exit(status)}. Shutting down; see its output above."
            )
        backoff = 0.0
        if managed.quick_restarts:
            backoff = min(FIRST_BACKOFF_SECONDS * 2 ** (managed.quick_restarts - 1), MAX_BACKOFF_SECONDS)
        managed.restart_at = time.monotonic() + backoff
        when = f"in {backoff:.1f} s" if backoff else "now"
        self._say(f"{managed.title} {describe_exit(status)}; restarting {when}.")


class Signals:
    """Turns signals into flags, and ends a pause when one arrives or a child exits."""

    def __init__(self) -> None:
        self._first_request_at: float | None = None
        self._hurried = False
        self._receiver, self._sender = socket.socketpair()
        for end in (self._receiver, self._sender):
            end.setblocking(False)

    def __enter__(self) -> Self:
        """Install the handlers, for the rest of the process's life."""
        signal.set_wakeup_fd(self._sender.fileno(), warn_on_full_buffer=False)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._stop)
        signal.signal(signal.SIGCHLD, self._wake)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the wake-up socket; later signals have no effect."""
        signal.set_wakeup_fd(-1)
        self._receiver.close()
        self._sender.close()

    def pause(self, seconds: float) -> None:
        """Sleep until the next signal, but at most so long."""
        ready, _, _ = select.select([self._receiver], [], [], seconds)
        if ready:
            with suppress(BlockingIOError):
                self._receiver.recv(4096)

    def is_stopping(self) -> bool:
        """Return whether a stop was requested."""
        return self._first_request_at is not None

    def is_hurried(self) -> bool:
        """Return whether a stop was requested a second time."""
        return self._hurried

    def _stop(self, _number: int, _frame: FrameType | None) -> None:
        now = time.monotonic()
        if self._first_request_at is None:
            self._first_request_at = now
        elif now - self._first_request_at >= SECOND_REQUEST_AFTER_SECONDS:
            self._hurried = True

    def _wake(self, _number: int, _frame: FrameType | None) -> None:
        """Do nothing: the byte in the wake-up socket ends the pause."""
