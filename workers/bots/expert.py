"""The level `expert`: weighs its moves in worlds that agree with all it has seen.

It asks three questions in a turn: which draw, what to table (or to hold back), what to throw. Each
is settled by playing the deal out from every answer in the same worlds, against opponents of several
kinds. A budget of time is parted between the three.
"""

from collections.abc import Sequence
from random import Random
from time import perf_counter
from typing import Final

from service.rummy.legal import LegalMoves
from service.rummy.moves import CallRummy, Discard, DrawStock, KeepCard, LayMeld, LayOff, Pass, PlayerMove
from service.rummy.state import Phase
from service.rummy.variants import Variant
from service.rummy.views import View
from workers.bots.base import DEFAULT_BUDGET, Budget
from workers.bots.planning import next_tabled
from workers.bots.shrewd import Shrewd
from workers.bots.sight import Sight
from workers.bots.simulator.policies import best_discard, best_take
from workers.bots.simulator.rules import code_of
from workers.bots.simulator.styles import kind_of_game
from workers.bots.weighing import Limit, Scales, Weighed

#: The parts of a turn's budget: one draw, a tabling of which there may be several, one discard.
_DRAW: Final = 0.4
_TABLE: Final = 0.06
_THROW: Final = 0.4
_MILLISECONDS: Final = 1000
#: The kinds of games in which one goes by what `shrewd` would do, unless another move is clearly ahead: where
#: the winner takes all, or many play, most of what a world tells is luck; with jokers simulated players do
#: not play well.
_LITTLE_KNOWN: Final = frozenset({"basic", "jokers", "many"})
#: How clearly: in standard errors.
_CAUTION: Final = 1.0
#: At most so many melds are tried as the next one; beside them, going on by habit and stopping.
_MELDS: Final = 8
#: The fewest worlds of a fixed number that a tabling is weighed in.
_FEWEST_WORLDS: Final = 4


class Expert:
    """Searches: deals out what it cannot see, and plays every promising move to the end of the deal."""

    def __init__(self, budget: Budget = DEFAULT_BUDGET) -> None:
        self._budget: Final = budget
        self._adviser: Final = Shrewd()

    def choose(self, view: View, legal: LegalMoves, variant: Variant, chance: Random, /) -> PlayerMove | None:
        """Return the move that brings most over the worlds; None where there is none to make."""
        moves = legal.moves
        if len(moves) <= 1:
            return moves[0] if moves else None
        if view.phase is Phase.RUMMY_CALL:
            return self._adviser.choose(view, legal, variant, chance)
        best = self.weighed(view, legal, variant, chance)[0]
        assert best.move is not None  # noqa: S101 - stopping is answered by a discard
        return best.move

    def weighed(self, view: View, legal: LegalMoves, variant: Variant, chance: Random) -> list[Weighed]:
        """Return the moves of a draw, or of what comes next in a turn, the best first."""
        begun = perf_counter()
        moves = legal.moves
        scales = Scales(view, variant, moves, chance)
        known = kind_of_game(variant, len(view.seats)) not in _LITTLE_KNOWN
        habit = None if known else self._adviser.choose(view, legal, variant, chance)
        caution = 0.0 if known else _CAUTION
        if view.phase is Phase.DRAW:
            draws = _first(_draws(scales, moves), habit)
            return scales.weigh(draws, self._limit(begun, _DRAW), caution=caution)
        tablings = _tablings(moves, scales.sight)
        if tablings:
            stops = isinstance(habit, Discard | KeepCard)
            weighed = scales.weigh(
                _first(tablings, None if stops else habit, stop=stops),
                self._limit(begun, _TABLE),
                caution=caution,
            )
            if weighed[0].move is not None:
                return weighed
            begun = perf_counter()
        ends = _first(_ends(scales, moves, chance), habit)
        return scales.weigh(ends, self._limit(begun, _THROW), caution=caution)

    def _limit(self, begun: float, part: float) -> Limit:
        budget = self._budget
        if budget.worlds is not None:
            worlds = budget.worlds if part != _TABLE else max(_FEWEST_WORLDS, budget.worlds // 2)
            return Limit(worlds=worlds, deadline=0.0)
        return Limit(worlds=None, deadline=begun + part * budget.milliseconds / _MILLISECONDS)


def _first(
    moves: list[PlayerMove | None], habit: PlayerMove | None, *, stop: bool = False
) -> list[PlayerMove | None]:
    """Return the moves with habit's in front; `stop` for tabling nothing, which has no move of its own."""
    if (habit is not None or stop) and habit in moves:
        moves.remove(habit)
        moves.insert(0, habit)
    return moves


def _draws(scales: Scales, moves: Sequence[PlayerMove]) -> list[PlayerMove | None]:
    """Return the draws, first the one by habit."""
    place = best_take(scales.base, scales.own)
    draws: list[PlayerMove | None] = list(moves)
    for move in moves:
        if getattr(move, "position", -1) == place and (place >= 0 or isinstance(move, DrawStock | Pass)):
            draws.remove(move)
            draws.insert(0, move)
            break
    return draws


def _tablings(moves: Sequence[PlayerMove], sight: Sight) -> list[PlayerMove | None]:
    """Return what may be tabled next, first what habit would; at the end, where lawful, stopping here."""
    habit = next_tabled(moves, sight)
    melds = [move for move in moves if isinstance(move, LayMeld) and move != habit]
    lay_offs = [move for move in moves if isinstance(move, LayOff) and move != habit]
    melds.sort(key=lambda move: -len(move.cards))
    found: list[PlayerMove | None] = [*melds[:_MELDS], *lay_offs[:_MELDS]]
    if habit is not None:
        found.insert(0, habit)
    if found and any(isinstance(move, Discard | KeepCard) for move in moves):
        found.insert(0 if habit is None else len(found), None)
    return found


def _ends(scales: Scales, moves: Sequence[PlayerMove], chance: Random) -> list[PlayerMove | None]:
    """Return the ways to end the turn, first the one by habit."""
    ends: list[PlayerMove | None] = [move for move in moves if isinstance(move, Discard | KeepCard)]
    if not ends:
        return [move for move in moves if not isinstance(move, CallRummy)]
    habit = best_discard(scales.base, scales.own, chance.random)
    ends.sort(key=lambda move: not (isinstance(move, Discard) and code_of(move.card) == habit))
    return ends
