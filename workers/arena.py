"""Let computer players meet over mirrored deals: the same cards for each at every seat.

A deal is played once for each rotation of the players round the table, so that luck of the
cards cancels out. What counts is a player's points a deal less the mean of the others'.
"""

import argparse
import hashlib
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from types import MappingProxyType
from typing import Any, Final

import msgspec
from tqdm import tqdm

from service.rummy.errors import VariantContradiction
from service.rummy.legal import legal_moves, seats_to_act
from service.rummy.play import new_game, play
from service.rummy.presets import PRESETS, resolve
from service.rummy.state import Game, Status
from service.rummy.variants import Variant
from service.rummy.views import view_for
from workers.bots.base import Bot
from workers.bots.registry import PLAYERS
from workers.bots.yardsticks import YARDSTICKS
from workers.errors import CannotStart

ENTRANTS: Final[Mapping[str, Bot]] = MappingProxyType({**PLAYERS, **YARDSTICKS})

#: Half the width of a 95 % interval, in standard errors.
_NORMAL_95: Final = 1.96


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How a player did: points a deal over the others' mean, with half its 95 % interval, and deals led."""

    name: str
    margin: float
    interval: float
    led_percent: float
    deals: int


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the subcommand."""
    parser.add_argument("entrants", nargs="+", choices=ENTRANTS, metavar="PLAYER", help=", ".join(ENTRANTS))
    parser.add_argument("--games", type=int, default=200, help="mirrored deals to play (default: 200)")
    parser.add_argument("--preset", choices=PRESETS, default="classic", help="rules to play by")
    parser.add_argument("--players", type=int, help="seats; the players named take turns round the table")
    parser.add_argument("--set", action="append", default=[], metavar="OPTION=VALUE", help="an override")
    parser.add_argument("--seed", type=int, default=1, help="the same seed gives the same deals (default: 1)")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    """Play the deals and print the ladder."""
    entrants: list[str] = arguments.entrants
    seats = arguments.players or max(2, len(entrants))
    if seats % len(entrants) or len(set(entrants)) < len(entrants) or len(entrants) < 2:  # noqa: PLR2004 - two to meet
        raise CannotStart("name at least two different players, as many to each as divides the seats evenly.")
    if arguments.games < 2:  # noqa: PLR2004 - an interval needs two
        raise CannotStart("--games must be 2 or more.")
    try:
        variant = resolve(arguments.preset, _overrides(arguments.set), seats=seats)
    except VariantContradiction as clash:
        raise CannotStart(clash.message) from None
    if variant.teams == "pairs" and len(entrants) > 2:  # noqa: PLR2004 - two pairs
        raise CannotStart("partners play as one: name two players for a game in pairs.")
    seeds = range(arguments.seed, arguments.seed + arguments.games)
    scores = [
        mirrored_deal(variant, entrants, seats=seats, seed=seed)
        for seed in tqdm(seeds, unit="deal", disable=not sys.stderr.isatty())
    ]
    _print(standings(entrants, scores), as_json=arguments.json)
    return 0


def _overrides(given: Sequence[str]) -> dict[str, Any]:
    overrides = {}
    for text in given:
        name, _, value = text.partition("=")
        try:
            overrides[name] = msgspec.json.decode(value)
        except msgspec.DecodeError:
            overrides[name] = value
    return overrides


def mirrored_deal(variant: Variant, entrants: Sequence[str], *, seats: int, seed: int) -> list[list[float]]:
    """Return each entrant's points over the others' mean, for every rotation round the table."""
    margins = []
    for rotation in range(len(entrants)):
        names = [entrants[(seat + rotation) % len(entrants)] for seat in range(seats)]
        game = play_deal(variant, [ENTRANTS[name] for name in names], seed=seed)
        won = [float(result.score) for result in game.deals[-1].seats]
        if variant.scoring == "penalty":
            won = [-points for points in won]
        margins.append([_margin(name, names, won) for name in entrants])
    return margins


def _margin(name: str, names: Sequence[str], won: Sequence[float]) -> float:
    own = [points for points, seated in zip(won, names, strict=True) if seated == name]
    others = [points for points, seated in zip(won, names, strict=True) if seated != name]
    return sum(own) / len(own) - sum(others) / len(others)


def play_deal(variant: Variant, players: Sequence[Bot], *, seed: int) -> Game:
    """Return the game after its first deal, played by these players."""
    key = hashlib.sha256(f"arena:{seed}".encode()).digest()
    chance = Random(seed)
    _, game = new_game(variant, seats=len(players), key=key)
    while game.status is Status.PLAYING:
        # Computers are heard from the discarder's left on; the first call wins.
        seat = seats_to_act(game)[0]
        move = players[seat].choose(view_for(game, seat), legal_moves(game, seat), variant, chance)
        assert move is not None  # noqa: S101 - a seat that may act always has a move
        _, game = play(game, move)
    return game


def standings(entrants: Sequence[str], scores: Sequence[Sequence[Sequence[float]]]) -> list[Standing]:
    """Return the ladder, the best first. One mirrored deal is one sample: its rotations share their luck."""
    ladder = []
    for place, name in enumerate(entrants):
        samples = [sum(margins[place] for margins in deal) / len(deal) for deal in scores]
        mean = sum(samples) / len(samples)
        variance = sum((sample - mean) ** 2 for sample in samples) / (len(samples) - 1)
        ladder.append(
            Standing(
                name=name,
                margin=mean,
                interval=_NORMAL_95 * math.sqrt(variance / len(samples)),
                led_percent=100 * sum(sample > 0 for sample in samples) / len(samples),
                deals=len(samples),
            )
        )
    return sorted(ladder, key=lambda standing: -standing.margin)


def _print(ladder: Sequence[Standing], *, as_json: bool) -> None:
    if as_json:
        print(msgspec.json.encode(ladder).decode())
        return
    print(f"{'player':<10} {'points a deal':>20} {'deals led':>10}")
    for one in ladder:
        print(f"{one.name:<10} {one.margin:>+11.1f} +- {one.interval:>5.1f} {one.led_percent:>8.0f} %")
    print(f"{ladder[0].deals} mirrored deals; points over the mean of the others, with 95 % intervals.")
