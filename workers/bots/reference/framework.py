"""The framework of the reference players: a policy draws, lays and discards.

None of the original programs calls "Rummy!", so reference players pass in call windows.
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
class Situation:
    """What a policy decides on: the view, the legal moves, and what the player did this turn.

    `melds_laid` counts the melds of this turn, `laid_off` is the last card laid off in it. `hands` are
    the real cards of all players, given only to a policy that cheats.
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
        """The player's own cards."""
        return self.view.hand or ()

    @property
    def owed(self) -> Card | None:
        """The card that must be used this turn."""
        return self.view.turn.must_use if self.view.turn else None

    @property
    def takes(self) -> dict[int, TakeDiscard]:
        """The legal takes by their depth, 1 for the upcard, in rising order."""
        height = len(self.view.discard_pile)
        found = {
            height - move.position: move
            for move in self.moves
            if isinstance(move, TakeDiscard) and move.position is not None
        }
        return dict(sorted(found.items()))

    @property
    def melds(self) -> list[LayMeld]:
        """The legal melds."""
        return [move for move in self.moves if isinstance(move, LayMeld)]

    @property
    def lay_offs(self) -> list[LayOff]:
        """The legal lay-offs."""
        return [move for move in self.moves if isinstance(move, LayOff)]

    @property
    def discards(self) -> list[Discard]:
        """The legal discards."""
        return [move for move in self.moves if isinstance(move, Discard)]

    def pool(self, depth: int) -> tuple[Card, ...]:
        """Return the hand with the cards that a take of this depth adds."""
        return (*self.hand, *self.view.discard_pile[len(self.view.discard_pile) - depth :])

    def counts(self, card: Card) -> int:
        """Return the points of a card."""
        return points(card, self.variant)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferencePolicy:
    """The way a public program plays.

    `draw` returns a take, or None for the stock. `lay` returns the next meld or lay-off, or None if
    there is nothing more to lay. The card with the highest `discard_score` is discarded.
    """

    draw: Callable[[Situation], TakeDiscard | None]
    lay: Callable[[Situation], LayMeld | LayOff | None]
    discard_score: Callable[[Card, Situation], float]


class ReferencePlayer:
    """Plays a policy at one seat for one deal. It remembers its own turn, as the programs do."""

    def __init__(self, policy: ReferencePolicy) -> None:
        self._policy: Final = policy
        self._melds_laid = 0
        self._laid_off: Card | None = None
        self._hands: Hands | None = None

    def peek(self, hands: Hands) -> None:
        """Look at the cards of all players. Only the arena offers this, and only `peeker` uses it."""
        self._hands = hands

    def choose(self, view: View, legal: LegalMoves, variant: Variant, chance: Random, /) -> PlayerMove | None:
        """Return the legal move that the policy chooses."""
        moves = legal.moves
        if not moves or view.phase is Phase.RUMMY_CALL:
            return moves[0] if moves else None
        if view.phase is Phase.DRAW:
            self._melds_laid, self._laid_off = 0, None
        situation = Situation(
            view=view,
            variant=variant,
            moves=moves,
            chance=chance,
            melds_laid=self._melds_laid,
            laid_off=self._laid_off,
            hands=self._hands,
        )
        if view.phase is Phase.DRAW:
            return self._policy.draw(situation) or moves[0]
        laid = self._policy.lay(situation)
        if isinstance(laid, LayMeld):
            self._melds_laid += 1
        elif laid is not None:
            self._laid_off = laid.card
        return laid or self._end_of_turn(situation)

    def _end_of_turn(self, situation: Situation) -> PlayerMove:
        """Discard the card with the highest score; at random among equals."""
        discards = situation.discards
        if not discards:
            # A card that must be used, or may not be discarded, is laid by any legal move.
            return [*situation.lay_offs, *situation.melds, situation.moves[0]][0]
        scores = [self._policy.discard_score(move.card, situation) for move in discards]
        best = max(scores)
        return situation.chance.choice(
            [move for move, discard_score in zip(discards, scores, strict=True) if discard_score == best]
        )


class AnyMove:
    """Plays a random legal move: first a random kind, then a random move of that kind."""

    def choose(
        self, _view: View, legal: LegalMoves, _variant: Variant, chance: Random, /
    ) -> PlayerMove | None:
        """Return a random legal move."""
        kinds = list(dict.fromkeys(move.type for move in legal.moves))
        if not kinds:
            return None
        kind = chance.choice(kinds)
        return chance.choice([move for move in legal.moves if move.type == kind])


def are_linked(card: Card, other: Card) -> bool:
    """Return whether two cards share a rank or are neighbours in a suit; a joker goes with anything."""
    if is_joker(card) or is_joker(other):
        return True
    return (RANK[card] == RANK[other] and card != other) or are_neighbours(card, other)


def are_neighbours(card: Card, other: Card) -> bool:
    """Return whether two cards are neighbours in a suit; ace and king are."""
    return SUIT[card] == SUIT[other] and abs(RANK[card] - RANK[other]) in (1, _KING_TO_ACE)


def count_links(card: Card, others: Sequence[Card]) -> int:
    """Return how many of the cards are linked to this one."""
    return sum(1 for other in others if are_linked(card, other))


def count_own_links(card: Card, situation: Situation) -> int:
    """Return how many other cards of the hand are linked to this one."""
    others = list(situation.hand)
    others.remove(card)
    return count_links(card, others)


def is_set(meld: LayMeld) -> bool:
    """Return whether a meld is a set."""
    return len({RANK[meld.stands_for.get(card, card)] for card in meld.cards}) == 1


def table_value(meld: LayMeld, situation: Situation) -> int:
    """Return the points of a meld on the table."""
    value = sum(situation.counts(card) for card in meld.cards)
    aces = [card for card in meld.cards if RANK[card] == ACE]
    twos = any(RANK[meld.stands_for.get(card, card)] == ACE + 1 for card in meld.cards)
    if aces and twos and meld.ace != "high" and not is_set(meld):
        value += points(aces[0], situation.variant, low_ace=True) - situation.counts(aces[0])
    return value
