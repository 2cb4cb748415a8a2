"""What an account, or an address, has in use: one entry for each of its games and seeks.

An owner is a player id or the hash of an address. Entries are kept by name:

    g374bpcIeywITybv6XK887uOTfHvn   {"computer_seats": 3, "thinking_ms": 1500, ...}
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageEntry:
    """Something in use by an owner, until `expires_at` at the latest."""

    owner: str
    name: str
    body: bytes
    expires_at: int


class UsageStore(Protocol):
    """Stores what is in use."""

    def put_usage(self, entries: Iterable[UsageEntry]) -> None:
        """Add entries, or replace those of the same name.

        All entries of an owner are kept until the last of them expires.
        """
        ...

    def drop_usage(self, owners: Iterable[str], name: str) -> None:
        """Remove an entry of each owner; one without it stays as it is."""
        ...

    def usage(self, owners: Sequence[str]) -> list[Mapping[str, bytes]]:
        """Return the entries of each owner by name, in one round trip."""
        ...
