"""How many deals a second the engine plays on one core, beside two gin rummy engines.

    python -m tests.bench.bench_simulator [--rounds N] [--deals N]

Two players, thirteen cards, all the rules; random play draws the kind of move first, then a legal move of
that kind. The plain modules are always measured, the compiled ones if `deploy/compile_simulator.py` has
built them from these sources. Gin rummy is a smaller game (one card to take, no melds before the end), and
OpenSpiel's is C++; they are here for scale. Rounds alternate between the engines, and the median of CPU time
counts, because other processes share the machine.
"""

import argparse
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

from service.rummy.presets import resolve
from workers.bots.engine.card_bits import PACK, codes_of
from workers.bots.engine.compiled_build import is_compiled
from workers.bots.engine.deal import SimulatedDeal
from workers.bots.engine.policy_weights import TRAINED
from workers.bots.engine.random_play import play_at_random, shuffle
from workers.bots.engine.rollout import roll_out
from workers.bots.engine.rules import rules_for

PLAIN_TARGET = 3_000
COMPILED_TARGET = 25_000


@dataclass(frozen=True)
class Engine:
    """Plays a number of deals; `rate` returns deals a second."""

    name: str
    rate: Callable[[int], float]


def our_rate(deals: int, *, trained: bool) -> float:
    """Return the deals a second of the build used in this process."""
    rules = rules_for(resolve("classic", {}, seats=2), 2)
    chance, pack = random.Random(1).random, codes_of(PACK)
    begun = time.process_time()
    for number in range(deals):
        shuffle(pack, chance)
        deal = SimulatedDeal(rules)
        deal.deal_out(pack, number % 2)
        if trained:
            roll_out(deal, [TRAINED["thirteen"]] * 2, chance)
        else:
            play_at_random(deal, chance)
    return deals / (time.process_time() - begun)


def _ours(build: str, *, trained: bool) -> Engine:
    """Return a build of our engine; it is chosen at import, so each runs in a process of its own."""
    flags = ["--ours", *(["--trained"] if trained else [])]

    def rate(deals: int) -> float:
        # Otherwise a compiled round is too short to measure.
        more = deals * 10 if build == "compiled" else deals
        environment = {**os.environ, "SIMULATOR": build}
        command = [sys.executable, "-m", "tests.bench.bench_simulator", *flags, "--deals", str(more)]
        return float(subprocess.run(command, env=environment, capture_output=True, check=True).stdout)

    return Engine(f"ours, {build}, {'trained players' if trained else 'random'}", rate)


def _openspiel() -> Engine:
    import pyspiel

    game = pyspiel.load_game("gin_rummy")

    def rate(deals: int) -> float:
        dice = random.Random(1)
        begun = time.process_time()
        for _ in range(deals):
            state = game.new_initial_state()
            while not state.is_terminal():
                state.apply_action(dice.choice(state.legal_actions()))
        return deals / (time.process_time() - begun)

    return Engine("OpenSpiel gin_rummy (C++), random", rate)


def _rlcard() -> Engine:
    import rlcard

    env = rlcard.make("gin-rummy", config={"seed": 1})

    def rate(deals: int) -> float:
        # Slow enough that a few deals suffice.
        few = max(2, deals // 20)
        dice = random.Random(1)
        begun = time.process_time()
        for seed in range(few):
            env.seed(seed)
            env.game.init_game()
            while not env.game.is_over():
                env.game.step(dice.choice(env.game.judge.get_legal_actions()))
        return few / (time.process_time() - begun)

    return Engine("RLCard gin-rummy (Python), random", rate)


def main() -> int:
    """Measure and print; return 1 if our targets are missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--deals", type=int, default=300, help="deals a round; ten times as many if compiled")
    parser.add_argument("--ours", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--trained", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.ours:
        print(our_rate(asked.deals, trained=asked.trained))
        return 0
    builds = ["plain", *(["compiled"] if is_compiled() else [])]
    engines = [_ours(build, trained=trained) for trained in (False, True) for build in builds]
    engines += [_openspiel(), _rlcard()]
    rates: dict[str, list[float]] = {engine.name: [] for engine in engines}
    for _ in range(asked.rounds):
        for engine in engines:
            rates[engine.name].append(engine.rate(asked.deals))
    print(f"{'deals a second, median of ' + str(asked.rounds):40} {'':>10} {'lowest-highest':>20}")
    for name, found in rates.items():
        print(f"{name:40} {statistics.median(found):>10,.0f} {min(found):>11,.0f}-{max(found):,.0f}")
    if not is_compiled():
        print("No compiled build of these sources: run `make compiled`.")
    met = True
    for build, target in zip(builds, (PLAIN_TARGET, COMPILED_TARGET), strict=False):
        reached = statistics.median(rates[f"ours, {build}, random"]) >= target
        print(f"target of {target:,} {build}: {'met' if reached else 'MISSED'}")
        met = met and reached
    return 0 if met else 1


if __name__ == "__main__":
    raise SystemExit(main())
