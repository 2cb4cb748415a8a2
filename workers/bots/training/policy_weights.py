"""Train the habits of simulated players by play against others and against themselves.

    python -m workers.bots.training.policy_weights seven --minutes 4 [--rounds N] [--seed N] [--write]

The cross-entropy method: styles are drawn round a mean, play mirrored deals against the opponents,
and the best of them make the next mean and spread. It begins with the weights in use. `--write` puts
what was found into `simulator/weights.json`; look at the table it prints first. So many `--rounds`, if
the minutes are enough for them, find the same by the same seed on any machine. A compiled simulator
(`python deploy/compile_simulator.py`) gets ten times as far in a minute.
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from random import Random
from time import monotonic
from typing import Final

from service.rummy.presets import resolve
from workers.bots.engine import policy_weights
from workers.bots.engine.card_bits import JOKER, PACK, codes_of
from workers.bots.engine.deal import Deal
from workers.bots.engine.random_play import shuffle
from workers.bots.engine.rollout import WEIGHED, Style, play_out, style
from workers.bots.engine.rules import Rules, rules_for
from workers.bots.engine.scoring import margins

_WEIGHTS: Final = Path(policy_weights.__file__).with_name("weights.json")

#: The weights, and how widely they are tried round the mean at first.
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
#: Weights that are never above nought. Simulated players lay off whatever fits, so that without a bound
#: chance would carry this one anywhere, and it counts where a player holds a card back.
_AT_MOST_NOUGHT: Final = frozenset({"fits"})
_POPULATION: Final = 24
_ELITE: Final = 6
#: How much of the old mean and spread is kept, and how narrow a spread may become.
_INERTIA: Final = 0.3
_NARROWEST: Final = 0.03
#: Mirrored deals a style plays against each opponent, and those it is judged by in the end.
_DEALS: Final = 100
_JUDGED_BY: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """The game that a kind of style is trained in."""

    preset: str
    seats: int
    hand_size: int | None = None

    def rules(self) -> Rules:
        """Return its rules, without rummy calls, which nobody makes in the simulator."""
        overrides: dict[str, object] = {"call_rummy": "off"}
        if self.hand_size is not None:
            overrides["hand_size"] = self.hand_size
        return rules_for(resolve(self.preset, overrides, seats=self.seats), self.seats)


GAMES: Final[Mapping[str, Game]] = {
    "thirteen": Game(preset="classic", seats=2),
    "seven": Game(preset="classic", seats=2, hand_size=7),
    "many": Game(preset="classic", seats=4),
    "jokers": Game(preset="jokers", seats=2),
    "basic": Game(preset="basic-rummy", seats=2),
}


def mirrored_margin(rules: Rules, one: Style, other: Style, *, deals: int, seed: int) -> float:
    """Return what the one brings a deal over the other; they sit alternately, and change seats."""
    chance = Random(seed)
    total = 0.0
    for number in range(deals):
        pack = codes_of(PACK) * rules.packs + [JOKER] * rules.jokers
        shuffle(pack, chance.random)
        for first in range(2):
            seated = [(one, other)[(seat + first) % 2] for seat in range(rules.seats)]
            deal = Deal(rules)
            deal.chance = chance
            deal.deal_out(pack, number % rules.seats)
            play_out(deal, seated, chance.random)
            own = [margin for seat, margin in enumerate(margins(deal)) if (seat + first) % 2 == 0]
            total += sum(own) / len(own)
    return total / deals / 2


def train(  # noqa: PLR0913 - where it begins, and when it ends
    rules: Rules,
    begun: Mapping[str, float],
    *,
    seed: int,
    minutes: float = inf,
    rounds: float = inf,
    deals: int = _DEALS,
) -> dict[str, float]:
    """Return the weights found in the time, or in so many rounds if they are over earlier.

    `deals` are the mirrored deals a style plays against each opponent in a round.
    """
    dice, until, round_ = Random(seed), monotonic() + 60 * minutes, 0
    mean, spread = {name: begun.get(name, 0.0) for name in SPREADS}, dict(SPREADS)
    foes = (policy_weights.SRS, policy_weights.SRS_D, policy_weights.STRATEGIC, style(WEIGHED, begun))
    while round_ < rounds and monotonic() < until:
        itself = style(WEIGHED, mean)
        drawn = [_drawn(mean, spread, dice) for _ in range(_POPULATION)]
        # All play the same deals in a round, so that luck does not choose.
        luck = seed * 100_000 + round_
        scored = sorted(
            drawn, key=lambda weights: -_score(rules, weights, (*foes, itself), deals=deals, seed=luck)
        )
        mean, spread = _moved(mean, spread, scored[:_ELITE])
        round_ += 1
        print(f"round {round_}: " + " ".join(f"{name} {mean[name]:.2f}" for name in mean), flush=True)
    return mean


def _drawn(mean: Mapping[str, float], spread: Mapping[str, float], dice: Random) -> dict[str, float]:
    """Return weights drawn round the mean."""
    weights = {name: dice.gauss(mean[name], spread[name]) for name in SPREADS}
    return weights | {name: min(0.0, weights[name]) for name in _AT_MOST_NOUGHT}


def _score(
    rules: Rules, weights: Mapping[str, float], foes: Sequence[Style], *, deals: int, seed: int
) -> float:
    one = style(WEIGHED, weights)
    return sum(mirrored_margin(rules, one, foe, deals=deals, seed=seed) for foe in foes)


def _moved(
    mean: Mapping[str, float], spread: Mapping[str, float], elite: Sequence[Mapping[str, float]]
) -> tuple[dict[str, float], dict[str, float]]:
    """Return mean and spread moved towards the best."""
    moved, narrowed = {}, {}
    for name in mean:
        middle = sum(weights[name] for weights in elite) / len(elite)
        width = (sum((weights[name] - middle) ** 2 for weights in elite) / (len(elite) - 1)) ** 0.5
        moved[name] = _INERTIA * mean[name] + (1 - _INERTIA) * middle
        narrowed[name] = max(
            _NARROWEST * SPREADS[name], _INERTIA * spread[name] + (1 - _INERTIA) * 1.1 * width
        )
    return moved, narrowed


def main(arguments: Sequence[str]) -> int:
    """Train, print how the style found does, and write it where that was asked."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("kind", choices=GAMES)
    parser.add_argument("--minutes", type=float, default=4)
    parser.add_argument("--rounds", type=int, default=inf)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args(arguments)
    every = json.loads(_WEIGHTS.read_text(encoding="utf-8"))
    rules = GAMES[asked.kind].rules()
    before = every.get(asked.kind, every["thirteen"])
    found = train(rules, before, minutes=asked.minutes, rounds=asked.rounds, seed=asked.seed)
    foes = {"srs": policy_weights.SRS, "srs-d": policy_weights.SRS_D, "strategic": policy_weights.STRATEGIC}
    for name, foe in {**foes, "before": style(WEIGHED, before)}.items():
        margin = mirrored_margin(rules, style(WEIGHED, found), foe, deals=_JUDGED_BY, seed=asked.seed + 1)
        print(f"{margin:+6.1f} points a deal against {name}")
    if asked.write:
        every[asked.kind] = {name: round(weight, 3) for name, weight in found.items()}
        _WEIGHTS.write_text(json.dumps(every, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
