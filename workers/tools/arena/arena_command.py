"""Compare computer players over mirrored deals, and print their results with 95 % intervals.

Every set of cards is played once for each rotation of the players around the table, so that the luck of
the cards cancels out. With more players than seats, every combination of them plays a match. Points are
a player's own less the mean of the others'.

The exit status is 0 whatever the result, unless --fail-below asks for a gate: then it is 1 if the first
player is not shown to be above X.
"""

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import combinations
from typing import Final, Protocol

from tqdm import tqdm

from service.rummy.errors import VariantContradiction
from service.rummy.options import MAX_SEATS, MIN_SEATS
from service.rummy.presets import PRESETS, resolve
from workers.arguments import json_object, whole_number
from workers.bots.bot import DEFAULT_BUDGET, Budget
from workers.errors import CannotStart, WrongArguments
from workers.tools.arena.entrants import NAMES, player_factory
from workers.tools.arena.match_pool import cores, open_pool
from workers.tools.arena.mirrored_set import IllegalMoveChosen, Match, SetResult
from workers.tools.arena.report import Report, as_json, as_table
from workers.tools.arena.statistics import MatchStatistics

_DEALS: Final = 200
_NOT_ABOVE: Final = 1
_INTERRUPTED: Final = 130


class SetPlayer(Protocol):
    """Plays the sets of a match: on this machine, or at a service."""

    def play_sets(self, match: Match, seeds: Iterable[int]) -> Iterator[SetResult]:
        """Yield the results in the order of the seeds."""
        ...


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the subcommand."""
    add = parser.add_argument
    add(
        "entrants",
        nargs="+",
        metavar="PLAYER",
        help=f"the players: {', '.join(NAMES)}; or shrewd with other weights, such as "
        "shrewd:draw=1.2,stock=6; with --url, the service's levels and bots named with --bot",
    )
    add(
        "--preset",
        choices=PRESETS,
        default="classic",
        metavar="NAME",
        help=f"the preset to play: {', '.join(PRESETS)} (default: %(default)s)",
    )
    add(
        "--overrides",
        type=json_object,
        default={},
        metavar="JSON",
        help="options that differ from the preset, such as '{\"target\": 300}'",
    )
    add(
        *("--players", "-p"),
        type=whole_number(MIN_SEATS, MAX_SEATS),
        metavar="N",
        help="seats at the table; the players are repeated around it (default: one for each player)",
    )
    length = parser.add_mutually_exclusive_group()
    length.add_argument(
        "--deals", type=whole_number(2), metavar="N", help=f"mirrored deals at most (default: {_DEALS})"
    )
    length.add_argument(
        "--games",
        type=whole_number(2),
        metavar="N",
        help="mirrored whole games, to the target, instead of deals",
    )
    add(
        "--seed",
        type=whole_number(0),
        default=1,
        metavar="N",
        help="number of the first set of cards; each further set, and each further match, takes the next "
        "numbers (default: %(default)s)",
    )
    thinking = parser.add_mutually_exclusive_group()
    thinking.add_argument(
        "--budget-ms",
        type=whole_number(1),
        metavar="MS",
        help="time a searching player has for a turn "
        f"(default: {DEFAULT_BUDGET.milliseconds}); its moves then depend on the machine's speed",
    )
    thinking.add_argument(
        "--budget-worlds",
        type=whole_number(1),
        metavar="N",
        help="deals a searching player samples for a turn, instead of a time; "
        "the seed then repeats its moves",
    )
    question = parser.add_mutually_exclusive_group()
    question.add_argument(
        "--above",
        type=float,
        metavar="X",
        help="stop once the interval shows whether the first player is above or below X points ahead a deal "
        "(default: 0) or, with --games, X per cent of games won (default: its share of the seats)",
    )
    question.add_argument(
        "--fail-below",
        type=float,
        metavar="X",
        help="as --above X, and exit with status 1 unless the whole interval is above X in every match of "
        "the first player; for use as a gate",
    )
    add("--all", action="store_true", help="play all sets, even after the result is settled")
    add(
        "--processes",
        type=whole_number(1, 256),
        default=cores(),
        metavar="N",
        help="sets to play in parallel (default: one for each core)",
    )
    add("--json", action="store_true", help="print JSON")
    service = parser.add_argument_group("at a service, against bots of any kind")
    service.add_argument(
        "--url", metavar="URL", help="play mirrored sandbox games at this service instead of here"
    )
    service.add_argument(
        "--bot",
        action="append",
        default=[],
        metavar="NAME=FILE",
        help="a bot that runs elsewhere, and the file that holds the token of its account; "
        "several files, comma-separated, for several seats",
    )
    service.add_argument(
        "--patience-seconds",
        type=whole_number(1, 3600),
        default=60,
        metavar="S",
        help="a game without a move for this long invalidates the results (default: %(default)s)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Play the matches and print the report; after Ctrl-C, print what was played."""
    matches = matches_of(arguments)
    url: str | None = arguments.url and arguments.url.rstrip("/")
    if url is None:
        _check_names(arguments.entrants)
    sets: int = arguments.games or arguments.deals or _DEALS
    threshold = arguments.above if arguments.fail_below is None else arguments.fail_below
    statistics = [
        MatchStatistics(match, sets=sets, above=threshold, may_stop=not arguments.all) for match in matches
    ]
    interrupted = False
    try:
        with _set_player(arguments, url, matches) as player:
            play(player, statistics, first_seed=arguments.seed)
    except IllegalMoveChosen as error:
        raise CannotStart(f"The results are invalid: {error}") from None
    except KeyboardInterrupt:
        interrupted = True
    played = [stats for stats in statistics if stats.count]
    if played:
        report = Report(
            matches=played,
            preset=arguments.preset,
            overrides=arguments.overrides,
            seed=arguments.seed,
            url=url,
        )
        print(as_json(report) if arguments.json else as_table(report))
    if interrupted:
        return _INTERRUPTED
    return 0 if arguments.fail_below is None or _is_first_above(statistics) else _NOT_ABOVE


def _is_first_above(statistics: Sequence[MatchStatistics]) -> bool:
    first = statistics[0].match.line_up[0]
    return all(stats.verdict == "above" for stats in statistics if stats.match.line_up[0] == first)


@contextmanager
def _set_player(
    arguments: argparse.Namespace, url: str | None, matches: Sequence[Match]
) -> Iterator[SetPlayer]:
    """Open what plays the sets: processes of this machine, or a service."""
    if url is None:
        with open_pool(arguments.processes) as pool:
            yield pool
        return
    from workers.tools.arena.remote_match import RemoteMatchPool, participants_at, read_bots
    from workers.tools.conformance.conformance_command import connection

    at_once: int = arguments.processes
    with connection(url, at_once) as http:
        participants = participants_at(http, url, read_bots(arguments.bot))
        for match in matches:
            participants.check(match.line_up, match.seats)
        remote = RemoteMatchPool(
            http, participants, at_once=at_once, patience_seconds=arguments.patience_seconds
        )
        try:
            yield remote
        finally:
            remote.close()


def _check_names(entrants: Sequence[str]) -> None:
    for name in entrants:
        try:
            player_factory(name, DEFAULT_BUDGET)
        except ValueError as error:
            raise WrongArguments(f"{error}.") from None


def play(player: SetPlayer, statistics: Sequence[MatchStatistics], *, first_seed: int) -> None:
    """Play every match until it is settled or all its sets are played."""
    total = sum(stats.sets for stats in statistics)
    # disable=None: no progress bar when standard error is not a terminal.
    with tqdm(total=total, unit="set", disable=None, file=sys.stderr) as bar:
        for stats in statistics:
            # Every match has cards of its own, so that a player's matches are independent samples.
            seeds = range(first_seed, first_seed + stats.sets)
            first_seed += stats.sets
            bar.set_description(" ".join(stats.match.names))
            for result in player.play_sets(stats.match, seeds):
                stats.add(result)
                bar.update()
                bar.set_postfix_str(f"{stats.estimate.mean:+.1f} +- {stats.estimate.interval:.1f}")
                if stats.is_settled:
                    bar.update(stats.sets - stats.count)
                    break


def matches_of(arguments: argparse.Namespace) -> list[Match]:
    """Return the matches to play; raises WrongArguments when the players do not fit."""
    entrants: list[str] = arguments.entrants
    if len(set(entrants)) < 2:  # noqa: PLR2004 - a match has two players
        raise WrongArguments("name at least two different players.")
    fewest, most = PRESETS[arguments.preset].players
    seats = arguments.players or min(most, max(fewest, len(entrants)))
    try:
        variant = resolve(arguments.preset, arguments.overrides, seats=seats)
    except VariantContradiction as clash:
        raise WrongArguments(clash.message) from None
    # Partners play as one, so two players fill a table of pairs.
    places = 2 if variant.teams == "pairs" else seats
    line_ups = [tuple(entrants)]
    if len(entrants) > places:
        if len(set(entrants)) < len(entrants):
            raise WrongArguments(
                f"{len(entrants)} players do not fit in {places} places; name each player once."
            )
        line_ups = list(combinations(entrants, places))
    budget = Budget(
        milliseconds=arguments.budget_ms or DEFAULT_BUDGET.milliseconds, worlds=arguments.budget_worlds
    )
    return [
        Match(
            variant=variant,
            seats=seats,
            line_up=line_up,
            budget=budget,
            whole_games=arguments.games is not None,
            overrides=arguments.overrides,
        )
        for line_up in line_ups
    ]
