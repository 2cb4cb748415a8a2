"""A process tree: parts started in order, watched, started again when they die, stopped in order."""

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
from workers.processes.child_process import how_it_ended

# A part that ends by itself this soon after its start has not worked at all.
EARLY_SECONDS = 5.0
# So many early ends in a row, and starting it once more would not help.
MOST_EARLY_ENDS = 3
FIRST_BACKOFF_SECONDS = 0.2
LONGEST_BACKOFF_SECONDS = 5.0
# A group may be signalled as a whole and make passes SIGTERM on besides: that is one request.
SECOND_REQUEST_AFTER_SECONDS = 1.0

Say = Callable[[str], None]


@dataclass(slots=True, kw_only=True)
class Part:
    """One child of the tree.

    `name` stands in sentences: "the worker". `start` must return at once. A part gets
    `patience_seconds` to end after SIGTERM before it is killed.
    """

    name: str
    start: Callable[[], subprocess.Popen[bytes]]
    patience_seconds: float
    never_hurried: bool = False
    process: subprocess.Popen[bytes] | None = None
    started_at: float = 0.0
    early_deaths: int = 0
    early_ends: int = 0
    start_again_at: float | None = None

    @property
    def title(self) -> str:
        """The name at the beginning of a sentence."""
        return self.name[0].upper() + self.name[1:]

    @property
    def is_running(self) -> bool:
        """Whether its process is there and has not ended."""
        return self.process is not None and self.process.poll() is None


class Tree:
    """Parts that depend on those before them: the first is started first and stopped last."""

    def __init__(self, parts: Sequence[Part], *, say: Say) -> None:
        self.parts = tuple(parts)
        self._say = say

    def start(self, part: Part) -> subprocess.Popen[bytes]:
        """Start one part now."""
        part.process = part.start()
        part.started_at = time.monotonic()
        part.start_again_at = None
        return part.process

    def watch(self) -> float:
        """Start again whatever has died and has waited long enough.

        Returns the seconds until the next look is due. Raises CannotStart when a part keeps
        ending at once: the others are left running, and `stop` stops them.
        """
        waits = [LONGEST_BACKOFF_SECONDS]
        for part in self.parts:
            if part.process is not None and part.process.poll() is not None:
                self._bury(part, part.process.returncode)
            if part.start_again_at is not None:
                wait = part.start_again_at - time.monotonic()
                if wait <= 0:
                    self.start(part)
                else:
                    waits.append(wait)
        return min(waits)

    def stop(self, *, hurry: Callable[[], bool], pause: Callable[[float], None]) -> None:
        """Stop all parts, the last one first, each before the next is told.

        `hurry` tells whether the user has lost patience; `pause` sleeps until something happens.
        """
        for part in reversed(self.parts):
            part.start_again_at = None
            process = part.process
            if process is None or process.poll() is not None:
                continue
            process.terminate()
            deadline = time.monotonic() + part.patience_seconds
            while process.poll() is None and time.monotonic() < deadline:
                if hurry() and not part.never_hurried:
                    break
                pause(min(0.2, max(0.0, deadline - time.monotonic())))
            if process.poll() is None:
                self._say(f"{part.title} did not stop in time and is killed.")
                # Its own children go with it: it leads a process group.
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    def _bury(self, part: Part, status: int) -> None:
        """Say how a part died and set the time of its next start."""
        part.process = None
        died_early = time.monotonic() - part.started_at < EARLY_SECONDS
        part.early_deaths = part.early_deaths + 1 if died_early else 0
        # Somebody who kills the part from outside says nothing about whether it can work.
        if status not in {-signal.SIGKILL, -signal.SIGTERM}:
            part.early_ends = part.early_ends + 1 if died_early else 0
        if part.early_ends >= MOST_EARLY_ENDS:
            raise CannotStart(
                f"{part.title} was started {part.early_ends} times and each time ended at once; the last "
                f"time it {how_it_ended(status)}. Everything is stopped, and what it said stands above."
            )
        backoff = 0.0
        if part.early_deaths:
            backoff = min(FIRST_BACKOFF_SECONDS * 2 ** (part.early_deaths - 1), LONGEST_BACKOFF_SECONDS)
        part.start_again_at = time.monotonic() + backoff
        when = f"in {backoff:.1f} s" if backoff else "now"
        self._say(f"{part.title} {how_it_ended(status)}; it is started again {when}.")


class Signals:
    """Turns signals into flags, and wakes a pause when one arrives or a child dies."""

    def __init__(self) -> None:
        self._first_request_at: float | None = None
        self._hurried = False
        self._receiver, self._sender = socket.socketpair()
        for end in (self._receiver, self._sender):
            end.setblocking(False)

    def __enter__(self) -> Self:
        """Take over the signals of the process, for good: it ends when this does."""
        signal.set_wakeup_fd(self._sender.fileno(), warn_on_full_buffer=False)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._stop)
        signal.signal(signal.SIGCHLD, self._wake)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let go of the wake-up; a signal from now on changes nothing any more."""
        signal.set_wakeup_fd(-1)
        self._receiver.close()
        self._sender.close()

    def pause(self, seconds: float) -> None:
        """Sleep, but no longer than until the next signal."""
        ready, _, _ = select.select([self._receiver], [], [], seconds)
        if ready:
            with suppress(BlockingIOError):
                self._receiver.recv(4096)

    def is_stopping(self) -> bool:
        """Tell whether somebody asked to stop."""
        return self._first_request_at is not None

    def is_hurried(self) -> bool:
        """Tell whether somebody asked to stop, and then once more."""
        return self._hurried

    def _stop(self, _number: int, _frame: FrameType | None) -> None:
        now = time.monotonic()
        if self._first_request_at is None:
            self._first_request_at = now
        elif now - self._first_request_at >= SECOND_REQUEST_AFTER_SECONDS:
            self._hurried = True

    def _wake(self, _number: int, _frame: FrameType | None) -> None:
        """Only the byte in the wake-up socket counts."""
