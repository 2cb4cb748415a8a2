"""How to draw: the value of each take from the pile, of a card from the stock, and of passing."""

from collections.abc import Sequence

from service.rummy.calling import positions_taken
from service.rummy.cards import Card
from service.rummy.moves import CallRummy, DrawStock, Pass, PlayerMove, TakeDiscard, cards_used
from service.rummy.scoring import hand_points
from workers.bots.evaluation.deal_end import expected_caught_points, game_value_of_ending
from workers.bots.evaluation.discards import best_discard
from workers.bots.evaluation.hand_value import HandEvaluator, Weights, melds_after
from workers.bots.evaluation.melding import MeldPlan, best_meld_plan
from workers.bots.observation import Observation


def best_draw(moves: Sequence[PlayerMove], observation: Observation, weights: Weights) -> PlayerMove:
    """Return the draw with the highest value; the first of equals."""
    return max(moves, key=lambda move: _value_of_draw(move, observation, weights))


def _value_of_draw(move: PlayerMove, observation: Observation, weights: Weights) -> float:
    match move:
        case TakeDiscard():
            return _value_of_take(move, observation, weights)
        case DrawStock():
            return _value_of_stock(observation, weights)
        case _:
            return _value_of_pass(observation, weights)


def _value_of_take(take: TakeDiscard, observation: Observation, weights: Weights) -> float:
    pile = observation.view.discard_pile
    position = pile.index(take.card) if take.position is None else take.position
    taken = pile[position:]
    free = len(taken) == 1 and observation.variant.top_discard == "may_keep"
    denied = weights.deny * hand_points(taken, observation.variant)
    return denied + _value_of_hand(
        (*observation.hand, *taken),
        pile[:position],
        observation,
        weights,
        owed=None if free else take.card,
        barred=take.card if free and observation.variant.same_card_back == "forbidden" else None,
    )


def _value_of_stock(observation: Observation, weights: Weights) -> float:
    """Return the value of a card from the stock: the hand as it is, and a constant.

    Evaluating every unseen card was no better in the arena and took twenty times as long.
    """
    return weights.stock + _value_of_hand(
        observation.hand, observation.view.discard_pile, observation, weights
    )


def _value_of_pass(observation: Observation, weights: Weights) -> float:
    """Return the value of passing: the end of the deal, or a turn with the hand as it is."""
    if observation.variant.stock_empty == "play_on":
        return _value_of_hand(observation.hand, observation.view.discard_pile, observation, weights)
    evaluator = HandEvaluator(observation, weights, observation.targets, observation.view.discard_pile)
    decided = game_value_of_ending(observation, gain=0.0, hand=observation.hand, out=False)
    return (
        evaluator.value(observation.hand, 0.0) + weights.out * expected_caught_points(observation) + decided
    )


def _value_of_hand(  # noqa: PLR0913 - a hand, and what goes with it
    hand: Sequence[Card],
    pile: tuple[Card, ...],
    observation: Observation,
    weights: Weights,
    *,
    owed: Card | None = None,
    barred: Card | None = None,
) -> float:
    """Return the value, in points, of the rest of a turn with this hand."""
    plan = best_meld_plan(
        hand,
        observation.targets,
        observation.variant,
        owed=owed,
        melds_allowed=observation.variant.melds_per_turn,
    )
    return _value_of_plan(plan, pile, observation, weights, barred)


def _value_of_plan(
    plan: MeldPlan, pile: tuple[Card, ...], observation: Observation, weights: Weights, barred: Card | None
) -> float:
    variant, rest = observation.variant, plan.rest
    gain = weights.progress * plan.points
    if len(rest) == 1 or (not rest and variant.going_out == "any"):
        out = weights.out * expected_caught_points(observation) + variant.going_out_bonus
        return gain + out + game_value_of_ending(observation, gain=gain, hand=(), out=True)
    evaluator = HandEvaluator(observation, weights, melds_after(observation, plan.options), pile)
    allowed = [card for card in rest if card != barred or rest.count(card) > 1]
    return gain + best_discard(rest, allowed, evaluator, careful=False)[1]


def best_call(moves: Sequence[PlayerMove], observation: Observation, weights: Weights) -> PlayerMove:
    """Return the rummy call worth most, or the pass if waiting for the own turn is worth more.

    For the seat that draws next a call replaces its draw, and denies the card to the others.
    """
    view, pile = observation.view, observation.view.discard_pile
    draws_next = view.turn is not None and view.turn.seat == observation.seat
    best: PlayerMove = next(move for move in moves if isinstance(move, Pass))
    best_value = _value_of_hand(observation.hand, pile, observation, weights)
    if draws_next and (view.stock_count or observation.variant.renews_stock):
        best_value += weights.stock
    for places, calls in _calls_by_places(moves, observation).items():
        position, taken = places[0], tuple(pile[place] for place in places)
        left = tuple(card for place, card in enumerate(pile) if place not in places)
        hand = (*observation.hand, *taken)
        value = _value_of_hand(hand, left, observation, weights, owed=pile[position])
        if draws_next:
            value += weights.deny * hand_points(taken, observation.variant)
        if value > best_value:
            best, best_value = _best_use(calls, hand, observation, pile[position]), value
    return best


def _calls_by_places(
    moves: Sequence[PlayerMove], observation: Observation
) -> dict[tuple[int, ...], list[CallRummy]]:
    """Return the calls by the positions of the pile that they take."""
    calls: dict[tuple[int, ...], list[CallRummy]] = {}
    for move in moves:
        if isinstance(move, CallRummy):
            calls.setdefault(places_taken(move, observation), []).append(move)
    return calls


def places_taken(call: CallRummy, observation: Observation) -> tuple[int, ...]:
    """Return the positions of the pile that a call takes, the called card's first."""
    pile, variant = observation.view.discard_pile, observation.variant
    position = pile.index(call.card) if call.position is None else call.position
    joining = observation.hand if variant.call_rummy == "any_meld" else ()
    return positions_taken(pile, position, cards_used(call.use), joining, variant)


def _best_use(
    calls: Sequence[CallRummy], hand: Sequence[Card], observation: Observation, owed: Card
) -> CallRummy:
    """Return the call that begins the best meld plan, else the one that lays most points at once."""
    plan = best_meld_plan(
        hand,
        observation.targets,
        observation.variant,
        owed=owed,
        melds_allowed=observation.variant.melds_per_turn,
    )
    planned = [call for call in calls if any(option.begins_with(call.use) for option in plan.options)]
    return max(planned or calls, key=lambda call: _points_of_use(call, observation))


def _points_of_use(call: CallRummy, observation: Observation) -> int:
    return hand_points(cards_used(call.use), observation.variant)
