"""What a viewer may do with a game now: `viewer.may`, by operationId.

Each entry asks the function that judges the request itself, so the list and the answers agree. What
only the store knows, such as a block between players, may still refuse a request.
"""

from collections.abc import Callable, Mapping
from typing import Final, TypeVar

from service.games import seating
from service.games.record import GameRecord, Status
from service.games.refusals import Refusal
from service.jobs.advice import require_can_ask_hint
from service.rummy.errors import IllegalMove

Asked = TypeVar("Asked")

#: Raises Refusal for a player who may not.
_CHECKS: Final[Mapping[str, Callable[[GameRecord, str], None]]] = {
    "joinGame": seating.require_can_return,
    "leaveGame": seating.require_can_leave,
    "seatComputer": seating.require_can_seat_computers,
    "startGame": seating.require_can_start,
    "abortGame": seating.require_can_abort,
    "renewInviteCodes": seating.require_is_creator,
    "setAutoPass": seating.require_can_set_auto_pass,
    "resignGame": seating.require_can_resign,
}


def permitted_operations(
    record: GameRecord, viewer: int | None, *, now: int, player_id: str | None = None
) -> list[str]:
    """Return what the player on a seat may do, or a spectator, by operationId.

    `player_id` is the viewer's, for whom a seat may be reserved, or who may have resigned. Moves are left
    out: `turn.may_act` and the legal moves list those.
    """
    if viewer is None:
        return _without_a_seat(record, player_id or "", now)
    player_id = record.seats[viewer].player_id or ""
    may = [name for name, check in _CHECKS.items() if _allows(check, record, player_id)]
    if _allows(require_can_ask_hint, record, viewer):
        may.append("requestHint")
    if record.status.is_over:
        may += ["requestReview", "rematchGame"]
    return [*may, "sendReaction"]


def _without_a_seat(record: GameRecord, player_id: str, now: int) -> list[str]:
    may = []
    if record.status is Status.WAITING:
        if any(seat.may_be_taken(player_id, now) for seat in record.seats):
            may.append("joinGame")
        if record.keeps_a_seat_for(player_id):
            may.append("leaveGame")
    if record.status.is_over and record.was_resigned_by(player_id):
        may.append("rematchGame")
    return may


def _allows(check: Callable[[GameRecord, Asked], None], record: GameRecord, asked: Asked) -> bool:
    try:
        check(record, asked)
    except (Refusal, IllegalMove):
        return False
    return True
