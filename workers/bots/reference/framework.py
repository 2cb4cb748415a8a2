"""The frame every bench player fits into: how it draws, what it tables, what it throws.

None of the programs they come from calls "Rummy!", so all of them pass there.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from service.rummy.cards import ACE, RANK, SUIT, Card, is_joker
from service.rummy.legal_moves import LegalMoves
from service.rummy.moves import Discard, LayMeld, LayOff, PlayerMove, TakeDiscard
from service.rummy.scoring import points
from service.rummy.state import Phase
from service.rummy.variants import Variant
from service.rummy.views import View

_KING_TO_ACE: Final = 12
Hands = tuple[tuple[Card, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """Where a bench player stands: its view, what it may do, and what it did this turn.

    `melds_laid` counts its melds of this turn, `laid_off` is the card it laid off last in
    it. `hands` are everybody's real cards, told to a cheat alone.
    """

    view: View
    variant: Variant
    moves: Sequence[PlayerMove]
    chance: Random
    melds_laid: int
    laid_off: Card | None
    hands: Hands | None

    @property
    def hand(self) -> tuple[Card, ...]:
        """Its own cards."""
        return self.view.hand or ()

    @property
    def owed(self) -> Card | None:
        """The card that must reach the table this turn."""
        return self.view.turn.must_use if self.view.turn else None

    @property
    def takes(self) -> dict[int, TakeDiscard]:
        """The lawful takes by their depth, 1 for the upcard, in rising order."""
        height = len(self.view.discard_pile)
        found = {
            height - move.position: move
            for move in self.moves
            if isinstance(move, TakeDiscard) and move.position is not None
        }
        return dict(sorted(found.items()))

    @property
    def melds(self) -> list[LayMeld]:
        """The melds it may lay."""
        return [move for move in self.moves if isinstance(move, LayMeld)]

    @property
    def lay_offs(self) -> list[LayOff]:
        """The cards it may lay off."""
        return [move for move in self.moves if isinstance(move, LayOff)]

    @property
    def throws(self) -> list[Discard]:
        """The cards it may throw."""
        return [move for move in self.moves if isinstance(move, Discard)]

    def pool(self, depth: int) -> tuple[Card, ...]:
        """Return the hand with the cards that a take of this depth brings."""
        return (*self.hand, *self.view.discard_pile[len(self.view.discard_pile) - depth :])

    def counts(self, card: Card) -> int:
        """Return what a card counts."""
        return points(card, self.variant)


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """A public program's way to play.

    `draw` answers the take it wants, None for the stock. `table` answers the next card or
    meld to lay, None when it has done. `worth` tells how gladly a card is thrown.
    """

    draw: Callable[[Spot], TakeDiscard | None]
    table: Callable[[Spot], LayMeld | LayOff | None]
    worth: Callable[[Card, Spot], float]


class BenchPlayer:
    """Plays a policy at one seat for one deal. It remembers its own turn, as those programs do."""

    def __init__(self, policy: Policy) -> None:
        self._policy: Final = policy
        self._melds_laid = 0
        self._laid_off: Card | None = None
        self._hands: Hands | None = None

    def peek(self, hands: Hands) -> None:
        """Look at everybody's cards. Only the arena lets anybody, and only the peeker cares."""
        self._hands = hands

    def choose(self, view: View, legal: LegalMoves, variant: Variant, chance: Random, /) -> PlayerMove | None:
        """Return a move of the list, as the policy has it."""
        moves = legal.moves
        if not moves or view.phase is Phase.RUMMY_CALL:
            return moves[0] if moves else None
        if view.phase is Phase.DRAW:
            self._melds_laid, self._laid_off = 0, None
        spot = Spot(
            view=view,
            variant=variant,
            moves=moves,
            chance=chance,
            melds_laid=self._melds_laid,
            laid_off=self._laid_off,
            hands=self._hands,
        )
        if view.phase is Phase.DRAW:
            return self._policy.draw(spot) or moves[0]
        laid = self._policy.table(spot)
        if isinstance(laid, LayMeld):
            self._melds_laid += 1
        elif laid is not None:
            self._laid_off = laid.card
        return laid or self._end_of_turn(spot)

    def _end_of_turn(self, spot: Spot) -> PlayerMove:
        """Throw the card given up most gladly; of equals any."""
        throws = spot.throws
        if not throws:
            # A card that is owed, or may not go back, has to be settled: however it can be.
            return [*spot.lay_offs, *spot.melds, spot.moves[0]][0]
        worths = [self._policy.worth(move.card, spot) for move in throws]
        best = max(worths)
        return spot.chance.choice([move for move, worth in zip(throws, worths, strict=True) if worth == best])


class AnyMove:
    """Plays any lawful move: first of any kind, then any of that kind. It is there to try the rules."""

    def choose(
        self, _view: View, legal: LegalMoves, _variant: Variant, chance: Random, /
    ) -> PlayerMove | None:
        """Return any move of the list."""
        kinds = list(dict.fromkeys(move.type for move in legal.moves))
        if not kinds:
            return None
        kind = chance.choice(kinds)
        return chance.choice([move for move in legal.moves if move.type == kind])


def linked(card: Card, other: Card) -> bool:
    """Tell whether two cards share a rank or are neighbours in a suit; a joker goes with anything."""
    if is_joker(card) or is_joker(other):
        return True
    return (RANK[card] == RANK[other] and card != other) or are_neighbours(card, other)


def are_neighbours(card: Card, other: Card) -> bool:
    """Tell whether two cards stand side by side in a suit, ace and king among them."""
    return SUIT[card] == SUIT[other] and abs(RANK[card] - RANK[other]) in (1, _KING_TO_ACE)


def links(card: Card, others: Sequence[Card]) -> int:
    """Return how many of the cards are links of this one."""
    return sum(1 for other in others if linked(card, other))


def own_links(card: Card, spot: Spot) -> int:
    """Return how many other cards of the hand are links of this one."""
    others = list(spot.hand)
    others.remove(card)
    return links(card, others)


def is_set(meld: LayMeld) -> bool:
    """Tell whether a meld is a set."""
    return len({RANK[meld.stands_for.get(card, card)] for card in meld.cards}) == 1


def table_value(meld: LayMeld, spot: Spot) -> int:
    """Return what the cards of a meld count on the table."""
    value = sum(spot.counts(card) for card in meld.cards)
    aces = [card for card in meld.cards if RANK[card] == ACE]
    twos = any(RANK[meld.stands_for.get(card, card)] == ACE + 1 for card in meld.cards)
    if aces and twos and meld.ace != "high" and not is_set(meld):
        value += points(aces[0], spot.variant, low_ace=True) - spot.counts(aces[0])
    return value
