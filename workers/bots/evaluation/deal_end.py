"""The value of the end of a deal: points caught in hands, and whether it decides the game."""

from collections.abc import Sequence
from typing import Final

from service.rummy.cards import Card
from service.rummy.scoring import decide_winners, hand_points, points
from workers.bots.seat_view import SeatView

#: The value of winning the game: more than any deal brings.
_GAME_VALUE: Final = 1000.0


def expected_hand_points(seat_view: SeatView, seat: int) -> float:
    """Return the expected points of the cards in another hand."""
    other, variant = seat_view.view.seats[seat], seat_view.variant
    hidden = sum(points(card, variant) * copies for card, copies in seat_view.unseen.items())
    mean = hidden / seat_view.unseen_count
    return hand_points(other.known_cards, variant) + mean * seat_view.hidden_cards(seat)


def expected_caught_points(seat_view: SeatView) -> float:
    """Return the points caught in an opponent's hand: their mean, or their sum if the winner takes all."""
    expected = sum(expected_hand_points(seat_view, seat) for seat in seat_view.opponents)
    return (
        expected if seat_view.variant.scoring == "winner_takes_hands" else expected / len(seat_view.opponents)
    )


def game_value_of_ending(seat_view: SeatView, *, gain: float, hand: Sequence[Card], out: bool) -> float:
    """Return a large value if the end of the deal wins the game, its negative if it loses it, else 0.

    `gain` is the points this turn lays, `hand` the cards left after it.
    """
    variant, view = seat_view.variant, seat_view.view
    own_side = variant.side(seat_view.seat)
    totals = [float(total) for total in view.totals]
    for seat, other in enumerate(view.seats):
        own = seat == seat_view.seat
        held = float(hand_points(hand, variant)) if own else expected_hand_points(seat_view, seat)
        table = other.table_points + (gain if own else 0.0)
        totals[variant.side(seat)] += _score(seat_view, table=table, held=held, out=out, own=own)
    decision = decide_winners(
        variant, [round(total) for total in totals], went_out=own_side if out else None, deals=view.deal
    )
    if decision is None or not decision[0]:
        return 0.0
    return _GAME_VALUE if own_side in decision[0] else -_GAME_VALUE


def _score(seat_view: SeatView, *, table: float, held: float, out: bool, own: bool) -> float:
    variant = seat_view.variant
    if variant.scoring == "penalty":
        return held
    if variant.scoring == "winner_takes_hands":
        return expected_caught_points(seat_view) if out and own else 0.0
    bonus = variant.going_out_bonus if out and own else 0
    return table + bonus - (0.0 if variant.no_minus_at_stock_end and not out else held)
