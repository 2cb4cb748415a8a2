"""The store in Redis 7 or Valkey: one Lua script a move, one round trip a call.

An accepted move is never lost and never played twice, whatever happens to the
connection. When it breaks after a write was sent, nobody knows whether the write
was done; the same write is then sent again, once, and each is made to bear that:

- A commit carries an id of its own. The game keeps the ids of its last 32 commits,
  so the script knows its own commit again, also beneath later ones, and answers
  "done". Equal bytes would not be proof: two requests may make the same move.
- A reservation holds a random holder, and a secret that was taken a random taker: finding one's own
  means to have been there first.
- Answers, players and tokens say what should stand; standing already is done.
- Leases and removals may answer False the second time, which the contract allows.

If the second attempt fails as well, `StoreUnavailable` leaves the outcome open. A commit
still on its way then finds a newer version or a lapsed reservation, or is done
and its answer stored: the retry of a client gets that answer.
"""

import secrets
from collections.abc import Mapping, Sequence
from typing import Final, Self

import msgspec
from msgspec import structs

from service.store.contract import (
    ANSWER_MS,
    RESERVATION_MS,
    Answer,
    Commit,
    Due,
    Hearing,
    IdempotencyKey,
    InProgress,
    KeyReused,
    Reservation,
    ReservationLost,
    Reserved,
    StaleVersion,
    Stored,
    StoredEvent,
    check_page,
)
from service.store.ids import SHARDS, is_game_id, shard_of
from service.store.lists import GameList
from service.store.ratings import POOLS
from service.store.redis import keys
from service.store.redis.accounts import AccountsInRedis
from service.store.redis.advice import WorkInRedis
from service.store.redis.change_notifier import WAKE_LENGTH, Wakes
from service.store.redis.connection import Argument, Connection, script, what_is_missing
from service.store.redis.counts import CountsInRedis
from service.store.redis.lists import ListsInRedis
from service.store.redis.outbox import DerivationsInRedis
from service.store.redis.players import PlayersInRedis
from service.store.redis.presence import VisitsInRedis
from service.store.redis.ratings import RatingsInRedis
from service.store.redis.seeks import SeeksInRedis
from service.store.redis.webhooks import WebhooksInRedis
from service.store.schema import FIRST_SCHEMA, SCHEMA

_COMMIT_ID_BYTES: Final = 8  # commit.lua counts on it


class RedisStore(
    AccountsInRedis,
    CountsInRedis,
    DerivationsInRedis,
    ListsInRedis,
    PlayersInRedis,
    RatingsInRedis,
    SeeksInRedis,
    VisitsInRedis,
    WebhooksInRedis,
    WorkInRedis,
):
    """Keep everything in one Redis or Valkey, shared by any number of processes."""

    def __init__(self, connection: Connection) -> None:
        self._redis = connection
        self._wakes = Wakes(connection)

    @classmethod
    def at(cls, url: str, *, max_connections: int = 64) -> Self:
        """Make a store at a URL (redis, rediss or unix); nothing is sent until it is used.

        A thread that finds all connections in use waits for one.
        """
        return cls(Connection(url, max_connections=max_connections))

    # Games

    def load(self, game_id: str) -> Stored | None:
        """Return state and version, read together; None where no such game is kept."""
        if not is_game_id(game_id):
            return None
        return _stored(self._redis.call("HMGET", keys.game(game_id), "version", "state"))

    def load_many(self, game_ids: Sequence[str]) -> list[Stored | None]:
        """Return what `load` would, for each id in the order given, in one round trip."""
        known = [game_id for game_id in game_ids if is_game_id(game_id)]
        replies = self._redis.call_all(
            [("HMGET", keys.game(game_id), "version", "state") for game_id in known]
        )
        found = dict(zip(known, map(_stored, replies), strict=True))
        return [found.get(game_id) for game_id in game_ids]

    def commit(self, commit: Commit) -> bool:
        """Write state, events, answer, due times and expiry: all, or nothing."""
        game_id = commit.game_id
        version = commit.expected_version + 1
        shard = shard_of(game_id)
        names = [
            *(keys.game(game_id), keys.events(game_id)),
            *(keys.due(shard), keys.attempts(shard), keys.behind(shard)),
        ]
        arguments: list[Argument] = [
            commit.expected_version,
            version,
            secrets.token_bytes(_COMMIT_ID_BYTES),
            commit.state,
            commit.expires_at,
            "" if commit.due_at is None else commit.due_at,
            game_id,
            "" if commit.derive_at is None else commit.derive_at,
        ]
        if commit.answer is not None:
            reservation, answer = commit.answer
            names.append(keys.answer(reservation.key))
            arguments += [_held(reservation), _answered(reservation, answer), ANSWER_MS]
        lua = script("commit")
        # The wake-up lies outside the game's slot and goes out behind the script. It is a hint:
        # a refused commit wakes for nothing, and a lost one is made good by Wakes.
        outcome, _ = self._redis.call_all(
            [
                lua.call(names, [*arguments, *commit.events]),
                ("XADD", keys.WAKE, "MAXLEN", "~", WAKE_LENGTH, "*", "g", game_id, "v", version),
            ],
            script=lua,
            needed=1,
        )
        if outcome == b"lost":
            raise ReservationLost
        if outcome not in {b"done", b"behind"}:
            raise StaleVersion(outcome or None)
        return bool(outcome == b"behind")

    def events(self, game_id: str, *, after: tuple[int, int] | None = None, limit: int) -> list[StoredEvent]:
        """Return the log behind the cursor, oldest first, `limit` at most."""
        check_page(limit=limit, after=after)
        if not is_game_id(game_id):
            return []
        start = "-" if after is None else f"({after[0]}-{after[1]}"
        entries = self._redis.call("XRANGE", keys.events(game_id), start, "+", "COUNT", limit)
        return [_event(entry_id, fields[1]) for entry_id, fields in entries]

    def rewrite_events(self, game_id: str, bodies: Mapping[tuple[int, int], bytes]) -> None:
        """Put other bodies in the place of those in the log, by (version, seq)."""
        if is_game_id(game_id) and bodies:
            pairs = [part for (version, seq), body in bodies.items() for part in (f"{version}-{seq}", body)]
            self._redis.run(script("rewrite_events"), [keys.events(game_id)], *pairs)

    def wait(self, game_id: str, *, version: int, timeout_ms: int) -> bool:
        """Wait until the game is at another version than the one given, or gone."""
        return self._wakes.wait(game_id, version=version, timeout_ms=timeout_ms)

    def stop_waiting(self) -> None:
        """Send home all who wait in this process, and let nobody wait from now on."""
        self._wakes.stop_waiting()

    def listen(self, hear: Hearing) -> None:
        """Let `hear` know of every change that is made from now on."""
        self._wakes.listen(hear)

    # Answers to be given again

    def reserve(self, key: IdempotencyKey, fingerprint: str) -> Reserved:
        """Take hold of the key for `RESERVATION_MS`, or tell what stands in the way."""
        reservation = Reservation(key=key, fingerprint=fingerprint, holder=secrets.token_urlsafe(12))
        ours = _held(reservation)
        found = self._redis.call("SET", keys.answer(key), ours, "NX", "GET", "PX", RESERVATION_MS)
        if found is None or found == ours:
            return reservation
        head, separator, body = found.partition(b"\n")
        record = msgspec.json.decode(head, type=_Head)
        if record.fingerprint != fingerprint:
            return KeyReused()
        if not separator:
            return InProgress()
        return Answer(status=record.status, headers=record.headers, body=body)

    def remember(self, reservation: Reservation, answer: Answer) -> bool:
        """Store the answer of a request that commits nothing; False where the hold was lost."""
        names = [keys.answer(reservation.key)]
        if reservation.key.game_id is not None:
            names.append(keys.game(reservation.key.game_id))
        done = self._redis.run(
            script("remember"), names, _held(reservation), _answered(reservation, answer), ANSWER_MS
        )
        return bool(done)

    def release(self, reservation: Reservation) -> None:
        """Give the key back unanswered, if it is still held."""
        self._redis.run(script("release"), [keys.answer(reservation.key)], _held(reservation))

    # What is due

    def due(self, *, now: int, limit: int) -> list[Due]:
        """Return the games due at `now` or before, over all shards, the longest due first."""
        check_page(limit=limit)
        lua = script("due")
        replies = self._redis.call_all(
            [lua.call([keys.due(shard), keys.attempts(shard)], [now, limit]) for shard in range(SHARDS)],
            script=lua,
        )
        found = [
            Due(game_id=game_id.decode(), at=int(at), attempt=int(attempt))
            for reply in replies
            for game_id, at, attempt in zip(reply[::3], reply[1::3], reply[2::3], strict=True)
        ]
        found.sort(key=lambda entry: (entry.at, entry.game_id))
        return found[:limit]

    def lease(self, game_id: str, *, expected_at: int | None, at: int, attempt: int | None = None) -> bool:
        """Move a due time, unless another did first; tell whether we did."""
        return self._move_due(
            game_id,
            "" if expected_at is None else expected_at,
            at,
            "" if attempt is None else attempt,
        )

    def forget_due(self, game_id: str, *, expected_at: int) -> bool:
        """Drop a due time, as `lease` would move it: for games that have expired."""
        return self._move_due(game_id, expected_at, "", "")

    def _move_due(self, game_id: str, *arguments: Argument) -> bool:
        if not is_game_id(game_id):
            return False
        shard = shard_of(game_id)
        names = [keys.due(shard), keys.attempts(shard)]
        return bool(self._redis.run(script("lease"), names, game_id, *arguments))

    # A player's end, in which every part has a share

    def delete_player(self, player_id: str) -> bool:
        """Forget the player with all that is his; tell whether there was one."""
        lists = [
            GameList.of_player(player_id),
            GameList.of_player(player_id, sandbox=True),
            GameList.going(player_id),
            GameList.going(player_id, sandbox=True),
            GameList.left_by(player_id),
        ]
        existed, *_ = self._redis.call_all(
            [
                ("DEL", keys.player(player_id)),
                ("DEL", keys.account(player_id), keys.told(player_id), keys.webhooks(player_id)),
                ("DEL", *map(keys.games, lists)),
                *[("HDEL", keys.ratings(pool), player_id) for pool in POOLS],
                *[("ZREM", keys.board(pool), player_id) for pool in POOLS],
            ]
        )
        return bool(existed)

    # The store itself

    def ping(self) -> tuple[str, ...]:
        """Return what keeps the store from working, a sentence each; nothing when it is ready."""
        return what_is_missing(self._redis)

    def close(self) -> None:
        """Give back connections and threads; those who wait are sent home."""
        self._wakes.close()
        self._redis.close()


class _Head(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The first line of an idempotency record. A reservation is no more than that."""

    schema: int = FIRST_SCHEMA
    fingerprint: str
    holder: str
    status: int = 0
    headers: tuple[tuple[str, str], ...] = ()


def _head(reservation: Reservation) -> _Head:
    return _Head(schema=SCHEMA, fingerprint=reservation.fingerprint, holder=reservation.holder)


def _held(reservation: Reservation) -> bytes:
    return msgspec.json.encode(_head(reservation))


def _answered(reservation: Reservation, answer: Answer) -> bytes:
    """Return the record of an answer: a line of JSON, then the body as it stands."""
    head = structs.replace(_head(reservation), status=answer.status, headers=answer.headers)
    return msgspec.json.encode(head) + b"\n" + answer.body


def _stored(reply: list[bytes | None]) -> Stored | None:
    version, state = reply
    if version is None or state is None:
        return None
    return Stored(version=int(version), state=state)


def _event(entry_id: bytes, body: bytes) -> StoredEvent:
    version, seq = entry_id.split(b"-")
    return StoredEvent(version=int(version), seq=int(seq), body=body)
