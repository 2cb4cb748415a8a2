"""Who can enter the arena: the levels of the service, the bench players, and `shrewd` with other habits."""

from collections.abc import Callable
from dataclasses import fields
from functools import partial
from typing import Final

from workers.bots.bot import Bot, Budget
from workers.bots.evaluation.hand_value import Habits
from workers.bots.levels.shrewd import Shrewd
from workers.bots.reference.policies import BENCH
from workers.bots.registry import PLAYERS, SEARCHING

NAMES: Final = (*PLAYERS, *BENCH)
HABITS: Final = tuple(habit.name for habit in fields(Habits))
_TUNED: Final = "shrewd:"


def maker(name: str, budget: Budget) -> Callable[[], Bot]:
    """Return who makes the player for one seat and one deal; raises ValueError for a name nobody has.

    `shrewd:draw=1.2,stock=6` is shrewd with these habits changed.
    """
    if name in BENCH:
        return BENCH[name]
    if name in PLAYERS:
        return partial(PLAYERS[name], budget)
    if name.startswith(_TUNED):
        return partial(Shrewd, _habits(name.removeprefix(_TUNED)))
    raise ValueError(f"there is no player {name!r}; there are {', '.join(NAMES)}")


def _habits(text: str) -> dict[str, float]:
    """Return the habits that a text such as `draw=1.2,stock=6` changes."""
    changed = {}
    for part in filter(None, text.split(",")):
        habit, _, value = part.partition("=")
        if habit not in HABITS:
            raise ValueError(f"shrewd has no habit {habit!r}; it has {', '.join(HABITS)}")
        changed[habit] = float(value)
    return changed


def tuned(changed: dict[str, float]) -> str:
    """Return the name of shrewd with habits changed."""
    return _TUNED + ",".join(f"{habit}={value:.4g}" for habit, value in changed.items())


def is_searching(name: str) -> bool:
    """Tell whether the player thinks for as long as its budget lets it."""
    return name in SEARCHING
