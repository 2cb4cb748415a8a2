"""Why a card of the discard pile may be taken: the uses of it in the same turn (RULES 2.4 to 2.7).

The uses are the smallest ones. A longer meld with the card contains a meld of three with
it, and jokers stand only for cards that the hand lacks, so the list stays short, and it
is empty only where `take_refusal` refuses a take that needs a use.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from service.rummy.cards import FACE, RANK, SUIT, Card, is_joker
from service.rummy.drawing import TableForSeat, legal_takes
from service.rummy.melds import first_place, openings, places_of
from service.rummy.moves import End, LayMeld, LayOff
from service.rummy.must_use import (
    Holding,
    cards_to_reach,
    leaves_enough,
    melds_of_three,
    melds_of_three_with,
)
from service.rummy.possible_melds import PossibleMeld
from service.rummy.state import Game, Meld, MeldKind
from service.rummy.variants import Variant

#: A longer list is truncated: a joker on top of a large hand fits nearly anywhere.
MAX_USES: Final = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeUse:
    """A move that lays the taken card, and the moves that have to come before it, in order."""

    move: LayMeld | LayOff
    first: tuple[LayMeld | LayOff, ...] = ()

    @property
    def cards_laid(self) -> int:
        """The number of cards that leave the hand."""
        moves = (*self.first, self.move)
        return sum(len(move.cards) if isinstance(move, LayMeld) else 1 for move in moves)


@dataclass(frozen=True, slots=True, kw_only=True)
class Take:
    """A take from the pile: the cards that come along, oldest first, and the uses of the deepest.

    `must_use` is the deepest card if it has to be used this turn, else None.
    """

    position: int
    cards: tuple[Card, ...]
    must_use: Card | None
    uses: tuple[TakeUse, ...]
    uses_complete: bool


def lawful_takes(game: Game, seat: int) -> tuple[Take, ...]:
    """Return the legal takes of a seat whose turn it is to draw, the top discard first."""
    holding = Holding.of(game.deal.hands[seat])
    table = TableForSeat.of(game, seat)
    legal = {*legal_takes(game, seat)}
    found = []
    for position in range(len(game.deal.discard_pile) - 1, min(legal, default=0) - 1, -1):
        holding.add(game.deal.discard_pile[position])
        if position in legal:
            found.append(_take(game, seat, position, holding, table))
    return tuple(found)


def take_of(game: Game, seat: int, position: int) -> Take:
    """Return the take at a position, legal or not."""
    holding = Holding.of(game.deal.hands[seat] + game.deal.discard_pile[position:])
    return _take(game, seat, position, holding, TableForSeat.of(game, seat))


def _take(game: Game, seat: int, position: int, holding: Holding, table: TableForSeat) -> Take:
    cards = game.deal.discard_pile[position:]
    search = _UseSearch(card=cards[0], seat=seat, holding=holding, table=table, variant=game.variant)
    is_owed = game.variant.owes_deepest(len(cards))
    found = tuple(islice(search.uses(is_owed=is_owed), MAX_USES + 1))
    return Take(
        position=position,
        cards=cards,
        must_use=cards[0] if is_owed else None,
        uses=found[:MAX_USES],
        uses_complete=len(found) <= MAX_USES,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _UseSearch:
    """The search for uses of one card; `holding` is the hand with all cards of the take."""

    card: Card
    seat: int
    holding: Holding
    table: TableForSeat
    variant: Variant

    def uses(self, *, is_owed: bool) -> Iterator[TakeUse]:
        """Yield the uses that the rules allow, those of one move first."""
        found = False
        for use in self._smallest(may_lay_off=self.variant.lay_off_settles or not is_owed):
            if leaves_enough(self.holding.size, use.cards_laid, self.variant):
                found = True
                yield use
        if not found:
            yield from self._after_a_meld()

    def _smallest(self, *, may_lay_off: bool) -> Iterator[TakeUse]:
        lay_offs = [*self._lay_offs(self.holding, self.table.targets)] if may_lay_off else []
        yield from (use for use in lay_offs if not use.first)
        for meld in melds_of_three_with(self.card, self.holding, self.variant):
            yield TakeUse(move=self._lay(meld))
        yield from (use for use in lay_offs if use.first)

    def _after_a_meld(self) -> Iterator[TakeUse]:
        """Yield lay-offs that a meld without the card makes possible (RULES 4.6)."""
        if not self.table.opened or not self.variant.lay_off_settles or self.variant.taken_card_first:
            return
        for meld in melds_of_three(self.holding.without((self.card,)), self.variant):
            for use in self._lay_offs(self.holding.without(meld.cards), self.table.opened):
                longer = TakeUse(move=use.move, first=(self._lay(meld), *use.first))
                if leaves_enough(self.holding.size, longer.cards_laid, self.variant):
                    yield longer

    def _lay(self, meld: PossibleMeld) -> LayMeld:
        return LayMeld(seat=self.seat, cards=meld.cards, stands_for=meld.stands_for, ace=meld.ace)

    def _lay_offs(self, holding: Holding, targets: Sequence[Meld]) -> Iterator[TakeUse]:
        """Yield the lay-offs of the card, with those before it that extend a run towards it."""
        for meld in targets:
            if is_joker(self.card) or meld.kind is MeldKind.SET:
                for face, ends in openings(meld, self.variant).items():
                    if is_joker(self.card) or face == self.card:
                        yield from (TakeUse(move=self._lay_off(meld, self.card, face, end)) for end in ends)
            elif meld.suit == SUIT[self.card]:
                yield from self._lay_offs_on_run(meld, holding)

    def _lay_offs_on_run(self, run: Meld, holding: Holding) -> Iterator[TakeUse]:
        for place in places_of(RANK[self.card], self.variant):
            if cards_to_reach(place, run, holding, self.variant) is None:
                continue
            end: End = "high" if place > run.high else "low"
            gap = range(run.high + 1, place) if end == "high" else range(run.low - 1, place, -1)
            jokers = iter(holding.jokers_held())
            first = []
            for between in gap:
                face = FACE[run.suit][first_place(between)]
                laid = face if holding.copies.get(face) else next(jokers)
                first.append(self._lay_off(run, laid, face, end))
            yield TakeUse(move=self._lay_off(run, self.card, self.card, end), first=tuple(first))

    def _lay_off(self, meld: Meld, card: Card, face: Card, end: End | None) -> LayOff:
        stands_for = face if is_joker(card) else None
        return LayOff(seat=self.seat, card=card, meld_id=meld.id, end=end, stands_for=stands_for)
