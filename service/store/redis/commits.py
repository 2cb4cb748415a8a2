"""The call of commit.lua, for games and score sheets, and what its outcomes mean."""

import secrets
from collections.abc import Sequence
from typing import Any, Final

from service.store.answers import ANSWER_MS, Answer, Reservation
from service.store.contract import ReservationLost, StaleVersion
from service.store.redis import keys
from service.store.redis.answers import answered, held
from service.store.redis.connection import Argument, Command, script

_COMMIT_ID_BYTES: Final = 8  # as in commit.lua


def commit_command(  # noqa: PLR0913 - the script has as many arguments
    names: Sequence[str],
    subject_id: str,
    *,
    expected_version: int,
    state: bytes,
    expires_at: int,
    answer: tuple[Reservation, Answer] | None,
    due_at: int | None = None,
    effects_due_at: int | None = None,
    events: Sequence[bytes] = (),
) -> Command:
    """Return the command of one commit; `names` are the keys of the script but that of the answer."""
    names = [*names]
    arguments: list[Argument] = [
        expected_version,
        expected_version + 1,
        secrets.token_bytes(_COMMIT_ID_BYTES),
        state,
        expires_at,
        "" if due_at is None else due_at,
        subject_id,
        "" if effects_due_at is None else effects_due_at,
    ]
    if answer is not None:
        reservation, stored = answer
        names.append(keys.answer(reservation.key))
        arguments += [held(reservation), answered(reservation, stored), ANSWER_MS]
    return script("commit").call(names, [*arguments, *events])


def is_pending(outcome: Any) -> bool:  # noqa: ANN401 - what the script returned
    """Return whether the commit was done with effects of an earlier one pending; raise if it was not done."""
    if outcome == b"lost":
        raise ReservationLost
    if outcome not in {b"done", b"pending"}:
        raise StaleVersion(outcome or None)
    return bool(outcome == b"pending")
