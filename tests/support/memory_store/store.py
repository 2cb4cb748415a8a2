"""The store inside one process: the twin of `redis_store`, for tests and for trying out.

It keeps the same contract to the letter, expiry included, and forgets all at the end.
"""

import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

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
from service.store.ratings import POOLS
from tests.support.memory_store.accounts import AccountsInMemory, Log
from tests.support.memory_store.advice import WorkInMemory
from tests.support.memory_store.counts import CountsInMemory
from tests.support.memory_store.lists import Listings, ListsInMemory
from tests.support.memory_store.outbox import DerivationsInMemory, Mark
from tests.support.memory_store.players import Player, PlayersInMemory, Secret
from tests.support.memory_store.presence import VisitsInMemory
from tests.support.memory_store.ratings import Pool, RatingsInMemory
from tests.support.memory_store.seeks import Seekers, SeeksInMemory
from tests.support.memory_store.webhooks import WebhooksInMemory


@dataclass(slots=True, kw_only=True)
class _Game:
    version: int
    state: bytes
    events: list[StoredEvent]
    expires_at: int


@dataclass(slots=True, kw_only=True)
class _Record:
    """What an idempotency record holds: a reservation, and the answer once there is one."""

    reservation: Reservation
    answer: Answer | None = None
    expires_at: int


@dataclass(slots=True, kw_only=True)
class _DueEntry:
    at: int
    attempt: int = 0


class MemoryStore(
    # First, because accounts and webhooks leave it open whether there is such a player.
    PlayersInMemory,
    AccountsInMemory,
    CountsInMemory,
    DerivationsInMemory,
    ListsInMemory,
    RatingsInMemory,
    SeeksInMemory,
    VisitsInMemory,
    WebhooksInMemory,
    WorkInMemory,
):
    """Keep everything in dictionaries, under one lock.

    `now` tells the time, in milliseconds, for everything that expires.
    """

    def __init__(self, now: Callable[[], int]) -> None:
        self._now = now
        # A condition's own lock is reentrant: one method may call another.
        self._changed = threading.Condition()
        self._waiting_is_over = False
        self._games: dict[str, _Game] = {}
        self._records: dict[IdempotencyKey, _Record] = {}
        self._due: dict[str, _DueEntry] = {}
        self._players: dict[str, Player] = {}
        self._secrets: dict[tuple[str, str], Secret] = {}
        self._lists: Listings = {}
        self._logs: dict[str, Log] = {}
        self._counts: dict[tuple[str, int], tuple[int, int]] = {}
        self._seeks: dict[str, Seekers] = {}
        self._visits: dict[str, dict[str, int]] = {}
        self._listening: list[Hearing] = []
        self._marks: dict[str, Mark] = {}
        self._behind: dict[str, int] = {}
        self._webhooks: dict[str, dict[str, bytes]] = {}
        self._deliveries: dict[str, tuple[int, bytes]] = {}
        self._pools: dict[str, Pool] = {}
        self._work: dict[str, tuple[bytes, int]] = {}

    # Games

    def load(self, game_id: str) -> Stored | None:
        """Return state and version, read together; None where no such game is kept."""
        with self._changed:
            game = self._game(game_id)
            return None if game is None else Stored(version=game.version, state=game.state)

    def load_many(self, game_ids: Sequence[str]) -> list[Stored | None]:
        """Return what `load` would, for each id in the order given."""
        with self._changed:
            return [self.load(game_id) for game_id in game_ids]

    def commit(self, commit: Commit) -> bool:
        """Write state, events, answer, due times and expiry: all, or nothing."""
        with self._changed:
            game = self._game(commit.game_id)
            if game is None:
                self._marks.pop(commit.game_id, None)
            version = 0 if game is None else game.version
            if version != commit.expected_version:
                raise StaleVersion(version or None)
            if commit.answer is not None:
                self._keep_answer(*commit.answer, expires_at=commit.expires_at)
            version += 1
            log = [] if game is None else game.events
            log.extend(
                StoredEvent(version=version, seq=seq, body=body) for seq, body in enumerate(commit.events)
            )
            self._games[commit.game_id] = _Game(
                version=version, state=commit.state, events=log, expires_at=commit.expires_at
            )
            self._due.pop(commit.game_id, None)
            if commit.due_at is not None:
                self._due[commit.game_id] = _DueEntry(at=commit.due_at)
            self._changed.notify_all()
            is_behind = commit.derive_at is not None and self._mark(commit.game_id, version, commit.derive_at)
        self._spread(commit.game_id, version)
        return is_behind

    def events(self, game_id: str, *, after: tuple[int, int] | None = None, limit: int) -> list[StoredEvent]:
        """Return the log behind the cursor, oldest first, `limit` at most."""
        check_page(limit=limit, after=after)
        with self._changed:
            game = self._game(game_id)
            log = [] if game is None else game.events
            behind = [event for event in log if after is None or (event.version, event.seq) > after]
            return behind[:limit]

    def rewrite_events(self, game_id: str, bodies: Mapping[tuple[int, int], bytes]) -> None:
        """Put other bodies in the place of those in the log, by (version, seq)."""
        with self._changed:
            game = self._game(game_id)
            if game is not None:
                game.events = [
                    replace(event, body=bodies.get((event.version, event.seq), event.body))
                    for event in game.events
                ]

    def wait(self, game_id: str, *, version: int, timeout_ms: int) -> bool:
        """Wait until the game is at another version than the one given, or gone."""

        def is_changed() -> bool:
            game = self._game(game_id)
            return game is None or game.version != version

        with self._changed:
            self._changed.wait_for(lambda: self._waiting_is_over or is_changed(), timeout_ms / 1000)
            return not self._waiting_is_over and is_changed()

    def stop_waiting(self) -> None:
        """Send home all who wait, and let nobody wait from now on."""
        with self._changed:
            self._waiting_is_over = True
            self._changed.notify_all()

    def listen(self, hear: Hearing) -> None:
        """Let `hear` know of every change that is made from now on."""
        with self._changed:
            if hear not in self._listening:
                self._listening.append(hear)

    def _spread(self, name: str, version: int) -> None:
        # Without the lock: whoever hears of a change looks into the store, and may hold a lock of his own.
        for hear in tuple(self._listening):
            hear([(name, version)])

    # Answers to be given again

    def reserve(self, key: IdempotencyKey, fingerprint: str) -> Reserved:
        """Take hold of the key for `RESERVATION_MS`, or tell what stands in the way."""
        with self._changed:
            record = self._record(key)
            if record is not None:
                if record.reservation.fingerprint != fingerprint:
                    return KeyReused()
                return record.answer or InProgress()
            reservation = Reservation(key=key, fingerprint=fingerprint, holder=secrets.token_urlsafe(12))
            self._records[key] = _Record(reservation=reservation, expires_at=self._now() + RESERVATION_MS)
            return reservation

    def remember(self, reservation: Reservation, answer: Answer) -> bool:
        """Store the answer of a request that commits nothing; False where the hold was lost."""
        with self._changed:
            game_id = reservation.key.game_id
            game = None if game_id is None else self._game(game_id)
            record = self._record(reservation.key)
            if record is not None and (record.reservation, record.answer) == (reservation, answer):
                return True
            try:
                self._keep_answer(reservation, answer, expires_at=None if game is None else game.expires_at)
            except ReservationLost:
                return False
            return True

    def release(self, reservation: Reservation) -> None:
        """Give the key back unanswered, if it is still held."""
        with self._changed:
            if self._is_held(reservation):
                del self._records[reservation.key]

    # What is due

    def due(self, *, now: int, limit: int) -> list[Due]:
        """Return the games due at `now` or before, the longest due first."""
        check_page(limit=limit)
        with self._changed:
            entries = sorted((entry.at, game_id) for game_id, entry in self._due.items() if entry.at <= now)
            return [
                Due(game_id=game_id, at=at, attempt=self._due[game_id].attempt)
                for at, game_id in entries[:limit]
            ]

    def lease(self, game_id: str, *, expected_at: int | None, at: int, attempt: int | None = None) -> bool:
        """Move a due time, unless another did first; tell whether we did."""
        with self._changed:
            entry = self._due.get(game_id)
            if entry is None or expected_at not in {None, entry.at}:
                return False
            self._due[game_id] = _DueEntry(at=at, attempt=entry.attempt if attempt is None else attempt)
            return True

    def forget_due(self, game_id: str, *, expected_at: int) -> bool:
        """Drop a due time, as `lease` would move it."""
        with self._changed:
            entry = self._due.get(game_id)
            if entry is None or entry.at != expected_at:
                return False
            del self._due[game_id]
            return True

    # A player's end, in which every part has a share

    def delete_player(self, player_id: str) -> bool:
        """Forget the player with all that is his; tell whether there was one."""
        with self._changed:
            for pool in POOLS:
                self.forget_rating(pool, player_id)
            self._logs.pop(player_id, None)
            self._webhooks.pop(player_id, None)
            for listing in [listing for listing in self._lists if listing.player_id == player_id]:
                del self._lists[listing]
            existed = self._player(player_id) is not None
            self._players.pop(player_id, None)
            return existed

    # The store itself

    def ping(self) -> tuple[str, ...]:
        """Return nothing: memory is always there."""
        return ()

    def close(self) -> None:
        """Send home those who wait."""
        self.stop_waiting()

    # What has expired is removed when somebody asks for it. The lock is held.

    def _game(self, game_id: str) -> _Game | None:
        game = self._games.get(game_id)
        if game is not None and game.expires_at <= self._now():
            del self._games[game_id]
            return None
        return game

    def _record(self, key: IdempotencyKey) -> _Record | None:
        record = self._records.get(key)
        if record is not None and record.expires_at <= self._now():
            del self._records[key]
            return None
        return record

    def _is_held(self, reservation: Reservation) -> bool:
        record = self._record(reservation.key)
        return record is not None and record.answer is None and record.reservation == reservation

    def _keep_answer(self, reservation: Reservation, answer: Answer, *, expires_at: int | None) -> None:
        if not self._is_held(reservation):
            raise ReservationLost
        ends = self._now() + ANSWER_MS
        self._records[reservation.key] = _Record(
            reservation=reservation,
            answer=answer,
            expires_at=ends if expires_at is None else min(ends, expires_at),
        )
