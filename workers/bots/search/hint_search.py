"""Advice by search: what came of each move, on average over worlds in which it was made.

Moves are tried in the simulator; rummy calls, which that does not know, by the rules.
"""

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from time import perf_counter
from typing import Final

from service.rummy.legal_moves import LegalMoves
from service.rummy.moves import PlayerMove
from service.rummy.state import Phase
from service.rummy.variants import Variant
from service.rummy.views import View
from workers.bots.bot import Budget
from workers.bots.by_the_rules.playing_out import PlayOuts
from workers.bots.levels.shrewd import Shrewd
from workers.bots.search.hints import Advice, advice_on, shortlist
from workers.bots.search.monte_carlo import LettingGo, Limit, Trials, weigh
from workers.bots.search.rollout_evaluator import Scales
from workers.bots.seat_view import Sight

#: The fewest worlds after which a move that is far behind may be let go.
FAIR_TRIAL: Final = 20
#: By the rules a world takes as long as a hundred of the simulator's: so many at least, at most a fair trial.
FEWEST_BY_THE_RULES: Final = 5
#: So far ahead, in standard errors, a move must be to be named before what was played, or what habit is: of
#: many moves the luckiest would else look best, and chance would be taken for advice.
_CLEARLY: Final = 1.0
#: What is said of a move is believed, so none is let go as early as in play, and what was played never is.
_LETTING_GO: Final = LettingGo(worlds=FAIR_TRIAL, behind=3.0, spares_first=True)
_MILLISECONDS: Final = 1000


class Searching:
    """Tries moves in worlds that agree with the view, as the level `expert` does."""

    def __init__(self, *, by_the_rules: bool = False) -> None:
        """Take the simulator, or try all by the rules: that is slow, and shows what the other is worth."""
        self._by_the_rules: Final = by_the_rules
        self._player: Final = Shrewd()

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
        limit = Limit(worlds=budget.worlds, deadline=perf_counter() + budget.milliseconds / _MILLISECONDS)
        habit = self._player.choose(view, legal, variant, chance)
        if habit is None:
            return ()
        trials: Trials
        if self._by_the_rules or view.phase is Phase.RUMMY_CALL:
            trials, fewest = PlayOuts(view, legal, variant, chance), FEWEST_BY_THE_RULES
            if limit.worlds is not None:
                limit = replace(limit, worlds=min(limit.worlds, FAIR_TRIAL))
        else:
            # Even a single move is told what it may bring, and for a fair trial there is always time.
            trials, fewest = Scales(view, variant, legal.moves, chance, points_alone=True), FAIR_TRIAL
        sight = Sight.of(view, variant)
        moves = shortlist(legal.moves, sight, (*also, habit))
        weighed = weigh(moves, trials, limit, caution=_CLEARLY, fewest=fewest, letting_go=_LETTING_GO)
        return advice_on(weighed, sight)
