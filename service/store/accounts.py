"""What players are told, wherever they are."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from service.runtime.durations import DAY_MS

ACCOUNT_EVENTS: Final = 1000
"""How many events a player's log keeps: the newest."""

ACCOUNT_KEPT_MS: Final = 30 * DAY_MS
"""How long a player's log is kept behind its newest event. A cursor older than that may have missed some."""

ACCOUNT_GAMES: Final = 512
"""Of so many games, the last ones heard of, a player's log knows what it was told already."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountEntry:
    """What a player is to be told of an event in a game's log, named by its version and seq."""

    player_id: str
    game_id: str
    version: int
    seq: int
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountEvent:
    """One entry of a player's log. `cursor` orders it there: milliseconds, and a count within them."""

    cursor: tuple[int, int]
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountPage:
    """A page of a player's log; `gapless` is False where entries behind the cursor were dropped before."""

    events: list[AccountEvent]
    gapless: bool


class Accounts(Protocol):
    """Keeps a log of what each player is told."""

    def append_account_events(self, entries: Sequence[AccountEntry]) -> None:
        """Write into players' logs what was not written before, in the order given; wake those who wait.

        What a game tells one player must come in the order of the game's log: an entry that
        does not lie behind all told so far counts as told. For a player who does not exist
        nothing is written. A log keeps its newest `ACCOUNT_EVENTS`, for `ACCOUNT_KEPT_MS`
        behind the newest.
        """
        ...

    def account_events(
        self, player_id: str, *, after: tuple[int, int] | None = None, limit: int
    ) -> AccountPage:
        """Return a player's log behind the cursor, oldest first, `limit` at most; as `events`."""
        ...

    def account_end(self, player_id: str) -> tuple[int, int]:
        """Return the cursor of the newest entry, (0, 0) where there is none."""
        ...

    def wait_account(self, player_id: str, *, after: tuple[int, int], timeout_ms: int) -> bool:
        """Wait until there is something behind the cursor in a player's log; as `wait`."""
        ...
