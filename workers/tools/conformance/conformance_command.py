"""Play whole games over HTTP against a Rummy 500 service, and check every answer.

The client plays --people seats of each game from the lists of legal moves; computers take the others.
Versions, cards, points, winners and logs are recomputed independently. The exit status is 0 only if every
game reached its end without an error: run it as the smoke test of a deployment. The accounts that it
creates are deleted at the end.
"""

import argparse
import json
import random
import secrets
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from queue import SimpleQueue
from threading import Event

import httpx
from tqdm import tqdm

from workers.arguments import json_object, whole_number
from workers.errors import WrongArguments
from workers.tools.conformance.client import Client, SharedTally, Tally, meta_of
from workers.tools.conformance.failures import Discrepancy, Json, Stopped
from workers.tools.conformance.game import Plan, play_game

ANSWER_SECONDS = 10.0
# A long-poll may take longer than any other request.
READ_SECONDS = 40.0
MAX_ERRORS_SHOWN = 20
MIN_PLAYERS, MAX_PLAYERS = 2, 8


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the subcommand."""
    add = parser.add_argument
    add(
        "--url",
        default="http://127.0.0.1:8000",
        metavar="URL",
        help="the service to check (default: %(default)s)",
    )
    add("--games", type=whole_number(1), default=1, metavar="N", help="games to play (default: %(default)s)")
    add(
        *("--players", "-p"),
        type=whole_number(MIN_PLAYERS, MAX_PLAYERS),
        metavar="N",
        help="seats of a game (default: the fewest that the preset allows)",
    )
    add(
        "--people",
        type=whole_number(1, MAX_PLAYERS),
        default=1,
        metavar="N",
        help="seats that the client plays; computers take the others (default: %(default)s)",
    )
    add("--preset", default="classic", metavar="NAME", help="the preset to play (default: %(default)s)")
    add(
        "--overrides",
        type=json_object,
        default={},
        metavar="JSON",
        help="options that differ from the preset, such as '{\"target\": 150}'",
    )
    add("--level", default="steady", metavar="NAME", help="the computers' level (default: %(default)s)")
    add(
        "--parallel",
        type=whole_number(1, 64),
        default=1,
        metavar="N",
        help="games to play in parallel (default: 1)",
    )
    add(
        "--seed",
        metavar="WORD",
        help="name of the run: the same word makes the same choices where the cards are the same, and with "
        "--sandbox deals the same cards (default: a random word, which the result shows)",
    )
    add(
        "--sandbox",
        action="store_true",
        help="play sandbox games, which are not listed publicly",
    )
    add(
        "--call-window-ms",
        type=whole_number(0, 60_000),
        default=200,
        metavar="MS",
        help='how long a window for the call of "Rummy!" stays open (default: %(default)s)',
    )
    add(
        "--patience-seconds",
        type=whole_number(1, 3600),
        default=60,
        metavar="S",
        help="a game without a move or an answer for this long has failed (default: %(default)s)",
    )
    add("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    """Play the games and print the result; returns 0 if there was no error."""
    url: str = arguments.url.rstrip("/")
    seed: str = arguments.seed or secrets.token_hex(4)
    with connection(url, arguments.parallel) as http:
        plan = plan_of(arguments, meta_of(http, url))
        result = run_games(http, plan, games=arguments.games, parallel=arguments.parallel, seed=seed)
    return report(result, as_json=arguments.json)


@contextmanager
def connection(url: str, parallel: int) -> Iterator[httpx.Client]:
    """Connect to a service for concurrent games; raises WrongArguments for an invalid URL."""
    # A connection for each game: none must wait for another's long-poll.
    limits = httpx.Limits(max_connections=parallel + 1)
    timeout = httpx.Timeout(ANSWER_SECONDS, read=READ_SECONDS)
    try:
        http = httpx.Client(base_url=url, limits=limits, timeout=timeout)
    except (httpx.InvalidURL, ValueError):
        raise WrongArguments(f"--url must look like http://127.0.0.1:8000, not {url!r}.") from None
    with http:
        yield http


def plan_of(arguments: argparse.Namespace, meta: Json) -> Plan:
    """Return the games to play; raises WrongArguments for what this service does not offer."""
    presets = {preset["name"]: preset for preset in meta["presets"]}
    if arguments.preset not in presets:
        raise WrongArguments(f"Unknown preset {arguments.preset!r}; choose from {', '.join(presets)}.")
    levels = [level["name"] for level in meta["levels"]]
    if arguments.level not in levels:
        raise WrongArguments(f"Unknown level {arguments.level!r}; choose from {', '.join(levels)}.")
    players = arguments.players or presets[arguments.preset]["players"]["least"]
    if arguments.people > players:
        raise WrongArguments(f"{arguments.people} people do not fit in {players} seats.")
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


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchResult:
    """The outcome of a run; `errors` are sentences."""

    tally: Tally
    errors: Sequence[str]
    games: int
    seed: str
    seconds: float

    @property
    def is_passed(self) -> bool:
        """Whether every game reached its end without an error."""
        tally = self.tally
        failures = tally.errors + tally.refused + tally.accounts_left
        return tally.games == self.games and not failures


def run_games(http: httpx.Client, plan: Plan, *, games: int, parallel: int, seed: str) -> MatchResult:
    """Play the games, several at once, and return the result."""
    tally, stopped = SharedTally(), Event()
    client = Client(http, tally, patience_seconds=plan.patience_seconds, stopped=stopped)

    def play(number: int) -> None:
        name = f"{seed}/{number}"
        play_game(client, plan, name, dice=random.Random(name), stopped=stopped)

    errors: list[str] = []
    finished = SimpleQueue[Future[None]]()
    began = time.monotonic()
    pool = ThreadPoolExecutor(parallel)
    try:
        with _ctrl_c_deferred():
            for number in range(games):
                pool.submit(play, number).add_done_callback(finished.put)
        # disable=None: no progress bar when standard error is not a terminal.
        with tqdm(total=games, unit="game", disable=None) as bar:
            for _ in range(games):
                _record(finished.get(), tally, errors)
                bar.update()
                bar.set_postfix(moves=tally.tally.moves, errors=tally.tally.errors)
    finally:
        # Whatever ends this early ends the games too, rather than waiting for them.
        stopped.set()
        pool.shutdown(cancel_futures=True)
    return MatchResult(
        tally=tally.tally, errors=errors, games=games, seed=seed, seconds=time.monotonic() - began
    )


@contextmanager
def _ctrl_c_deferred() -> Iterator[None]:
    """Deliver Ctrl-C after the block: an exception within `submit` would leave a lock of the pool held."""
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _record(game: "Future[None]", tally: SharedTally, errors: list[str]) -> None:
    try:
        game.result()
    except Discrepancy as error:
        tally.add("errors")
        errors.append(str(error))
    except Stopped:
        pass
    else:
        tally.add("games")


def report(result: MatchResult, *, as_json: bool) -> int:
    """Print the result, and return the exit status."""
    if as_json:
        print(_json(result))
    else:
        for error in result.errors[:MAX_ERRORS_SHOWN]:
            print(f"error: {error}", file=sys.stderr)
        if len(result.errors) > MAX_ERRORS_SHOWN:
            print(f"... and {len(result.errors) - MAX_ERRORS_SHOWN} more", file=sys.stderr)
        print(_text(result))
    return 0 if result.is_passed else 1


def _json(result: MatchResult) -> str:
    """Return the result as JSON."""
    tally = asdict(result.tally)
    return json.dumps(
        {
            "passed": result.is_passed,
            "seed": result.seed,
            "seconds": round(result.seconds, 3),
            "games": {"asked": result.games, "finished": tally.pop("games")},
            "deals": tally.pop("deals"),
            "moves": tally.pop("moves"),
            "refused": tally.pop("refused"),
            "requests_retried": tally.pop("lost"),
            "late_calls": tally.pop("overtaken"),
            "accounts_left": tally.pop("accounts_left"),
            "winning_totals": tally.pop("winning_totals"),
            "error_count": tally.pop("errors"),
            "errors": list(result.errors),
        }
    )


def _text(result: MatchResult) -> str:
    """Return the result in one line."""
    tally, totals = result.tally, result.tally.winning_totals
    won = f"won with {min(totals)} to {max(totals)} points; " if totals else ""
    left = f"; {tally.accounts_left} accounts could not be deleted" if tally.accounts_left else ""
    return (
        f"{tally.games} of {result.games} games finished, {tally.deals} deals, {tally.moves} moves, "
        f"{tally.refused} refused, {tally.errors} errors, {tally.moves / result.seconds:.0f} moves/s "
        f"({won}seed {result.seed}; {tally.lost} requests retried, {tally.overtaken} late calls{left})"
    )
