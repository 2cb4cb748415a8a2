"""A contest told as a table for people, and as JSON for programs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from workers.tools.arena.entrants import is_searching
from workers.tools.arena.statistics import Estimate, Scores, Standing, overall

_HEAD: Final = (
    f"{'player':<10} {'points ahead':>17} {'won %':>15} {'sets led %':>15} "
    f"{'p50 ms':>8} {'p99 ms':>8} {'max ms':>8} {'turns over':>10}"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What was played: every match with its results, one at least."""

    matches: Sequence[Scores]
    preset: str
    overrides: dict[str, Any]
    seed: int
    url: str | None = None

    @property
    def repeats(self) -> bool:
        """Tell whether the same seed gives the same results: not where somebody thinks by the clock."""
        if self.url is not None:
            return False
        match = self.matches[0].match
        searching = any(is_searching(name) for scores in self.matches for name in scores.match.names)
        return match.budget.worlds is not None or not searching


def as_json(report: Report) -> str:
    """Return the whole report as JSON. Estimates are means with half the width of their 95 % intervals."""
    match = report.matches[0].match
    told = {
        "url": report.url,
        "preset": report.preset,
        "overrides": report.overrides,
        "players": match.seats,
        "unit": _unit(report),
        "seed": report.seed,
        "budget_ms": match.budget.milliseconds if match.budget.worlds is None else None,
        "budget_worlds": match.budget.worlds,
        "repeats_by_seed": {"results": report.repeats, "times": False},
        "ladder": overall(report.matches),
        "matches": [
            {
                "line_up": scores.match.line_up,
                "sets": scores.count,
                "sets_at_most": scores.sets,
                "asked_above": scores.above,
                "settled": _verdict(scores),
                "standings": scores.standings(),
            }
            for scores in report.matches
        ],
    }
    return msgspec.json.encode(told).decode()


def as_table(report: Report) -> str:
    """Return the ladder, and below it each match and what the numbers are worth."""
    lines = [_HEAD, *(_row(standing) for standing in overall(report.matches)), ""]
    lines += [_sentence(scores) for scores in report.matches]
    lines.append(
        "Intervals are 95 %; points are a player's own less the mean of the others', a deal or a game."
    )
    if any(scores.may_stop for scores in report.matches):
        lines.append(
            "It may stop at each tenth of the way, so intervals are widened as O'Brien and Fleming have it: "
            "all looks together mislead 5 times in 100."
        )
    lines.append(_what_repeats(report))
    return "\n".join(lines)


def _row(standing: Standing) -> str:
    thought = standing.thinking
    over = "-" if thought.over_percent is None else f"{thought.over_percent:.1f} %"
    p50, p99, longest = (_time(time) for time in (thought.p50_ms, thought.p99_ms, thought.max_ms))
    return (
        f"{standing.name:<10} {_with_interval(standing.margin, signed=True):>17} "
        f"{_with_interval(standing.won_percent):>15} {_with_interval(standing.led_percent):>15} "
        f"{p50:>8} {p99:>8} {longest:>8} {over:>10}"
    )


def _time(milliseconds: float | None) -> str:
    return "-" if milliseconds is None else f"{milliseconds:.2f}"


def _with_interval(estimate: Estimate, *, signed: bool = False) -> str:
    mean = f"{estimate.mean:+.1f}" if signed else f"{estimate.mean:.1f}"
    return f"{mean} +- {estimate.interval:.1f}"


def _sentence(scores: Scores) -> str:
    """Return what a match settled, in a sentence."""
    first, unit = scores.match.names[0], "games won, %" if scores.match.whole_games else "points ahead a deal"
    said = {
        "above": f"{first} is above {scores.above:g}",
        "below": f"{first} is below {scores.above:g}",
        None: f"whether {first} is above {scores.above:g} is open",
    }[_verdict(scores)]
    kind = "mirrored games" if scores.match.whole_games else "mirrored deals"
    others = ", ".join(scores.match.line_up[1:])
    asked = _with_interval(scores.asked, signed=not scores.match.whole_games)
    return f"{first} against {others}: {said} ({unit}: {asked}; {scores.count} of {scores.sets} {kind})."


def _verdict(scores: Scores) -> str | None:
    if scores.asked.low > scores.above:
        return "above"
    return "below" if scores.asked.high < scores.above else None


def _what_repeats(report: Report) -> str:
    if report.url is not None:
        return (
            f"With --seed {report.seed} the cards repeat; what is chosen at {report.url} is the bots' affair."
        )
    if report.repeats:
        return f"With --seed {report.seed} all of this repeats exactly, but for the times."
    return (
        f"With --seed {report.seed} the cards repeat; what is chosen by --budget-ms hangs on the machine and "
        "does not, nor do the times. --budget-worlds repeats."
    )


def _unit(report: Report) -> str:
    return "game" if report.matches[0].match.whole_games else "deal"
