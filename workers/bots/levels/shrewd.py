"""The level `shrewd`: evaluates every draw, lays all that scores, and discards with care.

It uses what its seat sees, counts unseen cards, and does not search ahead. It never holds melds back:
cards on the table score, cards in hand may be caught there.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random
from types import MappingProxyType
from typing import Final

from service.rummy.legal_moves import LegalMoves
from service.rummy.moves import Discard, PlayerMove
from service.rummy.state import Phase
from service.rummy.variants import Variant
from service.rummy.views import View
from workers.bots.evaluation.discards import best_discard
from workers.bots.evaluation.draws import best_call, best_draw
from workers.bots.evaluation.hand_value import HandEvaluator, Weights, weights_for
from workers.bots.evaluation.links import stalled_discard
from workers.bots.evaluation.next_meld import next_meld_move
from workers.bots.observation import Observation

_TUNED: Final[Mapping[str, float]] = MappingProxyType({})


class Shrewd:
    """Weighs what a turn brings now against what the cards kept may bring or cost later."""

    def __init__(self, changed: Mapping[str, float] = _TUNED) -> None:
        self._changed: Final = changed

    def choose(self, view: View, legal: LegalMoves, variant: Variant, chance: Random, /) -> PlayerMove | None:
        """Return the move with the highest value; None if there is no legal move."""
        moves = legal.moves
        if len(moves) <= 1:
            return moves[0] if moves else None
        observation, weights = Observation.of(view, variant), weights_for(variant)
        if self._changed:
            weights = replace(weights, **self._changed)
        match view.phase:
            case Phase.DRAW:
                return best_draw(moves, observation, weights)
            case Phase.RUMMY_CALL:
                return best_call(moves, observation, weights)
            case _:
                return next_meld_move(moves, observation) or end_of_turn(moves, observation, weights, chance)


def end_of_turn(
    moves: Sequence[PlayerMove], observation: Observation, weights: Weights, chance: Random
) -> PlayerMove:
    """Return the discard, or the first move left if no card may be discarded."""
    discards = {move.card: move for move in moves if isinstance(move, Discard)}
    if discards and observation.is_stalled:
        return stalled_discard(tuple(discards.values()), observation, chance)
    evaluator = HandEvaluator(observation, weights, observation.targets, observation.view.discard_pile)
    card, _ = best_discard(observation.hand, tuple(discards), evaluator, careful=True)
    return moves[0] if card is None else discards[card]
