"""Deadlines, leases and expiry of games. All times are in milliseconds."""

from dataclasses import replace
from typing import Final

from service.games.record import THINKING_MS, GameRecord, Status, TimeControl
from service.rummy.state import Phase
from service.runtime.durations import DAY_MS, MINUTE_MS, SECOND_MS

#: The lease of a computer's turn is this much longer than its thinking time.
_SPARE_MS: Final = 3 * SECOND_MS
#: The lease for the default thinking time.
TURN_LEASE_MS: Final = THINKING_MS + _SPARE_MS
CALL_WINDOW_MS: Final = 3 * SECOND_MS
#: For games with more than one player, unless the request says otherwise.
DEFAULT_TIME_CONTROL: Final = TimeControl(
    turn_ms=2 * MINUTE_MS, call_window_ms=None, next_deal_ms=30 * SECOND_MS
)

#: A running game without a move for this long is aborted.
IDLE_MS: Final = 7 * DAY_MS
WAITING_KEPT_MS: Final = DAY_MS
OVER_KEPT_MS: Final = 90 * DAY_MS
#: How long a seek lasts unless it is renewed, and how often clients should renew it.
SEEK_MS: Final = 30 * SECOND_MS
RENEW_SEEK_MS: Final = 5 * SECOND_MS
#: A rematch that has not begun is aborted this long before it would expire, so that its players learn of it.
_ABORTED_BEFORE_MS: Final = MINUTE_MS
#: How long the seats of a rematch are reserved for the previous players.
SEAT_KEPT_MS: Final = 10 * MINUTE_MS


def with_deadlines(before: GameRecord | None, after: GameRecord, *, now: int) -> GameRecord:
    """Return the record with phase, deadline and expiry after a change at `now`."""
    if before is not None and _stage(before) == _stage(after):
        deadline_at = _shorten_call_window(after, before.deadline_at, now)
        # A change to a game that is over does not extend its life.
        return replace(after, deadline_at=deadline_at, expires_at=before.expires_at)
    return replace(
        after,
        phase_version=after.version,
        deadline_at=_deadline(after, now),
        expires_at=_expires_at(after, now),
    )


def _stage(record: GameRecord) -> tuple[object, ...]:
    """Return a key of the current stage: a turn, a call window, or the wait for the next deal."""
    game = record.game
    if game is None or record.status is not Status.PLAYING:
        return (record.status, len(game.deals) if game else 0)
    turn = game.deal.turn
    window = turn.phase is Phase.RUMMY_CALL
    return (record.status, len(game.deals), turn.seat, window, turn.called, record.seats[turn.seat].level)


def _deadline(record: GameRecord, now: int) -> int | None:
    clock = record.clock or TimeControl()
    if record.status is Status.DEAL_OVER:
        return None if clock.next_deal_ms is None else now + clock.next_deal_ms
    if record.status is not Status.PLAYING:
        return None
    if record.in_call_window:
        window = CALL_WINDOW_MS if clock.call_window_ms is None else clock.call_window_ms
        return _shorten_call_window(record, now + window, now)
    if record.computer_to_move() is not None or clock.turn_ms is None:
        return None
    return now + clock.turn_ms


def _shorten_call_window(record: GameRecord, deadline_at: int | None, now: int) -> int | None:
    """Return the end of a call window: now if only computers are still to answer.

    Who is asked and who has answered is public, so the end reveals no card.
    """
    if not record.in_call_window or deadline_at is None:
        return deadline_at
    people = set(record.may_act()) - set(record.asked_computers())
    return deadline_at if people else min(deadline_at, now)


def _expires_at(record: GameRecord, now: int) -> int | None:
    """Return when the game expires; None while it is being played."""
    if record.status is Status.WAITING:
        return record.created_at + WAITING_KEPT_MS
    if record.status.is_over:
        return now + OVER_KEPT_MS
    return None


def kept_until(record: GameRecord, now: int) -> int:
    """Return until when the store must keep the game if nothing more happens."""
    return record.expires_at or now + IDLE_MS + OVER_KEPT_MS


def due_at(after: GameRecord, *, now: int) -> int | None:
    """Return when the scheduler must look at the game next; None if it never has to.

    A computer's turn is enqueued at once and due when its lease ends. With a pace each of its
    moves is enqueued by the scheduler, and due when the pause is over.
    """
    if after.status is Status.WAITING and after.rematch_of is not None:
        return after.created_at + WAITING_KEPT_MS - _ABORTED_BEFORE_MS
    if not after.status.is_running:
        return None
    if after.computer_to_move() is not None:
        return now + (lease_ms(after) if starts_at_once(after) else after.computer_pace_ms)
    return now + IDLE_MS if after.deadline_at is None else after.deadline_at


def lease_ms(record: GameRecord) -> int:
    """Return the lease of a computer's turn: how long a worker may take."""
    return record.thinking_ms + _SPARE_MS


def starts_at_once(record: GameRecord) -> bool:
    """Return whether computers move without pauses."""
    return record.computer_pace_ms == 0


def _is_new_turn(before: GameRecord | None, after: GameRecord) -> bool:
    return before is None or _stage(before) != _stage(after)


def computer_acts_at_once(before: GameRecord | None, after: GameRecord, *, now: int) -> bool:
    """Return whether a computer's turn, or its answer to a call, must be enqueued at once.

    In a call window computers answer when no person is left to answer.
    """
    if after.in_call_window:
        is_closing = after.deadline_at is not None and after.deadline_at <= now
        return is_closing and bool(after.asked_computers())
    return after.computer_to_move() is not None and starts_at_once(after) and _is_new_turn(before, after)
