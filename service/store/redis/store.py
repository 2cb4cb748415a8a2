"""The store in Redis 7 or Valkey: one Lua script per move, one round trip per call.

An accepted move is never lost and never made twice, whatever happens to the connection. If it
breaks after a write was sent, the outcome is unknown. The same write is then sent once more, so
every write is idempotent:

- A commit carries a random id. The game keeps the ids of its last 32 commits, so the script
  recognises a repeated commit, also after later ones, and returns "done". Equal bytes would be
  no proof: two requests may make the same move.
- A reservation holds a random holder, and a taken secret a random taker: a call that finds its
  own name was first.
- Answers, players and tokens are written by what should stand: if it stands already, the write
  succeeds.
- Leases and removals may return False for the repetition, which the contract allows.

If the second attempt fails as well, `StoreUnavailable` leaves the outcome unknown. A commit
still on its way then finds a newer version or an expired reservation, or it is done and its
answer stored: a retry of the client gets that answer.
"""

from collections.abc import Mapping, Sequence
from typing import Self

from service.store.contract import (
    ChangeListener,
    Commit,
    DueGame,
    Store,
    StoredEvent,
    StoredGame,
    check_page,
)
from service.store.ids import SHARDS, is_game_id, shard_of
from service.store.lists import GameList
from service.store.ratings import POOLS
from service.store.redis import keys
from service.store.redis.accounts import RedisAccountStore
from service.store.redis.advice import RedisAdviceStore
from service.store.redis.answers import RedisAnswerStore
from service.store.redis.blocks import RedisBlockStore
from service.store.redis.change_notifier import WAKE_STREAM_LENGTH, ChangeNotifier
from service.store.redis.commits import commit_command, is_pending
from service.store.redis.connection import Argument, Connection, readiness_problems, script
from service.store.redis.counts import RedisCountStore
from service.store.redis.lists import RedisListStore
from service.store.redis.messages import RedisMessageStore
from service.store.redis.outbox import RedisOutboxStore
from service.store.redis.players import RedisPlayerStore
from service.store.redis.presence import RedisPresenceStore
from service.store.redis.ratings import RedisRatingStore
from service.store.redis.reports import RedisReportStore
from service.store.redis.seeks import RedisSeekStore
from service.store.redis.sheets import RedisSheetStore
from service.store.redis.usage import RedisUsageStore
from service.store.redis.webhooks import RedisWebhookStore


class RedisStore(
    RedisAccountStore,
    RedisAdviceStore,
    RedisAnswerStore,
    RedisBlockStore,
    RedisReportStore,
    RedisUsageStore,
    RedisCountStore,
    RedisListStore,
    RedisMessageStore,
    RedisOutboxStore,
    RedisPlayerStore,
    RedisPresenceStore,
    RedisRatingStore,
    RedisSeekStore,
    RedisSheetStore,
    RedisWebhookStore,
    Store,
):
    """Store everything in one Redis or Valkey, shared by any number of processes."""

    def __init__(self, connection: Connection) -> None:
        self._redis = connection
        #: Wakes the waiting requests of this process.
        self.notifier = ChangeNotifier(connection)

    @classmethod
    def at(cls, url: str, *, max_connections: int = 64) -> Self:
        """Return the store at a URL (redis, rediss or unix); nothing is sent yet.

        If all connections are in use, a thread waits for one.
        """
        return cls(Connection(url, max_connections=max_connections))

    # Games

    def load(self, game_id: str) -> StoredGame | None:
        if not is_game_id(game_id):
            return None
        return _stored(self._redis.call("HMGET", keys.game(game_id), "version", "state"))

    def load_many(self, game_ids: Sequence[str]) -> list[StoredGame | None]:
        known = [game_id for game_id in game_ids if is_game_id(game_id)]
        replies = self._redis.call_all(
            [("HMGET", keys.game(game_id), "version", "state") for game_id in known]
        )
        found = dict(zip(known, map(_stored, replies), strict=True))
        return [found.get(game_id) for game_id in game_ids]

    def commit(self, commit: Commit) -> bool:
        game_id, version = commit.game_id, commit.expected_version + 1
        shard = shard_of(game_id)
        command = commit_command(
            [
                *(keys.game(game_id), keys.events(game_id)),
                *(keys.due(shard), keys.attempts(shard), keys.outbox(shard)),
            ],
            game_id,
            expected_version=commit.expected_version,
            state=commit.state,
            expires_at=commit.expires_at,
            due_at=commit.due_at,
            effects_due_at=commit.effects_due_at,
            events=commit.events,
            answer=commit.answer,
        )
        # The wake-up lies outside the game's slot and is sent after the script. It is a hint: a
        # refused commit wakes without a change, and ChangeNotifier makes up for a lost one.
        outcome, _ = self._redis.call_all(
            [
                command,
                ("XADD", keys.WAKE, "MAXLEN", "~", WAKE_STREAM_LENGTH, "*", "g", game_id, "v", version),
            ],
            script=script("commit"),
            needed=1,
        )
        return is_pending(outcome)

    def events(self, game_id: str, *, after: tuple[int, int] | None = None, limit: int) -> list[StoredEvent]:
        check_page(limit=limit, after=after)
        if not is_game_id(game_id):
            return []
        start = "-" if after is None else f"({after[0]}-{after[1]}"
        entries = self._redis.call("XRANGE", keys.events(game_id), start, "+", "COUNT", limit)
        return [_event(entry_id, fields[1]) for entry_id, fields in entries]

    def rewrite_events(self, game_id: str, bodies: Mapping[tuple[int, int], bytes]) -> None:
        if is_game_id(game_id) and bodies:
            pairs = [part for (version, seq), body in bodies.items() for part in (f"{version}-{seq}", body)]
            self._redis.run(script("rewrite_events"), [keys.events(game_id)], *pairs)

    def wait(self, game_id: str, *, version: int, timeout_ms: int) -> bool:
        return self.notifier.wait(game_id, version=version, timeout_ms=timeout_ms)

    def release_waiters(self) -> None:
        self.notifier.release_waiters()

    def listen(self, on_change: ChangeListener) -> None:
        self.notifier.listen(on_change)

    # Due games

    def due(self, *, now: int, limit: int) -> list[DueGame]:
        check_page(limit=limit)
        lua = script("due")
        replies = self._redis.call_all(
            [lua.call([keys.due(shard), keys.attempts(shard)], [now, limit]) for shard in range(SHARDS)],
            script=lua,
        )
        found = [
            DueGame(game_id=game_id.decode(), at=int(at), attempt=int(attempt))
            for reply in replies
            for game_id, at, attempt in zip(reply[::3], reply[1::3], reply[2::3], strict=True)
        ]
        found.sort(key=lambda entry: (entry.at, entry.game_id))
        return found[:limit]

    def lease(self, game_id: str, *, expected_at: int | None, at: int, attempt: int | None = None) -> bool:
        return self._move_due(
            game_id,
            "" if expected_at is None else expected_at,
            at,
            "" if attempt is None else attempt,
        )

    def forget_due(self, game_id: str, *, expected_at: int) -> bool:
        return self._move_due(game_id, expected_at, "", "")

    def _move_due(self, game_id: str, *arguments: Argument) -> bool:
        if not is_game_id(game_id):
            return False
        shard = shard_of(game_id)
        names = [keys.due(shard), keys.attempts(shard)]
        return bool(self._redis.run(script("lease"), names, game_id, *arguments))

    # Deleting a player touches every part

    def delete_player(self, player_id: str) -> bool:
        lists = [
            GameList.of_player(player_id),
            GameList.of_player(player_id, sandbox=True),
            GameList.unfinished(player_id),
            GameList.unfinished(player_id, sandbox=True),
            GameList.left_by(player_id),
        ]
        existed, *_ = self._redis.call_all(
            [
                ("DEL", keys.player(player_id)),
                ("DEL", keys.account(player_id), keys.account_progress(player_id), keys.webhooks(player_id)),
                ("DEL", keys.blocks(player_id)),
                ("DEL", *map(keys.games, lists)),
                *[("HDEL", keys.ratings(pool), player_id) for pool in POOLS],
                *[("ZREM", keys.board(pool), player_id) for pool in POOLS],
            ]
        )
        return bool(existed)

    # The store itself

    def ping(self) -> tuple[str, ...]:
        return readiness_problems(self._redis)

    def close(self) -> None:
        self.notifier.close()
        self._redis.close()


def _stored(reply: list[bytes | None]) -> StoredGame | None:
    version, state = reply
    if version is None or state is None:
        return None
    return StoredGame(version=int(version), state=state)


def _event(entry_id: bytes, body: bytes) -> StoredEvent:
    version, seq = entry_id.split(b"-")
    return StoredEvent(version=int(version), seq=int(seq), body=body)
