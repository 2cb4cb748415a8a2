"""The options to lay cards: new melds, lay-offs, and chains of lay-offs.

Cards are counted in the bit fields of one integer: taking an option from a hand is one subtraction, and
two copies of a card need not be distinguished. All jokers share the last field.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Final

from service.rummy.cards import ACE, FACE, HIGH_ACE, KING, ORDER, Card, is_joker
from service.rummy.melds import MIN_MELD_SIZE, first_place, is_span, openings, spans
from service.rummy.moves import End, LayMeld, LayOff
from service.rummy.scoring import points
from service.rummy.state import Meld
from service.rummy.variants import Variant
from workers.bots.observation import count_cards

#: Bits of a card's field: three for the count and one to catch a borrow.
FIELD: Final = 4
_JOKER_FIELD: Final = 52
#: The borrow bits of all fields.
GUARDS: Final = sum(1 << (FIELD * field + FIELD - 1) for field in range(_JOKER_FIELD + 1))
#: More jokers in one option are not tried: each does as well in another.
_MAX_JOKERS = 2
#: Longer runs with jokers are not tried: they are shorter ones and lay-offs.
_MAX_RUN_WITH_JOKERS = 5


def unit(card: Card) -> int:
    """Return the integer for one copy of a card."""
    return 1 << FIELD * min(ORDER[card], _JOKER_FIELD)


def total(cards: Iterable[Card]) -> int:
    """Return the integer that counts the cards."""
    return sum(unit(card) for card in cards)


@dataclass(frozen=True, slots=True)
class MeldOption:
    """Cards that can be laid together.

    `cards` are in order, each joker as the card it stands for; `jokers` are their places. `count` counts
    the cards spent. `points` is what they score on the table, `value` that and what they no longer cost
    in hand. `meld_id` is None for a new meld. `end` is where the first card of a lay-off goes.
    """

    cards: tuple[Card, ...]
    jokers: frozenset[int]
    count: int
    points: int
    value: int
    meld_id: str | None = None
    end: End | None = None

    def begins_with(self, move: LayMeld | LayOff) -> bool:
        """Return whether the move lays this option, or its first card."""
        if isinstance(move, LayMeld):
            return self.meld_id is None and total(move.cards) == self.count
        if self.meld_id != move.meld_id or move.end not in (None, self.end):
            return False
        if 0 in self.jokers:
            return is_joker(move.card) and move.stands_for == self.cards[0]
        return move.card == self.cards[0]

    def lies_as(self, move: LayMeld | LayOff) -> bool:
        """Return whether the jokers of the move stand for what they should stand for."""
        if isinstance(move, LayOff):
            return True
        faces = {move.stands_for.get(card, card) for card in move.cards}
        return faces == set(self.cards)


class OptionGenerator:
    """Generates the options of one hand."""

    def __init__(self, hand: Sequence[Card], targets: Sequence[Meld], variant: Variant) -> None:
        self._held = count_cards(card for card in hand if not is_joker(card))
        self._jokers = min(_MAX_JOKERS, sum(1 for card in hand if is_joker(card)))
        self._targets = targets
        self._variant = variant

    def options(self) -> tuple[MeldOption, ...]:
        """Return the best option for each choice of cards, the most valuable first."""
        found: dict[tuple[int, str | None], MeldOption] = {}
        for option in (*self._sets(), *self._runs(), *self._lay_offs()):
            key = (option.count, option.meld_id)
            if key not in found or found[key].value < option.value:
                found[key] = option
        return tuple(sorted(found.values(), key=lambda option: (-option.value, option.count)))

    def _option(  # noqa: PLR0913 - cards, and what is special about them
        self,
        cards: tuple[Card, ...],
        jokers: frozenset[int],
        *,
        low_ace: bool = False,
        bonus: int = 0,
        meld_id: str | None = None,
        end: End | None = None,
    ) -> MeldOption:
        joker = Card("X1")
        held = [joker if place in jokers else card for place, card in enumerate(cards)]
        in_hand = sum(points(card, self._variant) for card in held)
        tabled = in_hand + bonus
        if low_ace and 0 not in jokers:
            tabled += points(cards[0], self._variant, low_ace=True) - points(cards[0], self._variant)
        return MeldOption(
            cards=cards,
            jokers=jokers,
            count=total(held),
            points=tabled,
            value=tabled + in_hand if self._variant.scoring == "table_minus_hand" else in_hand,
            meld_id=meld_id,
            end=end,
        )

    def _sets(self) -> Iterator[MeldOption]:
        for rank in range(ACE, KING + 1):
            faces = [FACE[suit][rank] for suit in range(4)]
            held = [face for face in faces if face in self._held]
            for natural in self._natural_subsets(held):
                for jokers in range(self._jokers + 1):
                    yield from self._set(rank, natural, jokers, faces)

    def _set(
        self, rank: int, natural: tuple[Card, ...], jokers: int, faces: Sequence[Card]
    ) -> Iterator[MeldOption]:
        variant, size = self._variant, len(natural) + jokers
        if size < MIN_MELD_SIZE or (variant.set_max is not None and size > variant.set_max):
            return
        if variant.set_distinct_suits:
            standing = tuple(face for face in faces if face not in natural)[:jokers]
            if len(standing) < jokers:
                return
        else:
            standing = (faces[0],) * jokers
        bonus = 0
        if variant.four_aces is not None and rank == ACE and len(natural) >= len(faces):
            bonus = variant.four_aces - len(faces) * points(natural[0], variant)
        cards = (*natural, *standing)
        yield self._option(cards, frozenset(range(len(natural), size)), bonus=bonus)

    def _natural_subsets(self, held: Sequence[Card]) -> Iterator[tuple[Card, ...]]:
        if self._variant.set_distinct_suits:
            for size in range(1, len(held) + 1):
                yield from combinations(held, size)
            return
        for counts in product(*(range(self._held[card] + 1) for card in held)):
            if any(counts):
                yield tuple(card for card, count in zip(held, counts, strict=True) for _ in range(count))

    def _runs(self) -> Iterator[MeldOption]:
        allowed = spans(self._variant.ace_in_run, self._variant.ace_two_king)
        around = self._variant.ace_in_run == "around"
        for suit in range(4):
            line = FACE[suit]
            for low in range(ACE, HIGH_ACE):
                faces: list[Card] = []
                gaps: list[int] = []
                for place in range(low, low + KING if around else HIGH_ACE + 1):
                    face = line[place]
                    if face not in self._held:
                        gaps.append(len(faces))
                    faces.append(face)
                    size = len(faces)
                    if len(gaps) > self._jokers or (gaps and size > _MAX_RUN_WITH_JOKERS):
                        break
                    if size >= MIN_MELD_SIZE and len(gaps) < size and (low, place) in allowed:
                        yield self._option(tuple(faces), frozenset(gaps), low_ace=low == ACE)

    def _lay_offs(self) -> Iterator[MeldOption]:
        for meld in self._targets:
            for face, ends in openings(meld, self._variant).items():
                for end in ends:
                    yield from self._single(face, meld, end)
                    if end is not None:
                        yield from self._chains(meld, end)

    def _single(self, face: Card, meld: Meld, end: End | None) -> Iterator[MeldOption]:
        low_ace = end == "low" and meld.low == ACE + 1
        if face in self._held:
            yield self._option((face,), frozenset(), low_ace=low_ace, meld_id=meld.id, end=end)
        if self._jokers:
            yield self._option((face,), frozenset({0}), meld_id=meld.id, end=end)

    def _chains(self, meld: Meld, end: End) -> Iterator[MeldOption]:
        """Yield two or more cards that extend one end of a run in turn, with at most one joker."""
        step = -1 if end == "low" else 1
        low, high = meld.low, meld.high
        cards: list[Card] = []
        jokers: set[int] = set()
        place = low - 1 if end == "low" else high + 1
        while is_span(min(low, place), max(high, place), self._variant):
            face = FACE[meld.suit][first_place(place)]
            if face not in self._held:
                jokers.add(len(cards))
                if len(jokers) > min(1, self._jokers):
                    return
            cards.append(face)
            if len(cards) > 1 and len(cards) - 1 not in jokers:
                yield self._option(tuple(cards), frozenset(jokers), meld_id=meld.id, end=end)
            place += step
