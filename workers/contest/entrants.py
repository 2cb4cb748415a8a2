"""Who can enter the arena: the levels of the service, and the bench players."""

from collections.abc import Callable
from functools import partial
from typing import Final

from workers.bots.base import Bot, Budget
from workers.bots.bench.policies import BENCH
from workers.bots.registry import PLAYERS, SEARCHING

NAMES: Final = (*PLAYERS, *BENCH)


def maker(name: str, budget: Budget) -> Callable[[], Bot]:
    """Return who makes the player for one seat and one deal; raises KeyError for a name nobody has."""
    return BENCH[name] if name in BENCH else partial(PLAYERS[name], budget)


def is_searching(name: str) -> bool:
    """Tell whether the player thinks for as long as its budget lets it."""
    return name in SEARCHING
