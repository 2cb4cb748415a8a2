"""Every meld that can be made of some cards, each once (RULES 3 and 5)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations, product
from typing import Final

from service.rummy.cards import ACE, FACE, HIGH_ACE, KING, RANK, SUIT, Card, is_joker
from service.rummy.melds import SMALLEST_MELD, spans
from service.rummy.moves import Ace
from service.rummy.state import Kind
from service.rummy.variants import Variant


@dataclass(frozen=True, slots=True)
class PossibleMeld:
    """Cards that make a meld: what jokers stand for, and which end an ace takes where both would do."""

    kind: Kind
    cards: tuple[Card, ...]
    stands_for: Mapping[Card, Card]
    ace: Ace | None


_NO_JOKERS: Final[Mapping[Card, Card]] = {}


def possible_melds(
    cards: Iterable[Card], variant: Variant, *, with_card: Card | None = None
) -> Iterator[PossibleMeld]:
    """Yield every meld that can be made of the cards, those without jokers first.

    Twins are interchangeable, so each choice of faces comes once; jokers are told
    apart by their codes. With `with_card` only melds that hold that card.
    """
    pool = list(cards)
    jokers = sorted({card for card in pool if is_joker(card)})
    naturals: dict[Card, int] = {}
    for card in pool:
        if not is_joker(card):
            naturals[card] = naturals.get(card, 0) + 1
    for used in range(len(jokers) + 1):
        for meld in _melds(naturals, jokers, used, variant, with_card):
            if with_card is None or with_card in meld.cards:
                yield meld


def _melds(
    naturals: Mapping[Card, int], jokers: Sequence[Card], used: int, variant: Variant, with_card: Card | None
) -> Iterator[PossibleMeld]:
    """Yield the melds that use exactly so many jokers; `with_card` narrows where to look."""
    natural = None if with_card is None or is_joker(with_card) else with_card
    by_rank: dict[int, dict[Card, int]] = {}
    places = [0, 0, 0, 0]
    for card, count in naturals.items():
        rank = RANK[card]
        by_rank.setdefault(rank, {})[card] = 1 if variant.set_distinct_suits else count
        places[SUIT[card]] |= (1 << rank) | (rank == ACE) << HIGH_ACE
    for rank, held in by_rank.items():
        if sum(held.values()) + used >= SMALLEST_MELD and (natural is None or natural in held):
            yield from _sets(rank, held, jokers, used, variant)
    for suit, mask in enumerate(places):
        # Without jokers a run shows as three places in a row.
        worth_a_look = mask if used else mask & mask >> 1 & mask >> 2
        if worth_a_look and (natural is None or SUIT[natural] == suit):
            yield from _runs(suit, mask, jokers, used, variant)


def _sets(
    rank: int, held: Mapping[Card, int], jokers: Sequence[Card], used: int, variant: Variant
) -> Iterator[PossibleMeld]:
    faces = [FACE[suit][rank] for suit in range(4)]
    for natural in _natural_parts(held):
        size = len(natural) + used
        if not natural or size < SMALLEST_MELD or (variant.set_max is not None and size > variant.set_max):
            continue
        if not used:
            yield PossibleMeld(Kind.SET, natural, _NO_JOKERS, None)
            continue
        # Each choice of jokers, and each choice of what they stand for.
        stand_ins: Iterable[tuple[Card, ...]]
        if variant.set_distinct_suits:
            stand_ins = permutations([face for face in faces if face not in natural], used)
        else:
            stand_ins = product(faces, repeat=used)
        for chosen, standing in product(combinations(jokers, used), stand_ins):
            yield PossibleMeld(Kind.SET, natural + chosen, dict(zip(chosen, standing, strict=True)), None)


def _natural_parts(held: Mapping[Card, int]) -> Iterator[tuple[Card, ...]]:
    """Yield the choices of cards of one rank, `held` telling how many of each may lie in one set."""
    for counts in product(*(range(count + 1) for count in held.values())):
        yield tuple(card for card, count in zip(held, counts, strict=True) for _ in range(count))


def _runs(
    suit: int, held: int, jokers: Sequence[Card], used: int, variant: Variant
) -> Iterator[PossibleMeld]:
    """Yield the runs of a suit; `held` has a bit for each place held."""
    allowed = spans(variant.ace_in_run, variant.ace_two_king)
    for low in range(ACE, HIGH_ACE):
        missing = 0
        for high in range(low, HIGH_ACE + 1):
            missing += not held >> high & 1
            if missing > used:
                break
            length = high - low + 1
            if length >= SMALLEST_MELD and used < length and (low, high) in allowed:
                yield from _runs_of_span(suit, low, high, held, jokers, used, _ace(low, high, allowed))


def _ace(low: int, high: int, allowed: frozenset[tuple[int, int]]) -> Ace | None:
    """Return the end to name for the ace of a full suit where both would do."""
    if high - low + 1 == KING and {(ACE, KING), (ACE + 1, HIGH_ACE)} <= allowed:
        return "low" if low == ACE else "high"
    return None


def _runs_of_span(  # noqa: PLR0913, PLR0917 - a span, what is held of it, and the jokers
    suit: int, low: int, high: int, held: int, jokers: Sequence[Card], used: int, ace: Ace | None
) -> Iterator[PossibleMeld]:
    places = range(low, high + 1)
    faces = FACE[suit]
    if not used:
        yield PossibleMeld(Kind.RUN, tuple(faces[place] for place in places), _NO_JOKERS, ace)
        return
    gaps = [place for place in places if not held >> place & 1]
    spare = [place for place in places if held >> place & 1]
    for replaced in combinations(spare, used - len(gaps)):
        for order in permutations(jokers, used):
            standing = dict(zip(sorted((*gaps, *replaced)), order, strict=True))
            cards = tuple(standing[place] if place in standing else faces[place] for place in places)
            yield PossibleMeld(
                Kind.RUN, cards, {joker: faces[place] for place, joker in standing.items()}, ace
            )
