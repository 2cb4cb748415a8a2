"""Which card to throw: the one least missed, and least wanted by those who play next."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import prod
from typing import Final

from service.rummy.cards import FACE, RANK, SUIT, Card, is_joker
from service.rummy.scoring import points
from workers.bots.evaluation.hand_value import Keeping, runs_of_three
from workers.bots.seat_view import Sight

#: A joker thrown is a meld for almost anybody: its own points and about those of two cards more.
_JOKER_DANGER: Final = 2.0


def best_discard(
    hand: Sequence[Card], allowed: Sequence[Card], keeping: Keeping, *, careful: bool
) -> tuple[Card | None, float]:
    """Return the card to throw and what the hand is worth then; no card where none is allowed.

    Who is careful minds what the card may bring the opponents. It takes its time, and
    tells hands that are compared little.
    """
    turns = keeping.sight.turns_left
    if not allowed:
        return None, keeping.value(hand, turns)
    left = keeping.values_without(hand, turns)
    worths = {card: left[card] for card in dict.fromkeys(allowed)}
    if careful:
        for card in worths:
            worths[card] -= keeping.habits.danger * danger(card, keeping)
    card = max(worths, key=worths.__getitem__)
    return card, worths[card]


def danger(card: Card, keeping: Keeping) -> float:
    """Return the points that throwing the card may bring the opponents."""
    counts = points(card, keeping.sight.variant)
    if card in keeping.wanted:
        return counts
    if is_joker(card):
        return _JOKER_DANGER * counts
    return _danger_in_melds(card, keeping)


def _danger_in_melds(card: Card, keeping: Keeping) -> float:
    """Return what melds with the card may bring, each by the chance that it can be made.

    Cards of the pile are there for the taking with this one on top of them.
    """
    sight, expected = keeping.sight, 0.0
    for away, seat in enumerate(sight.opponents):
        for partners in _partners(card, sight):
            hidden = [other for other in partners if other not in keeping.within_reach]
            chance = prod(_chance_to_hold(seat, other, sight) for other in hidden)
            counts = sum(points(other, sight.variant) for other in (card, *partners))
            # Those who play later find it only if nobody took it before them.
            expected += chance * counts / (1 + away)
    return expected


def _partners(card: Card, sight: Sight) -> Iterator[tuple[Card, ...]]:
    """Yield the pairs with which the card makes a meld."""
    others = [FACE[suit][RANK[card]] for suit in range(4) if suit != SUIT[card]]
    yield from combinations(others, 2)
    for faces in runs_of_three(card, sight.variant):
        yield tuple(face for face in faces if face != card)


def _chance_to_hold(seat: int, card: Card, sight: Sight) -> float:
    """Return the chance that a seat holds a card."""
    if card in sight.view.seats[seat].known_cards:
        return 1.0
    return min(1.0, sight.unseen.get(card, 0) * sight.hidden_cards(seat) / sight.unseen_count)
