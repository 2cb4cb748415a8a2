"""The next meld or lay-off: the first step of the best meld plan."""

from collections.abc import Sequence

from service.rummy.moves import LayMeld, LayOff, PlayerMove
from workers.bots.evaluation.melding import best_meld_plan
from workers.bots.observation import Observation


def next_meld_move(moves: Sequence[PlayerMove], observation: Observation) -> PlayerMove | None:
    """Return the next meld or lay-off of the best plan; None if nothing is left to lay."""
    lays = [move for move in moves if isinstance(move, LayMeld | LayOff)]
    if not lays:
        return None
    turn = observation.view.turn
    owed = turn.must_use if turn is not None else None
    may_meld = any(isinstance(move, LayMeld) for move in lays)
    plan = best_meld_plan(
        observation.hand,
        observation.targets,
        observation.variant,
        owed=owed,
        melds_allowed=observation.variant.melds_per_turn if may_meld else 0,
    )
    for option in plan.options:
        listed = [move for move in lays if option.begins_with(move)]
        if listed:
            return max(listed, key=option.lies_as)
    # No legal move strands the card that must be used, so any of them leads on to its use.
    return lays[0] if owed is not None else None
