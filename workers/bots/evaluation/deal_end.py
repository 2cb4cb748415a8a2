"""What the end of a deal is worth: who is caught with what, and who would win the game by it."""

from collections.abc import Sequence
from typing import Final

from service.rummy.cards import Card
from service.rummy.scoring import decide_winners, hand_points, points
from workers.bots.seat_view import Sight

#: What winning or losing the whole game outweighs: more than any deal brings.
_GAME: Final = 1000.0


def expected_in_hand(sight: Sight, seat: int) -> float:
    """Return what the cards in another hand count, as far as one can tell."""
    other, variant = sight.view.seats[seat], sight.variant
    hidden = sum(points(card, variant) * copies for card, copies in sight.unseen.items())
    mean = hidden / sight.unseen_count
    return hand_points(other.known_cards, variant) + mean * sight.hidden_cards(seat)


def caught(sight: Sight) -> float:
    """Return what an opponent would be caught with on average; all of them where the winner takes it."""
    expected = sum(expected_in_hand(sight, seat) for seat in sight.opponents)
    return expected if sight.variant.scoring == "winner_takes_hands" else expected / len(sight.opponents)


def game_by_ending(sight: Sight, *, gain: float, hand: Sequence[Card], out: bool) -> float:
    """Return a fortune if the deal's end wins the game, minus one if it loses it, 0 if neither.

    `gain` is what this turn adds on the table, `hand` what is left then.
    """
    variant, view = sight.variant, sight.view
    own_side = variant.side(sight.seat)
    totals = [float(total) for total in view.totals]
    for seat, other in enumerate(view.seats):
        own = seat == sight.seat
        held = float(hand_points(hand, variant)) if own else expected_in_hand(sight, seat)
        table = other.table_points + (gain if own else 0.0)
        totals[variant.side(seat)] += _score(sight, table=table, held=held, out=out, own=own)
    decision = decide_winners(
        variant, [round(total) for total in totals], went_out=own_side if out else None, deals=view.deal
    )
    if decision is None or not decision[0]:
        return 0.0
    return _GAME if own_side in decision[0] else -_GAME


def _score(sight: Sight, *, table: float, held: float, out: bool, own: bool) -> float:
    variant = sight.variant
    if variant.scoring == "penalty":
        return held
    if variant.scoring == "winner_takes_hands":
        return caught(sight) if out and own else 0.0
    bonus = variant.going_out_bonus if out and own else 0
    return table + bonus - (0.0 if variant.no_minus_at_stock_end and not out else held)
