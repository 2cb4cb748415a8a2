"""The level `expert`: Monte Carlo search over sampled deals that agree with what the seat has seen.

A turn has three decisions: what to draw, what to lay (or hold back), and what to discard. Each is made
by rolling every answer out to the end of the deal in the same samples, against several opponent policies.
The budget of a turn is divided among the three.
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
from workers.bots.engine.rules import engine_knows
from workers.bots.evaluation.hand_value import weights_for
from workers.bots.levels.shrewd import Shrewd, end_of_turn
from workers.bots.observation import Observation
from workers.bots.search.monte_carlo import Candidate, Limit, evaluate
from workers.bots.search.rollout_evaluator import RolloutEvaluator

#: The shares of a turn's budget: for the draw, for each meld, for each lay-off, and for the discard. A turn
#: with three melds and five lay-offs stays within its budget.
_DRAW: Final = 0.4
_MELD: Final = 0.05
_LAY_OFF: Final = 0.01
_DISCARD: Final = 0.4
_MILLISECONDS: Final = 1000
#: The kinds of games in which the default move is kept unless another is clearly ahead: most of a rollout is
#: luck where the winner takes all or many play, and where jokers change hands.
_NOISY_KINDS: Final = frozenset({"basic", "jokers", "many"})
#: How clearly: in standard errors.
_MARGIN_IN_ERRORS: Final = 1.0
#: The most melds, and the most lay-offs, that are evaluated as the next move.
_MAX_CANDIDATES: Final = 8
#: The fewest samples for melds and lay-offs, when the budget is a number of samples.
_MIN_HALF_SAMPLES: Final = 4


class Expert:
    """Searches: samples what it cannot see, and rolls out every promising move to the end of the deal."""

    def __init__(self, budget: Budget = DEFAULT_BUDGET) -> None:
        self._budget: Final = budget
        self._default_policy: Final = Shrewd()

    def choose(self, view: View, legal: LegalMoves, variant: Variant, chance: Random, /) -> PlayerMove | None:
        """Return the best move found by search; None if there is no legal move.

        In noisy kinds of games the default move stays unless another one clearly leads. `Shrewd` plays what
        is not searched: calls, variants that the engine does not know, and deals without progress, which the
        rollouts would play to their end without a score.
        """
        moves = legal.moves
        if len(moves) <= 1:
            return moves[0] if moves else None
        is_stalled = Observation.of(view, variant).is_stalled
        if view.phase is Phase.RUMMY_CALL or is_stalled or not engine_knows(variant):
            return self._default_policy.choose(view, legal, variant, chance)
        return self.candidates(view, legal, variant, chance)[0].move

    def candidates(self, view: View, legal: LegalMoves, variant: Variant, chance: Random) -> list[Candidate]:
        """Return the candidates of the next decision, best first; none has `move=None`."""
        begun = perf_counter()
        moves = legal.moves
        evaluator = RolloutEvaluator(view, variant, moves, chance)
        default_move = self._default_policy.choose(view, legal, variant, chance)
        is_noisy = kind_of_game(variant, len(view.seats)) in _NOISY_KINDS
        margin = _MARGIN_IN_ERRORS if is_noisy else 0.0
        if view.phase is Phase.DRAW:
            limit = self._limit(begun, _DRAW, full=True)
            return evaluate(
                _with_default_first(moves, default_move), evaluator, limit, margin_in_errors=margin
            )
        lays = _melds_and_lay_offs(moves, default_move)
        if lays:
            share = _MELD if any(isinstance(move, LayMeld) for move in lays) else _LAY_OFF
            limit = self._limit(begun, share, full=False)
            candidates = evaluate(lays, evaluator, limit, margin_in_errors=margin)
            if candidates[0].move is not None:
                return candidates
            # Ending the turn is best: the next decision is how.
            begun = perf_counter()
        ends = [move for move in moves if not isinstance(move, LayMeld | LayOff)]
        default_move = end_of_turn(ends, evaluator.observation, weights_for(variant), chance)
        limit = self._limit(begun, _DISCARD, full=True)
        return evaluate(_with_default_first(ends, default_move), evaluator, limit, margin_in_errors=margin)

    def _limit(self, begun: float, share: float, *, full: bool) -> Limit:
        """Return the limit of one decision: with a sample budget all of it if `full`, otherwise half."""
        budget = self._budget
        if budget.worlds is not None:
            samples = budget.worlds if full else max(_MIN_HALF_SAMPLES, budget.worlds // 2)
            return Limit(samples=samples, deadline=0.0)
        return Limit(samples=None, deadline=begun + share * budget.milliseconds / _MILLISECONDS)


def _with_default_first(moves: Sequence[PlayerMove], default_move: PlayerMove | None) -> list[PlayerMove]:
    return sorted(moves, key=lambda move: move != default_move)


def _melds_and_lay_offs(
    moves: Sequence[PlayerMove], default_move: PlayerMove | None
) -> list[PlayerMove | None]:
    """Return what may be laid next, and None for ending the turn if that is legal; the default first."""
    melds = sorted(
        (move for move in moves if isinstance(move, LayMeld)),
        key=lambda move: (move != default_move, -len(move.cards)),
    )
    lay_offs = sorted(
        (move for move in moves if isinstance(move, LayOff)), key=lambda move: move != default_move
    )
    lays: list[PlayerMove | None] = [*melds[:_MAX_CANDIDATES], *lay_offs[:_MAX_CANDIDATES]]
    if lays and any(isinstance(move, Discard | KeepCard) for move in moves):
        lays.append(None)
    ends_turn = isinstance(default_move, Discard | KeepCard)
    return sorted(lays, key=lambda move: move is not None if ends_turn else move != default_move)
