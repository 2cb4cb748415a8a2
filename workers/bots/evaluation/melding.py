"""The best that a hand can put on the table this turn.

Exact as long as the hand is of a size that occurs in play; past a number of steps the search
goes on with the dearest piece that fits, so that a hand of fifty cards is answered as fast.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from service.rummy.cards import PACK, Card
from service.rummy.state import Meld
from service.rummy.variants import Variant
from workers.bots.evaluation.meld_options import FIELD, GUARDS, Piece, Workshop, total, unit

#: About 5 ms; hands of up to twenty cards need a tenth of it.
_MOST_STEPS: Final = 1500


@dataclass(frozen=True, slots=True, kw_only=True)
class Tabling:
    """A way to table cards: the pieces, what they count on the table, and the hand that is left."""

    pieces: tuple[Piece, ...]
    points: int
    rest: tuple[Card, ...]


@dataclass(slots=True)
class _Search:
    """Finds the dearest choice of pieces that a count of cards allows, remembering every count it met."""

    pieces: Sequence[Piece]
    by_lowest: dict[int, list[Piece]] = field(default_factory=dict)
    known: dict[int, tuple[int, Piece | None]] = field(default_factory=dict)
    steps: int = 0

    def __post_init__(self) -> None:
        for piece in self.pieces:
            self.by_lowest.setdefault(_lowest(piece.count), []).append(piece)

    def best(self, cards: int) -> int:
        """Return the most that pieces of these cards are worth."""
        cards = self._without_hopeless(cards)
        if not cards:
            return 0
        if cards in self.known:
            return self.known[cards][0]
        self.steps += 1
        lowest = _lowest(cards)
        most: tuple[int, Piece | None] | None = None
        for piece in self.by_lowest[lowest]:
            if fits(piece, cards):
                worth = piece.worth + self.best(cards - piece.count)
                if most is None or worth > most[0]:
                    most = (worth, piece)
                if self.steps > _MOST_STEPS:
                    break
        if most is None or self.steps <= _MOST_STEPS:
            worth = self.best(cards - (1 << FIELD * lowest))
            if most is None or worth > most[0]:
                most = (worth, None)
        self.known[cards] = most
        return most[0]

    def chosen(self, cards: int) -> list[Piece]:
        """Return the pieces that `best` counted."""
        pieces = []
        while cards := self._without_hopeless(cards):
            self.best(cards)
            piece = self.known[cards][1]
            if piece is None:
                cards -= 1 << FIELD * _lowest(cards)
            else:
                pieces.append(piece)
                cards -= piece.count
        return pieces

    def _without_hopeless(self, cards: int) -> int:
        """Return the cards without the lowest ones that begin no piece."""
        while cards:
            lowest = _lowest(cards)
            if lowest in self.by_lowest:
                break
            cards &= ~(((1 << FIELD) - 1) << FIELD * lowest)
        return cards


def _lowest(cards: int) -> int:
    """Return the lowest field that is not empty."""
    return ((cards & -cards).bit_length() - 1) // FIELD


def fits(piece: Piece, cards: int) -> bool:
    """Tell whether the cards hold the piece."""
    return ((cards | GUARDS) - piece.count) & GUARDS == GUARDS


def best_tabling(
    hand: Sequence[Card],
    targets: Sequence[Meld],
    variant: Variant,
    *,
    owed: Card | None = None,
    melds_allowed: int | None = None,
) -> Tabling:
    """Return the tabling worth most; with an owed card, one that uses it if there is one.

    `melds_allowed` is how many new melds the turn still allows, None for any number.
    """
    pieces = Workshop(hand, targets, variant).pieces()
    cards = total(hand)
    chosen = _choose(pieces, cards, owed, variant, melds_allowed)
    if not chosen and owed is not None:
        chosen = _choose(pieces, cards, None, variant, melds_allowed)
    if variant.going_out == "discard_required" and sum(piece.count for piece in chosen) == cards:
        # One card must be left to throw: the best choice without one of them, if there is any.
        spared = [card for card in dict.fromkeys(hand) if card != owed or hand.count(card) > 1]
        choices = [_choose(pieces, cards - unit(card), owed, variant, melds_allowed) for card in spared]
        without = max(choices, key=_worth, default=[])
        chosen = without if without or variant.must_keep_a_discard else chosen
    return Tabling(
        pieces=tuple(chosen),
        points=sum(piece.points for piece in chosen),
        rest=_left(hand, chosen),
    )


def _choose(
    pieces: Sequence[Piece], cards: int, owed: Card | None, variant: Variant, melds_allowed: int | None
) -> list[Piece]:
    if melds_allowed is None:
        return _free_choice(_Search(pieces), pieces, cards, owed, variant)
    lay_offs = [piece for piece in pieces if piece.meld_id is not None]
    search = _Search(lay_offs)
    choices = [_free_choice(search, lay_offs, cards, owed, variant)]
    if melds_allowed:
        for meld in pieces:
            if meld.meld_id is None and fits(meld, cards):
                still_owed = None if owed is None or _uses(meld, owed, variant) else owed
                rest = _free_choice(search, lay_offs, cards - meld.count, still_owed, variant)
                choices.append([meld, *rest])
    if owed is not None:
        choices = [choice for choice in choices if any(_uses(piece, owed, variant) for piece in choice)]
    return max(choices, key=_worth, default=[])


def _free_choice(
    search: _Search, pieces: Sequence[Piece], cards: int, owed: Card | None, variant: Variant
) -> list[Piece]:
    """Return the dearest pieces, the owed card's among them."""
    if owed is None:
        return search.chosen(cards)
    most: tuple[int, Piece] | None = None
    for piece in pieces:
        if _uses(piece, owed, variant) and fits(piece, cards):
            worth = piece.worth + search.best(cards - piece.count)
            if most is None or worth > most[0]:
                most = (worth, piece)
    if most is None:
        return []
    return [most[1], *search.chosen(cards - most[1].count)]


def _uses(piece: Piece, owed: Card, variant: Variant) -> bool:
    if piece.meld_id is not None and variant.deepest_card_use == "new_meld_only":
        return False
    return bool(piece.count & (((1 << FIELD) - 1) * unit(owed)))


def _worth(pieces: Iterable[Piece]) -> int:
    return sum(piece.worth for piece in pieces)


def _left(hand: Sequence[Card], chosen: Iterable[Piece]) -> tuple[Card, ...]:
    cards = total(hand) - sum(piece.count for piece in chosen)
    left = []
    for card in hand:
        if cards & (((1 << FIELD) - 1) * unit(card)):
            cards -= unit(card)
            left.append(card)
    return tuple(left)


assert total(PACK) < GUARDS  # noqa: S101 - every card has a field below the jokers'
