"""Players of other programs, written afresh to be measured against; none is offered as a level."""

from collections.abc import Mapping, Sequence
from random import Random
from types import MappingProxyType
from typing import Final

from service.rummy.cards import RANK, SUIT, Card, is_joker
from service.rummy.legal import LegalMoves
from service.rummy.moves import Discard, LayMeld, LayOff, PlayerMove, TakeDiscard
from service.rummy.possible_melds import possible_melds
from service.rummy.state import Phase
from service.rummy.variants import Variant
from service.rummy.views import View
from workers.bots.base import Bot


class Greedy:
    """Takes the smallest depth that gives a meld, lays sets before runs, lays nothing off, throws blindly."""

    def choose(self, view: View, legal: LegalMoves, variant: Variant, chance: Random, /) -> PlayerMove | None:
        """Return a move of the list, as the policy has it."""
        moves = legal.moves
        if not moves:
            return None
        if view.phase is Phase.DRAW:
            return self._draw(view, moves, variant)
        melds = [move for move in moves if isinstance(move, LayMeld)]
        if melds and len(view.hand or ()) > 1:
            return max(melds, key=lambda move: (_is_set(move), len(move.cards)))
        throws = [move for move in moves if isinstance(move, Discard)]
        if throws:
            return chance.choice(throws)
        # Only a card that is owed can stand in the way of a discard.
        return next((move for move in moves if isinstance(move, LayOff)), moves[0])

    def _draw(self, view: View, moves: Sequence[PlayerMove], variant: Variant) -> PlayerMove:
        pile, hand = view.discard_pile, view.hand or ()
        for depth in range(1, len(pile) + 1):
            if next(possible_melds((*hand, *pile[-depth:]), variant), None) is not None:
                wanted = [
                    move
                    for move in moves
                    if isinstance(move, TakeDiscard) and move.position == len(pile) - depth
                ]
                return wanted[0] if wanted else moves[0]
        return moves[0]


class Deepest:
    """SRS: takes the deepest card that melds with the hand and all above it, and tables all it can."""

    def choose(self, view: View, legal: LegalMoves, variant: Variant, chance: Random, /) -> PlayerMove | None:
        """Return a move of the list, as the policy has it."""
        moves = legal.moves
        if not moves:
            return None
        if view.phase is Phase.DRAW:
            takes = [move for move in moves if isinstance(move, TakeDiscard)]
            return next((move for move in reversed(takes) if _melds(move, view, variant)), moves[0])
        turn = view.turn
        melds = [move for move in moves if isinstance(move, LayMeld)]
        if melds:
            owed = turn.must_use if turn else None
            return max(melds, key=lambda move: (owed in move.cards, len(move.cards)))
        lay_offs = [move for move in moves if isinstance(move, LayOff)]
        if lay_offs:
            own = {meld.id for meld in view.melds if meld.owner == view.viewer}
            return max(lay_offs, key=lambda move: move.meld_id in own)
        return self._discard(view, moves, chance)

    def _discard(self, view: View, moves: Sequence[PlayerMove], chance: Random) -> PlayerMove:
        throws = [move for move in moves if isinstance(move, Discard)]
        hand = view.hand or ()
        lonely = [move for move in throws if not any(_linked(move.card, other) for other in hand)]
        return chance.choice(lonely or throws or list(moves[:1]))


def _melds(take: TakeDiscard, view: View, variant: Variant) -> bool:
    """Tell whether the card taken makes a new meld with the hand and the cards above it."""
    pile = view.discard_pile
    position = pile.index(take.card) if take.position is None else take.position
    pool = (*(view.hand or ()), *pile[position:])
    return next(possible_melds(pool, variant, with_card=take.card), None) is not None


def _is_set(move: LayMeld) -> bool:
    return len({RANK[move.stands_for.get(card, card)] for card in move.cards}) == 1


def _linked(card: Card, other: Card) -> bool:
    """Tell whether two cards share a rank, or are neighbours in a suit."""
    if is_joker(card) or is_joker(other):
        return True
    if RANK[card] == RANK[other]:
        return card != other
    return SUIT[card] == SUIT[other] and abs(RANK[card] - RANK[other]) in (1, 12)


YARDSTICKS: Final[Mapping[str, Bot]] = MappingProxyType({"greedy": Greedy(), "srs": Deepest()})
