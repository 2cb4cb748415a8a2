"""Who plays a level. Names and sentences stand in `service.jobs.levels`; a test holds the two together."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from service.jobs.levels import THINKING
from workers.bots.bot import DEFAULT_BUDGET, Bot, Budget
from workers.bots.levels.expert import Expert
from workers.bots.levels.rule_based import CASUAL, NOVICE, STEADY, Plain
from workers.bots.levels.shrewd import Shrewd

PLAYERS: Final[Mapping[str, Callable[[Budget], Bot]]] = MappingProxyType(
    {
        "novice": lambda _: Plain(NOVICE),
        "casual": lambda _: Plain(CASUAL),
        "steady": lambda _: Plain(STEADY),
        "shrewd": lambda _: Shrewd(),
        "expert": Expert,
    }
)
"""Who makes the player of a level, for a budget of thinking; the weakest first."""


@lru_cache(maxsize=64)
def player(level: str, budget: Budget = DEFAULT_BUDGET) -> Bot:
    """Return the player of a level; raises KeyError for a level nobody plays."""
    return PLAYERS[level](budget)


SEARCHING: Final = THINKING
"""The levels that think for as long as their budget lets them."""
