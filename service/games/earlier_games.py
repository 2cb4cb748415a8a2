"""A game as it stood at an earlier version, rebuilt from its log."""

from collections.abc import Iterable

from service.games.record import GameLogEntry, GameRecord
from service.games.refusals import Refusal
from service.rummy.events import Event
from service.rummy.evolve import replay
from service.rummy.positions import Position, position_of
from service.rummy.state import Stage


def position_at(record: GameRecord, log: Iterable[GameLogEntry], version: int) -> Position:
    """Return the position of a game that is over at one of its versions, with all its cards.

    `log` is its whole log. Raises Refusal `game_running`, because a running game has secrets, or
    `impossible_position` for a version at which no deal was running.
    """
    if not record.status.is_over:
        raise Refusal("game_running", "The game is still running. Its cards can be copied when it is over.")
    played = [entry.event for entry in log if entry.version <= version and isinstance(entry.event, Event)]
    game = replay(record.key, played) if played else None
    if game is None or game.status is not Stage.PLAYING or version > record.version:
        message = f"At version {version} no deal was running. Send a version at which a seat had the turn."
        field = {"field": "position_of.version", "message": message}
        raise Refusal("impossible_position", message, errors=[field])
    return position_of(game)
