"""The RQ jobs that play computers' turns.

A job commits move by move, as every other player does, and each commit renews its lease on the game. After a
version conflict it stops, because another worker has the turn or the game has gone on. So no turn is played
twice, however often its job is enqueued.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from random import Random
from time import monotonic, sleep
from typing import Final, Protocol

from service.bootstrap import Components, build_components
from service.config import Settings
from service.games.record import GameRecord
from service.games.refusals import Refusal
from service.games.table import Table, TurnQueue
from service.games.table_moves import lawful_moves
from service.games.timing import starts_at_once
from service.jobs.fair_queue import TurnOwner
from service.jobs.levels import THINKING
from service.rummy.moves import PlayerMove
from service.rummy.views import view_for
from service.runtime import metrics
from workers.bots.bot import Budget
from workers.bots.registry import bot_for

#: Quick turns of one game that a job plays before other games have theirs; of searched turns it plays one.
_MAX_TURNS: Final = 12


#: The longest search while other turns wait for a thinker.
_CROWDED_MS: Final = 1_000

#: How long an answer to a call takes where cards in hand may join it. Finding that there is nothing to call
#: takes 0.2 ms and weighing calls up to 7 ms, so without a pause the time would show which it was.
_ANSWER_SECONDS: Final = 0.01


class SearchTurnQueue(TurnQueue, Protocol):
    """A queue of turns, with a second one for turns that need a search."""

    def think(self, game_id: str, version: int, attempt: int, owner: TurnOwner) -> None:
        """Enqueue a turn for a thinker, behind other turns of its owner; never raises."""
        ...


def play_turn(game_id: str, version: int, attempt: int) -> None:
    """Play the computer's turn that is due at the version, or the computers' answers to a call window."""
    components = _components()
    computers = ComputerTurnPlayer(table=components.table, turns=components.turns, now=components.now)
    with metrics.TURN_SECONDS.time():
        computers.play(game_id, version, attempt)


def think_turn(game_id: str, version: int, attempt: int) -> None:
    """Play the turn that is next of those that need a search; no quick turn waits for it.

    If none waits, it is the given turn: another release enqueued it.
    """
    components = _components()
    game_id, version, attempt = components.turns.take_turn() or (game_id, version, attempt)
    computers = ComputerTurnPlayer(table=components.table, turns=components.turns, now=components.now)
    with metrics.TURN_SECONDS.time():
        computers.think(game_id, version, attempt, is_crowded=components.turns.thinking_waits())


@cache
def _components() -> Components:
    """Return the components of this process, created by its first job."""
    return build_components(Settings.from_environment())


@dataclass(frozen=True, slots=True, kw_only=True)
class ComputerTurnPlayer:
    """Plays the turns of computers, from the view of their seats."""

    table: Table
    turns: SearchTurnQueue
    now: Callable[[], int]
    searching_levels: frozenset[str] = THINKING
    pause: Callable[[float], None] = sleep

    def play(self, game_id: str, version: int, attempt: int = 0) -> None:
        """Play turns of quick computers from the version on, if it is still current."""
        with suppress(Refusal):
            # The game is gone or has changed: either way this turn is over.
            record = self.table.get(game_id)
            if record.version == version:
                self._play_turns(record, attempt, searching=False)

    def think(self, game_id: str, version: int, attempt: int = 0, *, is_crowded: bool = False) -> None:
        """Play the one turn that is due at the version, if it is still current.

        If it `is_crowded`, other turns wait for a thinker: each search takes a second at most.
        """
        with suppress(Refusal):
            record = self.table.get(game_id)
            if record.version == version:
                self._play_turns(record, attempt, searching=True, is_crowded=is_crowded)

    def _play_turns(
        self, record: GameRecord, attempt: int, *, searching: bool, is_crowded: bool = False
    ) -> None:
        turns = 1
        while (seat := self._to_act(record)) is not None:
            if not searching and record.seats[seat].level in self.searching_levels:
                self.turns.think(record.id, record.version, attempt, TurnOwner.of(record))
                return
            phase = record.phase_version
            begun = monotonic()
            move = choose_move(record, seat, most_ms=_CROWDED_MS if is_crowded else record.thinking_ms)
            if record.in_call_window and record.variant.hands_join_calls:
                self.pause(max(0.0, begun + _ANSWER_SECONDS - monotonic()))
            record = self.table.play(record, move, by_computer=True).record
            if not starts_at_once(record) and record.computer_to_move() is not None:
                # The scheduler enqueues the next move of a computer when its pace is over.
                return
            if record.phase_version == phase:
                continue
            turns += 1
            attempt = 0
            if turns > (1 if searching else _MAX_TURNS) and record.computer_to_move() is not None:
                self.turns.enqueue(record.id, record.version, 0)
                return
        if record.in_call_window and self._is_closing(record):
            # The computers have answered, and the time of the people is over.
            self.table.expire(record)

    def _to_act(self, record: GameRecord) -> int | None:
        """Return the seat of the computer to act now, or None.

        In a call window computers answer only when all people have answered or their time is over, so that
        people have the same chance; then the one nearest to the discarder's left answers first.
        """
        if record.in_call_window:
            return next(iter(record.asked_computers()), None) if self._is_closing(record) else None
        return record.computer_to_move()

    def _is_closing(self, record: GameRecord) -> bool:
        return record.deadline_at is not None and record.deadline_at <= self.now()


def choose_move(record: GameRecord, seat: int, *, most_ms: int) -> PlayerMove:
    """Return the move of the computer at a seat, chosen from the view of that seat.

    A search takes no longer than the game allows, and no longer than `most_ms`.

    The random generator is seeded by public values, so that a level that does not search plays the same turn
    again in another worker. `expert` may differ: its limit is time.
    """
    assert record.game is not None  # noqa: S101 - a computer is to act in it
    legal = lawful_moves(record, seat)
    chance = Random(f"{record.id}:{record.version}:{seat}")
    level = record.seats[seat].level or ""
    budget = Budget(milliseconds=min(record.thinking_ms, most_ms))
    move = bot_for(level, budget).choose(view_for(record.game, seat), legal, record.variant, chance)
    assert move is not None  # noqa: S101 - a seat that may act always has a move
    return move
