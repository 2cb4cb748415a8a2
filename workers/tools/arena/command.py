"""Let computer players meet over mirrored deals, and print a ladder.

The same cards are played once for each turn of the players round the table, so that the luck
of the cards cancels out. With more names than seats every choice of them meets. Points are
a player's own less the mean of the others'.
"""

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import combinations
from typing import Final, Protocol

from tqdm import tqdm

from service.rummy.errors import VariantContradiction
from service.rummy.presets import PRESETS, resolve
from service.rummy.variants import MAX_SEATS, MIN_SEATS
from workers.arguments import json_object, whole_number
from workers.bots.bot import DEFAULT_BUDGET, Budget
from workers.errors import CannotStart
from workers.tools.arena.entrants import NAMES, maker
from workers.tools.arena.match_pool import cores, crew
from workers.tools.arena.mirrored_set import Match, SetResult, Unlawful
from workers.tools.arena.report import Report, as_json, as_table
from workers.tools.arena.statistics import Scores

_DEALS: Final = 200
_INTERRUPTED: Final = 130


class Plays(Protocol):
    """Who plays the sets of a match: here, or at a service."""

    def results(self, match: Match, seeds: Iterable[int]) -> Iterator[SetResult]:
        """Yield the results in the order of the seeds."""
        ...


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the subcommand."""
    add = parser.add_argument
    add(
        "entrants",
        nargs="+",
        metavar="PLAYER",
        help=f"who plays: {', '.join(NAMES)}; or shrewd with other habits, such as shrewd:draw=1.2,stock=6; "
        "with --url levels of the service and bots named with --bot",
    )
    add("--preset", choices=PRESETS, default="classic", help="the game to play (default: %(default)s)")
    add("--overrides", type=json_object, default={}, metavar="JSON", help="options played otherwise")
    add(
        *("--players", "-p"),
        type=whole_number(MIN_SEATS, MAX_SEATS),
        metavar="P",
        help="seats at the table; the names are repeated round it (default: as many as there are names)",
    )
    length = parser.add_mutually_exclusive_group()
    length.add_argument(
        "--deals", type=whole_number(2), metavar="N", help=f"mirrored deals, at most (default: {_DEALS})"
    )
    length.add_argument(
        "--games",
        type=whole_number(2),
        metavar="N",
        help="mirrored whole games to the target in place of deals",
    )
    add(
        "--seed",
        type=whole_number(0),
        default=1,
        help="the same seed deals the same cards (default: %(default)s)",
    )
    thinking = parser.add_mutually_exclusive_group()
    thinking.add_argument(
        "--budget-ms",
        type=whole_number(1),
        metavar="MS",
        help="how long a searching player thinks about a turn "
        f"(default: {DEFAULT_BUDGET.milliseconds}); what it chooses then hangs on the machine",
    )
    thinking.add_argument(
        "--budget-worlds",
        type=whole_number(1),
        metavar="N",
        help="how many worlds a searching player deals out for a turn; this repeats exactly by the seed",
    )
    add(
        "--above",
        type=float,
        metavar="X",
        help="ask whether the first player is ahead by more than X points a deal (default: 0), or wins "
        "more than X per cent of the games (default: what chance would give), and stop once that is settled",
    )
    add("--all", action="store_true", help="play all of it, however soon it is settled")
    add("--processes", type=whole_number(1, 256), default=cores(), help="at once (default: all cores)")
    add("--json", action="store_true", help="print JSON")
    there = parser.add_argument_group("at a service, against bots of any kind")
    there.add_argument("--url", help="open mirrored sandbox games at this service, in place of playing here")
    there.add_argument(
        "--bot",
        action="append",
        default=[],
        metavar="NAME=FILE",
        help="a bot that runs somewhere, and the file with the token of its account; several files, parted "
        "by commas, for several seats",
    )
    there.add_argument(
        "--patience-seconds",
        type=whole_number(1, 3600),
        default=60,
        metavar="S",
        help="a game in which nobody moves for so long makes the contest void (default: %(default)s)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Play and print the ladder; interrupted, print what there is of it."""
    matches = matches_of(arguments)
    url: str | None = arguments.url and arguments.url.rstrip("/")
    if url is None:
        _check_names(arguments.entrants)
    sets: int = arguments.games or arguments.deals or _DEALS
    found = [Scores(match, sets=sets, above=arguments.above, may_stop=not arguments.all) for match in matches]
    status = 0
    try:
        with _crew(arguments, url, matches) as players:
            play(players, found, first_seed=arguments.seed)
    except Unlawful as fault:
        raise CannotStart(f"the contest is void: {fault}") from None
    except KeyboardInterrupt:
        status = _INTERRUPTED
    played = [scores for scores in found if scores.count]
    if played:
        report = Report(
            matches=played,
            preset=arguments.preset,
            overrides=arguments.overrides,
            seed=arguments.seed,
            url=url,
        )
        print(as_json(report) if arguments.json else as_table(report))
    return status


@contextmanager
def _crew(arguments: argparse.Namespace, url: str | None, matches: Sequence[Match]) -> Iterator[Plays]:
    """Have who plays the sets: processes of this machine, or bots at a service."""
    if url is None:
        with crew(arguments.processes) as here:
            yield here
        return
    from workers.tools.arena.remote_match import RemoteCrew, bots, guests_at
    from workers.tools.conformance.command import connection

    at_once: int = arguments.processes
    with connection(url, at_once) as http:
        guests = guests_at(http, url, bots(arguments.bot))
        for match in matches:
            guests.check(match.line_up, match.seats)
        there = RemoteCrew(http, guests, at_once=at_once, patience_seconds=arguments.patience_seconds)
        try:
            yield there
        finally:
            there.close()


def _check_names(entrants: Sequence[str]) -> None:
    for name in entrants:
        try:
            maker(name, DEFAULT_BUDGET)
        except ValueError as fault:
            raise CannotStart(f"{fault}.") from None


def play(players: Plays, found: Sequence[Scores], *, first_seed: int) -> None:
    """Play every match as long as it has something to settle."""
    total = sum(scores.sets for scores in found)
    # None: no bar where nobody would see it move.
    with tqdm(total=total, unit="set", disable=None, file=sys.stderr) as bar:
        for scores in found:
            bar.set_description(" ".join(scores.match.names))
            for result in players.results(scores.match, range(first_seed, first_seed + scores.sets)):
                scores.add(result)
                bar.update()
                bar.set_postfix_str(f"{scores.asked.mean:+.1f} +- {scores.asked.interval:.1f}")
                if scores.is_settled:
                    bar.update(scores.sets - scores.count)
                    break


def matches_of(arguments: argparse.Namespace) -> list[Match]:
    """Return who meets whom; raise CannotStart where that is no contest."""
    entrants: list[str] = arguments.entrants
    if len(set(entrants)) < 2:  # noqa: PLR2004 - two to meet
        raise CannotStart("name at least two different players.")
    least, most = PRESETS[arguments.preset].players
    seats = arguments.players or min(most, max(least, len(entrants)))
    try:
        variant = resolve(arguments.preset, arguments.overrides, seats=seats)
    except VariantContradiction as clash:
        raise CannotStart(clash.message) from None
    # Partners play as one, so that two players fill a table of pairs.
    table = 2 if variant.teams == "pairs" else seats
    line_ups = [tuple(entrants)]
    if len(entrants) > table:
        if len(set(entrants)) < len(entrants):
            raise CannotStart(f"{len(entrants)} names do not fit on {table} places; name each player once.")
        line_ups = list(combinations(entrants, table))
    budget = Budget(
        milliseconds=arguments.budget_ms or DEFAULT_BUDGET.milliseconds, worlds=arguments.budget_worlds
    )
    whole_games = arguments.games is not None
    return [
        Match(
            variant=variant,
            seats=seats,
            line_up=line_up,
            budget=budget,
            whole_games=whole_games,
            overrides=arguments.overrides,
        )
        for line_up in line_ups
    ]
