"""How to draw: the value of each take from the pile, of a card from the stock, and of passing."""

from collections.abc import Sequence

from service.rummy.calling import taken_by_call
from service.rummy.cards import Card
from service.rummy.moves import CallRummy, DrawStock, LayMeld, Pass, PlayerMove, TakeDiscard
from service.rummy.scoring import hand_points
from workers.bots.evaluation.deal_end import expected_caught_points, game_value_of_ending
from workers.bots.evaluation.discards import best_discard
from workers.bots.evaluation.hand_value import HandEvaluator, Weights, melds_after
from workers.bots.evaluation.melding import MeldPlan, best_meld_plan
from workers.bots.seat_view import SeatView


def best_draw(moves: Sequence[PlayerMove], seat_view: SeatView, weights: Weights) -> PlayerMove:
    """Return the draw with the highest value; the first of equals."""
    return max(moves, key=lambda move: _value_of_draw(move, seat_view, weights))


def _value_of_draw(move: PlayerMove, seat_view: SeatView, weights: Weights) -> float:
    match move:
        case TakeDiscard():
            return _value_of_take(move, seat_view, weights)
        case DrawStock():
            return _value_of_stock(seat_view, weights)
        case _:
            return _value_of_pass(seat_view, weights)


def _value_of_take(take: TakeDiscard, seat_view: SeatView, weights: Weights) -> float:
    pile = seat_view.view.discard_pile
    position = pile.index(take.card) if take.position is None else take.position
    taken = pile[position:]
    free = len(taken) == 1 and seat_view.variant.top_discard == "may_keep"
    denied = weights.deny * hand_points(taken, seat_view.variant)
    return denied + _value_of_hand(
        (*seat_view.hand, *taken),
        pile[:position],
        seat_view,
        weights,
        owed=None if free else take.card,
        barred=take.card if free and seat_view.variant.same_card_back == "forbidden" else None,
    )


def _value_of_stock(seat_view: SeatView, weights: Weights) -> float:
    """Return the value of a card from the stock: the hand as it is, and a constant.

    Evaluating every unseen card was no better in the arena and took twenty times as long.
    """
    return weights.stock + _value_of_hand(seat_view.hand, seat_view.view.discard_pile, seat_view, weights)


def _value_of_pass(seat_view: SeatView, weights: Weights) -> float:
    """Return the value of passing: the end of the deal, or a turn with the hand as it is."""
    if seat_view.variant.stock_empty == "play_on":
        return _value_of_hand(seat_view.hand, seat_view.view.discard_pile, seat_view, weights)
    evaluator = HandEvaluator(seat_view, weights, seat_view.targets, seat_view.view.discard_pile)
    decided = game_value_of_ending(seat_view, gain=0.0, hand=seat_view.hand, out=False)
    return evaluator.value(seat_view.hand, 0.0) + weights.out * expected_caught_points(seat_view) + decided


def _value_of_hand(  # noqa: PLR0913 - a hand, and what goes with it
    hand: Sequence[Card],
    pile: tuple[Card, ...],
    seat_view: SeatView,
    weights: Weights,
    *,
    owed: Card | None = None,
    barred: Card | None = None,
) -> float:
    """Return the value, in points, of the rest of a turn with this hand."""
    plan = best_meld_plan(
        hand, seat_view.targets, seat_view.variant, owed=owed, melds_allowed=seat_view.variant.melds_per_turn
    )
    return _value_of_plan(plan, pile, seat_view, weights, barred)


def _value_of_plan(
    plan: MeldPlan, pile: tuple[Card, ...], seat_view: SeatView, weights: Weights, barred: Card | None
) -> float:
    variant, rest = seat_view.variant, plan.rest
    gain = weights.progress * plan.points
    if len(rest) == 1 or (not rest and variant.going_out == "any"):
        out = weights.out * expected_caught_points(seat_view) + variant.going_out_bonus
        return gain + out + game_value_of_ending(seat_view, gain=gain, hand=(), out=True)
    evaluator = HandEvaluator(seat_view, weights, melds_after(seat_view, plan.options), pile)
    allowed = [card for card in rest if card != barred or rest.count(card) > 1]
    return gain + best_discard(rest, allowed, evaluator, careful=False)[1]


def best_call(moves: Sequence[PlayerMove], seat_view: SeatView, weights: Weights) -> PlayerMove:
    """Return the rummy call worth most, or the pass if waiting for the own turn is worth more."""
    pile, variant = seat_view.view.discard_pile, seat_view.variant
    best: PlayerMove = next(move for move in moves if isinstance(move, Pass))
    best_value = _value_of_hand(seat_view.hand, pile, seat_view, weights)
    for position, calls in _calls_by_position(moves, seat_view).items():
        taken = taken_by_call(pile, position, variant)
        left = (*pile[:position], *pile[position + len(taken) :])
        hand = (*seat_view.hand, *taken)
        value = _value_of_hand(hand, left, seat_view, weights, owed=pile[position])
        if value > best_value:
            best, best_value = _best_use(calls, hand, seat_view, pile[position]), value
    return best


def _calls_by_position(moves: Sequence[PlayerMove], seat_view: SeatView) -> dict[int, list[CallRummy]]:
    calls: dict[int, list[CallRummy]] = {}
    for move in moves:
        if isinstance(move, CallRummy):
            at = seat_view.view.discard_pile.index(move.card) if move.position is None else move.position
            calls.setdefault(at, []).append(move)
    return calls


def _best_use(calls: Sequence[CallRummy], hand: Sequence[Card], seat_view: SeatView, owed: Card) -> CallRummy:
    """Return the call that begins the best meld plan, else the one that lays most points at once."""
    plan = best_meld_plan(
        hand, seat_view.targets, seat_view.variant, owed=owed, melds_allowed=seat_view.variant.melds_per_turn
    )
    planned = [call for call in calls if any(option.begins_with(call.use) for option in plan.options)]
    return max(planned or calls, key=lambda call: _points_of_use(call, seat_view))


def _points_of_use(call: CallRummy, seat_view: SeatView) -> int:
    cards = call.use.cards if isinstance(call.use, LayMeld) else (call.use.card,)
    return hand_points(cards, seat_view.variant)
