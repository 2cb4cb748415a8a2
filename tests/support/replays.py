"""Records and logs made from games of the rules, for tests of replays.

`python -m tests.support.replays` lists the files in tests/notation/games that no longer match what the rules
play; `--write` rewrites them, to be read before they are committed.
"""

import random
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from service.games.record import (
    GameLogEntry,
    GameRecord,
    LoggedEvent,
    Seat,
    SeatJoined,
    SeatKind,
    SpectatorAccess,
    Status,
    Visibility,
)
from service.notation.from_record import replay_from_record
from service.notation.lines import Replay, ReplaySeat
from service.notation.writing import format_replay
from service.rummy.dealing import sandbox_key
from service.rummy.events import Event
from service.rummy.legal_moves import seats_to_act
from service.rummy.moves import StartNextDeal
from service.rummy.play import new_game, play
from service.rummy.presets import resolve
from service.rummy.state import Game, Stage
from tests.support.playthrough import GAMES, Golden, keep, simple_move

FOLDER: Final = Path(__file__).parents[1] / "notation" / "games"
NAMES = ("Ana", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gus", "Hal")
BEGAN_MS = 1_790_000_000_120


def record_of(game: Game, *, sandbox: bool = False, status: Status | None = None) -> GameRecord:
    """A record of the game, with people on all its seats."""
    seats = tuple(
        Seat(player_id=f"p{number}", name=NAMES[number], kind=SeatKind.HUMAN) for number in range(game.seats)
    )
    return GameRecord(
        id="g00example",
        version=1,
        status=Status(game.status) if status is None else status,
        created_at=BEGAN_MS,
        updated_at=BEGAN_MS,
        creator="p0",
        variant=game.variant,
        seats=seats,
        visibility=Visibility.PRIVATE,
        spectators=SpectatorAccess.NONE,
        rated=False,
        computer_pace_ms=0,
        clock=None,
        sandbox=sandbox,
        seats_held=False,
        invite_code="",
        key=game.key,
        game=game,
    )


def log_of(events: Sequence[Event | LoggedEvent], seats: int) -> list[GameLogEntry]:
    """A log in which all players joined before the events of the game; each event is a commit of its own."""
    joined = [SeatJoined(seat=number, name=NAMES[number], kind=SeatKind.HUMAN) for number in range(seats)]
    return [
        GameLogEntry(version=version, seq=0, at=BEGAN_MS, event=event)
        for version, event in enumerate([*joined, *events], start=1)
    ]


def replay_of_events(
    game: Game, events: Sequence[LoggedEvent], viewer: int | None = None, *, sandbox: bool = False
) -> Replay:
    """The replay of a game that led to `game` by these events."""
    return replay_from_record(record_of(game, sandbox=sandbox), log_of(events, game.seats), viewer)


def played(golden: Golden) -> tuple[Game, list[Event]]:
    """A game of the golden playthroughs, with all that happened in it."""
    variant = resolve(golden.preset, golden.house_rules, seats=golden.seats)
    events, game = new_game(variant, seats=golden.seats, key=sandbox_key(golden.seed))
    log, chance = [*events], random.Random(golden.seed)
    while game.status is not Stage.FINISHED:
        over = game.status is Stage.DEAL_OVER
        seat = 0 if over else seats_to_act(game)[0]
        events, game = play(game, StartNextDeal() if over else simple_move(game, seat, chance))
        log += events
    return game, log


def golden_text(name: str) -> str:
    """The replay of a golden playthrough as text."""
    return format_replay(replay_of_events(*played(GAMES[name])))


def example_text() -> str:
    """The game that openapi/NOTATION.md shows: one deal of a person, a bot and a computer."""
    example = replace(GAMES["classic"], house_rules={"deals": 1})
    replay = replay_of_events(*played(example))
    seats = (
        ReplaySeat(label="Ana", kind=SeatKind.HUMAN, name="Ana Lee"),
        ReplaySeat(label="Ben", kind=SeatKind.BOT, name="Ben"),
        ReplaySeat(label="steady", kind=SeatKind.COMPUTER, name="steady", level="steady"),
    )
    return format_replay(replace(replay, game_id="g23H8NdgzTj77gPgrBEcT8H0dbL00", seats=seats))


def path_of(name: str) -> Path:
    """The path of the replay of a game."""
    return FOLDER / f"{name}.txt"


if __name__ == "__main__":
    sys.exit(keep(__doc__, ((path_of(name), golden_text(name)) for name in GAMES)))
