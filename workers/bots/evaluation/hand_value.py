"""What cards are worth that stay in hand: they may reach the table yet, or be caught there."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Final

from service.rummy.cards import ACE, FACE, HIGH_ACE, KING, RANK, SUIT, Card, is_joker
from service.rummy.melds import MIN_MELD_SIZE, openings, spans
from service.rummy.scoring import points
from service.rummy.state import LaidCard, Meld, MeldKind
from service.rummy.variants import Variant
from workers.bots.evaluation.meld_options import Piece
from workers.bots.seat_view import Sight, counted

#: Two cards further apart than this share no run of three.
_NEAR: Final = 2
#: A joker goes with any two cards that lie close, so it is seldom held for long.
_JOKER_RATE: Final = 0.5
_HIGHEST_RATE: Final = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class Habits:
    """The weights of the evaluation, tuned by `python -m workers.bots.training.shrewd_weights`.

    `draw`: how often in a turn one certain hidden card comes within reach, as a multiple
    of the chance to draw it. `pile`: how often a card of the pile can still be had next
    turn. `blind`: how often a card without a link is tabled all the same. `danger`: how
    much of what a discard may bring the opponents counts against it. `deny`: what it is
    worth to take a point of the pile away from them. `out`: what it is worth to catch
    them with a point in hand. `stock`: the points that a card of the stock is worth, over
    the hand as it is. `progress`: what a point on the table is worth where only hands count,
    because it brings one closer to going out.
    """

    draw: float
    pile: float
    blind: float
    danger: float
    deny: float
    out: float
    stock: float
    progress: float


#: Where cards on the table count.
TABLING: Final = Habits(
    draw=1.6, pile=0.25, blind=0.03, danger=0.6, deny=0.1, out=0.6, stock=8.0, progress=1.0
)
#: Where only what is caught in a hand counts.
CATCHING: Final = Habits(
    draw=0.8, pile=0.06, blind=0.03, danger=0.6, deny=0.16, out=0.6, stock=4.0, progress=1.0
)


def habits_for(variant: Variant) -> Habits:
    """Return the habits that suit a game."""
    return TABLING if variant.scoring == "table_minus_hand" else CATCHING


@dataclass(frozen=True)
class Keeping:
    """Judges hands as they would be after a turn: beside a table that may have grown, and a pile."""

    sight: Sight
    habits: Habits
    table: tuple[Meld, ...]
    pile: tuple[Card, ...]

    @cached_property
    def within_reach(self) -> Mapping[Card, int]:
        """How often each card lies in the pile where a player could take it."""
        return counted(self.pile if self.sight.variant.deep_draw else self.pile[-1:])

    def value(self, hand: Sequence[Card], turns: float) -> float:
        """Return what the cards are worth in hand when so many turns of one's own may follow."""
        held = counted(hand)
        return sum(self._value_of(card, held, turns) * copies for card, copies in held.items())

    def values_without(self, hand: Sequence[Card], turns: float) -> dict[Card, float]:
        """Return what is left of a hand's worth when one card goes, for each card it holds."""
        held = counted(hand)
        values = {card: self._value_of(card, held, turns) for card in held}
        whole = sum(values[card] * copies for card, copies in held.items())
        worths = {}
        for gone in held:
            left = dict(held)
            left[gone] -= 1
            if not left[gone]:
                del left[gone]
            # Only cards that lie close can miss it.
            missed = sum(
                (self._value_of(card, left, turns) - values[card]) * copies
                for card, copies in left.items()
                if _are_close(card, gone)
            )
            worths[gone] = whole - values[gone] + missed
        return worths

    def _value_of(self, card: Card, held: Mapping[Card, int], turns: float) -> float:
        """Return what one card of a hand is worth: its points, for or against its holder."""
        variant = self.sight.variant
        counts = points(card, variant)
        tabled = 1 - (1 - self._rate(card, held)) ** turns if turns > 0 else 0.0
        gain = self.habits.progress * counts
        loss = 0 if turns <= 0 and variant.no_minus_at_stock_end else counts
        return tabled * gain - (1 - tabled) * loss

    def _rate(self, card: Card, held: Mapping[Card, int]) -> float:
        """Return the chance that the card can be tabled in one turn."""
        if is_joker(card):
            return _JOKER_RATE
        outs = {*self._outs_in_sets(card, held), *self._outs_in_runs(card, held)}
        return min(_HIGHEST_RATE, self.habits.blind + sum(map(self._reach, outs)))

    def _reach(self, face: Card) -> float:
        """Return the chance to come by a card in one turn."""
        if face not in self._reaches:
            sight = self.sight
            hidden = self.habits.draw * sight.unseen.get(face, 0) / sight.unseen_count
            self._reaches[face] = hidden + self.habits.pile * self.within_reach.get(face, 0)
        return self._reaches[face]

    @cached_property
    def _reaches(self) -> dict[Card, float]:
        """What `_reach` found out."""
        return {}

    def _outs_in_sets(self, card: Card, held: Mapping[Card, int]) -> Iterator[Card]:
        """Yield the cards each of which would make a set of this one and another in hand."""
        faces = [FACE[suit][RANK[card]] for suit in range(4)]
        if not self.sight.variant.set_distinct_suits:
            if sum(held.get(face, 0) for face in faces) > 1:
                yield from faces
        elif sum(1 for face in faces if face in held) > 1:
            yield from (face for face in faces if face not in held)

    def _outs_in_runs(self, card: Card, held: Mapping[Card, int]) -> Iterator[Card]:
        """Yield the cards each of which would make or reach a run with this one."""
        suit, rank = SUIT[card], RANK[card]
        for faces in runs_of_three(card, self.sight.variant):
            missing = [face for face in faces if face not in held]
            if len(missing) == 1:
                yield missing[0]
        for face in self._ends[suit]:
            if abs(RANK[face] - rank) == 1:
                yield face

    @cached_property
    def wanted(self) -> frozenset[Card]:
        """The cards that opponents could lay off on the table."""
        sight, melds = self.sight, self.table
        if sight.variant.lay_off_targets != "any":
            melds = tuple(meld for meld in sight.view.melds if meld.owner in sight.opponents)
        return frozenset(face for meld in melds for face in openings(meld, sight.variant))

    @cached_property
    def _ends(self) -> tuple[tuple[Card, ...], ...]:
        """The cards that runs on the table wait for, by suit."""
        ends: list[list[Card]] = [[], [], [], []]
        for meld in self.table:
            if meld.kind is MeldKind.RUN:
                ends[meld.suit].extend(openings(meld, self.sight.variant))
        return tuple(tuple(faces) for faces in ends)


def runs_of_three(card: Card, variant: Variant) -> tuple[tuple[Card, ...], ...]:
    """Return the runs of three that hold the card."""
    return _runs_of_three(card, variant.ace_in_run, variant.ace_two_king)


@cache
def _runs_of_three(card: Card, ace_in_run: str, ace_two_king: bool) -> tuple[tuple[Card, ...], ...]:  # noqa: FBT001 - cache keys
    rank, line, allowed = RANK[card], FACE[SUIT[card]], spans(ace_in_run, ace_two_king)
    return tuple(
        line[low : low + MIN_MELD_SIZE]
        for place in ((rank, rank + KING) if rank == ACE else (rank,))
        for low in range(max(ACE, place - _NEAR), min(place, HIGH_ACE - _NEAR) + 1)
        if (low, low + _NEAR) in allowed
    )


def _are_close(card: Card, other: Card) -> bool:
    """Tell whether two cards could lie in one meld of three."""
    if RANK[card] == RANK[other]:
        return True
    apart = abs(RANK[card] - RANK[other])
    return SUIT[card] == SUIT[other] and (apart <= _NEAR or apart >= KING - _NEAR)


def grown_table(sight: Sight, pieces: Iterable[Piece]) -> tuple[Meld, ...]:
    """Return the melds one may lay off on once the pieces lie there.

    A joker counts as the card it stands for, which is all that matters here.
    """
    table = {meld.id: meld for meld in sight.targets}
    for number, piece in enumerate(pieces):
        laid = tuple(LaidCard(card=card, laid_by=sight.seat) for card in piece.cards)
        if piece.meld_id is None:
            name = f"new {number}"
            kind = MeldKind.SET if len({RANK[card] for card in piece.cards}) == 1 else MeldKind.RUN
            table[name] = Meld(id=name, owner=sight.seat, kind=kind, cards=laid, laid_at_once=len(laid))
        else:
            meld = table[piece.meld_id]
            cards = (*reversed(laid), *meld.cards) if piece.end == "low" else (*meld.cards, *laid)
            table[meld.id] = replace(meld, cards=cards)
    return tuple(table.values())
