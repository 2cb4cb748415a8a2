"""The rollout policies in use: those of other programs, by their rules, and our own, trained.

`weights.json` is written by `python -m workers.bots.training.policy_weights`: for each kind of game its
weights and, from the next training on, how they were trained.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from service.rummy.variants import Variant
from workers.bots.engine.rollout import DEEPEST, SHALLOWEST, WEIGHED, PolicyWeights, make_policy

#: From this number of cards on, a hand is played like one of thirteen.
_LARGE_HAND: Final = 10

#: As the reference player `srs`: deepest take, a random card without a link.
SRS: Final = make_policy(DEEPEST, {"any_link": -1}, blind=True)
#: As `srs-d`: deepest take, weighed discards.
SRS_D: Final = make_policy(DEEPEST, {"value": 0.5, "own": -4, "pile": -4, "fits": -8, "luck": 0.01})
#: As `strategic`: the first take that melds, the safe card with most points.
STRATEGIC: Final = make_policy(SHALLOWEST, {"value": 1, "beside": -100, "twice": -100, "luck": 0.01})

WEIGHTS_FILE: Final = Path(__file__).with_name("weights.json")
#: Trained against the others and against themselves, by kind of game.
TRAINED: Final[Mapping[str, PolicyWeights]] = {
    kind: make_policy(WEIGHED, trained["weights"])
    for kind, trained in json.loads(WEIGHTS_FILE.read_text(encoding="utf-8")).items()
}


def kind_of_game(variant: Variant, seats: int) -> str:
    """Return the kind of game, by which a variant gets its trained policy."""
    if variant.scoring != "table_minus_hand" or not variant.deep_draw:
        return "basic"
    if variant.jokers_per_pack:
        return "jokers"
    if seats > 2:
        return "many"
    return "seven" if variant.hand_size < _LARGE_HAND else "thirteen"


def own_policy(variant: Variant, seats: int) -> PolicyWeights:
    """Return the trained policy for a game."""
    return TRAINED[kind_of_game(variant, seats)]


def opponent_policies(variant: Variant, seats: int) -> tuple[PolicyWeights, ...]:
    """Return the opponent policies of a game; each is as likely as often as it occurs."""
    own = own_policy(variant, seats)
    if kind_of_game(variant, seats) == "basic":
        # Policies that take only the top discard play much alike, and those below were made for deep takes.
        return (own, own, own, own, SRS_D)
    return (SRS_D, SRS_D, SRS_D, SRS, SRS, SRS, own, own, own, STRATEGIC)
