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


def permitted_operations(record: GameRecord, viewer: int | None) -> list[str]:
    """Return what the player on a seat may do, or a spectator, by operationId.

    Moves are left out: `turn.may_act` and the legal moves tell those.
    """
    player_id = None if viewer is None else record.seats[viewer].player_id
    if viewer is None or player_id is None:
        return ["joinGame"] if record.status is Status.WAITING and record.has_free_seats else []
    may = [name for name, check in _CHECKS.items() if _allows(check, record, player_id)]
    if _allows(require_can_ask_hint, record, viewer):
        may.append("requestHint")
    if record.status.is_over:
        may += ["requestReview", "rematchGame"]
    return [*may, "sendReaction"]


def _allows(check: Callable[[GameRecord, Asked], None], record: GameRecord, asked: Asked) -> bool:
    try:
        check(record, asked)
    except (Refusal, IllegalMove):
        return False
    return True
