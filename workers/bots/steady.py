"""The level `steady`: looks at every draw it may make, tables all that counts, and throws with care.

It keeps to what its seat sees, counts the cards that are still about, and does not search
ahead. Holding melds back is not in its book: what lies on the table counts, and what is in
hand may be caught there.
"""

from collections.abc import Sequence
from random import Random
from typing import Final

from service.rummy.legal import LegalMoves
from service.rummy.moves import Discard, LayMeld, LayOff, PlayerMove
from service.rummy.state import Phase
from service.rummy.variants import Variant
from service.rummy.views import View
from workers.bots.discarding import best_discard
from workers.bots.keeping import STEADY, Habits, Keeping
from workers.bots.sight import Sight
from workers.bots.tabling import best_tabling
from workers.bots.taking import best_call, best_draw


class Steady:
    """Decides by weighing what a turn brings now against what the cards kept may bring or cost."""

    def __init__(self, habits: Habits = STEADY) -> None:
        self._habits: Final = habits

    def choose(
        self, view: View, legal: LegalMoves, variant: Variant, _chance: Random, /
    ) -> PlayerMove | None:
        """Return the move that promises most; None where there is none to make."""
        moves = legal.moves
        if len(moves) <= 1:
            return moves[0] if moves else None
        sight = Sight.of(view, variant)
        match view.phase:
            case Phase.DRAW:
                return best_draw(moves, sight, self._habits)
            case Phase.RUMMY_CALL:
                return best_call(moves, sight, self._habits)
            case _:
                return _next_tabled(moves, sight) or self._end_of_turn(moves, sight)

    def _end_of_turn(self, moves: Sequence[PlayerMove], sight: Sight) -> PlayerMove:
        """Return the discard, or what is left to do where no card may be thrown."""
        throws = {move.card: move for move in moves if isinstance(move, Discard)}
        keeping = Keeping(sight, self._habits, sight.targets, sight.view.discard_pile)
        card, _ = best_discard(sight.hand, tuple(throws), keeping)
        return moves[0] if card is None else throws[card]


def _next_tabled(moves: Sequence[PlayerMove], sight: Sight) -> PlayerMove | None:
    """Return the next meld or lay-off of the best tabling; None when the turn has come to its discard."""
    lays = [move for move in moves if isinstance(move, LayMeld | LayOff)]
    if not lays:
        return None
    turn = sight.view.turn
    owed = turn.must_use if turn is not None else None
    may_meld = any(isinstance(move, LayMeld) for move in lays)
    tabling = best_tabling(
        sight.hand,
        sight.targets,
        sight.variant,
        owed=owed,
        melds_allowed=sight.variant.melds_per_turn if may_meld else 0,
    )
    for piece in tabling.pieces:
        listed = [move for move in lays if piece.begins_with(move)]
        if listed:
            return max(listed, key=piece.lies_as)
    # A listed move never strands the owed card, so any of them leads on to where it can be used.
    return lays[0] if owed is not None else None
