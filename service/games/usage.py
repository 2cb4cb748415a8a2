"""What a game uses of the service: kept for the account that opened it, and for the address it came from.

An entry is written with the lists of the game, and removed when the game is over. Quotas
(`service.api.quotas`) add them up; so no counter can go wrong, whatever is interrupted.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from service.games.record import GameRecord
from service.games.timing import kept_until
from service.store.contract import Store
from service.store.schema import StoredCodec, StoredValue
from service.store.usage import UsageEntry


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage(StoredValue):
    """What a game, or a seek, uses; `until` is when it ends by itself, in milliseconds.

    `levels` are those of the computers at a table; each may think for `thinking_ms` about a turn.
    """

    is_seek: bool = False
    levels: tuple[str, ...] = ()
    thinking_ms: int = 0
    until: int | None = None


_USAGE: Final = StoredCodec(Usage)
encode_usage, decode_usage = _USAGE.encode, _USAGE.decode


def usage_of_game(record: GameRecord) -> Usage | None:
    """Return what a game uses; None if it is over."""
    if record.status.is_over:
        return None
    return Usage(
        levels=tuple(seat.level for seat in record.seats if seat.level is not None),
        thinking_ms=record.thinking_ms,
        until=record.expires_at,
    )


def owners_of(record: GameRecord) -> tuple[str, ...]:
    """Return whom the game is counted for: the account that opened it, and the address."""
    return (record.creator,) if record.origin is None else (record.creator, record.origin)


def update_usage(store: Store, before: GameRecord | None, after: GameRecord) -> None:
    """Write what a game uses after a change."""
    owners, used = owners_of(after), usage_of_game(after)
    had = owners_of(before) if before is not None else ()
    if used is None:
        store.drop_usage({*had, *owners}, after.id)
        return
    if gone := {*had} - {*owners}:
        store.drop_usage(gone, after.id)
    if before is None or (had, usage_of_game(before)) != (owners, used):
        expires_at = kept_until(after, after.updated_at)
        store.put_usage(
            UsageEntry(owner=owner, name=after.id, body=encode_usage(used), expires_at=expires_at)
            for owner in owners
        )


def live_usage(entries: Mapping[str, bytes], *, now: int) -> list[Usage]:
    """Return the entries that have not ended by themselves."""
    found = map(decode_usage, entries.values())
    return [used for used in found if used.until is None or used.until > now]
