"""The levels `novice`, `casual` and `steady`: people who do not weigh, but look more or less closely.

They differ in what they look at, never by blunders thrown in: how deep into the pile they look,
whose melds they see a use for, whether they plan what to table, and how they judge a discard.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from service.rummy.cards import KING, RANK, SUIT, Card, is_joker
from service.rummy.legal_moves import LegalMoves
from service.rummy.melds import can_lay_off
from service.rummy.moves import CallRummy, Discard, LayMeld, LayOff, PlayerMove, TakeDiscard
from service.rummy.possible_melds import possible_melds
from service.rummy.scoring import hand_points, points
from service.rummy.state import Phase
from service.rummy.variants import Variant
from service.rummy.views import View
from workers.bots.evaluation.next_meld import next_tabled
from workers.bots.seat_view import Sight

#: A card that anybody could lay off is kept rather than thrown, like one that is worth so much more.
_FEEDS: Final = 12
#: A link to another card in hand is worth so many points to who keeps his links, and one
#: half of it where a card lies between the two.
_LINK: Final = 6
_NEAR: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """What a player pays attention to.

    `depth` is how many cards of the pile it looks at. `takes_to_lay_off` tells whether it
    takes a card to lay it off, `shares` whether it lays off on melds that others laid, and
    `plans` whether it looks for the tabling that is worth most, or lays what it sees first.
    `calls` tells whether it listens for a call. `keenness` is how little it wants a card.
    """

    depth: int
    takes_to_lay_off: bool
    shares: bool
    plans: bool
    calls: bool
    keenness: Callable[[Card, Sight], float]


class Plain:
    """Plays in a manner, by what it sees now: it remembers nothing and expects nothing."""

    def __init__(self, manner: Manner) -> None:
        self._manner: Final = manner

    def choose(self, view: View, legal: LegalMoves, variant: Variant, chance: Random, /) -> PlayerMove | None:
        """Return the move its manner leads to; None where there is none to make."""
        moves = legal.moves
        if len(moves) <= 1:
            return moves[0] if moves else None
        sight = Sight.of(view, variant)
        match view.phase:
            case Phase.DRAW:
                return self._take(moves, sight) or moves[0]
            case Phase.RUMMY_CALL:
                return self._call(moves, sight) or moves[0]
            case _:
                return self._lay(moves, sight) or self._end_of_turn(moves, sight, chance)

    def _take(self, moves: Sequence[PlayerMove], sight: Sight) -> TakeDiscard | None:
        """Return the smallest take whose deepest card it sees a use for."""
        pile = sight.view.discard_pile
        for move in moves:
            if isinstance(move, TakeDiscard):
                place = pile.index(move.card) if move.position is None else move.position
                if len(pile) - place > self._manner.depth:
                    return None
                if self._sees_a_use(move.card, pile[place:], sight):
                    return move
        return None

    def _sees_a_use(self, card: Card, taken: tuple[Card, ...], sight: Sight) -> bool:
        pool = (*sight.hand, *taken)
        if next(possible_melds(pool, sight.variant, with_card=card), None) is not None:
            return True
        return self._manner.takes_to_lay_off and any(
            can_lay_off(card, meld, sight.variant) for meld in sight.targets
        )

    def _call(self, moves: Sequence[PlayerMove], sight: Sight) -> CallRummy | None:
        """Return the call that tables most, if it brings no other card into the hand."""
        top = len(sight.view.discard_pile) - 1
        calls = [move for move in moves if isinstance(move, CallRummy)]
        if not self._manner.calls:
            return None
        single = sight.variant.call_takes == "single_card"
        alone = [call for call in calls if single or call.position == top]
        return max(alone, key=lambda call: _points_of(call.use, sight.variant), default=None)

    def _lay(self, moves: Sequence[PlayerMove], sight: Sight) -> PlayerMove | None:
        if self._manner.plans:
            return next_tabled(moves, sight)
        owed = sight.view.turn.must_use if sight.view.turn else None
        melds = [move for move in moves if isinstance(move, LayMeld)]
        if melds:
            return max(melds, key=lambda meld: owed in meld.cards)
        own = {meld.id for meld in sight.targets if meld.owner == sight.seat}
        lay_offs = [move for move in moves if isinstance(move, LayOff)]
        seen = [move for move in lay_offs if self._manner.shares or move.meld_id in own]
        # An owed card has to go wherever it can.
        return next(iter(seen or (lay_offs if owed is not None else ())), None)

    def _end_of_turn(self, moves: Sequence[PlayerMove], sight: Sight, chance: Random) -> PlayerMove:
        throws = [move for move in moves if isinstance(move, Discard)]
        if not throws:
            return next((move for move in moves if isinstance(move, LayOff)), moves[0])
        keen = {move: self._manner.keenness(move.card, sight) for move in throws}
        most = max(keen.values())
        return chance.choice([move for move in throws if keen[move] == most])


def dearest(card: Card, sight: Sight) -> float:
    """Want rid of what counts most."""
    return points(card, sight.variant)


def dearest_without_a_link(card: Card, sight: Sight) -> float:
    """Want rid of what counts most, and of nothing that goes with another card in hand."""
    linked = any(_link(card, other) for other in _others(card, sight.hand))
    return points(card, sight.variant) - (_FEEDS if linked else 0)


def least_linked(card: Card, sight: Sight) -> float:
    """Want rid of what counts much and goes with little, and of nothing that others could lay off."""
    links = sum(_link(card, other) for other in _others(card, sight.hand))
    feeds = any(can_lay_off(card, meld, sight.variant) for meld in sight.view.melds)
    return points(card, sight.variant) - _LINK * links - (_FEEDS if feeds else 0)


def _link(card: Card, other: Card) -> float:
    """Return how well two cards go together: 1 in a set or side by side, less with a gap between."""
    if is_joker(card) or is_joker(other):
        return 1.0
    if RANK[card] == RANK[other]:
        return float(card != other)
    if SUIT[card] != SUIT[other]:
        return 0.0
    apart = abs(RANK[card] - RANK[other])
    apart = min(apart, KING - apart)
    return 1.0 / apart if apart <= _NEAR else 0.0


def _others(card: Card, hand: Iterable[Card]) -> list[Card]:
    others = list(hand)
    others.remove(card)
    return others


def _points_of(use: LayMeld | LayOff, variant: Variant) -> int:
    return hand_points(use.cards if isinstance(use, LayMeld) else (use.card,), variant)


#: Sees the upcard, its own melds, and what counts most.
NOVICE: Final = Manner(
    depth=1, takes_to_lay_off=False, shares=False, plans=False, calls=False, keenness=dearest
)
#: Sees the top of the pile and its own melds, and keeps pairs and neighbours together.
CASUAL: Final = Manner(
    depth=2,
    takes_to_lay_off=False,
    shares=False,
    plans=False,
    calls=False,
    keenness=dearest_without_a_link,
)
#: Sees the whole pile, plans what to table, and throws nothing that others wait for.
STEADY: Final = Manner(
    depth=104, takes_to_lay_off=True, shares=True, plans=True, calls=True, keenness=least_linked
)
