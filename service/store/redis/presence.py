"""Presence leases in Redis: a sorted set for each player, ordered by the leases' end."""

from collections.abc import Sequence
from typing import Final

from service.store.contract import PLAYER_ONLINE
from service.store.presence import GRACE_MEMBER, PresenceLease, PresenceStore
from service.store.redis import keys
from service.store.redis.change_notifier import WAKE_STREAM_LENGTH
from service.store.redis.connection import Command, Connection, script

_REFUSED: Final = 0
_CAME_ONLINE: Final = 2


class RedisPresenceStore(PresenceStore):
    """Stores presence leases."""

    _redis: Connection

    def acquire_presence(
        self, lease: PresenceLease, *, now: int, until: int, limit: int | None = None
    ) -> bool:
        lua = script("acquire_presence")
        names, arguments = _arguments(lease, now, until, limit)
        outcome = self._redis.run(lua, names, *arguments)
        if outcome == _CAME_ONLINE:
            # As after a commit: only a hint, and outside the player's slot.
            wake = ("MAXLEN", "~", WAKE_STREAM_LENGTH, "*", "g", lease.player_id, "v", PLAYER_ONLINE)
            self._redis.call("XADD", keys.WAKE, *wake)
        return bool(outcome != _REFUSED)

    def renew_presence(self, leases: Sequence[PresenceLease], *, now: int, until: int) -> None:
        lua = script("acquire_presence")
        renewals: list[Command] = [lua.call(*_arguments(lease, now, until, None)) for lease in leases]
        self._redis.call_all(renewals, script=lua)

    def release_presence(self, lease: PresenceLease, *, until: int) -> None:
        self._redis.run(
            script("release_presence"), [keys.presence(lease.player_id)], until, lease.member, GRACE_MEMBER
        )

    def count_leases(self, owner: str, *, now: int) -> int:
        return int(self._redis.call("ZCOUNT", keys.presence(owner), f"({now}", "+inf"))

    def online(self, player_ids: Sequence[str], *, now: int) -> list[bool]:
        counts = self._redis.call_all(
            [("ZCOUNT", keys.presence(player_id), f"({now}", "+inf") for player_id in player_ids]
        )
        return [count > 0 for count in counts]


def _arguments(
    lease: PresenceLease, now: int, until: int, limit: int | None
) -> tuple[list[str], list[str | int]]:
    counted = f"{lease.kind}/"
    return [keys.presence(lease.player_id)], [
        now,
        until,
        lease.member,
        counted,
        "" if limit is None else limit,
    ]
