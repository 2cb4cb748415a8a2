"""Presence leases in memory."""

import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence

from service.store.contract import PLAYER_ONLINE
from service.store.presence import GRACE_MEMBER, PresenceLease


class MemoryPresenceStore(ABC):
    """Presence leases in memory."""

    _changed: threading.Condition
    _leases: dict[str, dict[str, int]]

    @abstractmethod
    def _notify(self, name: str, version: int) -> None:
        """Call the change listeners. The lock is not held."""

    def acquire_presence(
        self, lease: PresenceLease, *, now: int, until: int, limit: int | None = None
    ) -> bool:
        with self._changed:
            here = self._here(lease.player_id, now)
            of_kind = [member for member in here if member.startswith(f"{lease.kind}/")]
            if limit is not None and len(set(of_kind) - {lease.member}) >= limit:
                return False
            was_offline = not here
            self._leases[lease.player_id] = {**here, lease.member: until}
        if was_offline:
            self._notify(lease.player_id, PLAYER_ONLINE)
        return True

    def renew_presence(self, leases: Sequence[PresenceLease], *, now: int, until: int) -> None:
        with self._changed:
            for lease in leases:
                here = self._here(lease.player_id, now)
                self._leases[lease.player_id] = {**here, lease.member: until}

    def release_presence(self, lease: PresenceLease, *, until: int) -> None:
        with self._changed:
            here = self._leases.setdefault(lease.player_id, {})
            here.pop(lease.member, None)
            here[GRACE_MEMBER] = until

    def count_leases(self, owner: str, *, now: int) -> int:
        with self._changed:
            return len(self._here(owner, now))

    def online(self, player_ids: Sequence[str], *, now: int) -> list[bool]:
        with self._changed:
            return [bool(self._here(player_id, now)) for player_id in player_ids]

    def _here(self, player_id: str, now: int) -> dict[str, int]:
        leases = self._leases.get(player_id, {})
        return {member: until for member, until in leases.items() if until > now}
