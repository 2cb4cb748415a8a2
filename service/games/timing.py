"""When a game must be looked at next, by whom, and when it vanishes. Times are milliseconds."""

from dataclasses import replace
from typing import Final

from service.games.record import THINKING_MS, GameRecord, Status, TimeControl
from service.rummy.state import Phase
from service.runtime.durations import DAY_MS, MINUTE_MS, SECOND_MS

#: How long a turn is left to the worker that has it beyond what its computer may think.
_SPARE_MS: Final = 3 * SECOND_MS
#: That lease where the game does not say how long a computer may think.
LEASE_MS: Final = THINKING_MS + _SPARE_MS
CALL_WINDOW_MS: Final = 3 * SECOND_MS
#: With more than one person, and where nothing else is said.
DEFAULT_TIME_CONTROL: Final = TimeControl(
    turn_ms=2 * MINUTE_MS, call_window_ms=None, next_deal_ms=30 * SECOND_MS
)

#: A running game in which nobody moves for so long is aborted.
IDLE_MS: Final = 7 * DAY_MS
WAITING_KEPT_MS: Final = DAY_MS
OVER_KEPT_MS: Final = 90 * DAY_MS
#: How long a seek lasts unless it is renewed, and how often that should be.
SEEK_MS: Final = 30 * SECOND_MS
RENEW_SEEK_MS: Final = 5 * SECOND_MS
#: How long the seats of a rematch are kept for those who played before.
SEAT_KEPT_MS: Final = 10 * MINUTE_MS


def with_deadlines(before: GameRecord | None, after: GameRecord, *, now: int) -> GameRecord:
    """Return the record with phase, deadline and expiry as they are after a change at `now`."""
    if before is not None and _stage(before) == _stage(after):
        deadline_at = _shorten_call_window(after, before.deadline_at, now)
        # What is changed in a game that is over does not keep it for longer.
        return replace(after, deadline_at=deadline_at, expires_at=before.expires_at)
    return replace(
        after,
        phase_version=after.version,
        deadline_at=_deadline(after, now),
        expires_at=_expires_at(after, now),
    )


def _stage(record: GameRecord) -> tuple[object, ...]:
    """Return what has a deadline of its own: a turn, a call window, a wait for the next deal."""
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
    """Return the end of a call window: at once where only computers are left to be heard.

    Not where cards in hand may join a call: a window cut short would tell what the
    computers hold, so that one lasts its time.
    """
    if not record.in_call_window or deadline_at is None or record.variant.call_rummy != "table_or_pile":
        return deadline_at
    people = set(record.may_act()) - set(record.asked_computers())
    return deadline_at if people else min(deadline_at, now)


def _expires_at(record: GameRecord, now: int) -> int | None:
    """Return when the game vanishes; None while it is being played."""
    if record.status is Status.WAITING:
        return record.created_at + WAITING_KEPT_MS
    if record.status.is_over:
        return now + OVER_KEPT_MS
    return None


def kept_until(record: GameRecord, now: int) -> int:
    """Return until when the store must keep the game, were nothing to happen any more."""
    return record.expires_at or now + IDLE_MS + OVER_KEPT_MS


def due_at(before: GameRecord | None, after: GameRecord, *, now: int) -> int | None:
    """Return when somebody must look at the game next; None when nothing will happen by itself.

    A computer's turn is due when its lease runs out, for it is enqueued at once; only
    one that a pace holds back is due when the pace is over.
    """
    if not after.status.is_running:
        return None
    if after.computer_to_move() is not None:
        return now + (
            lease_ms(after)
            if starts_at_once(after) or not _is_new_turn(before, after)
            else after.computer_pace_ms
        )
    return now + IDLE_MS if after.deadline_at is None else after.deadline_at


def lease_ms(record: GameRecord) -> int:
    """Return how long a computer's turn is left to the worker that has it."""
    return record.thinking_ms + _SPARE_MS


def starts_at_once(record: GameRecord) -> bool:
    """Tell whether computers move without a pause."""
    return record.computer_pace_ms == 0


def _is_new_turn(before: GameRecord | None, after: GameRecord) -> bool:
    return before is None or _stage(before) != _stage(after)


def computer_turn_begins(before: GameRecord | None, after: GameRecord) -> bool:
    """Tell whether the change made it a computer's turn that is to be enqueued at once."""
    return after.computer_to_move() is not None and starts_at_once(after) and _is_new_turn(before, after)
