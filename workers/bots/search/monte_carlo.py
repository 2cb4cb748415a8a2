"""Weighing moves: each is tried in the same worlds, and the ones that fall behind are let go.

A world agrees with what the seat sees; what one is, and how a deal is played out in it, is for those
who make them to know: `scales` in the simulator, `by_the_rules` where that is none.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Final, Protocol

from service.rummy.moves import PlayerMove

#: Fewer worlds than this tell nothing, and habit decides.
_FEWEST_TOLD: Final = 4

#: Tells what the move at a place of those weighed brings in one world; None where that does not allow it.
World = Callable[[int], float | None]


class Trials(Protocol):
    """Where the moves of a seat are tried."""

    def worlds(self, moves: Sequence[PlayerMove | None], /) -> Iterator[World]:
        """Yield worlds to try the moves in, without end."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class LettingGo:
    """When a move is let go: from so many worlds on, where it is so many standard errors behind the best.

    `spares_first` keeps the first of the moves to the end, so that what is said of it and of the best
    is said of the same worlds.
    """

    worlds: int
    behind: float
    spares_first: bool = False


#: For who has a turn to play: the time is better spent on the moves that are left.
QUICKLY: Final = LettingGo(worlds=6, behind=2.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """When weighing stops: after so many worlds, or at a time of the machine's own clock."""

    worlds: int | None
    deadline: float

    def is_reached(self, worlds: int) -> bool:
        """Tell whether enough was weighed; without a number of worlds the clock is asked."""
        return worlds >= self.worlds if self.worlds is not None else perf_counter() >= self.deadline


@dataclass(slots=True)
class Weighed:
    """A move and what it brought, world by world. `move` is None for throwing what one's style throws."""

    move: PlayerMove | None
    place: int
    worths: list[float] = field(default_factory=list)

    @property
    def mean(self) -> float:
        """What the move brought on average."""
        return sum(self.worths) / len(self.worths) if self.worths else -math.inf

    @property
    def error(self) -> float:
        """The standard error of that."""
        return _error(self.worths)


def weigh(  # noqa: PLR0913 - what is weighed, and how
    moves: Sequence[PlayerMove | None],
    trials: Trials,
    limit: Limit,
    *,
    caution: float = 0.0,
    fewest: int = 0,
    letting_go: LettingGo = QUICKLY,
) -> list[Weighed]:
    """Return the moves weighed, the best first; `moves` begin with what habit would do.

    `caution` is how many standard errors another must be ahead to be preferred to habit,
    `fewest` in how many worlds every move is tried, whatever the limit and though it has no rival.
    """
    entered = [Weighed(move, place) for place, move in enumerate(moves)]
    habit, alive = entered[0], entered
    worlds, tried = trials.worlds(moves), 0
    while alive and (tried < fewest or (len(alive) > 1 and not limit.is_reached(tried))):
        world = next(worlds)
        for one in alive:
            # A world is left half weighed when time is over, so that no budget is overrun by one.
            if limit.worlds is None and tried >= fewest and limit.is_reached(tried):
                break
            worth = world(one.place)
            if worth is not None:
                one.worths.append(worth)
        else:
            tried += 1
            # A view does not tell all of a turn: a move that made-up worlds do not allow cannot be weighed.
            alive = [one for one in alive if len(one.worths) == tried]
            if tried >= letting_go.worlds and tried % 2 == 0:
                alive = _abreast(alive, letting_go, habit)
            continue
        break
    for one in alive:
        del one.worths[tried:]
    best = max(alive, key=lambda one: one.mean, default=habit)
    if tried < _FEWEST_TOLD:
        best = habit
    elif caution and habit in alive:
        lead, error = _lead(best.worths, habit.worths)
        best = best if lead > caution * error else habit
    rest = sorted((one for one in entered if one is not best), key=lambda one: -one.mean)
    return [best, *rest]


def _abreast(alive: Sequence[Weighed], letting_go: LettingGo, first: Weighed) -> list[Weighed]:
    """Return the moves that are not clearly behind the best, judged by the worlds they share."""
    best = max(alive, key=lambda one: one.mean, default=first)
    kept = []
    for one in alive:
        lead, error = _lead(best.worths, one.worths)
        is_spared = one is best or (letting_go.spares_first and one is first)
        if is_spared or lead <= letting_go.behind * error:
            kept.append(one)
    return kept


def _lead(worths: Sequence[float], others: Sequence[float]) -> tuple[float, float]:
    """Return how far the first are ahead of the others on average, and the standard error of that."""
    leads = [ahead - behind for ahead, behind in zip(worths, others, strict=True)]
    return sum(leads) / len(leads), _error(leads)


def _error(values: Sequence[float]) -> float:
    """Return the standard error of the mean; nought of a single value, or of none."""
    count = len(values)
    mean = sum(values) / max(1, count)
    return math.sqrt(sum((value - mean) ** 2 for value in values) / max(1, count * (count - 1)))
