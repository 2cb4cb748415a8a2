"""Plays the sets of a match on all cores and hands their results on in the order of their seeds.

In order, so that a contest that stops early stops at the same set every time, however
quick its processes were.
"""

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from multiprocessing.pool import AsyncResult, Pool
from threading import Thread
from types import FrameType
from typing import Final

from workers.tools.arena.mirrored_set import Match, SetResult, play_set

#: A process is thought dead when nothing at all comes back for so long: a set takes minutes at most.
_PATIENCE_SECONDS: Final = 1800.0
#: So many sets a process are begun before they are asked for, so that none has to wait.
_AHEAD: Final = 2


class Crew:
    """The processes that play; with one of them everything is played here."""

    def __init__(self, pool: Pool | None, processes: int) -> None:
        self._pool: Final = pool
        self._ahead: Final = _AHEAD * processes

    def results(self, match: Match, seeds: Iterable[int]) -> Iterator[SetResult]:
        """Yield the results in the order of the seeds. What is not asked for any more is not begun."""
        if self._pool is None:
            yield from (play_set(match, seed) for seed in seeds)
            return
        left, begun = iter(seeds), deque[AsyncResult[SetResult]]()
        while True:
            for seed in islice(left, self._ahead - len(begun)):
                begun.append(self._pool.apply_async(play_set, (match, seed)))
            if not begun:
                return
            yield begun.popleft().get(timeout=_PATIENCE_SECONDS)


@contextmanager
def crew(processes: int) -> Iterator[Crew]:
    """Have a crew of so many processes; whatever ends this ends them as well."""
    if processes == 1:
        yield Crew(None, 1)
        return
    before = signal.signal(signal.SIGTERM, _end)
    # A fresh interpreter each: forked ones would inherit whatever threads run here.
    pool = multiprocessing.get_context("spawn").Pool(processes, initializer=_obey_the_head)
    try:
        yield Crew(pool, processes)
    finally:
        pool.terminate()
        pool.join()
        signal.signal(signal.SIGTERM, before)


def _end(_signal: int, _frame: FrameType | None) -> None:
    """Unwind, so that no process is left behind."""
    raise SystemExit(128 + signal.SIGTERM)


def _obey_the_head() -> None:
    """Ignore Ctrl-C, which a terminal sends to every process: the head ends this one, and takes it along."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    Thread(target=_follow_the_head, daemon=True).start()


def _follow_the_head() -> None:
    head = multiprocessing.parent_process()
    if head is not None:
        head.join()
        os._exit(1)


def cores() -> int:
    """Return how many processes this machine runs side by side for us."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
