"""What to table next: the first step of the best tabling there is."""

from collections.abc import Sequence

from service.rummy.moves import LayMeld, LayOff, PlayerMove
from workers.bots.evaluation.melding import best_tabling
from workers.bots.seat_view import Sight


def next_tabled(moves: Sequence[PlayerMove], sight: Sight) -> PlayerMove | None:
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
