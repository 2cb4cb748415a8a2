"""The level `shrewd`: weighs every draw it may make, tables all that counts, and throws with care.

It keeps to what its seat sees, counts the cards that are still about, and does not search
ahead. Holding melds back is not in its book: what lies on the table counts, and what is in
hand may be caught there.
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
from workers.bots.evaluation.hand_value import Habits, Keeping, habits_for
from workers.bots.evaluation.next_meld import next_tabled
from workers.bots.seat_view import Sight

_AS_TUNED: Final[Mapping[str, float]] = MappingProxyType({})


class Shrewd:
    """Decides by weighing what a turn brings now against what the cards kept may bring or cost."""

    def __init__(self, changed: Mapping[str, float] = _AS_TUNED) -> None:
        self._changed: Final = changed

    def choose(
        self, view: View, legal: LegalMoves, variant: Variant, _chance: Random, /
    ) -> PlayerMove | None:
        """Return the move that promises most; None where there is none to make."""
        moves = legal.moves
        if len(moves) <= 1:
            return moves[0] if moves else None
        sight, habits = Sight.of(view, variant), habits_for(variant)
        if self._changed:
            habits = replace(habits, **self._changed)
        match view.phase:
            case Phase.DRAW:
                return best_draw(moves, sight, habits)
            case Phase.RUMMY_CALL:
                return best_call(moves, sight, habits)
            case _:
                return next_tabled(moves, sight) or end_of_turn(moves, sight, habits)


def end_of_turn(moves: Sequence[PlayerMove], sight: Sight, habits: Habits) -> PlayerMove:
    """Return the discard, or what is left to do where no card may be thrown."""
    throws = {move.card: move for move in moves if isinstance(move, Discard)}
    keeping = Keeping(sight, habits, sight.targets, sight.view.discard_pile)
    card, _ = best_discard(sight.hand, tuple(throws), keeping, careful=True)
    return moves[0] if card is None else throws[card]
