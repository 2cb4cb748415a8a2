"""The clock: acts on every game whose time has come.

A round may be made by any number of clocks at once, and twice by one: whatever it does
is compared and set, by the version of the game or by its due time.
"""

import logging
from collections.abc import Callable
from typing import Final, Protocol

from service.games.record import GameRecord
from service.games.refusals import Refusal, VersionConflict
from service.games.seating import GameChange, abort_idle, play_forced_turn
from service.games.table import Table
from service.games.timing import IDLE_MS, LEASE_MS, lease_ms
from service.runtime import metrics
from service.store.contract import Due, Store, StoreUnavailable

#: So many games a round, which then ends within a second and may be stopped.
_MOST_GAMES: Final = 256
#: A turn that so many workers got and none went on with is ended by the clock: no game is stuck for ever.
_MOST_ATTEMPTS: Final = 4

#: Quick turns wait for seconds where a worker is there. One that is thought about takes up to five seconds:
#: where they wait for so long, thinkers are missing or too few, and another process is wanted either way.
_LONG_WAIT_MS: Final = 120_000

log = logging.getLogger(__name__)


class InspectableTurnQueue(Protocol):
    """The queue of computers' turns, as far as the clock needs it."""

    def enqueue(self, game_id: str, version: int, attempt: int) -> None:
        """Ask for a computer's turn; never raises."""
        ...

    def is_waiting(self, game_id: str, version: int, attempt: int) -> bool:
        """Tell whether the turn still waits for a worker."""
        ...


class Scheduler:
    """Keeps deadlines, finds computers' turns that got lost, and ends games nobody plays."""

    def __init__(
        self, *, store: Store, table: Table, turns: InspectableTurnQueue, now: Callable[[], int]
    ) -> None:
        self._store: Final = store
        self._table: Final = table
        self._turns: Final = turns
        self._now: Final = now
        self._complained_at = 0

    def tick(self) -> int:
        """Make one round; return how many games were due.

        Raises StoreUnavailable, after which the next round goes on.
        """
        now = self._now()
        found = self._store.due(now=now, limit=_MOST_GAMES)
        for due in found:
            metrics.LATENESS_SECONDS.observe((now - due.at) / 1000)
            try:
                self._attend(due)
            except StoreUnavailable:
                raise
            except Exception:
                # One game that cannot be read must not stop the clocks of all others.
                log.exception("Game %s could not be attended to.", due.game_id)
                self._store.lease(due.game_id, expected_at=due.at, at=self._now() + LEASE_MS)
        return len(found)

    def _attend(self, due: Due) -> None:
        """Do what the game waits for."""
        try:
            record = self._table.get(due.game_id)
            if _is_computer_due(record, self._now()):
                self._send_to_worker(record, due)
            elif self._table.expire(record) is None:
                self._wait_on(record, due)
        except VersionConflict:
            # Somebody moved first; that commit set the next due time.
            return
        except Refusal:
            self._store.forget_due(due.game_id, expected_at=due.at)

    def _send_to_worker(self, record: GameRecord, due: Due) -> None:
        """Ask for the computers' turn again, unless the last one asked for still waits for a worker."""
        until = self._now() + lease_ms(record)
        if self._turns.is_waiting(record.id, record.version, due.attempt):
            self._complain_of_long_wait(record)
            if not self._give_up_if_idle(record):
                self._store.lease(record.id, expected_at=due.at, at=until)
        elif due.attempt >= _MOST_ATTEMPTS:
            log.error("Game %s: no worker makes the move after version %d.", record.id, record.version)
            self._table.change(record.id, _play_forced_computer_turn, before=record)
        elif self._store.lease(record.id, expected_at=due.at, at=until, attempt=due.attempt + 1):
            self._turns.enqueue(record.id, record.version, due.attempt + 1)

    def _wait_on(self, record: GameRecord, due: Due) -> None:
        """Give up a game that nobody plays any more; else look again when its time has come."""
        if not record.status.is_running:
            self._store.forget_due(record.id, expected_at=due.at)
        elif record.deadline_at is not None:
            self._store.lease(record.id, expected_at=due.at, at=record.deadline_at)
        elif not self._give_up_if_idle(record):
            self._store.lease(record.id, expected_at=due.at, at=record.updated_at + IDLE_MS)

    def _give_up_if_idle(self, record: GameRecord) -> bool:
        """Give up a game in which nobody, computers included, has moved for too long; tell whether it was."""
        if self._now() < record.updated_at + IDLE_MS:
            return False
        self._table.change(record.id, abort_idle, before=record)
        return True

    def _complain_of_long_wait(self, record: GameRecord) -> None:
        """Say that turns wait and too few take them, once in a while for all games together."""
        now = self._now()
        if now >= max(record.updated_at, self._complained_at) + _LONG_WAIT_MS:
            self._complained_at = now
            log.error(
                "Computers' turns have waited for minutes: start `rummy500 turns`, and for levels that "
                "think `rummy500 thinker`; where both run, start another."
            )


def _is_computer_due(record: GameRecord, now: int) -> bool:
    """Tell whether computers are to move: in turn, or to be heard at the end of a call window."""
    if record.in_call_window:
        over = record.deadline_at is not None and record.deadline_at <= now
        return over and bool(record.asked_computers())
    return record.computer_to_move() is not None


def _play_forced_computer_turn(record: GameRecord) -> GameChange:
    """Play the least turn for the computer that is to act: a pass, where it is asked for a call."""
    seat = record.computer_to_move()
    return play_forced_turn(record, record.asked_computers()[0] if seat is None else seat)
