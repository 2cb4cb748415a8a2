"""Why a move may be good, in the words of a teacher of the game.

The reasons use only what the seat can see.
"""

from collections.abc import Sequence
from typing import assert_never

from service.rummy.cards import RANK, Card, is_joker, long_name
from service.rummy.melds import openings
from service.rummy.moves import (
    CallRummy,
    Discard,
    DrawStock,
    KeepCard,
    LayMeld,
    LayOff,
    Pass,
    PlayerMove,
    TakeDiscard,
)
from service.rummy.scoring import hand_points, points
from service.rummy.state import Phase
from workers.bots.evaluation.melding import best_meld_plan
from workers.bots.observation import Observation, could_meld_with

#: From this many points on, a reason names what a card costs if it is caught in hand.
_HIGH_POINTS = 10
_MANY = 2


def reason_for(move: PlayerMove, observation: Observation) -> str:
    """Return the reason for the move: a sentence or two."""
    match move:
        case DrawStock():
            return _why_draw(observation)
        case TakeDiscard():
            return _why_take(move, observation)
        case LayMeld(cards=cards):
            return _why_lay(cards, observation, f"Lay {_listed(cards)}")
        case LayOff(card=card):
            return _why_lay((card,), observation, f"Lay off the {long_name(card)}")
        case Discard(card=card):
            return _why_discard(card, observation)
        case Pass():
            return _why_pass(observation)
        case KeepCard():
            return "Keep the card: it is your only one, and you may be able to lay it with the next card."
        case CallRummy(card=card):
            return f'Call "Rummy!": the {long_name(card)} was missed, and you can lay it at once.'
        case _ as never:
            assert_never(never)


def _listed(cards: Sequence[Card]) -> str:
    return ", ".join(cards)


def _points(count: int) -> str:
    return "1 point" if count == 1 else f"{count} points"


def _why_draw(observation: Observation) -> str:
    if not observation.view.discard_pile:
        return "Draw from the stock: the discard pile is empty."
    top = observation.view.discard_pile[-1]
    if any(could_meld_with(top, card) for card in observation.hand):
        return (
            f"Draw from the stock: the {long_name(top)} goes with cards in your hand, "
            "but taking it is worth less than a new card."
        )
    return f"Draw from the stock: the {long_name(top)} goes with nothing in your hand."


def _why_take(move: TakeDiscard, observation: Observation) -> str:
    pile, variant = observation.view.discard_pile, observation.variant
    position = pile.index(move.card) if move.position is None else move.position
    taken = pile[position:]
    free = len(taken) == 1 and variant.top_discard == "may_keep"
    plan = best_meld_plan(
        (*observation.hand, *taken),
        observation.targets,
        variant,
        owed=None if free else move.card,
        melds_allowed=variant.melds_per_turn,
    )
    what = (
        f"Take the {long_name(move.card)}"
        if len(taken) == 1
        else f"Take {len(taken)} cards, down to the {long_name(move.card)}"
    )
    if not plan.options:
        return f"{what}: it goes with cards in your hand, and you may keep it."
    rest = f"; {len(plan.rest)} cards stay in your hand" if len(plan.rest) > 1 else ""
    return f"{what}: you can lay {_points(plan.points)} at once{rest}."


def _why_lay(cards: Sequence[Card], observation: Observation, what: str) -> str:
    left = len(observation.hand) - len(cards)
    if not left:
        return f"{what}: these are your last cards, and you go out."
    counts = _points(hand_points(cards, observation.variant))
    if observation.variant.scoring != "table_minus_hand":
        return f"{what}: {counts} less to be caught with, and {left} left in hand."
    turn = observation.view.turn
    owed = turn.must_use if turn is not None else None
    due = (
        f" You must lay the {long_name(owed)} this turn because you took it."
        if owed in cards and owed
        else ""
    )
    return f"{what}: {counts} on the table that can no longer count against you.{due}"


def _why_discard(card: Card, observation: Observation) -> str:
    hand, what = observation.hand, f"Discard the {long_name(card)}"
    if len(hand) == 1:
        return f"{what}: it is your last card, and you go out."
    others = [other for other in hand if other != card]
    friends = [
        other for other in others if is_joker(card) or (not is_joker(other) and could_meld_with(card, other))
    ]
    counts = points(card, observation.variant)
    parts = [f"{what}: "]
    if friends:
        parts.append(f"it goes with {_listed(friends[:_MANY])}, but your other cards fit together better")
    else:
        parts.append("it goes with nothing else in your hand")
    if counts >= _HIGH_POINTS:
        parts.append(f", and costs you {_points(counts)} if you are caught with it")
    parts.append(".")
    fits = any(card in openings(meld, observation.variant) for meld in observation.view.melds)
    visible = (
        sum(RANK[lying] == RANK[card] for lying in _visible_cards(observation)) if not is_joker(card) else 0
    )
    if fits:
        parts.append(" Careful: opponents can lay it off.")
    elif visible >= _MANY:
        parts.append(f" It is hard for opponents to use: {visible} of its rank are visible.")
    return "".join(parts)


def _visible_cards(observation: Observation) -> list[Card]:
    laid = [one.card for meld in observation.view.melds for one in meld.cards]
    return [*laid, *observation.view.discard_pile]


def _why_pass(observation: Observation) -> str:
    turn = observation.view.turn
    if observation.view.phase is Phase.RUMMY_CALL and turn is not None and turn.seat == observation.seat:
        return "Do not call: you draw next, and another draw is worth more."
    if observation.view.phase is Phase.RUMMY_CALL:
        return "Do not call: what you could lay is worth less than the cards it adds to your hand."
    return "Pass: the stock is empty, and nothing in the pile is worth taking."
