"""The jobs of the queues: computers' turns.

A job plays move by move through the same commit as everybody else, and each commit renews
its lease on the game. When somebody else moved in between, it stops: another worker has the
turn, or the game has gone on. So nothing is played twice, however often a job is sent.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Final, Protocol

from service.bootstrap import Components, build_components
from service.config import Settings
from service.games.record import GameRecord
from service.games.refusals import Refusal
from service.games.table import Table, TurnQueue
from service.games.table_moves import lawful_moves
from service.games.timing import starts_at_once
from service.jobs.levels import THINKING
from service.rummy.moves import PlayerMove
from service.rummy.views import view_for
from service.runtime import metrics
from workers.bots.bot import Budget
from workers.bots.registry import bot_for

#: So many quick turns at most before other games have theirs; of those that are thought about, one.
_MOST_TURNS: Final = 12


class TwoQueues(TurnQueue, Protocol):
    """The queues of turns: every turn comes into the quick one, and goes on where it is thought about."""

    def think(self, game_id: str, version: int, attempt: int) -> None:
        """Ask for a turn where there is time to think about it; never raises."""
        ...


def play_turn(game_id: str, version: int, attempt: int) -> None:
    """Play the computer's turn that waits at the version, or hear computers about a call."""
    components = _components()
    computers = ComputersTurns(table=components.table, turns=components.turns, now=components.now)
    with metrics.TURN_SECONDS.time():
        computers.play(game_id, version, attempt)


def think_turn(game_id: str, version: int, attempt: int) -> None:
    """Do the same for a computer that thinks, where quick ones do not wait for it."""
    components = _components()
    computers = ComputersTurns(table=components.table, turns=components.turns, now=components.now)
    with metrics.TURN_SECONDS.time():
        computers.think(game_id, version, attempt)


@cache
def _components() -> Components:
    """Return the parts of this worker, made when the first job comes."""
    return build_components(Settings.from_environment())


@dataclass(frozen=True, slots=True, kw_only=True)
class ComputersTurns:
    """Plays for computers, by what their seats see."""

    table: Table
    turns: TwoQueues
    now: Callable[[], int]
    thinkers: frozenset[str] = THINKING

    def play(self, game_id: str, version: int, attempt: int = 0) -> None:
        """Play on from the version, if the game stands there, as long as quick computers are to move."""
        with suppress(Refusal):
            # Gone, or moved on by somebody else: either way this turn is over.
            record = self.table.get(game_id)
            if record.version == version:
                self._play_on(record, attempt, thinking=False)

    def think(self, game_id: str, version: int, attempt: int = 0) -> None:
        """Play the one turn that waits at the version, if the game still stands there."""
        with suppress(Refusal):
            record = self.table.get(game_id)
            if record.version == version:
                self._play_on(record, attempt, thinking=True)

    def _play_on(self, record: GameRecord, attempt: int, *, thinking: bool) -> None:
        turns = 1
        while (seat := self._to_act(record)) is not None:
            if not thinking and record.seats[seat].level in self.thinkers:
                self.turns.think(record.id, record.version, attempt)
                return
            phase = record.phase_version
            move = decision(record, seat)
            record = self.table.play(record, move, by_computer=True).record
            if record.phase_version == phase:
                continue
            if not starts_at_once(record):
                # The next computer's turn comes due when its pace is over.
                return
            turns += 1
            attempt = 0
            if turns > (1 if thinking else _MOST_TURNS) and record.computer_to_move() is not None:
                self.turns.enqueue(record.id, record.version, 0)
                return
        if record.in_call_window and self._is_closing(record):
            # The computers have been heard and people had their time.
            self.table.expire(record)

    def _to_act(self, record: GameRecord) -> int | None:
        """Return the computer to act now, None where none is.

        Those asked for a call decide at once but are heard when the window closes, so
        that people have the same chance; then the nearest to the discarder's left first.
        """
        if record.in_call_window:
            return next(iter(record.asked_computers()), None) if self._is_closing(record) else None
        return record.computer_to_move()

    def _is_closing(self, record: GameRecord) -> bool:
        return record.deadline_at is not None and record.deadline_at <= self.now()


def decision(record: GameRecord, seat: int) -> PlayerMove:
    """Return the move of the computer at a seat, found from what that seat sees.

    The dice are seeded by what everybody knows, so that a turn played anew by another
    worker is the same turn.
    """
    assert record.game is not None  # noqa: S101 - a computer is to act in it
    legal = lawful_moves(record, seat)
    chance = Random(f"{record.id}:{record.version}:{seat}")
    level = record.seats[seat].level or ""
    budget = Budget(milliseconds=record.thinking_ms)
    move = bot_for(level, budget).choose(view_for(record.game, seat), legal, record.variant, chance)
    assert move is not None  # noqa: S101 - a seat that may act always has a move
    return move
