"""The report of an arena run, as a table and as JSON."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from workers.tools.arena.entrants import is_searching
from workers.tools.arena.statistics import EntrantStanding, Estimate, MatchStatistics, overall

_HEAD: Final = (
    f"{'player':<10} {'points ahead':>17} {'won %':>15} {'sets led %':>15} "
    f"{'p50 ms':>8} {'p99 ms':>8} {'max ms':>8} {'overruns':>10}"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What was played: at least one match, with its statistics."""

    matches: Sequence[MatchStatistics]
    preset: str
    overrides: dict[str, Any]
    seed: int
    url: str | None = None

    @property
    def is_repeatable(self) -> bool:
        """Whether the same seed gives the same results: not when a search is limited by time."""
        if self.url is not None:
            return False
        match = self.matches[0].match
        searching = any(is_searching(name) for played in self.matches for name in played.match.names)
        return match.budget.worlds is not None or not searching


def as_json(report: Report) -> str:
    """Return the report as JSON. An estimate is a mean and half the width of its 95 % interval."""
    match = report.matches[0].match
    document = {
        "url": report.url,
        "preset": report.preset,
        "overrides": report.overrides,
        "players": match.seats,
        "unit": _unit(report),
        "seed": report.seed,
        "budget_ms": match.budget.milliseconds if match.budget.worlds is None else None,
        "budget_worlds": match.budget.worlds,
        "repeats_by_seed": {"results": report.is_repeatable, "times": False},
        "ladder": overall(report.matches),
        "matches": [
            {
                "line_up": played.match.line_up,
                "sets": played.count,
                "sets_at_most": played.sets,
                "asked_above": played.above,
                "settled": played.verdict,
                "standings": played.standings(),
            }
            for played in report.matches
        ],
    }
    return msgspec.json.encode(document).decode()


def as_table(report: Report) -> str:
    """Return the standings over all matches, a sentence for each match, and how to read them."""
    lines = [_HEAD, *(_row(standing) for standing in overall(report.matches)), ""]
    lines += [_conclusion(played) for played in report.matches]
    lines.append(
        "Intervals are 95 %. Points ahead are a player's points less the mean of the others', "
        f"per {_unit(report)}."
    )
    if any(played.may_stop for played in report.matches):
        lines.append(
            "A match may stop after each tenth of its sets; intervals are widened for that "
            "(O'Brien and Fleming), so that all looks together err in 5 % of matches."
        )
    lines.append(_repeatability(report))
    return "\n".join(lines)


def _row(standing: EntrantStanding) -> str:
    times = standing.thinking
    overruns = "-" if times.over_percent is None else f"{times.over_percent:.1f} %"
    p50, p99, longest = (_time(time) for time in (times.p50_ms, times.p99_ms, times.max_ms))
    return (
        f"{standing.name:<10} {_with_interval(standing.margin, signed=True):>17} "
        f"{_with_interval(standing.won_percent):>15} {_with_interval(standing.led_percent):>15} "
        f"{p50:>8} {p99:>8} {longest:>8} {overruns:>10}"
    )


def _time(milliseconds: float | None) -> str:
    return "-" if milliseconds is None else f"{milliseconds:.2f}"


def _with_interval(estimate: Estimate, *, signed: bool = False) -> str:
    mean = f"{estimate.mean:+.1f}" if signed else f"{estimate.mean:.1f}"
    return f"{mean} +- {'?' if math.isinf(estimate.interval) else f'{estimate.interval:.1f}'}"


def _conclusion(played: MatchStatistics) -> str:
    """Return whether the first player is above the threshold, in a sentence."""
    first, whole_games = played.match.names[0], played.match.whole_games
    unit = "games won, %" if whole_games else "points ahead a deal"
    conclusion = {
        "above": f"{first} is above {played.above:g}",
        "below": f"{first} is below {played.above:g}",
        None: f"inconclusive, {first} may be above or below {played.above:g}",
    }[played.verdict]
    sets = "mirrored games" if whole_games else "mirrored deals"
    others = ", ".join(played.match.line_up[1:])
    estimate = _with_interval(played.estimate, signed=not whole_games)
    counted = f"{played.count} of {played.sets} {sets}"
    return f"{first} against {others}: {conclusion} ({unit}: {estimate}; {counted})."


def _repeatability(report: Report) -> str:
    if report.url is not None:
        return (
            f"--seed {report.seed} deals the same cards again; "
            f"the bots' moves at {report.url} may differ from run to run."
        )
    if report.is_repeatable:
        return f"--seed {report.seed} repeats these results exactly, except the times."
    return (
        f"--seed {report.seed} deals the same cards again, but with --budget-ms the moves depend on the "
        "machine's speed. --budget-worlds makes them repeatable."
    )


def _unit(report: Report) -> str:
    return "game" if report.matches[0].match.whole_games else "deal"
