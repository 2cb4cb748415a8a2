"""What players are told, in Redis: a stream a player, beside what is known of him."""

from collections.abc import Sequence

from service.store.accounts import (
    ACCOUNT_EVENTS,
    ACCOUNT_GAMES,
    ACCOUNT_KEPT_MS,
    AccountEntry,
    AccountEvent,
    AccountPage,
)
from service.store.contract import TOLD, check_page
from service.store.redis import keys
from service.store.redis.change_notifier import WAKE_LENGTH, Wakes
from service.store.redis.connection import Command, Connection, script


class AccountsInRedis:
    """The part of the store that keeps players' logs."""

    _redis: Connection
    _wakes: Wakes

    def append_account_events(self, entries: Sequence[AccountEntry]) -> None:
        """Write into players' logs what was not written before; wake those who wait."""
        lua = script("append_account")
        appends = [
            lua.call(
                [keys.player(entry.player_id), keys.account(entry.player_id), keys.told(entry.player_id)],
                [
                    ACCOUNT_EVENTS,
                    ACCOUNT_KEPT_MS,
                    ACCOUNT_GAMES,
                    entry.game_id,
                    entry.version,
                    entry.seq,
                    entry.body,
                ],
            )
            for entry in entries
        ]
        # As behind a commit: a hint, and outside the players' slots.
        wakes: list[Command] = [
            ("XADD", keys.WAKE, "MAXLEN", "~", WAKE_LENGTH, "*", "g", player_id, "v", TOLD)
            for player_id in dict.fromkeys(entry.player_id for entry in entries)
        ]
        self._redis.call_all([*appends, *wakes], script=lua, needed=len(appends))

    def account_events(
        self, player_id: str, *, after: tuple[int, int] | None = None, limit: int
    ) -> AccountPage:
        """Return a player's log behind the cursor, oldest first, `limit` at most."""
        check_page(limit=limit, after=after)
        start = "-" if after is None else f"({after[0]}-{after[1]}"
        # What was dropped is asked for last: what goes in between counts as missed, never as read.
        entries, dropped = self._redis.call_all(
            [
                ("XRANGE", keys.account(player_id), start, "+", "COUNT", limit),
                ("HGET", keys.told(player_id), "-"),
            ]
        )
        return AccountPage(
            events=[AccountEvent(cursor=_cursor(entry_id), body=fields[1]) for entry_id, fields in entries],
            gapless=dropped is None or (after is not None and _cursor(dropped) <= after),
        )

    def account_end(self, player_id: str) -> tuple[int, int]:
        """Return the cursor of the newest entry, (0, 0) where there is none."""
        newest = self._redis.call("XREVRANGE", keys.account(player_id), "+", "-", "COUNT", 1)
        return _cursor(newest[0][0]) if newest else (0, 0)

    def wait_account(self, player_id: str, *, after: tuple[int, int], timeout_ms: int) -> bool:
        """Wait until there is something behind the cursor in a player's log."""
        return self._wakes.wait_account(player_id, after=after, timeout_ms=timeout_ms)


def _cursor(entry_id: bytes) -> tuple[int, int]:
    at, nth = entry_id.split(b"-")
    return int(at), int(nth)
