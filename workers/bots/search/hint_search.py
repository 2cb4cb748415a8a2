"""Advice by search: the expected points of each move, on average over rollouts in sampled deals."""

from collections.abc import Sequence
from random import Random
from time import perf_counter
from typing import Final

from service.rummy.legal_moves import LegalMoves
from service.rummy.moves import PlayerMove
from service.rummy.variants import Variant
from service.rummy.views import View
from workers.bots.bot import Bot, Budget
from workers.bots.engine.rules import engine_knows
from workers.bots.search.hints import Advice, advice_on, shortlist
from workers.bots.search.monte_carlo import Elimination, Limit, evaluate
from workers.bots.search.rollout_evaluator import RolloutEvaluator
from workers.bots.search.rules_evaluator import RulesEvaluator

#: Every move is tried in at least this many sampled deals.
MIN_SAMPLES: Final = 20
#: The lead, in standard errors, that puts a move before the default or the move played: of many moves the
#: luckiest looks best, and luck must not be taken for advice.
_MARGIN_IN_ERRORS: Final = 1.0
#: People trust the figures, so moves are eliminated later than in play, and the move played never is.
_ELIMINATION: Final = Elimination(min_samples=MIN_SAMPLES, margin_in_errors=3.0, keeps_default=True)
#: By the rules a rollout takes so long that fewer must do: a hint stays within seconds.
_SLOW_ELIMINATION: Final = Elimination(min_samples=8, margin_in_errors=3.0, keeps_default=True)
_MAX_SLOW_SAMPLES: Final = 24
_MILLISECONDS: Final = 1000


class HintSearch:
    """Tries moves in sampled deals that agree with the view, as the level `expert` does."""

    def __init__(self, default_policy: Bot, rollout_policy: Bot) -> None:
        """Search for moves that are clearly better than what `default_policy` plays.

        `rollout_policy` plays a deal to its end by the rules in variants that the engine does not know.
        """
        self._default_policy: Final = default_policy
        self._rollout_policy: Final = rollout_policy

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
        """Return the evaluated moves, the best first."""
        worlds, deadline = budget.worlds, perf_counter() + budget.milliseconds / _MILLISECONDS
        default_move = self._default_policy.choose(view, legal, variant, chance)
        if default_move is None:
            return ()
        evaluator: RolloutEvaluator | RulesEvaluator
        if engine_knows(variant):
            evaluator = RolloutEvaluator(view, variant, legal.moves, chance, points_only=True)
            elimination = _ELIMINATION
        else:
            evaluator = RulesEvaluator(view, variant, legal.moves, self._rollout_policy, chance)
            elimination = _SLOW_ELIMINATION
            worlds = None if worlds is None else min(worlds, _MAX_SLOW_SAMPLES)
        moves = shortlist(legal.moves, evaluator.observation, (*also, default_move))
        # Even a single move gets an estimate, whatever the time.
        candidates = evaluate(
            moves,
            evaluator,
            Limit(samples=worlds, deadline=deadline),
            margin_in_errors=_MARGIN_IN_ERRORS,
            min_samples=elimination.min_samples,
            elimination=elimination,
        )
        return advice_on(candidates, evaluator.observation)
