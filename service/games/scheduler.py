"""The scheduler: acts on every game that is due.

Any number of schedulers may run at once: every action is a compare-and-set, on the
version of the game or on its due time, so a second run changes nothing.
"""

import logging
from collections.abc import Callable
from typing import Final, Protocol

from service.games.record import GameRecord, Status
from service.games.refusals import Refusal, VersionConflict
from service.games.seating import GameChange, abort_idle, abort_unstarted, play_forced_turn
from service.games.table import Table
from service.games.timing import IDLE_MS, TURN_LEASE_MS, due_at, lease_ms
from service.runtime import metrics
from service.store.contract import DueGame, Store, StoreUnavailable

#: The most games in one round; a round then ends within a second, and the process can stop between two.
_MAX_GAMES: Final = 256
#: After this many retries the scheduler plays the forced turn, so that no game is stuck.
_MAX_RETRIES: Final = 4

#: With a worker, quick turns wait for seconds only. Turns that search take up to five seconds each. If one
#: waits this long, workers or thinkers are missing or too few.
_LONG_WAIT_MS: Final = 120_000

log = logging.getLogger(__name__)


class InspectableTurnQueue(Protocol):
    """The queue of computers' turns, as the scheduler uses it."""

    def enqueue(self, game_id: str, version: int, attempt: int) -> None:
        """Enqueue a computer's turn; never raises."""
        ...

    def is_waiting(self, game_id: str, version: int, attempt: int) -> bool:
        """Return whether the turn still waits for a worker."""
        ...


class Scheduler:
    """Enforces deadlines, enqueues lost turns of computers again, and aborts idle games."""

    def __init__(
        self, *, store: Store, table: Table, turns: InspectableTurnQueue, now: Callable[[], int]
    ) -> None:
        self._store: Final = store
        self._table: Final = table
        self._turns: Final = turns
        self._now: Final = now
        self._reported_at = 0

    def tick(self) -> int:
        """Run one round; return how many games were due.

        Raises StoreUnavailable; the next round continues.
        """
        now = self._now()
        found = self._store.due(now=now, limit=_MAX_GAMES)
        for due in found:
            metrics.LATENESS_SECONDS.observe((now - due.at) / 1000)
            try:
                self._process(due)
            except StoreUnavailable:
                raise
            except Exception:
                # One unreadable game must not stop all others.
                log.exception("Game %s could not be processed.", due.game_id)
                self._store.lease(due.game_id, expected_at=due.at, at=self._now() + TURN_LEASE_MS)
        return len(found)

    def _process(self, due: DueGame) -> None:
        """Act on one due game."""
        try:
            record = self._table.get(due.game_id)
            if _is_computer_due(record, self._now()):
                self._enqueue_again(record, due)
            elif self._table.expire(record) is None:
                self._lease_or_abort(record, due)
        except VersionConflict:
            # Another change was faster, and its commit set the next due time.
            return
        except Refusal:
            self._store.forget_due(due.game_id, expected_at=due.at)

    def _enqueue_again(self, record: GameRecord, due: DueGame) -> None:
        """Enqueue the computer's turn again, unless it still waits for a worker."""
        until = self._now() + lease_ms(record)
        if self._turns.is_waiting(record.id, record.version, due.attempt):
            self._report_long_wait(record)
            if not self._abort_if_idle(record):
                self._store.lease(record.id, expected_at=due.at, at=until)
        elif due.attempt >= _MAX_RETRIES:
            log.error("Game %s: no worker plays the turn after version %d.", record.id, record.version)
            self._table.commit(self._table.prepare(record, _play_forced_computer_turn))
        elif self._store.lease(record.id, expected_at=due.at, at=until, attempt=due.attempt + 1):
            self._turns.enqueue(record.id, record.version, due.attempt + 1)

    def _lease_or_abort(self, record: GameRecord, due: DueGame) -> None:
        """Abort an idle game, or lease it until its next deadline."""
        if record.status is Status.WAITING and record.rematch_of is not None and self._is_late(record):
            self._table.commit(self._table.prepare(record, abort_unstarted))
        elif not record.status.is_running:
            self._store.forget_due(record.id, expected_at=due.at)
        elif record.deadline_at is not None:
            self._store.lease(record.id, expected_at=due.at, at=record.deadline_at)
        elif not self._abort_if_idle(record):
            self._store.lease(record.id, expected_at=due.at, at=record.updated_at + IDLE_MS)

    def _is_late(self, record: GameRecord) -> bool:
        due = due_at(record, now=self._now())
        return due is not None and due <= self._now()

    def _abort_if_idle(self, record: GameRecord) -> bool:
        """Abort a game without any move for too long; return whether it was aborted."""
        if self._now() < record.updated_at + IDLE_MS:
            return False
        self._table.commit(self._table.prepare(record, abort_idle))
        return True

    def _report_long_wait(self, record: GameRecord) -> None:
        """Log that turns wait too long, at most once per interval for all games together."""
        now = self._now()
        if now >= max(record.updated_at, self._reported_at) + _LONG_WAIT_MS:
            self._reported_at = now
            log.error(
                "Computers' turns have waited for minutes: start `rummy500 turns`, and `rummy500 thinker` "
                "for levels that search; if both run, start more of them."
            )


def _is_computer_due(record: GameRecord, now: int) -> bool:
    """Return whether a computer must move: on turn, or asked in a call window whose time is over."""
    if record.in_call_window:
        over = record.deadline_at is not None and record.deadline_at <= now
        return over and bool(record.asked_computers())
    return record.computer_to_move() is not None


def _play_forced_computer_turn(record: GameRecord) -> GameChange:
    """Play the forced turn for the computer that must act; in a call window this is a pass."""
    seat = record.computer_to_move()
    return play_forced_turn(record, record.asked_computers()[0] if seat is None else seat)
