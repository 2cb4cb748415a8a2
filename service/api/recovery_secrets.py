"""Stored recovery codes: the secret of each, by its hash, names its player.

It is kept as long as the account, and renewed with it.
"""

from dataclasses import dataclass
from typing import Final

from service.runtime.durations import DAY_MS
from service.store.players import PlayerStore
from service.store.schema import StoredCodec, StoredValue

_KIND: Final = "recovery-code"
#: `seen_at` of an account is exact to the day: a code must not expire before its account.
_LONGER_MS: Final = 2 * DAY_MS
_HOLDER: Final = "account"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecoverySecret(StoredValue):
    """What is stored about a recovery code: its player."""

    player_id: str


_SECRETS: Final = StoredCodec(RecoverySecret)


def put_recovery_code(store: PlayerStore, code_hash: str, player_id: str, *, account_until: int) -> None:
    """Store the code of a player whose account is kept until a time."""
    body = _SECRETS.encode(RecoverySecret(player_id=player_id))
    store.put_secret(_KIND, code_hash, body, expires_at=account_until + _LONGER_MS)


def keep_recovery_code(store: PlayerStore, code_hash: str, *, account_until: int) -> None:
    """Keep the code as long as its account, which was renewed."""
    store.hold_secret(_KIND, code_hash, _HOLDER, expires_at=account_until + _LONGER_MS, takes_over=True)


def delete_recovery_code(store: PlayerStore, code_hash: str, *, now: int) -> None:
    """Delete the code."""
    store.hold_secret(_KIND, code_hash, _HOLDER, expires_at=now, takes_over=True)


def player_of_recovery_code(store: PlayerStore, code_hash: str) -> str | None:
    """Return the id of the player of a code, None for an unknown one."""
    body = store.secret(_KIND, code_hash)
    return None if body is None else _SECRETS.decode(body).player_id
