"""Which card to discard: the one least missed, and least useful to the players that follow."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import prod
from typing import Final

from service.rummy.cards import FACE, RANK, SUIT, Card, is_joker
from service.rummy.scoring import points
from workers.bots.evaluation.hand_value import HandEvaluator, runs_of_three
from workers.bots.observation import Observation

#: A discarded joker makes a meld for almost any player: it costs about twice its own points.
_JOKER_DANGER: Final = 2.0


def best_discard(
    hand: Sequence[Card], allowed: Sequence[Card], evaluator: HandEvaluator, *, careful: bool
) -> tuple[Card | None, float]:
    """Return the card to discard and the value of the hand left; no card if none is allowed.

    `careful` subtracts what the card may bring the opponents. That is slow and hardly changes a
    comparison of hands.
    """
    turns = evaluator.observation.turns_left
    if not allowed:
        return None, evaluator.value(hand, turns)
    left = evaluator.values_without(hand, turns)
    values = {card: left[card] for card in dict.fromkeys(allowed)}
    if careful:
        for card in values:
            values[card] -= evaluator.weights.danger * danger(card, evaluator)
    card = max(values, key=values.__getitem__)
    return card, values[card]


def danger(card: Card, evaluator: HandEvaluator) -> float:
    """Return the points that discarding the card may bring the opponents."""
    counts = points(card, evaluator.observation.variant)
    if card in evaluator.wanted:
        return counts
    if is_joker(card):
        return _JOKER_DANGER * counts
    return _danger_in_melds(card, evaluator)


def _danger_in_melds(card: Card, evaluator: HandEvaluator) -> float:
    """Return the expected points of melds with the card, weighted by the chance that each can be made.

    Cards of the pile count as available: they can be taken together with this one on top.
    """
    observation, expected = evaluator.observation, 0.0
    for away, seat in enumerate(observation.opponents):
        for partners in _partners(card, observation):
            hidden = [other for other in partners if other not in evaluator.within_reach]
            chance = prod(_chance_to_hold(seat, other, observation) for other in hidden)
            counts = sum(points(other, observation.variant) for other in (card, *partners))
            # Later players find it only if no player before them took it.
            expected += chance * counts / (1 + away)
    return expected


def _partners(card: Card, observation: Observation) -> Iterator[tuple[Card, ...]]:
    """Yield the pairs of cards that make a meld with the card."""
    others = [FACE[suit][RANK[card]] for suit in range(4) if suit != SUIT[card]]
    yield from combinations(others, 2)
    for faces in runs_of_three(card, observation.variant):
        yield tuple(face for face in faces if face != card)


def _chance_to_hold(seat: int, card: Card, observation: Observation) -> float:
    """Return the chance that a seat holds a card."""
    if card in observation.view.seats[seat].known_cards:
        return 1.0
    return min(
        1.0, observation.unseen.get(card, 0) * observation.hidden_cards(seat) / observation.unseen_count
    )
