"""Plays the sets of a match in several processes, and yields their results in the order of the seeds.

The order is fixed so that a match that stops early always stops after the same set, whichever
process was fastest.
"""

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import islice
from threading import Thread
from types import FrameType
from typing import Final

from workers.errors import CannotStart
from workers.tools.arena.mirrored_set import Match, SetResult, play_set

#: Sets submitted ahead for each process, so that none is idle.
_AHEAD: Final = 2


class MatchPool:
    """The processes that play the sets. Without an executor, this process plays them."""

    def __init__(self, executor: ProcessPoolExecutor | None, processes: int) -> None:
        self._executor: Final = executor
        self._ahead: Final = _AHEAD * processes

    def play_sets(self, match: Match, seeds: Iterable[int]) -> Iterator[SetResult]:
        """Yield the results in the order of the seeds; sets are started only as results are read.

        Raises CannotStart when a process was killed.
        """
        if self._executor is None:
            yield from (play_set(match, seed) for seed in seeds)
            return
        remaining, running = iter(seeds), deque[Future[SetResult]]()
        while True:
            try:
                for seed in islice(remaining, self._ahead - len(running)):
                    running.append(self._executor.submit(play_set, match, seed))
                if not running:
                    return
                result = running.popleft().result()
            except BrokenProcessPool:
                raise CannotStart(
                    "A process that played was killed, perhaps for lack of memory; "
                    "run fewer with --processes."
                ) from None
            yield result


@contextmanager
def open_pool(processes: int) -> Iterator[MatchPool]:
    """Start the processes, and end them when the block is left for whatever reason."""
    if processes == 1:
        yield MatchPool(None, 1)
        return
    handler = signal.signal(signal.SIGTERM, _exit)
    others = set(multiprocessing.active_children())
    # Fresh interpreters: forked ones would inherit the threads' locks of this one.
    context = multiprocessing.get_context("spawn")
    executor = ProcessPoolExecutor(processes, mp_context=context, initializer=_follow_parent)
    try:
        yield MatchPool(executor, processes)
    finally:
        # A set may take minutes, so the processes are not waited for.
        for child in set(multiprocessing.active_children()) - others:
            child.terminate()
        executor.shutdown(cancel_futures=True)
        signal.signal(signal.SIGTERM, handler)


def _exit(_signal: int, _frame: FrameType | None) -> None:
    """Unwind the stack, so that the pool ends its processes."""
    raise SystemExit(128 + signal.SIGTERM)


def _follow_parent() -> None:
    """Ignore Ctrl-C, which a terminal sends to every process, and exit when the parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    Thread(target=_exit_with_parent, daemon=True).start()


def _exit_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def cores() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
