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
    narrow = with_card is not None and not is_joker(with_card)
    ranks = [RANK[with_card]] if narrow and with_card is not None else range(ACE, KING + 1)
    suits = [SUIT[with_card]] if narrow and with_card is not None else range(4)
    for rank in ranks:
        held = [card for suit in range(4) if (card := FACE[suit][rank]) in naturals]
        if held:
            yield from _sets(rank, {card: naturals[card] for card in held if card}, jokers, used, variant)
    for suit in suits:
        yield from _runs(suit, naturals, jokers, used, variant)


def _sets(
    rank: int, held: Mapping[Card, int], jokers: Sequence[Card], used: int, variant: Variant
) -> Iterator[PossibleMeld]:
    faces = [face for suit in range(4) if (face := FACE[suit][rank]) is not None]
    for natural in _natural_parts(held, variant):
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


def _natural_parts(held: Mapping[Card, int], variant: Variant) -> Iterator[tuple[Card, ...]]:
    """Yield the choices of natural cards of one rank that may lie in one set."""
    most = [1 if variant.set_distinct_suits else count for count in held.values()]
    for counts in product(*(range(count + 1) for count in most)):
        yield tuple(card for card, count in zip(held, counts, strict=True) for _ in range(count))


def _runs(
    suit: int, naturals: Mapping[Card, int], jokers: Sequence[Card], used: int, variant: Variant
) -> Iterator[PossibleMeld]:
    allowed = spans(variant.ace_in_run, variant.ace_two_king)
    held = [FACE[suit][place] in naturals for place in range(HIGH_ACE + 1)]
    for low in range(ACE, HIGH_ACE):
        missing = sum(1 for place in (low, low + 1) if place <= HIGH_ACE and not held[place])
        for high in range(low + SMALLEST_MELD - 1, HIGH_ACE + 1):
            missing += not held[high]
            if missing > used:
                break
            if (low, high) in allowed and used < high - low + 1:
                yield from _runs_of_span(suit, low, high, held, jokers, used, _ace(low, high, allowed))


def _ace(low: int, high: int, allowed: frozenset[tuple[int, int]]) -> Ace | None:
    """Return the end to name for the ace of a full suit where both would do."""
    if high - low + 1 == KING and {(ACE, KING), (ACE + 1, HIGH_ACE)} <= allowed:
        return "low" if low == ACE else "high"
    return None


def _runs_of_span(  # noqa: PLR0913, PLR0917 - a span, what is held of it, and the jokers
    suit: int, low: int, high: int, held: Sequence[bool], jokers: Sequence[Card], used: int, ace: Ace | None
) -> Iterator[PossibleMeld]:
    places = range(low, high + 1)
    if not used:
        yield PossibleMeld(Kind.RUN, tuple(_face(suit, place) for place in places), _NO_JOKERS, ace)
        return
    gaps = [place for place in places if not held[place]]
    spare = [place for place in places if held[place]]
    for replaced in combinations(spare, used - len(gaps)):
        for order in permutations(jokers, used):
            standing = dict(zip(sorted((*gaps, *replaced)), order, strict=True))
            cards = tuple(standing[place] if place in standing else _face(suit, place) for place in places)
            yield PossibleMeld(
                Kind.RUN, cards, {joker: _face(suit, place) for place, joker in standing.items()}, ace
            )


def _face(suit: int, place: int) -> Card:
    face = FACE[suit][place]
    assert face is not None  # noqa: S101 - places run from 1 to 14
    return face
