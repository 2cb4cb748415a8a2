"""The level `expert`: weighs its moves in worlds that agree with all it has seen.

It asks three questions in a turn: which draw, what to table (or to hold back), what to throw. Each
is settled by playing the deal out from every answer in the same worlds, against opponents of several
kinds. A budget of time is parted between the three.
"""

from collections.abc import Sequence
from random import Random
from time import perf_counter
from typing import Final

from service.rummy.legal_moves import LegalMoves
from service.rummy.moves import Discard, KeepCard, LayMeld, LayOff, PlayerMove
from service.rummy.state import Phase
from service.rummy.variants import Variant
from service.rummy.views import View
from workers.bots.bot import DEFAULT_BUDGET, Budget
from workers.bots.engine.policy_weights import kind_of_game
from workers.bots.evaluation.hand_value import habits_for
from workers.bots.levels.shrewd import Shrewd, end_of_turn
from workers.bots.search.monte_carlo import Limit, Weighed, weigh
from workers.bots.search.rollout_evaluator import Scales

#: The parts of a turn's budget: one draw, some melds and lay-offs, one discard. With three melds and five
#: lay-offs a turn is within its budget.
_DRAW: Final = 0.4
_MELD: Final = 0.05
_LAY_OFF: Final = 0.01
_THROW: Final = 0.4
_MILLISECONDS: Final = 1000
#: The kinds of games in which one goes by what `shrewd` would do, unless another move is clearly ahead: most
#: of what a world tells is luck where the winner takes all or many play, and where jokers change hands.
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
        habit = self._adviser.choose(view, legal, variant, chance)
        caution = _CAUTION if kind_of_game(variant, len(view.seats)) in _LITTLE_KNOWN else 0.0
        if view.phase is Phase.DRAW:
            return weigh(_first(list(moves), habit), scales, self._limit(begun, _DRAW), caution=caution)
        tablings = _tablings(moves, habit)
        if tablings:
            part = _MELD if any(isinstance(move, LayMeld) for move in tablings) else _LAY_OFF
            weighed = weigh(tablings, scales, self._limit(begun, part), caution=caution)
            if weighed[0].move is not None:
                return weighed
            begun = perf_counter()
        ends = [move for move in moves if not isinstance(move, LayMeld | LayOff)]
        habit = end_of_turn(ends, scales.sight, habits_for(variant))
        return weigh(_first(ends, habit), scales, self._limit(begun, _THROW), caution=caution)

    def _limit(self, begun: float, part: float) -> Limit:
        budget = self._budget
        if budget.worlds is not None:
            worlds = budget.worlds if part >= _THROW else max(_FEWEST_WORLDS, budget.worlds // 2)
            return Limit(worlds=worlds, deadline=0.0)
        return Limit(worlds=None, deadline=begun + part * budget.milliseconds / _MILLISECONDS)


def _first(moves: Sequence[PlayerMove], habit: PlayerMove | None) -> list[PlayerMove]:
    """Return the moves with habit's in front."""
    return sorted(moves, key=lambda move: move != habit)


def _tablings(moves: Sequence[PlayerMove], habit: PlayerMove | None) -> list[PlayerMove | None]:
    """Return what may be tabled next, and None for stopping where that is lawful; first what habit does."""
    melds = sorted(
        (move for move in moves if isinstance(move, LayMeld)),
        key=lambda move: (move != habit, -len(move.cards)),
    )
    lay_offs = sorted((move for move in moves if isinstance(move, LayOff)), key=lambda move: move != habit)
    found: list[PlayerMove | None] = [*melds[:_MELDS], *lay_offs[:_MELDS]]
    if found and any(isinstance(move, Discard | KeepCard) for move in moves):
        found.append(None)
    stops = isinstance(habit, Discard | KeepCard)
    return sorted(found, key=lambda move: move is not None if stops else move != habit)
