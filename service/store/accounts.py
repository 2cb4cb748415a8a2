"""Account logs: the notifications of each player, over all of their games.

An entry of a log has a cursor and a body:

    1796080371613-0  {"type": "turn.started", "game_id": "g33Tb1tL...", "version": 7, "seq": 1,
                      "at": "2026-11-30T23:12:51.607Z", "seat": 2}
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from service.runtime.durations import DAY_MS

MAX_ACCOUNT_EVENTS: Final = 1000
"""How many events a player's log keeps: the newest."""

ACCOUNT_RETENTION_MS: Final = 30 * DAY_MS
"""How long a player's log is kept after its newest event. An older cursor may have missed events."""

MAX_ACCOUNT_GAMES: Final = 512
"""For how many games, those with the newest events, a player's log remembers what it contains."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewAccountEvent:
    """A notification to append: its player, and the version and seq of the game event it reports."""

    player_id: str
    game_id: str
    version: int
    seq: int
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountEvent:
    """One entry of a player's log. The cursor orders entries: milliseconds, and a count within them."""

    cursor: tuple[int, int]
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountPage:
    """A page of a player's log; `gapless` is False if entries after the cursor have been dropped."""

    events: list[AccountEvent]
    gapless: bool


class AccountStore(Protocol):
    """Stores a log of notifications for each player."""

    def append_account_events(self, entries: Sequence[NewAccountEvent]) -> None:
        """Append to players' logs what they do not contain yet, in this order; wake their waiters.

        Notifications of one game must be appended in the order of the game's log: an entry
        that is not after the last one appended counts as a repeat. Nothing is written for a
        player who does not exist. A log keeps its newest `MAX_ACCOUNT_EVENTS`, until
        `ACCOUNT_RETENTION_MS` after the newest.
        """
        ...

    def account_events(
        self, player_id: str, *, after: tuple[int, int] | None = None, limit: int
    ) -> AccountPage:
        """Return a player's log after the cursor, oldest first, at most `limit`; as `events`."""
        ...

    def account_end(self, player_id: str) -> tuple[int, int]:
        """Return the cursor of the newest entry, (0, 0) for an empty log."""
        ...

    def wait_for_account(self, player_id: str, *, after: tuple[int, int], timeout_ms: int) -> bool:
        """Wait until a player's log has an entry after the cursor; as `wait`."""
        ...
