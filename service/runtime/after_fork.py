"""What must begin again in a forked child: locks, threads and sockets are the parent's."""

import os
import weakref
from typing import Protocol


class Resettable(Protocol):
    """Something with locks, threads or sockets."""

    def reset(self) -> None:
        """Start with none of the parent's. No other thread runs yet."""
        ...


_all: weakref.WeakSet[Resettable] = weakref.WeakSet()


def reset_after_fork(thing: Resettable) -> None:
    """See to it that the thing begins again in every process forked from now on."""
    _all.add(thing)


def _in_child() -> None:
    for thing in list(_all):
        thing.reset()


os.register_at_fork(after_in_child=_in_child)
