"""Presence leases: a player is online while at least one of their leases runs.

An open stream holds a lease and renews it. A request takes one of 45 seconds. A player's leases
are ordered by their end:

    request/              1796080471842
    game:tad2ee30/9f2c    1796080486310
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

GRACE_MEMBER: Final = "left/"
"""The lease that keeps a player online for a moment after a stream has ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PresenceLease:
    """Names a lease: its player, its kind (a stream, a request), and a name unique within them."""

    player_id: str
    kind: str
    name: str = ""

    @property
    def member(self) -> str:
        """Its stored name among the player's leases."""
        return f"{self.kind}/{self.name}"


class PresenceStore(Protocol):
    """Knows which players are online."""

    def acquire_presence(
        self, lease: PresenceLease, *, now: int, until: int, limit: int | None = None
    ) -> bool:
        """Take a lease; return False if the player has `limit` other leases of this kind.

        A lease that is held already gets the new end. If the player was offline, the change
        listeners get `PLAYER_ONLINE`.
        """
        ...

    def renew_presence(self, leases: Sequence[PresenceLease], *, now: int, until: int) -> None:
        """Extend leases, in one round trip."""
        ...

    def release_presence(self, lease: PresenceLease, *, until: int) -> None:
        """End a lease; the player still counts as online until `until`."""
        ...

    def count_leases(self, owner: str, *, now: int) -> int:
        """Return how many leases of an owner run, those that keep it online for a moment included."""
        ...

    def online(self, player_ids: Sequence[str], *, now: int) -> list[bool]:
        """Return for each player, in this order, whether they are online; in one round trip."""
        ...
