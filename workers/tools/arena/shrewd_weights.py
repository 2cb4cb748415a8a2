"""Tune the weights of `shrewd`: change one at a time, and keep what scores better over the same deals.

    python -m workers.tools.arena.shrewd_weights --preset basic-rummy --players 2 --deals 200 --rounds 2

Each candidate plays the named opponents and the weights it started from; every round has new deals. A
candidate is kept if it gains more than its standard error. Write the printed weights into
`workers/bots/evaluation/hand_value.py` after the arena has confirmed them over other deals.
"""

import argparse
import math
import sys
from dataclasses import asdict
from typing import Final

from service.rummy.options import MAX_SEATS, MIN_SEATS
from service.rummy.presets import PRESETS, resolve
from workers.arguments import json_object, whole_number
from workers.bots.bot import DEFAULT_BUDGET
from workers.bots.evaluation.hand_value import weights_for
from workers.tools.arena.entrants import NAMES, WEIGHTS, tuned_name
from workers.tools.arena.match_pool import MatchPool, cores, open_pool
from workers.tools.arena.mirrored_set import Match

_FACTORS: Final = (0.6, 1.6)


def main() -> int:
    """Tune the weights and print every step."""
    arguments = _arguments()
    variant = resolve(arguments.preset, arguments.overrides, seats=arguments.players)
    start = asdict(weights_for(variant))
    start.update(arguments.start)
    opponents = [*arguments.against, tuned_name(start)]

    def match(weights: dict[str, float], opponent: str) -> Match:
        # The comma makes the name differ from the weights it started from: results are kept by name.
        line_up = (tuned_name(weights) + ",", opponent)
        return Match(
            variant=variant,
            seats=arguments.players,
            line_up=line_up,
            budget=DEFAULT_BUDGET,
            whole_games=False,
        )

    with open_pool(arguments.processes) as players:
        weights = dict(start)
        for round_number in range(arguments.rounds):
            first = arguments.seed + round_number * arguments.deals
            seeds = range(first, first + arguments.deals)
            best = _margins(players, [match(weights, opponent) for opponent in opponents], seeds)
            print(f"round {round_number + 1}: {_mean(best):+.2f}  {tuned_name(weights)}", flush=True)
            for name in arguments.only or WEIGHTS:
                for factor in _FACTORS:
                    candidate = {**weights, name: weights[name] * factor}
                    margins = _margins(players, [match(candidate, opponent) for opponent in opponents], seeds)
                    gains = [new - old for new, old in zip(margins, best, strict=True)]
                    gain, error = _mean(gains), _error(gains)
                    is_better = gain > error
                    kept = "  kept" if is_better else ""
                    print(f"  {name}={candidate[name]:.4g}: {gain:+.2f} +- {error:.2f}{kept}", flush=True)
                    if is_better:
                        weights, best = candidate, margins
                        break
    print(tuned_name(weights))
    return 0


def _margins(players: MatchPool, matches: list[Match], seeds: range) -> list[float]:
    """Return the candidate's margin in each set, over all opponents."""
    sums = [0.0] * len(seeds)
    for match in matches:
        for place, result in enumerate(players.play_sets(match, seeds)):
            sums[place] += result.margins[match.line_up[0]] / len(matches)
    return sums


def _mean(numbers: list[float]) -> float:
    return sum(numbers) / len(numbers)


def _error(numbers: list[float]) -> float:
    mean = _mean(numbers)
    return math.sqrt(sum((number - mean) ** 2 for number in numbers) / (len(numbers) - 1) / len(numbers))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--preset", choices=PRESETS, default="classic")
    add("--overrides", type=json_object, default={}, metavar="JSON")
    add("--players", type=whole_number(MIN_SEATS, MAX_SEATS), default=2, metavar="N")
    add(
        "--against",
        nargs="*",
        choices=NAMES,
        default=["srs-d", "steady"],
        help="beside the start",
    )
    add("--deals", type=whole_number(2), default=200, help="mirrored deals for each opponent and candidate")
    add("--rounds", type=whole_number(1), default=2)
    add("--only", nargs="*", choices=WEIGHTS, help="change only these weights")
    add("--start", type=json_object, default={}, metavar="JSON", help="weights to start from")
    add("--seed", type=whole_number(0), default=1_000_000)
    add("--processes", type=whole_number(1), default=cores())
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
