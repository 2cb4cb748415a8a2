"""Resets objects in a forked child, whose locks, threads and sockets are the parent's."""

import os
import weakref
from typing import Protocol


class Resettable(Protocol):
    """An object with locks, threads or sockets."""

    def reset(self) -> None:
        """Start without those of the parent; no other thread runs yet."""
        ...


_all: weakref.WeakSet[Resettable] = weakref.WeakSet()


def reset_after_fork(resettable: Resettable) -> None:
    """Reset the object in every process forked from now on."""
    _all.add(resettable)


def _in_child() -> None:
    for resettable in list(_all):
        resettable.reset()


os.register_at_fork(after_in_child=_in_child)
