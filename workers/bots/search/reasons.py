"""Why a move may be good, in the words of a teacher of the game.

The reasons use only what the seat can see.
"""

from collections.abc import Sequence
from typing import assert_never

from service.rummy.cards import RANK, Card, is_joker
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
from service.rummy.sentences import Sentence
from service.rummy.state import Phase
from workers.bots.evaluation.melding import best_meld_plan
from workers.bots.observation import Observation, could_meld_with

#: From this many points on, a reason names what a card costs if it is caught in hand.
_HIGH_POINTS = 10
_MANY = 2


def reason_for(move: PlayerMove, observation: Observation) -> tuple[Sentence, ...]:
    """Return the reason for the move: a sentence or more."""
    match move:
        case DrawStock():
            return (_why_draw(observation),)
        case TakeDiscard():
            return _why_take(move, observation)
        case LayMeld(cards=cards):
            return _why_lay(cards, observation, Sentence("lay_meld", "Lay {cards}.", cards=_listed(cards)))
        case LayOff(card=card):
            return _why_lay((card,), observation, Sentence("lay_off", "Lay off the {card}.", card=card))
        case Discard(card=card):
            return _why_discard(card, observation)
        case Pass():
            return (_why_pass(observation),)
        case KeepCard():
            return (
                Sentence(
                    "keep_only_card",
                    "Keep the card: it is your only one, and you may be able to lay it with the next card.",
                ),
            )
        case CallRummy(card=card):
            return (
                Sentence(
                    "call_rummy",
                    'Call "Rummy!": the {card} was missed, and you can lay it at once.',
                    card=card,
                ),
            )
        case _ as never:
            assert_never(never)


def _listed(cards: Sequence[Card]) -> str:
    return ", ".join(cards)


def _counted(key: str, one: str, many: str, count: int, **more: str | int) -> Sentence:
    """Return the sentence for one, or that for many, whose key has the ending `_many`."""
    if count == 1:
        return Sentence(key, one, **more)
    return Sentence(f"{key}_many", many, count=count, **more)


def _why_draw(observation: Observation) -> Sentence:
    if not observation.view.discard_pile:
        return Sentence("draw_pile_is_empty", "Draw from the stock: the discard pile is empty.")
    top = observation.view.discard_pile[-1]
    if any(could_meld_with(top, card) for card in observation.hand):
        return Sentence(
            "draw_rather_than_take",
            "Draw from the stock: the {card} goes with cards in your hand, but taking it is worth less than "
            "a new card.",
            card=top,
        )
    return Sentence(
        "draw_top_is_useless", "Draw from the stock: the {card} goes with nothing in your hand.", card=top
    )


def _why_take(move: TakeDiscard, observation: Observation) -> tuple[Sentence, ...]:
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
    what = _counted(
        "take",
        "Take the {card}.",
        "Take {count} cards, down to the {card}.",
        len(taken),
        card=move.card,
    )
    if not plan.options:
        return what, Sentence("take_to_keep", "It goes with cards in your hand, and you may keep it.")
    gain = _counted(
        "take_to_lay",
        "You can lay 1 point at once.",
        "You can lay {count} points at once.",
        plan.points,
    )
    if len(plan.rest) < _MANY:
        return what, gain
    return what, gain, Sentence("cards_stay", "{count} cards stay in your hand.", count=len(plan.rest))


def _why_lay(cards: Sequence[Card], observation: Observation, what: Sentence) -> tuple[Sentence, ...]:
    left = len(observation.hand) - len(cards)
    if not left:
        return what, Sentence("lay_last_cards", "These are your last cards, and you go out.")
    count = hand_points(cards, observation.variant)
    if observation.variant.scoring != "table_minus_hand":
        return what, _counted(
            "lay_fewer_to_be_caught_with",
            "You have 1 point less to be caught with, and {left} cards left in hand.",
            "You have {count} points less to be caught with, and {left} cards left in hand.",
            count,
            left=left,
        )
    gain = _counted(
        "lay_safe_points",
        "That is 1 point on the table that can no longer count against you.",
        "That is {count} points on the table that can no longer count against you.",
        count,
    )
    turn = observation.view.turn
    owed = turn.must_use if turn is not None else None
    if owed is None or owed not in cards:
        return what, gain
    return (
        what,
        gain,
        Sentence("lay_taken_card", "You must lay the {card} this turn because you took it.", card=owed),
    )


def _why_discard(card: Card, observation: Observation) -> tuple[Sentence, ...]:
    hand, what = observation.hand, Sentence("discard", "Discard the {card}.", card=card)
    if len(hand) == 1:
        return what, Sentence("discard_last_card", "It is your last card, and you go out.")
    others = [other for other in hand if other != card]
    friends = [
        other for other in others if is_joker(card) or (not is_joker(other) and could_meld_with(card, other))
    ]
    reasons = [what]
    if friends:
        reasons.append(
            Sentence(
                "discard_others_fit_better",
                "It goes with {cards}, but your other cards fit together better.",
                cards=_listed(friends[:_MANY]),
            )
        )
    else:
        reasons.append(Sentence("discard_fits_nothing", "It goes with nothing else in your hand."))
    counts = points(card, observation.variant)
    if counts >= _HIGH_POINTS:
        reasons.append(
            Sentence(
                "discard_is_costly", "It costs you {count} points if you are caught with it.", count=counts
            )
        )
    fits = any(card in openings(meld, observation.variant) for meld in observation.view.melds)
    visible = (
        sum(RANK[lying] == RANK[card] for lying in _visible_cards(observation)) if not is_joker(card) else 0
    )
    if fits:
        reasons.append(Sentence("discard_may_be_laid_off", "Careful: opponents can lay it off."))
    elif visible >= _MANY:
        reasons.append(
            Sentence(
                "discard_is_hard_to_use",
                "It is hard for opponents to use: {count} of its rank are visible.",
                count=visible,
            )
        )
    return tuple(reasons)


def _visible_cards(observation: Observation) -> list[Card]:
    laid = [one.card for meld in observation.view.melds for one in meld.cards]
    return [*laid, *observation.view.discard_pile]


def _why_pass(observation: Observation) -> Sentence:
    turn = observation.view.turn
    if observation.view.phase is Phase.RUMMY_CALL and turn is not None and turn.seat == observation.seat:
        return Sentence("pass_you_draw_next", "Do not call: you draw next, and another draw is worth more.")
    if observation.view.phase is Phase.RUMMY_CALL:
        return Sentence(
            "pass_call_is_worth_less",
            "Do not call: what you could lay is worth less than the cards it adds to your hand.",
        )
    return Sentence(
        "pass_nothing_to_take", "Pass: the stock is empty, and nothing in the pile is worth taking."
    )
