"""Advice by search: moves tried in many worlds of the simulator, in place of a few by the rules.

It stands behind the protocol of `advising`. What it leaves to `PlayOuts` are rummy calls, which the
simulator does not know.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from time import perf_counter
from typing import Final

from service.rummy.legal import LegalMoves
from service.rummy.moves import PlayerMove
from service.rummy.state import Phase
from service.rummy.variants import Variant
from service.rummy.views import View
from workers.bots.advising import FAIR_TRIAL, FAR_BEHIND, Advice, PlayOuts, shortlist
from workers.bots.base import Budget
from workers.bots.reasons import reason_for
from workers.bots.shrewd import Shrewd
from workers.bots.weighing import LettingGo, Limit, Scales, Weighed

#: Half the width of a 95 % interval, in standard errors.
_NORMAL_95: Final = 1.96
#: So far ahead, in standard errors, a move must be to be named before what was played, or what habit is.
_CLEARLY: Final = 1.0
#: What is said of a move is believed, so none is let go as early as in play, and what was played never is.
_LETTING_GO: Final = LettingGo(worlds=FAIR_TRIAL, behind=FAR_BEHIND, spares_first=True)
_MILLISECONDS: Final = 1000


class Searching:
    """Tries moves in worlds that agree with the view, as the level `expert` does."""

    def __init__(self) -> None:
        self._player: Final = Shrewd()
        self._by_the_rules: Final = PlayOuts(self._player)

    def advise(  # noqa: PLR0913 - as the protocol
        self,
        view: View,
        legal: LegalMoves,
        variant: Variant,
        chance: Random,
        budget: Budget,
        *,
        also: Sequence[PlayerMove] = (),
    ) -> tuple[Advice, ...]:
        """Return the moves that were weighed, the best first."""
        begun = perf_counter()
        if view.phase is Phase.RUMMY_CALL:
            # Played out by the rules themselves, a world takes as long as a hundred of the simulator's.
            few = budget if budget.worlds is None else replace(budget, worlds=min(budget.worlds, FAIR_TRIAL))
            return self._by_the_rules.advise(view, legal, variant, chance, few, also=also)
        habit = self._player.choose(view, legal, variant, chance)
        if habit is None:
            return ()
        scales = Scales(view, variant, legal.moves, chance, points_alone=True)
        limit = Limit(worlds=budget.worlds, deadline=begun + budget.milliseconds / _MILLISECONDS)
        moves = shortlist(legal.moves, scales.sight, (*also, habit))
        # Even a single move is told what it may bring, and for a fair trial there is always time.
        weighed = scales.weigh(moves, limit, caution=_CLEARLY, fewest=FAIR_TRIAL, letting_go=_LETTING_GO)
        return tuple(_advice(one, scales) for one in weighed if one.worths)


def _advice(one: Weighed, scales: Scales) -> Advice:
    count, mean = len(one.worths), one.mean
    spread = sum((worth - mean) ** 2 for worth in one.worths) / max(1, count - 1)
    assert one.move is not None  # noqa: S101 - moves were weighed, not stopping
    return Advice(
        move=one.move,
        points=mean,
        margin=_NORMAL_95 * math.sqrt(spread / count),
        worlds=count,
        reason=reason_for(one.move, scales.sight),
    )
