"""Tune the habits of `shrewd`: change one at a time, keep what scores better over the same deals.

    python -m workers.bots.training.shrewd_weights --preset basic-rummy --players 2 --deals 200 --rounds 2

Each candidate plays the opponents named and the habits it starts from, over deals that are
new in every round; it is kept when it gains more than its own standard error. What comes
out is printed, to be written into `workers/bots/evaluation/hand_value.py` once the arena confirms it over
deals it was not tuned on.
"""

import argparse
import math
import sys
from dataclasses import asdict
from typing import Final

from service.rummy.presets import PRESETS, resolve
from service.rummy.variants import MAX_SEATS, MIN_SEATS
from workers.arguments import json_object, whole_number
from workers.bots.bot import DEFAULT_BUDGET
from workers.bots.evaluation.hand_value import habits_for
from workers.tools.arena.entrants import HABITS, NAMES, tuned_name
from workers.tools.arena.match_pool import MatchPool, cores, open_pool
from workers.tools.arena.mirrored_set import Match

_FACTORS: Final = (0.6, 1.6)


def main() -> int:
    """Tune, and print every step."""
    arguments = _arguments()
    variant = resolve(arguments.preset, arguments.overrides, seats=arguments.players)
    start = asdict(habits_for(variant))
    start.update(arguments.start)
    rivals = [*arguments.against, tuned_name(start)]

    def match(habits: dict[str, float], rival: str) -> Match:
        # A name apart from the one it starts from, for the ladder counts by names.
        line_up = (tuned_name(habits) + ",", rival)
        return Match(
            variant=variant,
            seats=arguments.players,
            line_up=line_up,
            budget=DEFAULT_BUDGET,
            whole_games=False,
        )

    with open_pool(arguments.processes) as players:
        habits = dict(start)
        for turn in range(arguments.rounds):
            seeds = range(
                arguments.seed + turn * arguments.deals, arguments.seed + (turn + 1) * arguments.deals
            )
            best = _margins(players, [match(habits, rival) for rival in rivals], seeds)
            print(f"round {turn + 1}: {_mean(best):+.2f}  {tuned_name(habits)}", flush=True)
            for habit in arguments.only or HABITS:
                for factor in _FACTORS:
                    tried = {**habits, habit: habits[habit] * factor}
                    found = _margins(players, [match(tried, rival) for rival in rivals], seeds)
                    gains = [new - old for new, old in zip(found, best, strict=True)]
                    gain, error = _mean(gains), _error(gains)
                    better = gain > error
                    print(
                        f"  {habit}={tried[habit]:.4g}: {gain:+.2f} +- {error:.2f}{'  kept' * better}",
                        flush=True,
                    )
                    if better:
                        habits, best = tried, found
                        break
    print(tuned_name(habits))
    return 0


def _margins(players: MatchPool, matches: list[Match], seeds: range) -> list[float]:
    """Return the candidate's margin in each set, over all its rivals."""
    sums = [0.0] * len(seeds)
    for match in matches:
        for place, result in enumerate(players.play_sets(match, seeds)):
            sums[place] += result.margins[match.line_up[0]] / len(matches)
    return sums


def _mean(numbers: list[float]) -> float:
    return sum(numbers) / len(numbers)


def _error(numbers: list[float]) -> float:
    mean = _mean(numbers)
    return math.sqrt(sum((one - mean) ** 2 for one in numbers) / (len(numbers) - 1) / len(numbers))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--preset", choices=PRESETS, default="classic")
    add("--overrides", type=json_object, default={}, metavar="JSON")
    add("--players", type=whole_number(MIN_SEATS, MAX_SEATS), default=2, metavar="N")
    add(
        "--against", nargs="*", choices=NAMES, default=["srs-d", "steady"], help="besides what it starts from"
    )
    add("--deals", type=whole_number(2), default=200, help="mirrored deals a rival and a candidate")
    add("--rounds", type=whole_number(1), default=2)
    add("--only", nargs="*", choices=HABITS, help="change these habits only")
    add("--start", type=json_object, default={}, metavar="JSON", help="habits to start from")
    add("--seed", type=whole_number(0), default=1_000_000)
    add("--processes", type=whole_number(1), default=cores())
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
