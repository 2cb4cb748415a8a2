"""Account logs in Redis: a stream for each player, and a hash of what was appended to it."""

from collections.abc import Sequence

from service.store.accounts import (
    ACCOUNT_RETENTION_MS,
    MAX_ACCOUNT_EVENTS,
    MAX_ACCOUNT_GAMES,
    AccountEvent,
    AccountPage,
    AccountStore,
    NewAccountEvent,
)
from service.store.contract import PLAYER_NOTIFIED, check_page
from service.store.redis import keys
from service.store.redis.change_notifier import WAKE_STREAM_LENGTH, ChangeNotifier
from service.store.redis.connection import Command, Connection, script


class RedisAccountStore(AccountStore):
    """Stores account logs."""

    _redis: Connection
    notifier: ChangeNotifier

    def append_account_events(self, entries: Sequence[NewAccountEvent]) -> None:
        lua = script("append_account")
        appends = [
            lua.call(
                [
                    keys.player(entry.player_id),
                    keys.account(entry.player_id),
                    keys.account_progress(entry.player_id),
                ],
                [
                    MAX_ACCOUNT_EVENTS,
                    ACCOUNT_RETENTION_MS,
                    MAX_ACCOUNT_GAMES,
                    entry.game_id,
                    entry.version,
                    entry.seq,
                    entry.body,
                ],
            )
            for entry in entries
        ]
        # As after a commit: only a hint, and outside the players' slots.
        wakes: list[Command] = [
            ("XADD", keys.WAKE, "MAXLEN", "~", WAKE_STREAM_LENGTH, "*", "g", player_id, "v", PLAYER_NOTIFIED)
            for player_id in dict.fromkeys(entry.player_id for entry in entries)
        ]
        self._redis.call_all([*appends, *wakes], script=lua, needed=len(appends))

    def account_events(
        self, player_id: str, *, after: tuple[int, int] | None = None, limit: int
    ) -> AccountPage:
        check_page(limit=limit, after=after)
        start = "-" if after is None else f"({after[0]}-{after[1]}"
        # The drop marker is read last: entries dropped in between count as missed, never as read.
        entries, dropped = self._redis.call_all(
            [
                ("XRANGE", keys.account(player_id), start, "+", "COUNT", limit),
                ("HGET", keys.account_progress(player_id), "-"),
            ]
        )
        return AccountPage(
            events=[AccountEvent(cursor=_cursor(entry_id), body=fields[1]) for entry_id, fields in entries],
            gapless=dropped is None or (after is not None and _cursor(dropped) <= after),
        )

    def account_end(self, player_id: str) -> tuple[int, int]:
        newest = self._redis.call("XREVRANGE", keys.account(player_id), "+", "-", "COUNT", 1)
        return _cursor(newest[0][0]) if newest else (0, 0)

    def wait_for_account(self, player_id: str, *, after: tuple[int, int], timeout_ms: int) -> bool:
        return self.notifier.wait_for_account(player_id, after=after, timeout_ms=timeout_ms)


def _cursor(entry_id: bytes) -> tuple[int, int]:
    at, nth = entry_id.split(b"-")
    return int(at), int(nth)
