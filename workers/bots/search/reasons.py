"""Why a move may be good, in the words of somebody who teaches the game.

Nothing is said that the seat could not see for itself.
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
from workers.bots.evaluation.melding import best_tabling
from workers.bots.seat_view import Sight, goes_with

_DEAR = 10
_MANY = 2


def reason_for(move: PlayerMove, sight: Sight) -> str:
    """Return why the seat might make the move: a sentence or two."""
    match move:
        case DrawStock():
            return _why_draw(sight)
        case TakeDiscard():
            return _why_take(move, sight)
        case LayMeld(cards=cards):
            return _why_table(cards, sight, f"Lay {_listed(cards)}")
        case LayOff(card=card):
            return _why_table((card,), sight, f"Lay off the {long_name(card)}")
        case Discard(card=card):
            return _why_throw(card, sight)
        case Pass():
            return _why_pass(sight)
        case KeepCard():
            return "Keep the card: you have nothing else in hand, and may lay it with the next one."
        case CallRummy(card=card):
            return f'Call "Rummy!": the {long_name(card)} was missed, and goes to your table at once.'
        case _ as never:
            assert_never(never)


def _listed(cards: Sequence[Card]) -> str:
    return ", ".join(cards)


def _points(count: int) -> str:
    return "1 point" if count == 1 else f"{count} points"


def _why_draw(sight: Sight) -> str:
    if not sight.view.discard_pile:
        return "Draw from the stock: there is no pile to take from."
    top = sight.view.discard_pile[-1]
    if any(goes_with(top, card) for card in sight.hand):
        return (
            f"Draw from the stock: the {long_name(top)} goes with cards of yours, "
            "but what comes with it, or has to be laid for it, is worth less than a new card."
        )
    return f"Draw from the stock: the {long_name(top)} goes with nothing that you hold."


def _why_take(move: TakeDiscard, sight: Sight) -> str:
    pile, variant = sight.view.discard_pile, sight.variant
    position = pile.index(move.card) if move.position is None else move.position
    taken = pile[position:]
    free = len(taken) == 1 and variant.top_discard == "may_keep"
    tabling = best_tabling(
        (*sight.hand, *taken),
        sight.targets,
        variant,
        owed=None if free else move.card,
        melds_allowed=variant.melds_per_turn,
    )
    what = (
        f"Take the {long_name(move.card)}"
        if len(taken) == 1
        else f"Take {len(taken)} cards, down to the {long_name(move.card)}"
    )
    if not tabling.pieces:
        return f"{what}: it goes with cards of yours and may be kept."
    rest = f", and {len(tabling.rest)} cards stay in your hand" if len(tabling.rest) > 1 else ""
    return f"{what}: {_points(tabling.points)} can be laid at once{rest}."


def _why_table(cards: Sequence[Card], sight: Sight, what: str) -> str:
    left = len(sight.hand) - len(cards)
    if not left:
        return f"{what}: those are your last cards, and you go out."
    counts = _points(hand_points(cards, sight.variant))
    if sight.variant.scoring != "table_minus_hand":
        return f"{what}: {counts} fewer to be caught with, and {left} cards left in hand."
    turn = sight.view.turn
    owed = turn.must_use if turn is not None else None
    due = f" The {long_name(owed)} that you took has to be laid this turn." if owed in cards and owed else ""
    return f"{what}: {counts} are safe on the table and cannot be held against you any more.{due}"


def _why_throw(card: Card, sight: Sight) -> str:
    hand, what = sight.hand, f"Throw the {long_name(card)}"
    if len(hand) == 1:
        return f"{what}: it is your last card, and you go out."
    others = [other for other in hand if other != card]
    friends = [
        other for other in others if is_joker(card) or (not is_joker(other) and goes_with(card, other))
    ]
    counts = points(card, sight.variant)
    said = [f"{what}: "]
    if friends:
        said.append(f"it goes with {_listed(friends[:_MANY])}, but your other cards go together better")
    else:
        said.append("it goes with nothing else that you hold")
    if counts >= _DEAR:
        said.append(f", and costs {_points(counts)} if you are caught with it")
    said.append(".")
    fits = any(card in openings(meld, sight.variant) for meld in sight.view.melds)
    gone = sum(RANK[lying] == RANK[card] for lying in _open_cards(sight)) if not is_joker(card) else 0
    if fits:
        said.append(" Mind that it can be laid off by others.")
    elif gone >= _MANY:
        said.append(f" Others can hardly use it: {gone} of its rank lie open.")
    return "".join(said)


def _open_cards(sight: Sight) -> list[Card]:
    laid = [one.card for meld in sight.view.melds for one in meld.cards]
    return [*laid, *sight.view.discard_pile]


def _why_pass(sight: Sight) -> str:
    if sight.view.phase is Phase.RUMMY_CALL:
        return "Let it lie: what could be called brings less than it leaves in your hand."
    return "Pass: there is no stock, and nothing in the pile is worth taking."
