"""Every meld that can be made of some cards, each once (RULES 3 and 5).

Shapes come first: the faces a meld shows, and which of them jokers stand for. Assigning
the jokers comes last, because it multiplies the melds and seldom matters.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement, permutations, product
from typing import Final

from service.rummy.cards import ACE, FACE, HIGH_ACE, KING, RANK, SUIT, Card, is_joker
from service.rummy.melds import MIN_MELD_SIZE, spans
from service.rummy.moves import Ace
from service.rummy.state import MeldKind
from service.rummy.variants import Variant


@dataclass(frozen=True, slots=True)
class PossibleMeld:
    """Cards that make a meld, what its jokers stand for, and the end of an ace that fits both."""

    kind: MeldKind
    cards: tuple[Card, ...]
    stands_for: Mapping[Card, Card]
    ace: Ace | None


_NO_JOKERS: Final[Mapping[Card, Card]] = {}


@dataclass(frozen=True, slots=True)
class MeldShape:
    """The faces of a meld, those of a run low to high, and the places that jokers take."""

    kind: MeldKind
    faces: tuple[Card, ...]
    by_joker: tuple[int, ...]
    ace: Ace | None

    def melds(self, jokers: Sequence[Card]) -> Iterator[PossibleMeld]:
        """Yield the melds of this shape, one for each assignment of the sorted jokers."""
        if not self.by_joker:
            yield PossibleMeld(self.kind, self.faces, _NO_JOKERS, self.ace)
            return
        # Two jokers for the same face are interchangeable: only one order of the two counts.
        alike = [
            place
            for place in range(1, len(self.by_joker))
            if self.faces[self.by_joker[place - 1]] == self.faces[self.by_joker[place]]
        ]
        for order in permutations(jokers, len(self.by_joker)):
            if alike and any(order[place - 1] > order[place] for place in alike):
                continue
            cards = list(self.faces)
            for place, joker in zip(self.by_joker, order, strict=True):
                cards[place] = joker
            stands_for = {joker: self.faces[place] for place, joker in zip(self.by_joker, order, strict=True)}
            yield PossibleMeld(self.kind, tuple(cards), stands_for, self.ace)


def jokers_of(cards: Iterable[Card]) -> list[Card]:
    """Return the jokers among the cards, sorted."""
    return sorted(card for card in cards if is_joker(card))


def possible_melds(
    cards: Iterable[Card], variant: Variant, *, with_card: Card | None = None
) -> Iterator[PossibleMeld]:
    """Yield every meld that can be made of the cards, those without jokers first.

    Copies of a card are interchangeable, so each choice of faces comes once; jokers are
    distinguished by their codes. With `with_card` only melds that hold that card.
    """
    pool = tuple(cards)
    jokers = jokers_of(pool)
    for shape in meld_shapes(pool, variant, with_card=with_card):
        for meld in shape.melds(jokers):
            if with_card is None or with_card in meld.cards:
                yield meld


def meld_shapes(
    cards: Iterable[Card], variant: Variant, *, with_card: Card | None = None
) -> Iterator[MeldShape]:
    """Yield the shapes of all melds that can be made of the cards, those without jokers first.

    With `with_card` only shapes in which that card can lie.
    """
    naturals: dict[Card, int] = {}
    jokers = 0
    for card in cards:
        if is_joker(card):
            jokers += 1
        else:
            naturals[card] = naturals.get(card, 0) + 1
    natural = None if with_card is None or is_joker(with_card) else with_card
    fewest_jokers = 1 if with_card is not None and natural is None else 0
    for used in range(fewest_jokers, jokers + 1):
        yield from _shapes(naturals, used, variant, natural)


def _shapes(
    naturals: Mapping[Card, int], used: int, variant: Variant, natural: Card | None
) -> Iterator[MeldShape]:
    """Yield the shapes with `used` jokers; with `natural` only those that hold that card itself."""
    by_rank: dict[int, dict[Card, int]] = {}
    places = [0, 0, 0, 0]
    for card, count in naturals.items():
        rank = RANK[card]
        by_rank.setdefault(rank, {})[card] = 1 if variant.set_distinct_suits else count
        after_king = rank == ACE or variant.ace_in_run == "around"
        places[SUIT[card]] |= (1 << rank) | after_king << rank + KING
    for rank, held in by_rank.items():
        if sum(held.values()) + used >= MIN_MELD_SIZE and (natural is None or natural in held):
            yield from _sets(rank, held, used, variant, natural)
    for suit, mask in enumerate(places):
        # Without jokers a run needs three places in a row.
        worth_a_look = mask if used else mask & mask >> 1 & mask >> 2
        if worth_a_look and (natural is None or SUIT[natural] == suit):
            yield from _runs(suit, mask, used, variant, natural)


def _sets(
    rank: int, held: Mapping[Card, int], used: int, variant: Variant, natural: Card | None
) -> Iterator[MeldShape]:
    faces = [FACE[suit][rank] for suit in range(4)]
    for laid in _natural_parts(held):
        size = len(laid) + used
        if not laid or size < MIN_MELD_SIZE or (variant.set_max is not None and size > variant.set_max):
            continue
        if natural is not None and natural not in laid:
            continue
        stand_ins: Iterator[tuple[Card, ...]]
        if variant.set_distinct_suits:
            stand_ins = combinations([face for face in faces if face not in laid], used)
        else:
            stand_ins = combinations_with_replacement(faces, used)
        by_joker = tuple(range(len(laid), size))
        for standing in stand_ins:
            yield MeldShape(MeldKind.SET, laid + standing, by_joker, None)


def _natural_parts(held: Mapping[Card, int]) -> Iterator[tuple[Card, ...]]:
    """Yield the choices of cards of one rank; `held` is how many of each a set may hold."""
    for counts in product(*(range(count + 1) for count in held.values())):
        yield tuple(card for card, count in zip(held, counts, strict=True) for _ in range(count))


def _runs(suit: int, held: int, used: int, variant: Variant, natural: Card | None) -> Iterator[MeldShape]:
    """Yield the runs of a suit; `held` has a bit for each place in the hand."""
    allowed = spans(variant.ace_in_run, variant.ace_two_king)
    around = variant.ace_in_run == "around"
    for low in range(ACE, HIGH_ACE):
        missing = 0
        for high in range(low, low + KING if around else HIGH_ACE + 1):
            missing += not held >> high & 1
            if missing > used:
                break
            length = high - low + 1
            # Where a whole suit begins makes no difference but to the ace.
            if length == KING and low > ACE + 1:
                break
            if length >= MIN_MELD_SIZE and used < length and (low, high) in allowed:
                faces = FACE[suit][low : high + 1]
                if natural is None or natural in faces:
                    yield from _runs_of_span(faces, held >> low, used, natural, _ace(low, high, allowed))


def _ace(low: int, high: int, allowed: frozenset[tuple[int, int]]) -> Ace | None:
    """Return the end to name for the ace of a full suit that could be low or high."""
    if high - low + 1 == KING and {(ACE, KING), (ACE + 1, HIGH_ACE)} <= allowed:
        return "low" if low == ACE else "high"
    return None


def _runs_of_span(
    faces: tuple[Card, ...], held: int, used: int, natural: Card | None, ace: Ace | None
) -> Iterator[MeldShape]:
    """Yield the ways to lay a span; jokers fill the gaps and may replace cards in hand."""
    gaps = [place for place in range(len(faces)) if not held >> place & 1]
    spare = [place for place, face in enumerate(faces) if held >> place & 1 and face != natural]
    for replaced in combinations(spare, used - len(gaps)):
        yield MeldShape(MeldKind.RUN, faces, tuple(sorted((*gaps, *replaced))), ace)
