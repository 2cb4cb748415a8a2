"""Advice: what the moves of a seat are worth, and why one is better, in a player's words.

An adviser sees what a seat may see and no more, as a computer player does.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from random import Random
from typing import Final, Protocol

from service.rummy.cards import Card
from service.rummy.legal_moves import LegalMoves
from service.rummy.moves import (
    CallRummy,
    Discard,
    DrawStock,
    KeepCard,
    LayMeld,
    LayOff,
    Pass,
    PlayerMove,
    TakeDiscard,
)
from service.rummy.scoring import hand_points, points
from service.rummy.variants import Variant
from service.rummy.views import View
from workers.bots.bot import Budget
from workers.bots.search.monte_carlo import Weighed
from workers.bots.search.reasons import reason_for
from workers.bots.seat_view import Sight, links

#: Of each kind so many moves are weighed, besides the one that habit would make.
_MOST_DRAWS: Final = 6
_MOST_MELDS: Final = 4
_MOST_LAY_OFFS: Final = 3
_MOST_THROWS: Final = 5
_MOST_CALLS: Final = 5
#: Half the width of a 95 % interval, in standard errors.
_NORMAL_95: Final = 1.96


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """A move and what it is worth.

    `points` is what the deal is expected to bring the seat's side more than the others on
    average, `margin` half the 95 % interval of that, `worlds` in how many worlds it was tried.
    """

    move: PlayerMove
    points: float
    margin: float
    worlds: int
    reason: str


class Adviser(Protocol):
    """Weighs the moves of a seat."""

    def advise(  # noqa: PLR0913 - a position, and how to think about it
        self,
        view: View,
        legal: LegalMoves,
        variant: Variant,
        chance: Random,
        budget: Budget,
        *,
        also: Sequence[PlayerMove] = (),
    ) -> tuple[Advice, ...]:
        """Return the moves that were weighed, the best first; none where nothing is listed.

        `view` and `legal` are those of one seat; `also` are lawful moves to be weighed in any case, and
        given up for another only where that is clearly ahead. `chance` is the only source of luck.
        """
        ...


def advice_on(weighed: Sequence[Weighed], sight: Sight) -> tuple[Advice, ...]:
    """Return what is said of moves that were weighed, the best first.

    Of a move that no world allowed nothing is said, but where it is the best of them all the same.
    """
    return tuple(_advice(one, sight) for one in weighed if one.worths or one is weighed[0])


def _advice(one: Weighed, sight: Sight) -> Advice:
    assert one.move is not None  # noqa: S101 - moves were weighed, not stopping
    return Advice(
        move=one.move,
        points=one.mean if one.worths else 0.0,
        margin=_NORMAL_95 * one.error,
        worlds=len(one.worths),
        reason=reason_for(one.move, sight),
    )


# --- Which moves are worth a thought ---------------------------------------------------------------


def shortlist(
    moves: Sequence[PlayerMove], sight: Sight, first: Sequence[PlayerMove]
) -> tuple[PlayerMove, ...]:
    """Return the moves to weigh: those given, then the likeliest of each kind."""
    kinds = (
        _draws(moves),
        _melds(moves, sight),
        _lay_offs(moves, sight),
        _throws(moves, sight),
        _calls(moves, sight),
    )
    found: list[PlayerMove] = []
    for move in (*first, *chain(*kinds)):
        if move not in found:
            found.append(move)
    return tuple(found)


def _draws(moves: Sequence[PlayerMove]) -> list[PlayerMove]:
    draws: list[PlayerMove] = [move for move in moves if isinstance(move, DrawStock | Pass | KeepCard)]
    takes = [move for move in moves if isinstance(move, TakeDiscard)]
    if len(takes) > _MOST_DRAWS:
        half = _MOST_DRAWS // 2
        takes = [*takes[:half], *takes[-half:]]
    return [*draws, *takes]


def _melds(moves: Sequence[PlayerMove], sight: Sight) -> list[LayMeld]:
    melds = [move for move in moves if isinstance(move, LayMeld)]
    return sorted(melds, key=lambda meld: -hand_points(meld.cards, sight.variant))[:_MOST_MELDS]


def _lay_offs(moves: Sequence[PlayerMove], sight: Sight) -> list[LayOff]:
    lay_offs = [move for move in moves if isinstance(move, LayOff)]
    return sorted(lay_offs, key=lambda one: -points(one.card, sight.variant))[:_MOST_LAY_OFFS]


def _throws(moves: Sequence[PlayerMove], sight: Sight) -> list[Discard]:
    throws = [move for move in moves if isinstance(move, Discard)]

    def loose(throw: Discard) -> tuple[int, int]:
        return links(throw.card, sight.hand), -points(throw.card, sight.variant)

    return sorted(throws, key=loose)[:_MOST_THROWS]


def _calls(moves: Sequence[PlayerMove], sight: Sight) -> list[CallRummy]:
    calls = [move for move in moves if isinstance(move, CallRummy)]
    return sorted(calls, key=lambda call: -hand_points(used_by(call), sight.variant))[:_MOST_CALLS]


def used_by(call: CallRummy) -> tuple[Card, ...]:
    """Return the cards that a call brings to the table at once."""
    return call.use.cards if isinstance(call.use, LayMeld) else (call.use.card,)
