"""Monte Carlo evaluation with paired samples: every move is tried in the same sampled deals.

Moves that are clearly worse are eliminated early, so that the time goes to the others. How a deal is
sampled and rolled out is up to the evaluator: see `rollout_evaluator`.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Final, Protocol

from service.rummy.moves import PlayerMove

#: With fewer samples the means say nothing, and the default move is chosen.
_MIN_SAMPLES: Final = 4

#: Returns what the move at an index brings in one sampled deal; None if the move is not legal there.
Evaluate = Callable[[int], float | None]


class Evaluator(Protocol):
    """Evaluates the moves of one position in sampled deals."""

    def samples(self, moves: Sequence[PlayerMove | None], /) -> Iterator[Evaluate]:
        """Yield an evaluation function for each sampled deal, without end."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Elimination:
    """Drop a move once it trails the best by `margin_in_errors` standard errors after `min_samples`.

    With `keeps_default` the default move is never dropped, so that it and the best move are compared
    over the same samples.
    """

    min_samples: int
    margin_in_errors: float
    keeps_default: bool = False


#: For play: time is better spent on the moves that are left.
FAST_ELIMINATION: Final = Elimination(min_samples=6, margin_in_errors=2.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """When to stop: after a number of samples, or else at a deadline of `perf_counter`."""

    samples: int | None
    deadline: float

    def is_reached(self, samples: int) -> bool:
        """Return whether the sample limit, or else the deadline, is reached."""
        return samples >= self.samples if self.samples is not None else perf_counter() >= self.deadline


@dataclass(slots=True)
class Candidate:
    """A move and its returns, one for each sample. `move` is None for ending the turn by policy."""

    move: PlayerMove | None
    index: int
    returns: list[float] = field(default_factory=list)

    @property
    def mean(self) -> float:
        """The mean return."""
        return sum(self.returns) / len(self.returns) if self.returns else -math.inf

    @property
    def error(self) -> float:
        """The standard error of the mean."""
        return _standard_error(self.returns)


def evaluate(  # noqa: PLR0913 - what is evaluated, and how
    moves: Sequence[PlayerMove | None],
    evaluator: Evaluator,
    limit: Limit,
    *,
    margin_in_errors: float = 0.0,
    min_samples: int = 0,
    elimination: Elimination = FAST_ELIMINATION,
) -> list[Candidate]:
    """Return the moves as candidates, the best first. The first of `moves` is the default move.

    Another move is preferred to the default only if it leads by `margin_in_errors` standard errors.
    Every move is tried in `min_samples` deals, whatever the limit and even if it is the only one.
    """
    candidates = [Candidate(move, index) for index, move in enumerate(moves)]
    default, alive = candidates[0], candidates
    samples, tried = evaluator.samples(moves), 0
    while alive and (tried < min_samples or (len(alive) > 1 and not limit.is_reached(tried))):
        evaluate_move = next(samples)
        for candidate in alive:
            # The deadline is checked within a sample too, so that one sample cannot overrun it.
            if limit.samples is None and tried >= min_samples and limit.is_reached(tried):
                break
            value = evaluate_move(candidate.index)
            if value is not None:
                candidate.returns.append(value)
        else:
            tried += 1
            # A view does not show all of a turn: a move may be illegal in a sampled deal and is dropped.
            alive = [candidate for candidate in alive if len(candidate.returns) == tried]
            if tried >= elimination.min_samples and tried % 2 == 0:
                alive = _survivors(alive, elimination, default)
            continue
        break
    for candidate in alive:
        del candidate.returns[tried:]
    best = max(alive, key=lambda candidate: candidate.mean, default=default)
    if tried < _MIN_SAMPLES:
        best = default
    elif margin_in_errors and default in alive:
        lead, error = _lead(best.returns, default.returns)
        best = best if lead > margin_in_errors * error else default
    rest = sorted(
        (candidate for candidate in candidates if candidate is not best), key=lambda other: -other.mean
    )
    return [best, *rest]


def _survivors(alive: Sequence[Candidate], elimination: Elimination, default: Candidate) -> list[Candidate]:
    """Return the candidates that do not clearly trail the best over the samples they share."""
    best = max(alive, key=lambda candidate: candidate.mean, default=default)
    kept = []
    for candidate in alive:
        lead, error = _lead(best.returns, candidate.returns)
        is_kept = candidate is best or (elimination.keeps_default and candidate is default)
        if is_kept or lead <= elimination.margin_in_errors * error:
            kept.append(candidate)
    return kept


def _lead(returns: Sequence[float], others: Sequence[float]) -> tuple[float, float]:
    """Return the mean of the paired differences and its standard error."""
    leads = [ahead - behind for ahead, behind in zip(returns, others, strict=True)]
    return sum(leads) / len(leads), _standard_error(leads)


def _standard_error(values: Sequence[float]) -> float:
    """Return the standard error of the mean; zero for fewer than two values."""
    count = len(values)
    mean = sum(values) / max(1, count)
    return math.sqrt(sum((value - mean) ** 2 for value in values) / max(1, count * (count - 1)))
