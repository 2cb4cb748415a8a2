"""Train the rollout policies by play against other policies and against themselves.

    python -m workers.bots.training.policy_weights seven --minutes 4 [--rounds N] [--seed N] [--write]

Uses the cross-entropy method: weights are sampled around a mean and play mirrored deals against the
opponents, and the best of them make the next mean and spread. Training starts from the weights in use.
`--write` puts the result into `engine/weights.json`, with the seed, the rounds and the commit; read the
table it prints first. The same seed and number of rounds give the same weights on any machine. With a
compiled engine (`python deploy/compile_simulator.py`) a minute is enough for ten times the rounds.
"""

import argparse
import json
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from random import Random
from time import monotonic
from typing import Final

from service.rummy.presets import resolve
from workers.bots.engine.card_bits import JOKER, PACK, codes_of
from workers.bots.engine.deal import SimulatedDeal
from workers.bots.engine.policy_weights import SRS, SRS_D, STRATEGIC, WEIGHTS_FILE
from workers.bots.engine.random_play import shuffle
from workers.bots.engine.rollout import WEIGHED, PolicyWeights, make_policy, roll_out
from workers.bots.engine.rules import Rules, rules_for
from workers.bots.engine.scoring import margins

#: The weights, and the standard deviation with which each is sampled at first.
SPREADS: Final[Mapping[str, float]] = {
    "value": 0.2,
    "own": 1.2,
    "any_link": 1.2,
    "near": 0.9,
    "pile": 1.2,
    "fits": 2.4,
    "known": 1.2,
    "beside": 0.9,
    "twice": 1.8,
    "table": 0.12,
    "cost_linked": 0.12,
    "cost_lonely": 0.12,
    "haste": 0.4,
    "stock": 3.0,
    "each": 0.6,
    "deny": 0.1,
}
#: Weights that are never positive. Policies lay off all that fits, so without a bound this weight would drift
#: at random; it matters when a player holds a card back.
_NEVER_POSITIVE: Final = frozenset({"fits"})
_POPULATION: Final = 24
_ELITE: Final = 6
#: The share of the old mean and spread that is kept, and how narrow a spread may become.
_INERTIA: Final = 0.3
_MIN_SPREAD: Final = 0.03
#: Mirrored deals against each opponent in a round, and those of the final table.
_DEALS: Final = 100
_TEST_DEALS: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingGame:
    """The game in which a kind of policy is trained."""

    preset: str
    seats: int
    hand_size: int | None = None

    def rules(self) -> Rules:
        """Return its rules, without rummy calls: policies make none."""
        overrides: dict[str, object] = {"call_rummy": "off"}
        if self.hand_size is not None:
            overrides["hand_size"] = self.hand_size
        return rules_for(resolve(self.preset, overrides, seats=self.seats), self.seats)


OPPONENTS: Final[Mapping[str, PolicyWeights]] = {"srs": SRS, "srs-d": SRS_D, "strategic": STRATEGIC}
GAMES: Final[Mapping[str, TrainingGame]] = {
    "thirteen": TrainingGame(preset="classic", seats=2),
    "seven": TrainingGame(preset="classic", seats=2, hand_size=7),
    "many": TrainingGame(preset="classic", seats=4),
    "jokers": TrainingGame(preset="jokers", seats=2),
    "basic": TrainingGame(preset="basic-rummy", seats=2),
}


def mirrored_margin(
    rules: Rules, policy: PolicyWeights, other: PolicyWeights, *, deals: int, seed: int
) -> float:
    """Return the mean lead of a policy over another per deal; they sit alternately and swap seats."""
    chance = Random(seed)
    total = 0.0
    for number in range(deals):
        pack = codes_of(PACK) * rules.packs + [JOKER] * rules.jokers
        shuffle(pack, chance.random)
        for first in range(2):
            seated = [(policy, other)[(seat + first) % 2] for seat in range(rules.seats)]
            deal = SimulatedDeal(rules)
            deal.chance = chance
            deal.deal_out(pack, number % rules.seats)
            roll_out(deal, seated, chance.random)
            leads = [margin for seat, margin in enumerate(margins(deal)) if (seat + first) % 2 == 0]
            total += sum(leads) / len(leads)
    return total / deals / 2


def train(  # noqa: PLR0913 - where it starts, and when it ends
    rules: Rules,
    start: Mapping[str, float],
    *,
    seed: int,
    minutes: float = inf,
    max_rounds: float = inf,
    deals: int = _DEALS,
) -> tuple[dict[str, float], int]:
    """Return the weights found within the time and the rounds allowed, and the rounds played.

    `deals` is the number of mirrored deals against each opponent in a round.
    """
    chance, deadline, rounds = Random(seed), monotonic() + 60 * minutes, 0
    mean, spread = {name: start.get(name, 0.0) for name in SPREADS}, dict(SPREADS)
    opponents = (*OPPONENTS.values(), make_policy(WEIGHED, start))
    while rounds < max_rounds and monotonic() < deadline:
        rivals = (*opponents, make_policy(WEIGHED, mean))
        population = [_sample(mean, spread, chance) for _ in range(_POPULATION)]
        # All play the same deals in a round, so that luck does not decide.
        deal_seed = seed * 100_000 + rounds
        scores = [_score(rules, weights, rivals, deals=deals, seed=deal_seed) for weights in population]
        best_first = sorted(range(_POPULATION), key=lambda number: -scores[number])
        mean, spread = _updated(mean, spread, [population[number] for number in best_first[:_ELITE]])
        rounds += 1
        print(f"round {rounds}: " + " ".join(f"{name} {mean[name]:.2f}" for name in mean), flush=True)
    return mean, rounds


def _sample(mean: Mapping[str, float], spread: Mapping[str, float], chance: Random) -> dict[str, float]:
    """Return weights sampled around the mean."""
    weights = {name: chance.gauss(mean[name], spread[name]) for name in SPREADS}
    return weights | {name: min(0.0, weights[name]) for name in _NEVER_POSITIVE}


def _score(
    rules: Rules, weights: Mapping[str, float], opponents: Sequence[PolicyWeights], *, deals: int, seed: int
) -> float:
    policy = make_policy(WEIGHED, weights)
    return sum(mirrored_margin(rules, policy, opponent, deals=deals, seed=seed) for opponent in opponents)


def _updated(
    mean: Mapping[str, float], spread: Mapping[str, float], elite: Sequence[Mapping[str, float]]
) -> tuple[dict[str, float], dict[str, float]]:
    """Return mean and spread moved towards the best weights."""
    moved, narrowed = {}, {}
    for name in mean:
        middle = sum(weights[name] for weights in elite) / len(elite)
        width = (sum((weights[name] - middle) ** 2 for weights in elite) / (len(elite) - 1)) ** 0.5
        moved[name] = _INERTIA * mean[name] + (1 - _INERTIA) * middle
        narrowed[name] = max(
            _MIN_SPREAD * SPREADS[name], _INERTIA * spread[name] + (1 - _INERTIA) * 1.1 * width
        )
    return moved, narrowed


def main(words: Sequence[str]) -> int:
    """Train, print how the weights do, and write them with `--write`."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("kind", choices=GAMES)
    parser.add_argument("--minutes", type=float, default=4)
    parser.add_argument("--rounds", type=int, default=inf)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args(words)
    seed = arguments.seed
    trained = json.loads(WEIGHTS_FILE.read_text(encoding="utf-8"))
    rules = GAMES[arguments.kind].rules()
    before = trained[arguments.kind]["weights"]
    weights, rounds = train(rules, before, minutes=arguments.minutes, max_rounds=arguments.rounds, seed=seed)
    policy = make_policy(WEIGHED, weights)
    for name, opponent in {**OPPONENTS, "before": make_policy(WEIGHED, before)}.items():
        margin = mirrored_margin(rules, policy, opponent, deals=_TEST_DEALS, seed=seed + 1)
        print(f"{margin:+6.1f} points a deal against {name}")
    if arguments.write:
        trained[arguments.kind] = {
            "weights": {name: round(weight, 3) for name, weight in weights.items()},
            "trained": {"seed": seed, "rounds": rounds, "commit": _commit()},
        }
        WEIGHTS_FILE.write_text(json.dumps(trained, indent=1) + "\n", encoding="utf-8")
    return 0


def _commit() -> str | None:
    """Return the commit of this checkout, None outside of one."""
    git = shutil.which("git")
    if git is None:
        return None
    command = [git, "-C", str(WEIGHTS_FILE.parent), "describe", "--always", "--dirty", "--abbrev=12"]
    described = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - our own words
    return described.stdout.strip() or None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
