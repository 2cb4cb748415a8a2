"""The players of the arena: the service's levels, reference policies, and `shrewd` with other habits."""

from collections.abc import Callable
from dataclasses import fields
from functools import partial
from typing import Final

from workers.bots.bot import Bot, Budget
from workers.bots.evaluation.hand_value import Weights
from workers.bots.levels.shrewd import Shrewd
from workers.bots.reference.policies import REFERENCE_PLAYERS
from workers.bots.registry import BOT_FACTORIES, SEARCHING

NAMES: Final = (*BOT_FACTORIES, *REFERENCE_PLAYERS)
HABITS: Final = tuple(habit.name for habit in fields(Weights))
_TUNED: Final = "shrewd:"


def player_factory(name: str, budget: Budget) -> Callable[[], Bot]:
    """Return what creates the player for one seat of one set; raises ValueError for an unknown name.

    `shrewd:draw=1.2,stock=6` is shrewd with these habits changed.
    """
    if name in REFERENCE_PLAYERS:
        return REFERENCE_PLAYERS[name]
    if name in BOT_FACTORIES:
        return partial(BOT_FACTORIES[name], budget)
    if name.startswith(_TUNED):
        return partial(Shrewd, _habits(name.removeprefix(_TUNED)))
    raise ValueError(f"unknown player {name!r}; choose from {', '.join(NAMES)}")


def _habits(text: str) -> dict[str, float]:
    """Return the habits that a text such as `draw=1.2,stock=6` changes."""
    changed = {}
    for part in filter(None, text.split(",")):
        habit, _, value = part.partition("=")
        if habit not in HABITS:
            raise ValueError(f"shrewd has no habit {habit!r}; choose from {', '.join(HABITS)}")
        try:
            changed[habit] = float(value)
        except ValueError:
            raise ValueError(f"habit {habit} needs a number, not {value!r}") from None
    return changed


def tuned_name(changed: dict[str, float]) -> str:
    """Return the name of shrewd with habits changed."""
    return _TUNED + ",".join(f"{habit}={value:.4g}" for habit, value in changed.items())


def is_searching(name: str) -> bool:
    """Return whether the player searches for as long as its budget allows."""
    return name in SEARCHING
