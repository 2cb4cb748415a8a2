"""The styles in use: other programs' as their rules say, and our own as it was trained.

`weights.json` is what `python -m workers.bots.training.policy_weights` found.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from service.rummy.variants import Variant
from workers.bots.engine.rollout import DEEPEST, SHALLOWEST, WEIGHED, Style, style

#: From so many cards a hand is played as one of thirteen.
_LARGE_HAND: Final = 10

#: As `srs` of the arena: deepest take, a random card without a link.
SRS: Final = style(DEEPEST, {"any_link": -1}, blind=True)
#: As `srs-d`: deepest take, discards weighed.
SRS_D: Final = style(DEEPEST, {"value": 0.5, "own": -4, "pile": -4, "fits": -8, "luck": 0.01})
#: As `strategic`: the first take that melds, the dearest card that is safe.
STRATEGIC: Final = style(SHALLOWEST, {"value": 1, "beside": -100, "twice": -100, "luck": 0.01})

_WEIGHTS: Final = json.loads(Path(__file__).with_name("weights.json").read_text(encoding="utf-8"))
#: Trained to score against the others and against themselves, each for a kind of game.
TRAINED: Final[Mapping[str, Style]] = {kind: style(WEIGHED, weights) for kind, weights in _WEIGHTS.items()}


def kind_of_game(variant: Variant, seats: int) -> str:
    """Return the kind of game whose trained style fits a variant."""
    if variant.scoring != "table_minus_hand" or not variant.deep_draw:
        return "basic"
    if variant.jokers_per_pack:
        return "jokers"
    if seats > 2:
        return "many"
    return "seven" if variant.hand_size < _LARGE_HAND else "thirteen"


def own_style(variant: Variant, seats: int) -> Style:
    """Return the trained style for a game."""
    return TRAINED[kind_of_game(variant, seats)]


def opponents(variant: Variant, seats: int) -> tuple[Style, ...]:
    """Return the opponents to reckon with in a game, each as often as it stands here."""
    own = own_style(variant, seats)
    if kind_of_game(variant, seats) == "basic":
        # Who takes nothing but the upcard plays much alike, and those below were made for deep takes.
        return (own, own, own, own, SRS_D)
    return (SRS_D, SRS_D, SRS_D, SRS, SRS, SRS, own, own, own, STRATEGIC)
