"""Account logs in memory."""

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from service.store.accounts import (
    ACCOUNT_RETENTION_MS,
    MAX_ACCOUNT_EVENTS,
    MAX_ACCOUNT_GAMES,
    AccountEvent,
    AccountPage,
    NewAccountEvent,
)
from service.store.contract import PLAYER_NOTIFIED, check_page


@dataclass(slots=True, kw_only=True)
class Log:
    """One player's log."""

    events: list[AccountEvent] = field(default_factory=list)
    # By the time of each game's newest event.
    progress: dict[str, tuple[int, int]] = field(default_factory=dict)
    dropped: tuple[int, int] | None = None
    expires_at: int


class MemoryAccountStore(ABC):
    """Account logs in memory."""

    _now: Callable[[], int]
    _changed: threading.Condition
    _is_closed: bool
    _logs: dict[str, Log]

    @abstractmethod
    def _notify(self, name: str, version: int) -> None:
        """Call the change listeners. The lock is not held."""

    @abstractmethod
    def player(self, player_id: str) -> bytes | None:
        """Return the player's body."""

    def append_account_events(self, entries: Sequence[NewAccountEvent]) -> None:
        with self._changed:
            for entry in entries:
                if self.player(entry.player_id) is not None:
                    self._append(entry)
            self._changed.notify_all()
        for player_id in dict.fromkeys(entry.player_id for entry in entries):
            self._notify(player_id, PLAYER_NOTIFIED)

    def _append(self, entry: NewAccountEvent) -> None:
        now = self._now()
        log = self._log(entry.player_id) or Log(expires_at=now)
        place = (entry.version, entry.seq)
        if place <= log.progress.get(entry.game_id, (0, -1)):
            return
        at, nth = log.events[-1].cursor if log.events else (0, 0)
        cursor = (now, 0) if now > at else (at, nth + 1)
        if len(log.events) >= MAX_ACCOUNT_EVENTS:
            log.dropped = log.events.pop(0).cursor
        log.events.append(AccountEvent(cursor=cursor, body=entry.body))
        log.progress.pop(entry.game_id, None)
        log.progress[entry.game_id] = place
        known = len(log.progress) + (log.dropped is not None)
        if known > MAX_ACCOUNT_GAMES:
            for game_id in list(log.progress)[: len(log.progress) // 2]:
                del log.progress[game_id]
        log.expires_at = now + ACCOUNT_RETENTION_MS
        self._logs[entry.player_id] = log

    def account_events(
        self, player_id: str, *, after: tuple[int, int] | None = None, limit: int
    ) -> AccountPage:
        check_page(limit=limit, after=after)
        with self._changed:
            log = self._log(player_id)
            if log is None:
                return AccountPage(events=[], gapless=True)
            page = [event for event in log.events if after is None or event.cursor > after]
            gapless = log.dropped is None or (after is not None and log.dropped <= after)
            return AccountPage(events=page[:limit], gapless=gapless)

    def account_end(self, player_id: str) -> tuple[int, int]:
        with self._changed:
            log = self._log(player_id)
            return (0, 0) if log is None else log.events[-1].cursor

    def wait_for_account(self, player_id: str, *, after: tuple[int, int], timeout_ms: int) -> bool:
        with self._changed:
            self._changed.wait_for(
                lambda: self._is_closed or self.account_end(player_id) > after, timeout_ms / 1000
            )
            return not self._is_closed and self.account_end(player_id) > after

    def _log(self, player_id: str) -> Log | None:
        log = self._logs.get(player_id)
        if log is None or log.expires_at <= self._now():
            self._logs.pop(player_id, None)
            return None
        return log
