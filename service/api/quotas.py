"""Quotas: how much of the service an account, and an address, may have in use at a time.

Rate limits bound how often something is asked for, quotas how much runs because of it. The check is
made before a change is written; requests of one moment may exceed a quota by a few.
"""

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from service.api.limits import address_hash
from service.api.problems import Problem
from service.api.rate_limiter import Limiter
from service.api.services import Services
from service.games.codec import decode_record
from service.games.record import GameRecord
from service.games.timing import SEEK_MS
from service.games.usage import Usage, encode_usage, live_usage, owners_of, usage_of_game
from service.jobs.levels import THINKING
from service.store.contract import Store
from service.store.ids import is_game_id
from service.store.usage import UsageEntry


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageQuota:
    """What an account and an address may use of one thing; `remedy` completes the refusal."""

    name: str
    account: int
    address: int
    meaning: str
    remedy: str
    used_by: Callable[[Usage], int]


TABLES: Final = UsageQuota(
    name="tables",
    account=100,
    address=300,
    meaning="Games that an account, or an address, has opened and that are not over.",
    remedy="Finish or abort one of them.",
    used_by=lambda used: 0 if used.is_seek else 1,
)
COMPUTER_SEATS: Final = UsageQuota(
    name="computer_seats",
    account=200,
    address=800,
    meaning="Computers at these games.",
    remedy="Finish or abort one of these games.",
    used_by=lambda used: len(used.levels),
)
THINKING_MS: Final = UsageQuota(
    name="thinking_ms",
    account=60_000,
    address=240_000,
    meaning="`thinking_ms` of these games, added up over the computers that search, such as `expert`.",
    remedy="Choose a smaller thinking_ms or another level, or finish or abort one of these games.",
    used_by=lambda used: used.thinking_ms * sum(level in THINKING for level in used.levels),
)
SEEKS: Final = UsageQuota(
    name="seeks",
    account=10,
    address=200,
    meaning="Seeks that were begun in the last 30 seconds.",
    remedy="Wait half a minute.",
    used_by=lambda used: int(used.is_seek),
)
QUOTAS: Final = (TABLES, COMPUTER_SEATS, THINKING_MS, SEEKS)


def check_game(services: Services, record: GameRecord, before: GameRecord | None = None) -> None:
    """Raise `Problem` quota_exceeded if a new or changed game exceeds a quota of its owners."""
    used, had = usage_of_game(record), before and usage_of_game(before)
    if used is not None:
        _check(services, owners_of(record), record.id, used, had or None)


def count_seek(services: Services, player_id: str) -> None:
    """Count a seek of a player; raise `Problem` quota_exceeded over the quota."""
    if services.limiter is None:
        return
    owners, seek_id = (player_id, address_hash()), f"seek:{secrets.token_urlsafe(12)}"
    until = services.now() + SEEK_MS
    used = Usage(is_seek=True, until=until)
    _check(services, owners, seek_id, used, None)
    body = encode_usage(used)
    services.store.put_usage(
        UsageEntry(owner=owner, name=seek_id, body=body, expires_at=until) for owner in owners
    )


def _check(services: Services, owners: Sequence[str], name: str, used: Usage, had: Usage | None) -> None:
    if services.limiter is None:
        return
    for owner, entries in zip(owners, services.store.usage(owners), strict=True):
        limits = [
            scaled(quota.account if owner == owners[0] else quota.address, services.limiter)
            for quota in QUOTAS
        ]
        others = {other: body for other, body in entries.items() if other != name}
        if _exceeded(limits, others, used, had, now=services.now()) is None:
            continue
        # A game may have ended in a process that died before it said so.
        others = _still_running(services.store, owner, others)
        exceeded = _exceeded(limits, others, used, had, now=services.now())
        if exceeded is not None:
            raise _refusal(*exceeded, is_account=owner == owners[0])


def _exceeded(
    limits: Sequence[int], entries: Mapping[str, bytes], used: Usage, had: Usage | None, *, now: int
) -> tuple[UsageQuota, int, int] | None:
    """Return the first quota that would be exceeded, its limit and what is in use; None if none is."""
    live = live_usage(entries, now=now)
    for quota, limit in zip(QUOTAS, limits, strict=True):
        asked, in_use = quota.used_by(used), sum(map(quota.used_by, live))
        if asked > (quota.used_by(had) if had else 0) and in_use + asked > limit:
            return quota, limit, in_use
    return None


def _still_running(store: Store, owner: str, entries: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the entries without those of games that are over or gone, and forget these."""
    games = [name for name in entries if is_game_id(name)]
    over = {
        name
        for name, stored in zip(games, store.load_many(games), strict=True)
        if stored is None or decode_record(stored.state).status.is_over
    }
    for name in over:
        store.drop_usage([owner], name)
    return {name: body for name, body in entries.items() if name not in over}


def scaled(limit: int, limiter: Limiter) -> int:
    """Return a limit with the factor of this service applied."""
    return max(1, round(limit * limiter.factor))


def _refusal(quota: UsageQuota, limit: int, in_use: int, *, is_account: bool) -> Problem:
    owner = "Your account" if is_account else "Your address"
    return Problem(
        "quota_exceeded",
        f"{owner} uses {in_use} of {limit} {quota.name}. {quota.remedy}",
        quota=quota.name,
        limit=limit,
        in_use=in_use,
    )
