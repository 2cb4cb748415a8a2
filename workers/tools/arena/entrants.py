"""The players of the arena: the service's levels, reference policies, and `shrewd` with other weights."""

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
WEIGHTS: Final = tuple(weight.name for weight in fields(Weights))
_TUNED: Final = "shrewd:"


def player_factory(name: str, budget: Budget) -> Callable[[], Bot]:
    """Return what creates the player for one seat of one set; raises ValueError for an unknown name.

    `shrewd:draw=1.2,stock=6` is shrewd with these weights changed.
    """
    if name in REFERENCE_PLAYERS:
        return REFERENCE_PLAYERS[name]
    if name in BOT_FACTORIES:
        return partial(BOT_FACTORIES[name], budget)
    if name.startswith(_TUNED):
        return partial(Shrewd, _weights(name.removeprefix(_TUNED)))
    raise ValueError(f"unknown player {name!r}; choose from {', '.join(NAMES)}")


def _weights(text: str) -> dict[str, float]:
    """Return the weights that a text such as `draw=1.2,stock=6` changes."""
    changed = {}
    for part in filter(None, text.split(",")):
        weight, _, value = part.partition("=")
        if weight not in WEIGHTS:
            raise ValueError(f"shrewd has no weight {weight!r}; choose from {', '.join(WEIGHTS)}")
        try:
            changed[weight] = float(value)
        except ValueError:
            raise ValueError(f"weight {weight} needs a number, not {value!r}") from None
    return changed


def tuned_name(changed: dict[str, float]) -> str:
    """Return the name of shrewd with weights changed."""
    return _TUNED + ",".join(f"{weight}={value:.4g}" for weight, value in changed.items())


def is_searching(name: str) -> bool:
    """Return whether the player searches for as long as its budget allows."""
    return name in SEARCHING
