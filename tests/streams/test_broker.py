"""The broker: every event reaches all its subscribers, once and in order."""

import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from service.store.accounts import NewAccountEvent
from service.store.contract import StoreUnavailable
from service.store.presence import PresenceLease
from service.store.redis.store import RedisStore
from service.streams.broker import PAGE, Broker, end_of_version
from service.streams.subscription import MAX_QUEUED_EVENTS, EndOfStream, LogEntry, PresenceChange
from tests.support.memory_store.store import MemoryStore
from tests.support.stores import DAY, commit_of, game_in, now
from tests.support.tree import PATIENCE_SECONDS, wait_for


@pytest.fixture
def broker(store):
    return Broker(store, now)


class Reader:
    """Reads a game as a stream does: the log after the cursor first, then the subscription."""

    def __init__(self, broker, store, game_id, cursor=None):
        self.broker, self.name, self.cursor = broker, game_id, cursor
        self.subscription = broker.subscribe(game_id, end=end_of_version(store.load(game_id).version))
        self.seen: list[tuple[int, int]] = []
        self._is_behind = True

    def read(self, timeout=0.0):
        """Take what there is."""
        if self._is_behind:
            items = self.broker.read_page(self.name, self.cursor)
            self._is_behind = len(items) == PAGE
        else:
            items = self.subscription.take(timeout)
        for item in items:
            if isinstance(item, LogEntry) and (self.cursor is None or item.cursor > self.cursor):
                self.seen.append(item.cursor)
                self.cursor = item.cursor
        return items

    def read_until(self, version):
        deadline = time.monotonic() + PATIENCE_SECONDS
        while self.cursor is None or self.cursor[0] < version:
            assert time.monotonic() < deadline, f"nothing behind {self.cursor}"
            self.read(0.2)

    def leave(self):
        self.broker.unsubscribe(self.subscription)


def log_of(store, game_id):
    return [(event.version, event.seq) for event in store.events(game_id, limit=100_000)]


def commit_without_notification(store, commit):
    """Commit as a process does that dies before it can notify others."""
    if isinstance(store, MemoryStore):
        with store.losing_changes():
            store.commit(commit)
        return
    sent = store._redis.call_all
    store._redis.call_all = lambda commands, **options: [*sent(commands[:1], **options), None]
    store.commit(commit)
    store._redis.call_all = sent


class TestASubscriber:
    def test_gets_what_is_committed_afterwards(self, broker, store):
        game_id = game_in(store)
        subscription = broker.subscribe(game_id, end=end_of_version(1))

        store.commit(commit_of(game_id, 1))
        items = [*subscription.take(PATIENCE_SECONDS), *subscription.take(0.2)]

        assert [(item.cursor, item.body) for item in items] == [
            ((2, 0), b"event 2.0"),
            ((2, 1), b"event 2.1"),
        ]

    def test_gets_nothing_of_other_games(self, broker, store):
        game_id, other = game_in(store), game_in(store)
        subscription = broker.subscribe(game_id, end=end_of_version(1))

        store.commit(commit_of(other, 1))
        store.commit(commit_of(game_id, 1))

        assert subscription.take(PATIENCE_SECONDS)[0].body == b"event 2.0"

    def test_gets_nothing_after_unsubscribing(self, broker, store):
        game_id = game_in(store)
        left, stayed = (broker.subscribe(game_id, end=end_of_version(1)) for _ in range(2))
        broker.unsubscribe(left)

        store.commit(commit_of(game_id, 1))

        assert stayed.take(PATIENCE_SECONDS)
        assert left.take(0) == []

    def test_leaves_nothing_behind(self, broker, store):
        game_id = game_in(store)
        subscription = broker.subscribe(game_id, end=end_of_version(1))
        broker.watch_presence(subscription, {"pAna": True})

        broker.unsubscribe(subscription)
        broker.unsubscribe(subscription)

        assert broker.is_idle

    def test_shares_what_is_made_of_an_event(self, broker, store):
        """A hundred spectators cost one redaction."""
        game_id = game_in(store)
        subscriptions = [broker.subscribe(game_id, end=end_of_version(1)) for _ in range(3)]

        store.commit(commit_of(game_id, 1))

        entries = [subscription.take(PATIENCE_SECONDS)[0] for subscription in subscriptions]
        assert entries[0].cached("spectator", lambda: b"once") == b"once"
        assert entries[2].cached("spectator", lambda: b"twice") == b"once"
        assert entries[2].cached("seat 0", lambda: b"own view") == b"own view"

    def test_of_a_player_gets_the_notifications(self, broker, store):
        store.put_player("pAna", b"Ana", replaces=None)
        subscription = broker.subscribe("pAna", end=(0, 0))

        store.append_account_events(
            [NewAccountEvent(player_id="pAna", game_id="g00one", version=1, seq=0, body=b"your turn")]
        )

        assert [item.body for item in subscription.take(PATIENCE_SECONDS)] == [b"your turn"]


class TestALostNotification:
    def test_is_made_up_for_by_the_next(self, broker, store):
        game_id = game_in(store)
        subscription = broker.subscribe(game_id, end=end_of_version(1))
        store.commit(commit_of(game_id, 1))
        subscription.take(PATIENCE_SECONDS)

        # No notification for the next commit; the one after it delivers both.
        commit_without_notification(store, commit_of(game_id, 2))
        store.commit(commit_of(game_id, 3))

        found = subscription.take(PATIENCE_SECONDS)
        while len(found) < 4:
            found += subscription.take(PATIENCE_SECONDS)
        assert [item.cursor for item in found if item.cursor > (2, 1)] == [(3, 0), (3, 1), (4, 0), (4, 1)]

    @pytest.mark.parametrize("versions", [[(2, 3), (2, 2)], [(2, 3), (2, 3)], [(2, 2), (2, 3), (2, 2)]])
    def test_that_comes_late_or_twice_repeats_nothing(self, versions):
        store = MemoryStore(now)
        broker = Broker(store, now)
        game_id = game_in(store)
        subscription = broker.subscribe(game_id, end=end_of_version(1))
        with store.losing_changes():
            for version in (1, 2):
                store.commit(commit_of(game_id, version))

        for _, version in versions:
            broker.on_change([(game_id, version)])

        assert [item.cursor for item in subscription.take(0)] == [(2, 0), (2, 1), (3, 0), (3, 1)]

    def test_of_a_commit_that_was_refused_changes_nothing(self, broker, store):
        game_id = game_in(store)
        subscription = broker.subscribe(game_id, end=end_of_version(1))

        broker.on_change([(game_id, 7)])

        assert subscription.take(0) == []


class TestAnUnavailableStore:
    def test_costs_no_event_and_no_thread(self, monkeypatch):
        store = MemoryStore(now)
        broker = Broker(store, now)
        game_id = game_in(store)
        subscription = broker.subscribe(game_id, end=end_of_version(1))

        def away(*_, **__):
            raise StoreUnavailable("away")

        with monkeypatch.context() as patched:
            patched.setattr(store, "events", away)
            store.commit(commit_of(game_id, 1))
            assert subscription.take(0) == []
        store.commit(commit_of(game_id, 2))

        assert [item.cursor for item in subscription.take(0)] == [(2, 0), (2, 1), (3, 0), (3, 1)]


class TestASubscription:
    def test_queues_a_limited_number_of_events(self, broker, store):
        game_id = game_in(store)
        slow, quick = (broker.subscribe(game_id, end=end_of_version(1)) for _ in range(2))
        taken = []

        for version in range(1, 200):
            store.commit(commit_of(game_id, version))
            taken += quick.take(0)
        wait_for(lambda: taken.extend(quick.take(0)) or len(taken) == 2 * 199, "the quick one")

        items = slow.take(0)
        assert len(items) == MAX_QUEUED_EVENTS + 1
        assert items[-1] == EndOfStream("slow_consumer")
        assert [item.cursor for item in taken] == log_of(store, game_id)[2:]

    def test_drops_presence_changes_when_it_is_full(self, broker):
        subscription = broker.subscribe(game_in(MemoryStore(now)), end=end_of_version(1))
        for version in range(MAX_QUEUED_EVENTS):
            subscription.put(LogEntry((version, 0), b""))

        subscription.put_presence(PresenceChange("pAna", True))

        assert len(subscription.take(0)) == MAX_QUEUED_EVENTS
        assert subscription.known_online == {}

    def test_ends_once(self, broker, store):
        subscription = broker.subscribe(game_in(store), end=end_of_version(1))

        broker.close()
        broker.close()
        subscription.put(LogEntry((9, 0), b""))

        assert subscription.take(0) == [EndOfStream("shutdown")]

    def test_begun_after_the_end_ends_at_once(self, broker, store):
        broker.close()

        assert broker.subscribe(game_in(store), end=end_of_version(1)).take(0) == [EndOfStream("shutdown")]


class TestNoGapAndNoRepeat:
    @settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
    @given(
        steps=st.lists(
            st.sampled_from(
                ["commit", "commit", "read", "come back", "lose a notification", "late notification"]
            ),
            max_size=60,
        )
    )
    def test_whatever_happens_in_whatever_order(self, steps):
        store = MemoryStore(now)
        broker = Broker(store, now)
        game_id, version = game_in(store), 1
        reader, seen = Reader(broker, store, game_id), []
        for step in steps:
            match step:
                case "commit":
                    store.commit(commit_of(game_id, version))
                    version += 1
                case "read":
                    reader.read()
                case "come back":
                    reader.leave()
                    seen += reader.seen
                    reader = Reader(broker, store, game_id, reader.cursor)
                case "lose a notification":
                    commit_without_notification(store, commit_of(game_id, version))
                    version += 1
                case "late notification":
                    broker.on_change([(game_id, max(1, version - 1))])
        reader._is_behind = True  # a stream also reads its log with each heartbeat
        reader.read()
        reader.read()
        reader.read()

        assert seen + reader.seen == log_of(store, game_id)

    def test_with_many_writers_and_reconnecting_readers(self, valkey):
        """Two processes commit, a third one reads: every reader gets the whole log across reconnects."""
        with valkey.client() as client:
            client.flushall()
        here, writers = RedisStore.at(valkey.url), [RedisStore.at(valkey.url) for _ in range(2)]
        broker = Broker(here, now)
        games = [game_in(here) for _ in range(4)]
        last = 150

        def play(number):
            for version in range(1, last):
                for game_id in games[number::2]:
                    writers[number].commit(commit_of(game_id, version, expires_at=now() + DAY))

        def follow(number):
            chance, game_id = random.Random(number), games[number % len(games)]
            seen, cursor = [], None
            while cursor is None or cursor[0] < last:
                reader = Reader(broker, here, game_id, cursor)
                reader.read_until(min(last, (cursor or (0, 0))[0] + chance.randint(1, 60)))
                reader.leave()
                seen, cursor = seen + reader.seen, reader.cursor
            return game_id, seen

        with ThreadPoolExecutor(18) as pool:
            plays = [pool.submit(play, number) for number in range(2)]
            follows = [pool.submit(follow, number) for number in range(16)]
            for playing in plays:
                playing.result(PATIENCE_SECONDS)
            for following in follows:
                game_id, seen = following.result(PATIENCE_SECONDS)
                assert seen == log_of(here, game_id)
        for store in (here, *writers):
            store.close()


class TestPresence:
    def test_is_delivered_to_watchers(self, broker, store):
        subscription = broker.subscribe(game_in(store), end=end_of_version(1))
        broker.watch_presence(subscription, {"pAna": False})

        store.acquire_presence(PresenceLease(player_id="pAna", kind="request"), now=now(), until=now() + DAY)

        assert subscription.take(PATIENCE_SECONDS) == [PresenceChange("pAna", True)]
        broker.publish_presence()
        assert subscription.take(0) == []

    def test_is_delivered_while_it_is_watched_only(self, broker, store):
        subscription = broker.subscribe(game_in(store), end=end_of_version(1))
        broker.watch_presence(subscription, {"pAna": False})
        broker.watch_presence(subscription, {"pBen": False})
        store.acquire_presence(PresenceLease(player_id="pAna", kind="request"), now=now(), until=now() + DAY)

        broker.publish_presence()

        assert subscription.take(0.2) == []


def test_one_thread_reads_for_all_subscribers(valkey):
    with valkey.client() as client:
        client.flushall()
    store = RedisStore.at(valkey.url)
    broker = Broker(store, now)
    before = threading.active_count()
    subscriptions = [broker.subscribe(game_in(store), end=end_of_version(1)) for _ in range(50)]

    assert threading.active_count() == before + 1
    with valkey.client() as client:
        assert len([link for link in client.client_list() if link["cmd"] == "xread"]) <= 1
    for subscription in subscriptions:
        broker.unsubscribe(subscription)
    store.close()
