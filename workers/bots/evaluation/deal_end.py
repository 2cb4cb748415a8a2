"""The value of the end of a deal: points caught in hands, and whether it decides the game."""

from collections.abc import Sequence
from typing import Final

from service.rummy.cards import Card
from service.rummy.scoring import decide_winners, hand_points, points, totals_so_far
from workers.bots.observation import Observation

#: The value of winning the game: more than any deal brings.
_GAME_VALUE: Final = 1000.0


def expected_hand_points(observation: Observation, seat: int) -> float:
    """Return the expected points of the cards in another hand."""
    other, variant = observation.view.seats[seat], observation.variant
    hidden = sum(points(card, variant) * copies for card, copies in observation.unseen.items())
    mean = hidden / observation.unseen_count
    return hand_points(other.known_cards, variant) + mean * observation.hidden_cards(seat)


def expected_caught_points(observation: Observation) -> float:
    """Return the points caught in an opponent's hand: their mean, or their sum if the winner takes all."""
    expected = sum(expected_hand_points(observation, seat) for seat in observation.opponents)
    return (
        expected
        if observation.variant.scoring == "winner_takes_hands"
        else expected / len(observation.opponents)
    )


def game_value_of_ending(observation: Observation, *, gain: float, hand: Sequence[Card], out: bool) -> float:
    """Return a large value if the end of the deal wins the game, its negative if it loses it, else 0.

    `gain` is the points this turn lays, `hand` the cards left after it.
    """
    variant, view = observation.variant, observation.view
    own_side = variant.side(observation.seat)
    totals = [float(total) for total in view.totals]
    for seat, other in enumerate(view.seats):
        own = seat == observation.seat
        held = float(hand_points(hand, variant)) if own else expected_hand_points(observation, seat)
        table = other.table_points + (gain if own else 0.0)
        totals[variant.side(seat)] += _score(observation, table=table, held=held, out=out, own=own)
    decision = decide_winners(
        variant,
        [round(total) for total in totals],
        earlier=totals_so_far(variant, view.deals, view.totals),
        went_out=own_side if out else None,
        deals=view.deal,
    )
    if decision is None or not decision[0]:
        return 0.0
    return _GAME_VALUE if own_side in decision[0] else -_GAME_VALUE


def _score(observation: Observation, *, table: float, held: float, out: bool, own: bool) -> float:
    variant = observation.variant
    if variant.scoring == "penalty":
        return held
    if variant.scoring == "winner_takes_hands":
        if not out:
            match variant.stock_end_score:
                case "minus_hand":
                    return -held
                case "lowest_hand" if own:
                    return max(0.0, expected_caught_points(observation) - held * len(observation.opponents))
                case _:
                    return 0.0
        return expected_caught_points(observation) if own else 0.0
    bonus = variant.going_out_bonus if out and own else 0
    return table + bonus - (0.0 if variant.no_minus_at_stock_end and not out else held)
