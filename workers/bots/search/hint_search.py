"""Advice by search: the expected points of each move, on average over rollouts in sampled deals."""

from collections.abc import Sequence
from random import Random
from time import perf_counter
from typing import Final

from service.rummy.legal_moves import LegalMoves
from service.rummy.moves import PlayerMove
from service.rummy.variants import Variant
from service.rummy.views import View
from workers.bots.bot import Budget
from workers.bots.levels.shrewd import Shrewd
from workers.bots.search.hints import Advice, advice_on, shortlist
from workers.bots.search.monte_carlo import LettingGo, Limit, weigh
from workers.bots.search.rollout_evaluator import Scales

#: The fewest worlds after which a move that is far behind may be let go.
FAIR_TRIAL: Final = 20
#: So far ahead, in standard errors, a move must be to be named before what was played, or what habit is: of
#: many moves the luckiest would else look best, and chance would be taken for advice.
_CLEARLY: Final = 1.0
#: What is said of a move is believed, so none is let go as early as in play, and what was played never is.
_LETTING_GO: Final = LettingGo(worlds=FAIR_TRIAL, behind=3.0, spares_first=True)
_MILLISECONDS: Final = 1000


class Searching:
    """Tries moves in worlds that agree with the view, as the level `expert` does."""

    def __init__(self) -> None:
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
        scales = Scales(view, variant, legal.moves, chance, points_alone=True)
        moves = shortlist(legal.moves, scales.sight, (*also, habit))
        # Even a single move gets an estimate, and a fair trial is made whatever the time.
        weighed = weigh(moves, scales, limit, caution=_CLEARLY, fewest=FAIR_TRIAL, letting_go=_LETTING_GO)
        return advice_on(weighed, scales.sight)
