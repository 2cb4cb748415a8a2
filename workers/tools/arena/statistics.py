"""Margins and win rates of a match with their confidence intervals, and its stopping rule.

One mirrored set is one sample, because its rotations share their cards. A match that may stop early
is a group-sequential test: it looks at its results after each tenth of its sets, with the boundaries of
O'Brien and Fleming, so that the error of all looks together is 5 %. At look k of 10 an interval is
2.087 * sqrt(10 / k) standard errors to each side: 6.6 of them at the first look, and at the last one
little more than the 1.96 of a match without early looks.

Source: P. C. O'Brien and T. R. Fleming, "A Multiple Testing Procedure for Clinical Trials",
Biometrics 35 (1979). A test recomputes the constant for ten looks.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from workers.bots.bot import Budget
from workers.tools.arena.entrants import is_searching
from workers.tools.arena.mirrored_set import Match, SetResult

LOOKS: Final = 10
#: The mean of fewer sets than this is not close enough to normal for a look.
MIN_SETS_FOR_LOOK: Final = 40
_OBRIEN_FLEMING: Final = 2.087
#: Half the width of a 95 % interval, in standard errors, for a single look.
NORMAL_95: Final = 1.96
#: A turn that takes more than this multiple of the budget is an overrun.
OVERRUN: Final = 1.2
#: Wins and losses that a share's interval adds to the sample (Agresti and Coull).
_ADDED: Final = 2


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
    """The count, sum and sum of squares of a series of numbers."""

    count: int = 0
    total: float = 0.0
    squares: float = 0.0

    def add(self, number: float) -> None:
        self.count += 1
        self.total += number
        self.squares += number * number

    def estimate(self, errors: float) -> Estimate:
        """Return the mean, with an interval of `errors` standard errors to each side."""
        mean = self.total / self.count
        if self.count == 1:
            return Estimate(mean=mean, interval=math.inf)
        variance = max(0.0, self.squares - self.count * mean * mean) / (self.count - 1)
        return Estimate(mean=mean, interval=errors * math.sqrt(variance / self.count))

    def percentage(self, errors: float) -> Estimate:
        """Return the mean of shares from 0 to 1, in per cent, with an interval that is never zero.

        A few equal shares have no variance and would seem certain. So the interval is that of a sample
        with two wins and two losses more, as Agresti and Coull do, widened to have the mean in its middle.
        """
        padded = _Samples(
            count=self.count + 2 * _ADDED, total=self.total + _ADDED, squares=self.squares + _ADDED
        ).estimate(errors)
        mean = self.total / self.count
        return Estimate(mean=100 * mean, interval=100 * (padded.interval + abs(padded.mean - mean)))


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeSummary:
    """How long a player thought about a decision, in milliseconds, and the share of overrun turns.

    None where times were not measured.
    """

    p50_ms: float | None
    p99_ms: float | None
    max_ms: float | None
    over_percent: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class EntrantStanding:
    """The result of a player: points over the others' mean, shares of sets won and led by points."""

    name: str
    margin: Estimate
    won_percent: Estimate
    led_percent: Estimate
    thinking: TimeSummary


@dataclass(slots=True, kw_only=True)
class _Row:
    margins: _Samples = field(default_factory=_Samples)
    wins: _Samples = field(default_factory=_Samples)
    leads: _Samples = field(default_factory=_Samples)
    decisions: list[float] = field(default_factory=list)
    turns: list[float] = field(default_factory=list)


class MatchStatistics:
    """The statistics of one match, updated set by set.

    `above` is the threshold that the first player is compared with: points a deal over the others,
    or per cent of the games won. None means what chance would give. `sets` is the maximum number of sets.
    """

    def __init__(self, match: Match, *, sets: int, above: float | None, may_stop: bool) -> None:
        self.match: Final = match
        self.sets: Final = sets
        self.may_stop: Final = may_stop and sets >= MIN_SETS_FOR_LOOK
        first = match.names[0]
        chance = 100 * match.chance_to_win(first) if match.whole_games else 0.0
        self.above: Final = chance if above is None else above
        self.count = 0
        self._rows: Final = {name: _Row() for name in match.names}

    def add(self, result: SetResult) -> None:
        """Add the result of the next set."""
        self.count += 1
        for name, row in self._rows.items():
            margin = result.margins[name]
            row.margins.add(margin)
            row.wins.add(result.wins[name])
            row.leads.add(1.0 if margin > 0 else 0.5 if margin == 0 else 0.0)
            row.decisions.extend(result.times[name].decisions)
            row.turns.extend(result.times[name].turns)

    @property
    def is_settled(self) -> bool:
        """Whether a look is due now and places the first player above or below the threshold."""
        if not self.may_stop or self.count < MIN_SETS_FOR_LOOK or not self._is_a_look:
            return False
        return self.verdict is not None

    @property
    def verdict(self) -> Literal["above", "below"] | None:
        """On which side of the threshold the first player is; None while the interval includes it."""
        estimate = self.estimate
        if estimate.low > self.above:
            return "above"
        return "below" if estimate.high < self.above else None

    @property
    def estimate(self) -> Estimate:
        """The value compared with the threshold: the first player's margin, or its share of games won."""
        row, errors = self._rows[self.match.names[0]], self._errors
        return row.wins.percentage(errors) if self.match.whole_games else row.margins.estimate(errors)

    @property
    def _is_a_look(self) -> bool:
        return any(self.count == math.ceil(self.sets * look / LOOKS) for look in range(1, LOOKS + 1))

    @property
    def _errors(self) -> float:
        """Half the width of an interval at this point, in standard errors."""
        if not self.may_stop:
            return NORMAL_95
        return _OBRIEN_FLEMING * math.sqrt(self.sets / max(1, self.count))

    def standings(self) -> list[EntrantStanding]:
        """Return the players' results, the best first."""
        errors = self._errors
        standings = [
            EntrantStanding(
                name=name,
                margin=row.margins.estimate(errors),
                won_percent=row.wins.percentage(errors),
                led_percent=row.leads.percentage(errors),
                thinking=time_summary(name, row.decisions, row.turns, self.match.budget),
            )
            for name, row in self._rows.items()
        ]
        return sorted(standings, key=lambda standing: -standing.margin.mean)


def time_summary(
    name: str, decisions: Sequence[float], turns: Sequence[float], budget: Budget
) -> TimeSummary:
    """Return how long a player thought; only one that searches for a time can overrun it."""
    over = None
    if is_searching(name) and budget.worlds is None and turns:
        longest = OVERRUN * budget.milliseconds
        over = 100 * sum(turn > longest for turn in turns) / len(turns)
    ordered = sorted(decisions)
    if not ordered:
        return TimeSummary(p50_ms=None, p99_ms=None, max_ms=None, over_percent=None)
    return TimeSummary(
        p50_ms=percentile(ordered, 50),
        p99_ms=percentile(ordered, 99),
        max_ms=ordered[-1],
        over_percent=over,
    )


def percentile(ordered: Sequence[float], percent: float) -> float:
    """Return the smallest of the ordered numbers that at least `percent` of them do not exceed."""
    return ordered[max(0, math.ceil(len(ordered) * percent / 100) - 1)]


def overall(matches: Sequence[MatchStatistics]) -> list[EntrantStanding]:
    """Return each player's means over the matches it played, the best first."""
    by_name: dict[str, list[EntrantStanding]] = {}
    for match in matches:
        for standing in match.standings():
            by_name.setdefault(standing.name, []).append(standing)
    overall_standings = [
        EntrantStanding(
            name=name,
            margin=_mean_of([one.margin for one in standings]),
            won_percent=_mean_of([one.won_percent for one in standings]),
            led_percent=_mean_of([one.led_percent for one in standings]),
            thinking=_longest_of([one.thinking for one in standings]),
        )
        for name, standings in by_name.items()
    ]
    return sorted(overall_standings, key=lambda standing: -standing.margin.mean)


def _mean_of(estimates: Sequence[Estimate]) -> Estimate:
    """Return the mean of independent estimates, weighted equally."""
    return Estimate(
        mean=sum(one.mean for one in estimates) / len(estimates),
        interval=math.hypot(*(one.interval for one in estimates)) / len(estimates),
    )


def _longest_of(summaries: Sequence[TimeSummary]) -> TimeSummary:
    def longest(times: Iterable[float | None]) -> float | None:
        return max((time for time in times if time is not None), default=None)

    return TimeSummary(
        p50_ms=longest(one.p50_ms for one in summaries),
        p99_ms=longest(one.p99_ms for one in summaries),
        max_ms=longest(one.max_ms for one in summaries),
        over_percent=longest(one.over_percent for one in summaries),
    )
