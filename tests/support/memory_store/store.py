"""The store in the memory of one process, for tests.

It keeps the whole contract, including expiry; `tests/store` runs the same tests on it as on
Redis, and `test_agreement.py` compares the two call by call.

Tests of games and of the API use it for its injected clock: they move the time past the expiry
of answers, accounts and games, and a server expires keys by its own clock. It is also faster.
Measured on 338 tests of `tests/api` and `tests/games`, one embedded Valkey per process, without
an append-only file, flushed for each test: 1.15 to 1.35 times the CPU time, 0.25 s more for
each test that opens a stream (its store has a thread to end), and 8 tests that cannot pass.
"""

import secrets
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from service.store.answers import (
    ANSWER_MS,
    COMMIT_RESERVATION_MS,
    RESERVATION_MS,
    Answer,
    IdempotencyKey,
    InProgress,
    KeyReused,
    Reservation,
    ReserveResult,
)
from service.store.contract import (
    ChangeListener,
    Commit,
    DueGame,
    ReservationLost,
    StaleVersion,
    StoredEvent,
    StoredGame,
    check_page,
)
from service.store.ratings import POOLS
from tests.support.memory_store.accounts import Log, MemoryAccountStore
from tests.support.memory_store.advice import MemoryAdviceStore
from tests.support.memory_store.blocks import MemoryBlockStore
from tests.support.memory_store.counts import MemoryCountStore
from tests.support.memory_store.lists import Listings, MemoryListStore
from tests.support.memory_store.messages import Listeners, MemoryMessageStore
from tests.support.memory_store.outbox import Mark, MemoryOutboxStore
from tests.support.memory_store.players import MemoryPlayerStore, Player, Secret
from tests.support.memory_store.presence import MemoryPresenceStore
from tests.support.memory_store.ratings import MemoryRatingStore, Pool
from tests.support.memory_store.reports import MemoryReportStore
from tests.support.memory_store.seeks import MemorySeekStore, SeekPool
from tests.support.memory_store.sheets import MemorySheetStore, Sheet
from tests.support.memory_store.usage import MemoryUsageStore
from tests.support.memory_store.webhooks import MemoryWebhookStore


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
    # First, because accounts and webhooks declare `player` as abstract.
    MemoryPlayerStore,
    MemoryAccountStore,
    MemoryCountStore,
    MemoryOutboxStore,
    MemoryListStore,
    MemoryRatingStore,
    MemorySeekStore,
    MemoryPresenceStore,
    MemoryWebhookStore,
    MemoryAdviceStore,
    MemorySheetStore,
    MemoryMessageStore,
    MemoryBlockStore,
    MemoryReportStore,
    MemoryUsageStore,
):
    """Stores everything in dictionaries, under one lock; `now` returns milliseconds."""

    def __init__(self, now: Callable[[], int]) -> None:
        self._now = now
        # A condition's own lock is reentrant: one method may call another.
        self._changed = threading.Condition()
        self._is_closed = False
        self._games: dict[str, _Game] = {}
        self._records: dict[IdempotencyKey, _Record] = {}
        self._due: dict[str, _DueEntry] = {}
        self._players: dict[str, Player] = {}
        self._secrets: dict[tuple[str, str], Secret] = {}
        self._lists: Listings = {}
        self._logs: dict[str, Log] = {}
        self._counts: dict[tuple[str, int], tuple[int, int]] = {}
        self._seeks: dict[str, SeekPool] = {}
        self._leases: dict[str, dict[str, int]] = {}
        self._listeners: list[ChangeListener] = []
        self._message_listeners: Listeners = []
        self._blocks: dict[str, dict[str, int]] = {}
        self._reports: list[tuple[int, bytes]] = []
        self._usage: dict[str, dict[str, bytes]] = {}
        self._marks: dict[str, Mark] = {}
        self._overdue_at: dict[str, int] = {}
        self._webhooks: dict[str, dict[str, bytes]] = {}
        self._deliveries: dict[str, tuple[int, bytes]] = {}
        self._pools: dict[str, Pool] = {}
        self._sheets: dict[str, Sheet] = {}
        self._advice_jobs: dict[str, tuple[bytes, int]] = {}

    # Games

    def load(self, game_id: str) -> StoredGame | None:
        with self._changed:
            game = self._game(game_id)
            return None if game is None else StoredGame(version=game.version, state=game.state)

    def load_many(self, game_ids: Sequence[str]) -> list[StoredGame | None]:
        with self._changed:
            return [self.load(game_id) for game_id in game_ids]

    def commit(self, commit: Commit) -> bool:
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
            is_pending = commit.effects_due_at is not None and self._mark(
                commit.game_id, version, commit.effects_due_at
            )
        self._notify(commit.game_id, version)
        return is_pending

    def events(self, game_id: str, *, after: tuple[int, int] | None = None, limit: int) -> list[StoredEvent]:
        check_page(limit=limit, after=after)
        with self._changed:
            game = self._game(game_id)
            log = [] if game is None else game.events
            page = [event for event in log if after is None or (event.version, event.seq) > after]
            return page[:limit]

    def rewrite_events(self, game_id: str, bodies: Mapping[tuple[int, int], bytes]) -> None:
        with self._changed:
            game = self._game(game_id)
            if game is not None:
                game.events = [
                    replace(event, body=bodies.get((event.version, event.seq), event.body))
                    for event in game.events
                ]

    def wait(self, game_id: str, *, version: int, timeout_ms: int) -> bool:

        def is_changed() -> bool:
            game = self._game(game_id)
            return game is None or game.version != version

        with self._changed:
            self._changed.wait_for(lambda: self._is_closed or is_changed(), timeout_ms / 1000)
            return not self._is_closed and is_changed()

    def release_waiters(self) -> None:
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    def listen(self, on_change: ChangeListener) -> None:
        with self._changed:
            if on_change not in self._listeners:
                self._listeners.append(on_change)

    @contextmanager
    def losing_changes(self) -> Iterator[None]:
        """Call no listener meanwhile, as if every notification got lost."""
        listeners, self._listeners = self._listeners, []
        yield
        self._listeners = listeners

    def _notify(self, name: str, version: int) -> None:
        # Without the lock: a listener reads the store, and may hold a lock of its own.
        for on_change in tuple(self._listeners):
            on_change([(name, version)])

    # Stored answers

    def reserve(self, key: IdempotencyKey, fingerprint: str, *, with_commit: bool = False) -> ReserveResult:
        with self._changed:
            record = self._record(key)
            if record is not None:
                if record.reservation.fingerprint != fingerprint:
                    return KeyReused()
                if record.answer is not None or not with_commit:
                    return record.answer or InProgress()
            reservation = Reservation(key=key, fingerprint=fingerprint, holder=secrets.token_urlsafe(12))
            lifetime = COMMIT_RESERVATION_MS if with_commit else RESERVATION_MS
            self._records[key] = _Record(reservation=reservation, expires_at=self._now() + lifetime)
            return reservation

    def remember(self, reservation: Reservation, answer: Answer) -> bool:
        with self._changed:
            subject_id = reservation.key.subject_id or ""
            subject = self._game(subject_id) or self._sheet(subject_id)
            record = self._record(reservation.key)
            if record is not None and (record.reservation, record.answer) == (reservation, answer):
                return True
            try:
                self._keep_answer(reservation, answer, expires_at=subject and subject.expires_at)
            except ReservationLost:
                return False
            return True

    def release(self, reservation: Reservation) -> bool:
        with self._changed:
            is_held = self._is_held(reservation)
            if is_held:
                del self._records[reservation.key]
            return is_held

    # Due games

    def due(self, *, now: int, limit: int) -> list[DueGame]:
        check_page(limit=limit)
        with self._changed:
            entries = sorted((entry.at, game_id) for game_id, entry in self._due.items() if entry.at <= now)
            return [
                DueGame(game_id=game_id, at=at, attempt=self._due[game_id].attempt)
                for at, game_id in entries[:limit]
            ]

    def lease(self, game_id: str, *, expected_at: int | None, at: int, attempt: int | None = None) -> bool:
        with self._changed:
            entry = self._due.get(game_id)
            if entry is None or expected_at not in {None, entry.at}:
                return False
            self._due[game_id] = _DueEntry(at=at, attempt=entry.attempt if attempt is None else attempt)
            return True

    def forget_due(self, game_id: str, *, expected_at: int) -> bool:
        with self._changed:
            entry = self._due.get(game_id)
            if entry is None or entry.at != expected_at:
                return False
            del self._due[game_id]
            return True

    # Deleting a player touches every part

    def delete_player(self, player_id: str) -> bool:
        with self._changed:
            for pool in POOLS:
                self.remove_rating(pool, player_id)
            self._logs.pop(player_id, None)
            self._webhooks.pop(player_id, None)
            self._blocks.pop(player_id, None)
            for listing in [listing for listing in self._lists if listing.player_id == player_id]:
                del self._lists[listing]
            existed = self._player(player_id) is not None
            self._players.pop(player_id, None)
            return existed

    # The store itself

    def ping(self) -> tuple[str, ...]:
        return ()

    def close(self) -> None:
        self.release_waiters()

    # Expired values are removed when they are read. The caller holds the lock.

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
