"""What a contest's results say: margins and win rates with their intervals, and when they have said enough.

One mirrored set is one sample: its rotations share their cards. A contest that may stop
early looks at its results ten times, at each tenth of its sets, and asks of each look what
O'Brien and Fleming ask, so that all looks together mislead five times in a hundred: at look
k of 10 an interval is 2.087 * sqrt(10 / k) standard errors to each side. The first look
demands 6.6 of them, the last little more than the 1.96 of a contest that never looked.

Source: P. C. O'Brien and T. R. Fleming, "A Multiple Testing Procedure for Clinical Trials",
Biometrics 35 (1979); the constant for ten looks is reckoned anew by a test.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from workers.bots.bot import Budget
from workers.tools.arena.entrants import is_searching
from workers.tools.arena.mirrored_set import Match, SetResult

LOOKS: Final = 10
#: With fewer sets than this a mean is not near enough to normal for a look.
FEWEST_FOR_A_LOOK: Final = 40
_OBRIEN_FLEMING: Final = 2.087
#: Half the width of a 95 % interval, in standard errors, for who looks only once.
NORMAL_95: Final = 1.96
#: Thinking longer than this over the budget counts as an overrun.
OVERRUN: Final = 1.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A mean, and half the width of its 95 % interval."""

    mean: float
    interval: float

    @property
    def low(self) -> float:
        """The lower end of the interval."""
        return self.mean - self.interval

    @property
    def high(self) -> float:
        """The upper end of the interval."""
        return self.mean + self.interval


@dataclass(slots=True, kw_only=True)
class _Samples:
    """Numbers one after the other, kept as their sums."""

    count: int = 0
    total: float = 0.0
    squares: float = 0.0

    def add(self, number: float) -> None:
        self.count += 1
        self.total += number
        self.squares += number * number

    def estimate(self, errors: float) -> Estimate:
        """Return the mean, with so many standard errors to each side."""
        mean = self.total / self.count
        if self.count == 1:
            return Estimate(mean=mean, interval=math.inf)
        variance = max(0.0, self.squares - self.count * mean * mean) / (self.count - 1)
        return Estimate(mean=mean, interval=errors * math.sqrt(variance / self.count))


@dataclass(frozen=True, slots=True, kw_only=True)
class Thinking:
    """How long a player thought about a decision, in milliseconds, and which share of turns was too long.

    None where nobody looked at a clock.
    """

    p50_ms: float | None
    p99_ms: float | None
    max_ms: float | None
    over_percent: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How a player did: points over the others' mean, shares won and led (a set is led by points)."""

    name: str
    margin: Estimate
    won_percent: Estimate
    led_percent: Estimate
    thinking: Thinking


@dataclass(slots=True, kw_only=True)
class _Row:
    margins: _Samples = field(default_factory=_Samples)
    wins: _Samples = field(default_factory=_Samples)
    leads: _Samples = field(default_factory=_Samples)
    decisions: list[float] = field(default_factory=list)
    turns: list[float] = field(default_factory=list)


class Scores:
    """The results of one match, as they come in.

    `above` is what is asked of the player named first: whether it scores so many points a
    deal more than the others, or wins so many per cent of the games. None asks whether it
    is better than chance. `sets` is how many will be played at most.
    """

    def __init__(self, match: Match, *, sets: int, above: float | None, may_stop: bool) -> None:
        self.match: Final = match
        self.sets: Final = sets
        self.may_stop: Final = may_stop and sets >= FEWEST_FOR_A_LOOK
        first = match.names[0]
        chance = 100 * match.chance_to_win(first) if match.whole_games else 0.0
        self.above: Final = chance if above is None else above
        self.count = 0
        self._rows: Final = {name: _Row() for name in match.names}

    def add(self, result: SetResult) -> None:
        """Note the result of the next set."""
        self.count += 1
        for name, row in self._rows.items():
            margin = result.margins[name]
            row.margins.add(margin)
            row.wins.add(result.wins[name])
            row.leads.add(1.0 if margin > 0 else 0.5 if margin == 0 else 0.0)
            row.decisions.extend(result.clocked[name].decisions)
            row.turns.extend(result.clocked[name].turns)

    @property
    def is_settled(self) -> bool:
        """Tell whether a look is due now, and answers what was asked."""
        if not self.may_stop or self.count < FEWEST_FOR_A_LOOK or not self._is_a_look:
            return False
        asked = self.asked
        return asked.low > self.above or asked.high < self.above

    @property
    def asked(self) -> Estimate:
        """What the question is about: the first player's margin, or its share of games won."""
        row, errors = self._rows[self.match.names[0]], self._errors
        if not self.match.whole_games:
            return row.margins.estimate(errors)
        return _in_percent(row.wins.estimate(errors))

    @property
    def _is_a_look(self) -> bool:
        return any(self.count == math.ceil(self.sets * look / LOOKS) for look in range(1, LOOKS + 1))

    @property
    def _errors(self) -> float:
        """How many standard errors an interval is wide to each side at this point."""
        if not self.may_stop:
            return NORMAL_95
        return _OBRIEN_FLEMING * math.sqrt(self.sets / max(1, self.count))

    def standings(self) -> list[Standing]:
        """Return the ladder, the best first."""
        errors = self._errors
        found = [
            Standing(
                name=name,
                margin=row.margins.estimate(errors),
                won_percent=_in_percent(row.wins.estimate(errors)),
                led_percent=_in_percent(row.leads.estimate(errors)),
                thinking=thinking(name, row.decisions, row.turns, self.match.budget),
            )
            for name, row in self._rows.items()
        ]
        return sorted(found, key=lambda standing: -standing.margin.mean)


def _in_percent(share: Estimate) -> Estimate:
    return Estimate(mean=100 * share.mean, interval=100 * share.interval)


def thinking(name: str, decisions: Sequence[float], turns: Sequence[float], budget: Budget) -> Thinking:
    """Return how long a player thought; only who searches for a time can overrun it."""
    over = None
    if is_searching(name) and budget.worlds is None and turns:
        longest = OVERRUN * budget.milliseconds
        over = 100 * sum(turn > longest for turn in turns) / len(turns)
    ordered = sorted(decisions)
    if not ordered:
        return Thinking(p50_ms=None, p99_ms=None, max_ms=None, over_percent=None)
    return Thinking(
        p50_ms=percentile(ordered, 50),
        p99_ms=percentile(ordered, 99),
        max_ms=ordered[-1],
        over_percent=over,
    )


def percentile(ordered: Sequence[float], percent: float) -> float:
    """Return the number that so many per cent of the ordered numbers do not exceed."""
    return ordered[max(0, math.ceil(len(ordered) * percent / 100) - 1)]


def overall(matches: Sequence[Scores]) -> list[Standing]:
    """Return the ladder over several matches: each player's means over those it played, the best first."""
    by_name: dict[str, list[Standing]] = {}
    for scores in matches:
        for standing in scores.standings():
            by_name.setdefault(standing.name, []).append(standing)
    found = [
        Standing(
            name=name,
            margin=_mean_of([one.margin for one in standings]),
            won_percent=_mean_of([one.won_percent for one in standings]),
            led_percent=_mean_of([one.led_percent for one in standings]),
            thinking=_longest_of([one.thinking for one in standings]),
        )
        for name, standings in by_name.items()
    ]
    return sorted(found, key=lambda standing: -standing.margin.mean)


def _mean_of(estimates: Sequence[Estimate]) -> Estimate:
    """Return the mean of independent estimates, each weighing as much as any other."""
    return Estimate(
        mean=sum(one.mean for one in estimates) / len(estimates),
        interval=math.hypot(*(one.interval for one in estimates)) / len(estimates),
    )


def _longest_of(found: Sequence[Thinking]) -> Thinking:
    def longest(times: Iterable[float | None]) -> float | None:
        return max((time for time in times if time is not None), default=None)

    return Thinking(
        p50_ms=longest(one.p50_ms for one in found),
        p99_ms=longest(one.p99_ms for one in found),
        max_ms=longest(one.max_ms for one in found),
        over_percent=longest(one.over_percent for one in found),
    )
