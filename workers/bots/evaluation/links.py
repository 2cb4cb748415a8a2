"""Links between cards in hand: two of a rank, or near in a suit, that a third card makes a meld."""

from collections.abc import Sequence
from random import Random
from typing import Final

from service.rummy.cards import FACE, KING, RANK, SUIT, Card, is_joker
from service.rummy.moves import Discard
from workers.bots.evaluation.hand_value import runs_of_three
from workers.bots.observation import Observation

_NEAR: Final = 2
#: The share of turns of a stalled deal in which a player breaks up what goes together.
_BREAK_UP_SHARE: Final = 0.2


def link_strength(card: Card, other: Card) -> float:
    """Return how strongly two cards are linked: 1 for a pair or neighbours, less with a gap between."""
    if is_joker(card) or is_joker(other):
        return 1.0
    if RANK[card] == RANK[other]:
        return float(card != other)
    if SUIT[card] != SUIT[other]:
        return 0.0
    apart = abs(RANK[card] - RANK[other])
    apart = min(apart, KING - apart)
    return 1.0 / apart if apart <= _NEAR else 0.0


def others_in_hand(card: Card, hand: Sequence[Card]) -> list[Card]:
    """Return the other cards of a hand; a second copy of the card is one of them."""
    others = list(hand)
    others.remove(card)
    return others


def open_links(card: Card, observation: Observation) -> float:
    """Return the strength of a card's links that some card not on the table yet could complete."""
    return sum(
        strength
        for other in others_in_hand(card, observation.hand)
        if (strength := link_strength(card, other)) and _can_be_completed(card, other, observation)
    )


def _can_be_completed(card: Card, other: Card, observation: Observation) -> bool:
    if is_joker(card) or is_joker(other):
        return True
    if RANK[card] == RANK[other]:
        third = [FACE[suit][RANK[card]] for suit in range(4) if suit not in (SUIT[card], SUIT[other])]
    else:
        runs = runs_of_three(card, observation.variant)
        third = [face for faces in runs if other in faces for face in faces if face not in (card, other)]
    return any(observation.on_table.get(face, 0) < observation.variant.packs for face in third)


def stalled_discard(discards: Sequence[Discard], observation: Observation, chance: Random) -> Discard:
    """Return the discard of a stalled deal: the card with fewest open links, and now and then any card.

    What circulates then are the cards with many points, so points do not count. Each player waits
    for a card that another keeps: without a break now and then they would wait until the deal ends
    without a score.
    """
    if chance.random() < _BREAK_UP_SHARE:
        return chance.choice(discards)
    links = {discard: open_links(discard.card, observation) for discard in discards}
    fewest = min(links.values())
    return chance.choice([discard for discard in discards if links[discard] == fewest])
