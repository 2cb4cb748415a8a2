"""What players are told, in memory: the twin of `redis_accounts`."""

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from service.store.accounts import (
    ACCOUNT_EVENTS,
    ACCOUNT_GAMES,
    ACCOUNT_KEPT_MS,
    AccountEntry,
    AccountEvent,
    AccountPage,
)
from service.store.contract import TOLD, check_page


@dataclass(slots=True, kw_only=True)
class Log:
    """One player's log."""

    events: list[AccountEvent] = field(default_factory=list)
    # In the order in which the games were last heard of.
    told: dict[str, tuple[int, int]] = field(default_factory=dict)
    dropped: tuple[int, int] | None = None
    expires_at: int


class AccountsInMemory(ABC):
    """The part of the store that keeps players' logs."""

    _now: Callable[[], int]
    _changed: threading.Condition
    _waiting_is_over: bool
    _logs: dict[str, Log]

    @abstractmethod
    def _spread(self, name: str, version: int) -> None:
        """Tell those who listen. The lock is not held."""

    @abstractmethod
    def player(self, player_id: str) -> bytes | None:
        """Return the player's body: the rest of the store knows."""

    def append_account_events(self, entries: Sequence[AccountEntry]) -> None:
        """Write into players' logs what was not written before; wake those who wait."""
        with self._changed:
            for entry in entries:
                if self.player(entry.player_id) is not None:
                    self._append(entry)
            self._changed.notify_all()
        for player_id in dict.fromkeys(entry.player_id for entry in entries):
            self._spread(player_id, TOLD)

    def _append(self, entry: AccountEntry) -> None:
        now = self._now()
        log = self._log(entry.player_id) or Log(expires_at=now)
        place = (entry.version, entry.seq)
        if place <= log.told.get(entry.game_id, (0, -1)):
            return
        at, nth = log.events[-1].cursor if log.events else (0, 0)
        cursor = (now, 0) if now > at else (at, nth + 1)
        if len(log.events) >= ACCOUNT_EVENTS:
            log.dropped = log.events.pop(0).cursor
        log.events.append(AccountEvent(cursor=cursor, body=entry.body))
        log.told.pop(entry.game_id, None)
        log.told[entry.game_id] = place
        known = len(log.told) + (log.dropped is not None)
        if known > ACCOUNT_GAMES:
            for game_id in list(log.told)[: len(log.told) // 2]:
                del log.told[game_id]
        log.expires_at = now + ACCOUNT_KEPT_MS
        self._logs[entry.player_id] = log

    def account_events(
        self, player_id: str, *, after: tuple[int, int] | None = None, limit: int
    ) -> AccountPage:
        """Return a player's log behind the cursor, oldest first, `limit` at most."""
        check_page(limit=limit, after=after)
        with self._changed:
            log = self._log(player_id)
            if log is None:
                return AccountPage(events=[], gapless=True)
            behind = [event for event in log.events if after is None or event.cursor > after]
            gapless = log.dropped is None or (after is not None and log.dropped <= after)
            return AccountPage(events=behind[:limit], gapless=gapless)

    def account_end(self, player_id: str) -> tuple[int, int]:
        """Return the cursor of the newest entry, (0, 0) where there is none."""
        with self._changed:
            log = self._log(player_id)
            return (0, 0) if log is None else log.events[-1].cursor

    def wait_account(self, player_id: str, *, after: tuple[int, int], timeout_ms: int) -> bool:
        """Wait until there is something behind the cursor in a player's log."""
        with self._changed:
            self._changed.wait_for(
                lambda: self._waiting_is_over or self.account_end(player_id) > after, timeout_ms / 1000
            )
            return not self._waiting_is_over and self.account_end(player_id) > after

    def _log(self, player_id: str) -> Log | None:
        log = self._logs.get(player_id)
        if log is None or log.expires_at <= self._now():
            self._logs.pop(player_id, None)
            return None
        return log
