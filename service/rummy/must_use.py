"""Whether a card that must be used can be used this turn, and with how few cards.

RULES 2.5 to 2.7. The search is exact without trying subsets, for two reasons. Every
meld with the card contains a meld of three with it, and a new meld onto which the card
could be laid off later is itself a longer meld with it; so three cards of the hand
decide what a new meld can do. And cards laid off first help only by extending a run
towards the card, so the gap to it decides what laying off can do. Where lay-offs need a
meld first (RULES 4.6), it is one of three cards that the lay-offs do not need.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations

from service.rummy.cards import ACE, FACE, KING, RANK, SUIT, Card, is_joker
from service.rummy.melds import MIN_MELD_SIZE, can_lay_off, first_place, is_span, openings, places_of, spans
from service.rummy.possible_melds import PossibleMeld
from service.rummy.state import Deal, Meld, MeldKind
from service.rummy.variants import Variant


@dataclass(slots=True)
class Holding:
    """The counts of a hand: places held by suit, copies of each card, jokers.

    `add` counts one more card, so that each deeper take of the pile costs one step.
    """

    places: list[int]
    copies: dict[Card, int]
    jokers: int
    size: int

    @classmethod
    def of(cls, hand: Iterable[Card]) -> "Holding":
        """Return the holding of a hand."""
        holding = cls(places=[0, 0, 0, 0], copies={}, jokers=0, size=0)
        for card in hand:
            holding.add(card)
        return holding

    def add(self, card: Card) -> None:
        """Count one more card."""
        self.size += 1
        self.copies[card] = self.copies.get(card, 0) + 1
        rank = RANK[card]
        if not rank:
            self.jokers += 1
            return
        self.places[SUIT[card]] |= (1 << rank) | 1 << rank + KING

    def without(self, cards: Iterable[Card]) -> "Holding":
        """Return the holding without some of its cards."""
        less = Holding(
            places=self.places.copy(), copies=self.copies.copy(), jokers=self.jokers, size=self.size
        )
        for card in cards:
            less.size -= 1
            less.copies[card] -= 1
            rank = RANK[card]
            if not rank:
                less.jokers -= 1
            elif not less.copies[card]:
                less.places[SUIT[card]] &= ~((1 << rank) | 1 << rank + KING)
        return less

    def jokers_held(self) -> list[Card]:
        """Return the jokers, sorted."""
        return sorted(card for card, count in self.copies.items() if count and is_joker(card))

    def missing(self, suit: int, low: int, high: int) -> int:
        """Return the number of places of a suit, from low to high, that the hand lacks."""
        start = first_place(low)
        asked = (1 << high + 1 + start - low) - (1 << start)
        return (asked & ~self.places[suit]).bit_count()


def fewest_cards_to_use(  # noqa: PLR0913 - the hand, the table, and what the turn allows
    card: Card,
    holding: Holding,
    *,
    targets: Sequence[Meld],
    opened: Sequence[Meld] = (),
    may_meld: bool,
    variant: Variant,
) -> int | None:
    """Return the fewest cards that must be laid to use the card, itself included; None if it cannot be.

    `holding` includes the card. `targets` are the melds the player may lay off on,
    `opened` those that a new meld opens to the player's lay-offs, and `may_meld` is True
    if the turn still allows a new meld.
    """
    if variant.lay_off_settles:
        by_laying_off = _fewest_to_lay_off(card, holding, targets, variant)
        if by_laying_off is not None and by_laying_off <= MIN_MELD_SIZE:
            return by_laying_off
    else:
        by_laying_off = None
    if may_meld and makes_a_meld(card, holding, variant):
        return MIN_MELD_SIZE
    may_meld_before = may_meld and not variant.taken_card_first
    if by_laying_off is None and may_meld_before and opened and variant.lay_off_settles:
        return _fewest_after_a_meld(card, holding, opened, variant)
    return by_laying_off


def _fewest_after_a_meld(
    card: Card, holding: Holding, opened: Sequence[Meld], variant: Variant
) -> int | None:
    """Return how many cards it takes to lay a meld without the card and then to lay it off (RULES 4.6)."""
    if _fewest_to_lay_off(card, holding, opened, variant) is None:
        return None
    after = (
        _fewest_to_lay_off(card, holding.without(meld.cards), opened, variant)
        for meld in melds_of_three(holding.without((card,)), variant)
    )
    fewest = min((needed for needed in after if needed is not None), default=None)
    return None if fewest is None else fewest + MIN_MELD_SIZE


def melds_of_three(holding: Holding, variant: Variant) -> Iterator[PossibleMeld]:
    """Yield melds of three cards of the holding, enough of them to spare any cards that can be spared.

    Jokers stand only for cards that the hand lacks: one that replaces a card of the hand
    could as well be laid off in its place.
    """
    jokers = holding.jokers_held()
    for run in _runs_of_three(variant):
        held = [face for face in run if holding.copies.get(face)]
        if held and len(run) - len(held) <= len(jokers):
            yield _meld(MeldKind.RUN, run, held, jokers)
    for rank in range(ACE, KING + 1):
        held = _faces_for_a_set(rank, holding, variant)
        for naturals in range(1, MIN_MELD_SIZE + 1):
            if naturals <= len(held) and MIN_MELD_SIZE - naturals <= len(jokers):
                for chosen in combinations(held, naturals):
                    yield _meld(MeldKind.SET, _set_with(chosen), chosen, jokers)


def melds_of_three_with(card: Card, holding: Holding, variant: Variant) -> Iterator[PossibleMeld]:
    """Yield the melds of three cards with the card, one at least if `makes_a_meld`.

    Other jokers stand only for cards that the hand lacks; those with two other natural
    cards come first, and are all if there are any for a joker.
    """
    if is_joker(card):
        yield from _melds_with_joker(card, holding, variant)
        return
    jokers = holding.jokers_held()
    for run in _runs_of_three(variant, SUIT[card]):
        held = [face for face in run if holding.copies.get(face)]
        if card in run and len(run) - len(held) <= len(jokers):
            yield _meld(MeldKind.RUN, run, held, jokers)
    others = _faces_for_a_set(RANK[card], holding, variant)
    others.remove(card)
    naturals = min(len(others), MIN_MELD_SIZE - 1)
    if naturals + len(jokers) >= MIN_MELD_SIZE - 1:
        for chosen in dict.fromkeys(combinations(others, naturals)):
            yield _meld(MeldKind.SET, _set_with((card, *chosen)), (card, *chosen), jokers)


def _melds_with_joker(joker: Card, holding: Holding, variant: Variant) -> Iterator[PossibleMeld]:
    others = [other for other in holding.jokers_held() if other != joker]
    found = False
    for run in _runs_of_three(variant):
        held = [face for face in run if holding.copies.get(face)]
        if len(held) >= MIN_MELD_SIZE - 1:
            found = True
            # Where the hand holds all three the joker takes the place of the last.
            yield _meld(MeldKind.RUN, run, held[: MIN_MELD_SIZE - 1], [joker])
    for rank in range(ACE, KING + 1):
        held = _faces_for_a_set(rank, holding, variant)
        for chosen in dict.fromkeys(combinations(held, MIN_MELD_SIZE - 1)):
            found = True
            yield _meld(MeldKind.SET, _set_with(chosen), chosen, [joker])
    if not found and others:
        for card in holding.copies:
            if not is_joker(card) and holding.copies[card]:
                yield _meld(MeldKind.SET, _set_with((card,)), (card,), [joker, others[0]])


def _runs_of_three(variant: Variant, *suits: int) -> Iterator[tuple[Card, ...]]:
    """Yield the runs of three natural cards of the suits, each low to high."""
    lows = _lows_of_three(variant.ace_in_run, variant.ace_two_king)
    for suit in suits or range(4):
        for low in lows:
            yield FACE[suit][low : low + MIN_MELD_SIZE]


@cache
def _lows_of_three(ace_in_run: str, ace_two_king: bool) -> tuple[int, ...]:  # noqa: FBT001 - cache keys
    """Return the lowest place of every run of three."""
    more = MIN_MELD_SIZE - 1
    return tuple(low for low, high in sorted(spans(ace_in_run, ace_two_king)) if high - low == more)


def _faces_for_a_set(rank: int, holding: Holding, variant: Variant) -> list[Card]:
    """Return the cards of the rank that the hand holds, each as often as a set of three may hold it."""
    copies = 1 if variant.set_distinct_suits else MIN_MELD_SIZE
    faces = [faces[rank] for faces in FACE]
    return [face for face in faces for _ in range(min(copies, holding.copies.get(face, 0)))]


def _set_with(chosen: Sequence[Card]) -> tuple[Card, ...]:
    """Return the faces of a set of three with the chosen cards, then cards of suits that these lack."""
    rank = RANK[chosen[0]]
    others = [faces[rank] for faces in FACE if faces[rank] not in chosen]
    return (*chosen, *others)[:MIN_MELD_SIZE]


def _meld(
    kind: MeldKind, faces: Sequence[Card], naturals: Iterable[Card], jokers: Iterable[Card]
) -> PossibleMeld:
    """Return the meld of these faces in which jokers stand for all but the natural cards."""
    spare, left = iter(jokers), [*naturals]
    cards = []
    stands_for = {}
    for face in faces:
        if face in left:
            left.remove(face)
            cards.append(face)
        else:
            joker = next(spare)
            cards.append(joker)
            stands_for[joker] = face
    return PossibleMeld(kind, tuple(cards), stands_for, None)


def _fewest_to_lay_off(card: Card, holding: Holding, targets: Sequence[Meld], variant: Variant) -> int | None:
    if is_joker(card):
        return 1 if any(openings(meld, variant) for meld in targets) else None
    rank, suit = RANK[card], SUIT[card]
    best: int | None = None
    for meld in targets:
        if meld.kind is MeldKind.SET:
            if meld.rank == rank and card in openings(meld, variant):
                return 1
        elif meld.suit == suit:
            for place in places_of(rank, variant):
                needed = cards_to_reach(place, meld, holding, variant)
                if needed is not None and (best is None or needed < best):
                    best = needed
    return best


def cards_to_reach(place: int, run: Meld, holding: Holding, variant: Variant) -> int | None:
    """Return how many cards extend the run to the place, its own included; None if the hand lacks one."""
    low, high = run.low, run.high
    if place > high:
        gap = (high + 1, place - 1)
        span = (low, place)
    elif place < low:
        gap = (place + 1, low - 1)
        span = (place, high)
    else:
        return None
    size = gap[1] - gap[0] + 1
    if size and variant.taken_card_first:
        return None
    # Every shorter span on the way is allowed when the last one is.
    if not is_span(*span, variant) or holding.missing(run.suit, *gap) > holding.jokers:
        return None
    return size + 1


def makes_a_meld(card: Card, holding: Holding, variant: Variant) -> bool:
    """Return whether the card and two others of the holding make a meld."""
    if is_joker(card):
        return _joker_makes_a_meld(holding, variant)
    rank, suit = RANK[card], SUIT[card]
    if _others_of_rank(rank, suit, holding, variant) + holding.jokers >= MIN_MELD_SIZE - 1:
        return True
    for place in places_of(rank, variant):
        for low in range(place - 2, place + 1):
            if is_span(low, low + 2, variant) and holding.missing(suit, low, low + 2) <= holding.jokers:
                return True
    return False


def _others_of_rank(rank: int, suit: int, holding: Holding, variant: Variant) -> int:
    """Return how many other cards of the rank could join a card of the suit in a set."""
    if variant.set_distinct_suits:
        return sum(1 for other in range(4) if other != suit and holding.places[other] >> rank & 1)
    return sum(count for card, count in holding.copies.items() if RANK[card] == rank) - 1


def _joker_makes_a_meld(holding: Holding, variant: Variant) -> bool:
    """Return whether a joker and two other cards of the holding make a meld."""
    if holding.size == holding.jokers:
        return False
    if holding.jokers >= 2:  # noqa: PLR2004 - this joker and another, with any card, make a set
        return True
    for suit, held in enumerate(holding.places):
        for low in range(ACE, KING + 1):
            if is_span(low, low + 2, variant) and holding.missing(suit, low, low + 2) <= 1:
                return True
        for rank in range(ACE, KING + 1):
            if held >> rank & 1 and _others_of_rank(rank, suit, holding, variant) >= 1:
                return True
    return False


def targets_of(deal: Deal, seat: int, variant: Variant) -> tuple[Meld, ...]:
    """Return the melds a seat may lay off on now (RULES 4.5, 4.6)."""
    return () if needs_own_meld(deal, seat, variant) else open_melds(deal, seat, variant)


def opened_by_a_meld(deal: Deal, seat: int, variant: Variant) -> tuple[Meld, ...]:
    """Return the melds that a new meld opens to a seat's lay-offs; none where it needs none (RULES 4.6)."""
    return open_melds(deal, seat, variant) if needs_own_meld(deal, seat, variant) else ()


def needs_own_meld(deal: Deal, seat: int, variant: Variant) -> bool:
    """Return whether a seat may not lay off before it lays a meld (RULES 4.6)."""
    side = variant.side(seat)
    return variant.lay_off_after_meld and all(variant.side(meld.owner) != side for meld in deal.melds)


def open_melds(deal: Deal, seat: int, variant: Variant) -> tuple[Meld, ...]:
    """Return the melds of the table that lay-offs of a seat may join (RULES 4.5)."""
    if variant.lay_off_targets == "any":
        return deal.melds
    side = variant.side(seat)
    return tuple(meld for meld in deal.melds if variant.side(meld.owner) == side)


def may_meld(deal: Deal, variant: Variant) -> bool:
    """Return whether the turn allows another new meld (RULES 3.9)."""
    return variant.melds_per_turn is None or deal.turn.melds_laid < variant.melds_per_turn


def leaves_enough(size: int, used: int, variant: Variant) -> bool:
    """Return whether a hand of `size` cards may lay `used` of them (RULES 6.3)."""
    return size - used >= (1 if variant.must_keep_a_discard else 0)


def can_lay_off_last(card: Card, targets: Iterable[Meld], variant: Variant) -> bool:
    """Return whether the last card of a hand may be laid off on one of the melds."""
    return not variant.must_keep_a_discard and any(can_lay_off(card, meld, variant) for meld in targets)
