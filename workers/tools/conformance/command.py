"""Play whole games over HTTP against any Rummy 500 service, and check every answer.

People are driven from the lists of lawful moves, computers take the other seats. Versions, cards,
points, winners and logs are reckoned anew. The exit status is 0 only if every game reached its end
and nothing was wrong: run it as the smoke test of a deployment.
"""

import argparse
import random
import secrets
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from threading import Event

import httpx
from tqdm import tqdm

from workers.arguments import json_object, whole_number
from workers.errors import CannotStart
from workers.tools.conformance.client import Client, Count, Tally, meta_of
from workers.tools.conformance.faults import GaveUp, Json, Wrong
from workers.tools.conformance.game import Plan, play_game

ANSWER_SECONDS = 10.0
# A long-poll is answered later than that on purpose.
READ_SECONDS = 40.0
MOST_FAULTS_TOLD = 20
FEWEST_PLAYERS, MOST_PLAYERS = 2, 8


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the subcommand."""
    add = parser.add_argument
    add("--url", default="http://127.0.0.1:8000", help="the service to play at (default: %(default)s)")
    add("--games", type=whole_number(1), default=1, metavar="N", help="how many games (default: %(default)s)")
    add(
        *("--players", "-p"),
        type=whole_number(FEWEST_PLAYERS, MOST_PLAYERS),
        metavar="P",
        help="seats a game (default: as few as the preset allows)",
    )
    add(
        "--people",
        type=whole_number(1, MOST_PLAYERS),
        default=1,
        metavar="K",
        help="how many seats to play from here; computers take the others (default: %(default)s)",
    )
    add("--preset", default="classic", metavar="NAME", help="the game to play (default: %(default)s)")
    add(
        "--overrides",
        type=json_object,
        default={},
        metavar="JSON",
        help="options played otherwise, such as '{\"target\": 150}'",
    )
    add("--level", default="steady", metavar="NAME", help="how the computers play (default: %(default)s)")
    add("--parallel", type=whole_number(1, 64), default=1, metavar="N", help="games at once (default: 1)")
    add("--seed", metavar="WORD", help="choose the same moves again wherever the cards are the same")
    add(
        "--sandbox",
        action="store_true",
        help="play sandbox games, which nobody sees in lists; the seed then settles the cards too",
    )
    add(
        "--call-window-ms",
        type=whole_number(0, 60_000),
        default=200,
        metavar="MS",
        help='how long a call of "Rummy!" is waited for (default: %(default)s)',
    )
    add(
        "--patience-seconds",
        type=whole_number(1, 3600),
        default=60,
        metavar="S",
        help="a game that stands still or gets no answer for so long has failed (default: %(default)s)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Play, print what happened, and return 0 if all was as it must be."""
    url: str = arguments.url.rstrip("/")
    seed: str = arguments.seed or secrets.token_hex(4)
    with connection(url, arguments.parallel) as http:
        plan = plan_of(arguments, meta_of(http, url))
        return simulate(http, plan, games=arguments.games, parallel=arguments.parallel, seed=seed)


@contextmanager
def connection(url: str, parallel: int) -> Iterator[httpx.Client]:
    """Connect to a service for so many games at once; raise CannotStart for what is no address."""
    # Every game holds one connection; the pool must not make one wait for another's long-poll.
    limits = httpx.Limits(max_connections=parallel + 1)
    timeout = httpx.Timeout(ANSWER_SECONDS, read=READ_SECONDS)
    try:
        http = httpx.Client(base_url=url, limits=limits, timeout=timeout)
    except (httpx.InvalidURL, ValueError):
        raise CannotStart(f"--url must look like http://127.0.0.1:8000, not {url!r}.") from None
    with http:
        yield http


def plan_of(arguments: argparse.Namespace, meta: Json) -> Plan:
    """Return what to play; raise CannotStart for what this service does not offer."""
    presets = {preset["name"]: preset for preset in meta["presets"]}
    if arguments.preset not in presets:
        raise CannotStart(f"There is no preset {arguments.preset!r}; there are {', '.join(presets)}.")
    levels = [level["name"] for level in meta["levels"]]
    if arguments.level not in levels:
        raise CannotStart(f"There is no level {arguments.level!r}; there are {', '.join(levels)}.")
    players = arguments.players or presets[arguments.preset]["players"]["least"]
    if arguments.people > players:
        raise CannotStart(f"{arguments.people} people do not fit on {players} seats.")
    return Plan(
        preset=arguments.preset,
        overrides=arguments.overrides,
        players=players,
        people=arguments.people,
        level=arguments.level,
        call_window_ms=arguments.call_window_ms,
        sandbox=arguments.sandbox,
        patience_seconds=arguments.patience_seconds,
    )


def simulate(http: httpx.Client, plan: Plan, *, games: int, parallel: int, seed: str) -> int:
    """Play the games, several at once, and return the exit status."""
    count, stopped = Count(), Event()
    client = Client(http, count, patience_seconds=plan.patience_seconds, stopped=stopped)

    def play(number: int) -> None:
        name = f"{seed}/{number}"
        play_game(client, plan, name, dice=random.Random(name), stopped=stopped)

    faults: list[str] = []
    began = time.monotonic()
    pool = ThreadPoolExecutor(parallel)
    try:
        # None: no bar where nobody would see it move.
        with tqdm(total=games, unit="game", disable=None) as bar:
            for game in as_completed([pool.submit(play, number) for number in range(games)]):
                _note(game, count, faults)
                bar.update()
                bar.set_postfix(moves=count.tally.moves, errors=count.tally.errors)
    finally:
        # Whatever ends this early, from the first game's start on, ends the other games as
        # well, instead of waiting for them.
        stopped.set()
        pool.shutdown(cancel_futures=True)
    _report(count.tally, faults, games=games, seed=seed, seconds=time.monotonic() - began)
    tally = count.tally
    return 0 if tally.games == games and not tally.errors and not tally.refused else 1


def _note(game: "Future[None]", count: Count, faults: list[str]) -> None:
    try:
        game.result()
    except Wrong as wrong:
        count.add("errors")
        faults.append(str(wrong))
    except GaveUp:
        pass
    else:
        count.add("games")


def _report(tally: Tally, faults: list[str], *, games: int, seed: str, seconds: float) -> None:
    for fault in faults[:MOST_FAULTS_TOLD]:
        print(f"wrong: {fault}", file=sys.stderr)
    if len(faults) > MOST_FAULTS_TOLD:
        print(f"... and {len(faults) - MOST_FAULTS_TOLD} more", file=sys.stderr)
    totals = tally.winning_totals
    won = f"won with {min(totals)} to {max(totals)} points; " if totals else ""
    print(
        f"{tally.games} of {games} games over, {tally.deals} deals, {tally.moves} moves, "
        f"{tally.refused} refused, {tally.errors} errors, {tally.moves / seconds:.0f} moves/s "
        f"({won}seed {seed}; {tally.lost} requests sent again, {tally.overtaken} calls too late)"
    )
