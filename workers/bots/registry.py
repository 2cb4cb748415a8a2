"""The bot of each level. Names and descriptions are in `service.jobs.levels`; a test compares the two."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from service.jobs.levels import THINKING
from workers.bots.bot import DEFAULT_BUDGET, Bot, Budget
from workers.bots.levels.expert import Expert
from workers.bots.levels.rule_based import CASUAL, NOVICE, STEADY, RuleBasedBot
from workers.bots.levels.shrewd import Shrewd

BOT_FACTORIES: Final[Mapping[str, Callable[[Budget], Bot]]] = MappingProxyType(
    {
        "novice": lambda _: RuleBasedBot(NOVICE),
        "casual": lambda _: RuleBasedBot(CASUAL),
        "steady": lambda _: RuleBasedBot(STEADY),
        "shrewd": lambda _: Shrewd(),
        "expert": Expert,
    }
)
"""Makes the bot of a level for a search budget; the weakest level comes first."""


@lru_cache(maxsize=64)
def bot_for(level: str, budget: Budget = DEFAULT_BUDGET) -> Bot:
    """Return the bot of a level; raises KeyError for an unknown level."""
    return BOT_FACTORIES[level](budget)


SEARCHING: Final = THINKING
"""The levels that search for as long as their budget allows."""
