"""Print how deals end when computer players of one level play them: by preset, players and level.

A deal ends because a player goes out, because the stock has run out, or because it stood still for too
many turns (rule 7.7). A deal without a score is one in which no seat scored a point, for or against.
"""

import argparse
import multiprocessing
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from typing import Final

import msgspec

from service.rummy.evolve import quiet_turns_after
from service.rummy.options import MAX_SEATS, MIN_SEATS
from service.rummy.presets import PRESETS, resolve
from service.rummy.scoring import WENT_OUT
from workers.arguments import whole_number
from workers.bots.bot import DEFAULT_BUDGET
from workers.bots.registry import BOT_FACTORIES, SEARCHING
from workers.errors import WrongArguments
from workers.tools.arena.match_pool import cores
from workers.tools.arena.mirrored_set import Match, ThinkingTimes, play_game

_DEALS: Final = 100
_QUICK: Final = tuple(level for level in BOT_FACTORIES if level not in SEARCHING)
_CHUNK: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class DealEnd:
    """How one deal ended; `turns` counts those that drew."""

    seed: int
    went_out: bool
    stood_still: bool
    scoreless: bool
    turns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Endings:
    """How the deals of one table ended: numbers of deals, and turns a deal.

    `longest_seed` is the seed of the deal with the most turns.
    """

    preset: str
    players: int
    level: str
    deals: int
    went_out: int
    stock_end: int
    stood_still: int
    scoreless: int
    mean_turns: float
    most_turns: int
    longest_seed: int


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the subcommand."""
    add = parser.add_argument
    add(
        "--preset",
        action="append",
        choices=PRESETS,
        metavar="NAME",
        help=f"a preset to play, may be repeated: {', '.join(PRESETS)} (default: all)",
    )
    add(
        "--level",
        action="append",
        choices=BOT_FACTORIES,
        metavar="NAME",
        help=f"a level to play, may be repeated: {', '.join(BOT_FACTORIES)} (default: {', '.join(_QUICK)})",
    )
    add(
        *("--players", "-p"),
        type=whole_number(MIN_SEATS, MAX_SEATS),
        metavar="N",
        help="seats at the table (default: four, or as many as the preset allows)",
    )
    add(
        "--deals",
        type=whole_number(1),
        default=_DEALS,
        metavar="N",
        help="deals at each table (default: %(default)s)",
    )
    add("--seed", type=whole_number(0), default=1, metavar="N", help="the first deal (default: %(default)s)")
    add(
        "--processes",
        type=whole_number(1),
        default=cores(),
        metavar="N",
        help="processes that play (default: %(default)s)",
    )
    add("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    """Play the deals and print a line for each table; return 0."""
    tables = list(_tables(arguments))
    # Fresh interpreters: forked ones would inherit the threads' locks of this one.
    context = multiprocessing.get_context("spawn")
    found = []
    if not arguments.json:
        print(_HEADER)
    with ProcessPoolExecutor(arguments.processes, mp_context=context) as pool:
        for match in tables:
            seeds = range(arguments.seed, arguments.seed + arguments.deals)
            ends = list(pool.map(partial(play_deal, match), seeds, chunksize=_CHUNK))
            found.append(summed_up(match, ends))
            if not arguments.json:
                print(_line(found[-1]), flush=True)
    if arguments.json:
        sys.stdout.write(msgspec.json.encode([asdict(endings) for endings in found]).decode() + "\n")
    return 0


def _tables(arguments: argparse.Namespace) -> Iterator[Match]:
    """Yield the tables to play at, each with one level at every seat."""
    for preset in arguments.preset or PRESETS:
        fewest, most = PRESETS[preset].players
        players = arguments.players or min(max(4, fewest), most)
        if not fewest <= players <= most:
            raise WrongArguments(f"{preset} is for {fewest} to {most} players, not {players}.")
        for level in arguments.level or _QUICK:
            yield Match(
                variant=resolve(preset, {}, seats=players),
                seats=players,
                line_up=(level,),
                budget=DEFAULT_BUDGET,
                whole_games=False,
            )


def play_deal(match: Match, seed: int) -> DealEnd:
    """Play the deal of a seed and return how it ended."""
    times = {name: ThinkingTimes() for name in match.names}
    game = play_game(match, match.seated(0), seed=seed, times=times)
    result = game.deals[-1]
    went_out = result.reason == WENT_OUT
    return DealEnd(
        seed=seed,
        went_out=went_out,
        stood_still=not went_out and quiet_turns_after(game.deal) >= match.variant.quiet_turn_limit,
        scoreless=not any(seat.score for seat in result.seats),
        turns=sum(len(thinking.turns) for thinking in times.values()),
    )


def summed_up(match: Match, ends: Sequence[DealEnd]) -> Endings:
    """Return how the deals of a table ended, as numbers."""
    longest = max(ends, key=lambda end: end.turns)
    went_out = sum(end.went_out for end in ends)
    stood_still = sum(end.stood_still for end in ends)
    return Endings(
        preset=match.variant.name,
        players=match.seats,
        level=match.line_up[0],
        deals=len(ends),
        went_out=went_out,
        stock_end=len(ends) - went_out - stood_still,
        stood_still=stood_still,
        scoreless=sum(end.scoreless for end in ends),
        mean_turns=round(sum(end.turns for end in ends) / len(ends), 1),
        most_turns=longest.turns,
        longest_seed=longest.seed,
    )


_HEADER: Final = (
    f"{'preset':<18}{'players':>7}  {'level':<8}{'deals':>6}{'went out':>10}{'stock end':>11}"
    f"{'stood still':>13}{'no score':>10}{'turns':>8}{'most':>6}  seed of the longest"
)


def _line(found: Endings) -> str:
    def share(number: int) -> str:
        return f"{number / found.deals:.1%}"

    return (
        f"{found.preset:<18}{found.players:>7}  {found.level:<8}{found.deals:>6}{share(found.went_out):>10}"
        f"{share(found.stock_end):>11}{share(found.stood_still):>13}{share(found.scoreless):>10}"
        f"{found.mean_turns:>8}{found.most_turns:>6}  {found.longest_seed}"
    )
