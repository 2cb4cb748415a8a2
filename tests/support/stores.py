"""Helpers for tests of stores."""

import time
from contextlib import suppress
from typing import Any

from service.store.answers import IdempotencyKey, Reservation
from service.store.contract import Commit, StaleVersion, Store
from service.store.ids import new_game_id
from service.store.redis.store import RedisStore

MINUTE = 60_000
DAY = 24 * 60 * MINUTE

#: A lifetime so short that a test sees its end, and long enough for its next lines on a busy machine.
BRIEFLY = 400


def now() -> int:
    """Return the time in milliseconds."""
    return time.time_ns() // 1_000_000


def see_it_end() -> None:
    """Wait until what was stored `BRIEFLY` has expired."""
    time.sleep(1.2 * BRIEFLY / 1000)


def commit_of(game_id: str, expected_version: int = 0, **changes: Any) -> Commit:
    """Return a commit with a value for every part, except for the test's changes."""
    version = expected_version + 1
    parts: dict[str, Any] = {
        "state": b"state %d" % version,
        "events": (b"event %d.0" % version, b"event %d.1" % version),
        "due_at": now() + MINUTE,
        "expires_at": now() + DAY,
    }
    return Commit(game_id=game_id, expected_version=expected_version, **(parts | changes))


def game_in(store: Store, *, version: int = 1) -> str:
    """Store a new game at that version and return its id."""
    game_id = new_game_id()
    for expected in range(version):
        store.commit(commit_of(game_id, expected))
    return game_id


def reserved(store: Store, game_id: str, name: str = "key") -> Reservation:
    """Reserve an Idempotency-Key of a player in the game."""
    key = IdempotencyKey(player_id="pAna", subject_id=game_id, name=name)
    reservation = store.reserve(key, "draw-stock")
    assert isinstance(reservation, Reservation)
    return reservation


def race(store: Store | str, game_id: str, writer: int, last: int) -> list[int]:
    """Commit to the game until it is at version `last`; return the versions this writer made.

    In another process, the store is given by its URL.
    """
    if isinstance(store, str):
        store = RedisStore.at(store)
    won = []
    while (stored := store.load(game_id)) is not None and stored.version < last:
        with suppress(StaleVersion):
            store.commit(commit_of(game_id, stored.version, events=(b"by %d" % writer,)))
            won.append(stored.version + 1)
    return won


def deliveries(store: Store) -> list[bytes]:
    """Return the bodies of all queued deliveries."""
    return [delivery.body for delivery in store.deliveries_due(now=2**62, limit=10_000)]
