"""Who plays a level. Names and sentences stand in `service.levels`; a test holds the two together."""

from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Final

from workers.bots.base import DEFAULT_BUDGET, Bot, Budget
from workers.bots.steady import Steady

PLAYERS: Final[Mapping[str, Callable[[Budget], Bot]]] = MappingProxyType({"steady": lambda _: Steady()})
"""Who makes the player of a level, for a budget of thinking."""


@cache
def player(level: str, budget: Budget = DEFAULT_BUDGET) -> Bot:
    """Return the player of a level; raises KeyError for a level nobody plays."""
    return PLAYERS[level](budget)


SEARCHING: Final[frozenset[str]] = frozenset()
"""The levels that think for as long as their budget lets them."""
