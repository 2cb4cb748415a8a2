"""The hub: everything that happens reaches everybody who follows, once and in order."""

import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from service.store.accounts import AccountEntry
from service.store.contract import StoreUnavailable
from service.store.presence import Visit
from service.store.redis.store import RedisStore
from service.streams.broker import PAGE, Hub, behind
from service.streams.subscription import MOST_WAITING, Closing, Entry, Presence
from tests.support.memory_store.store import MemoryStore
from tests.support.stores import DAY, commit_of, game_in, now
from tests.support.tree import PATIENCE_SECONDS, wait_for


@pytest.fixture
def hub(store):
    return Hub(store, now)


class Reader:
    """Follows a game as a stream does: the log behind the cursor first, then what is handed over."""

    def __init__(self, hub, store, game_id, cursor=None):
        self.hub, self.name, self.cursor = hub, game_id, cursor
        self.feed = hub.follow(game_id, end=behind(store.load(game_id).version))
        self.told: list[tuple[int, int]] = []
        self._is_behind = True

    def read(self, timeout=0.0):
        """Take what there is."""
        if self._is_behind:
            items = self.hub.read(self.name, self.cursor)
            self._is_behind = len(items) == PAGE
        else:
            items = self.feed.take(timeout)
        for item in items:
            if isinstance(item, Entry) and (self.cursor is None or item.cursor > self.cursor):
                self.told.append(item.cursor)
                self.cursor = item.cursor
        return items

    def read_until(self, version):
        deadline = time.monotonic() + PATIENCE_SECONDS
        while self.cursor is None or self.cursor[0] < version:
            assert time.monotonic() < deadline, f"nothing behind {self.cursor}"
            self.read(0.2)

    def leave(self):
        self.hub.leave(self.feed)


def log_of(store, game_id):
    return [(event.version, event.seq) for event in store.events(game_id, limit=100_000)]


def commit_without_a_word(store, commit):
    """Commit as a process does that dies before it can tell anybody."""
    if isinstance(store, MemoryStore):
        heard, store._listening = store._listening, []
        store.commit(commit)
        store._listening = heard
        return
    sent = store._redis.call_all
    store._redis.call_all = lambda commands, **options: [*sent(commands[:1], **options), None]
    store.commit(commit)
    store._redis.call_all = sent


class TestWhoFollows:
    def test_is_handed_what_is_committed_then(self, hub, store):
        game_id = game_in(store)
        feed = hub.follow(game_id, end=behind(1))

        store.commit(commit_of(game_id, 1))
        items = [*feed.take(PATIENCE_SECONDS), *feed.take(0.2)]

        assert [(item.cursor, item.body) for item in items] == [
            ((2, 0), b"event 2.0"),
            ((2, 1), b"event 2.1"),
        ]

    def test_is_handed_nothing_of_other_games(self, hub, store):
        game_id, other = game_in(store), game_in(store)
        feed = hub.follow(game_id, end=behind(1))

        store.commit(commit_of(other, 1))
        store.commit(commit_of(game_id, 1))

        assert feed.take(PATIENCE_SECONDS)[0].body == b"event 2.0"

    def test_is_handed_nothing_any_more_when_he_left(self, hub, store):
        game_id = game_in(store)
        left, stayed = (hub.follow(game_id, end=behind(1)) for _ in range(2))
        hub.leave(left)

        store.commit(commit_of(game_id, 1))

        assert stayed.take(PATIENCE_SECONDS)
        assert left.take(0) == []

    def test_leaves_nothing_behind(self, hub, store):
        game_id = game_in(store)
        feed = hub.follow(game_id, end=behind(1))
        hub.watch(feed, {"pAna": True})

        hub.leave(feed)
        hub.leave(feed)

        assert (hub._followed, hub._watched) == ({}, {})

    def test_shares_what_is_made_of_an_event(self, hub, store):
        """A hundred spectators cost one redaction."""
        game_id = game_in(store)
        feeds = [hub.follow(game_id, end=behind(1)) for _ in range(3)]

        store.commit(commit_of(game_id, 1))

        entries = [feed.take(PATIENCE_SECONDS)[0] for feed in feeds]
        assert entries[0].made("spectator", lambda: b"once") == b"once"
        assert entries[2].made("spectator", lambda: b"twice") == b"once"
        assert entries[2].made("seat 0", lambda: b"his own") == b"his own"

    def test_of_a_player_is_handed_what_the_player_is_told(self, hub, store):
        store.put_player("pAna", b"Ana", replaces=None)
        feed = hub.follow("pAna", end=(0, 0))

        store.append_account_events(
            [AccountEntry(player_id="pAna", game_id="g00one", version=1, seq=0, body=b"your turn")]
        )

        assert [item.body for item in feed.take(PATIENCE_SECONDS)] == [b"your turn"]


class TestALostWord:
    def test_is_made_good_by_the_next(self, hub, store):
        game_id = game_in(store)
        feed = hub.follow(game_id, end=behind(1))
        store.commit(commit_of(game_id, 1))
        feed.take(PATIENCE_SECONDS)

        # Nobody is told of the next commit; the one behind it brings both.
        commit_without_a_word(store, commit_of(game_id, 2))
        store.commit(commit_of(game_id, 3))

        found = feed.take(PATIENCE_SECONDS)
        while len(found) < 4:
            found += feed.take(PATIENCE_SECONDS)
        assert [item.cursor for item in found if item.cursor > (2, 1)] == [(3, 0), (3, 1), (4, 0), (4, 1)]

    @pytest.mark.parametrize("words", [[(2, 3), (2, 2)], [(2, 3), (2, 3)], [(2, 2), (2, 3), (2, 2)]])
    def test_that_comes_late_or_twice_repeats_nothing(self, words):
        store = MemoryStore(now)
        hub = Hub(store, now)
        game_id = game_in(store)
        feed = hub.follow(game_id, end=behind(1))
        store._listening.clear()
        for version in (1, 2):
            store.commit(commit_of(game_id, version))

        for _, version in words:
            hub.hear([(game_id, version)])

        assert [item.cursor for item in feed.take(0)] == [(2, 0), (2, 1), (3, 0), (3, 1)]

    def test_of_a_commit_that_was_refused_changes_nothing(self, hub, store):
        game_id = game_in(store)
        feed = hub.follow(game_id, end=behind(1))

        hub.hear([(game_id, 7)])

        assert feed.take(0) == []


class TestAStoreThatIsAway:
    def test_costs_no_event_and_no_thread(self, monkeypatch):
        store = MemoryStore(now)
        hub = Hub(store, now)
        game_id = game_in(store)
        feed = hub.follow(game_id, end=behind(1))

        def away(*_, **__):
            raise StoreUnavailable("away")

        with monkeypatch.context() as patched:
            patched.setattr(store, "events", away)
            store.commit(commit_of(game_id, 1))
            assert feed.take(0) == []
        store.commit(commit_of(game_id, 2))

        assert [item.cursor for item in feed.take(0)] == [(2, 0), (2, 1), (3, 0), (3, 1)]


class TestAFeed:
    def test_holds_no_more_than_its_measure(self, hub, store):
        game_id = game_in(store)
        slow, quick = (hub.follow(game_id, end=behind(1)) for _ in range(2))
        taken = []

        for version in range(1, 200):
            store.commit(commit_of(game_id, version))
            taken += quick.take(0)
        wait_for(lambda: taken.extend(quick.take(0)) or len(taken) == 2 * 199, "the quick one")

        items = slow.take(0)
        assert len(items) == MOST_WAITING + 1
        assert items[-1] == Closing("slow_consumer")
        assert [item.cursor for item in taken] == log_of(store, game_id)[2:]

    def test_drops_words_beside_the_log_when_it_is_full(self, hub):
        feed = hub.follow(game_in(MemoryStore(now)), end=behind(1))
        for version in range(MOST_WAITING):
            feed.put(Entry((version, 0), b""))

        feed.say(Presence("pAna", True))

        assert len(feed.take(0)) == MOST_WAITING
        assert feed.told_online == {}

    def test_ends_once(self, hub, store):
        feed = hub.follow(game_in(store), end=behind(1))

        hub.end()
        hub.end()
        feed.put(Entry((9, 0), b""))

        assert feed.take(0) == [Closing("shutdown")]

    def test_that_comes_after_the_end_ends_at_once(self, hub, store):
        hub.end()

        assert hub.follow(game_in(store), end=behind(1)).take(0) == [Closing("shutdown")]


class TestNoGapAndNoRepeat:
    @settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
    @given(
        steps=st.lists(
            st.sampled_from(["commit", "commit", "read", "come back", "lose a word", "late word"]),
            max_size=60,
        )
    )
    def test_whatever_happens_in_whatever_order(self, steps):
        store = MemoryStore(now)
        hub = Hub(store, now)
        game_id, version = game_in(store), 1
        reader, told = Reader(hub, store, game_id), []
        for step in steps:
            match step:
                case "commit":
                    store.commit(commit_of(game_id, version))
                    version += 1
                case "read":
                    reader.read()
                case "come back":
                    reader.leave()
                    told += reader.told
                    reader = Reader(hub, store, game_id, reader.cursor)
                case "lose a word":
                    commit_without_a_word(store, commit_of(game_id, version))
                    version += 1
                case "late word":
                    hub.hear([(game_id, max(1, version - 1))])
        reader._is_behind = True  # a stream looks into the log by itself, now and then
        reader.read()
        reader.read()
        reader.read()

        assert told + reader.told == log_of(store, game_id)

    def test_while_many_play_and_many_come_and_go(self, valkey):
        """Two processes commit, a third one follows: everybody gets the log, however often he was cut off."""
        with valkey.client() as client:
            client.flushall()
        here, writers = RedisStore.at(valkey.url), [RedisStore.at(valkey.url) for _ in range(2)]
        hub = Hub(here, now)
        games = [game_in(here) for _ in range(4)]
        last = 150

        def play(number):
            for version in range(1, last):
                for game_id in games[number::2]:
                    writers[number].commit(commit_of(game_id, version, expires_at=now() + DAY))

        def follow(number):
            chance, game_id = random.Random(number), games[number % len(games)]
            told, cursor = [], None
            while cursor is None or cursor[0] < last:
                reader = Reader(hub, here, game_id, cursor)
                reader.read_until(min(last, (cursor or (0, 0))[0] + chance.randint(1, 60)))
                reader.leave()
                told, cursor = told + reader.told, reader.cursor
            return game_id, told

        with ThreadPoolExecutor(18) as pool:
            plays = [pool.submit(play, number) for number in range(2)]
            follows = [pool.submit(follow, number) for number in range(16)]
            for playing in plays:
                playing.result(PATIENCE_SECONDS)
            for following in follows:
                game_id, told = following.result(PATIENCE_SECONDS)
                assert told == log_of(here, game_id)
        for store in (here, *writers):
            store.close()


class TestWhoIsHere:
    def test_is_told_to_those_who_watch(self, hub, store):
        feed = hub.follow(game_in(store), end=behind(1))
        hub.watch(feed, {"pAna": False})

        store.visit(Visit(player_id="pAna", kind="request"), now=now(), until=now() + DAY)

        assert feed.take(PATIENCE_SECONDS) == [Presence("pAna", True)]
        hub.look_who_is_here()
        assert feed.take(0) == []

    def test_is_watched_no_longer_than_asked(self, hub, store):
        feed = hub.follow(game_in(store), end=behind(1))
        hub.watch(feed, {"pAna": False})
        hub.watch(feed, {"pBen": False})
        store.visit(Visit(player_id="pAna", kind="request"), now=now(), until=now() + DAY)

        hub.look_who_is_here()

        assert feed.take(0.2) == []


def test_one_thread_reads_for_all(valkey):
    with valkey.client() as client:
        client.flushall()
    store = RedisStore.at(valkey.url)
    hub = Hub(store, now)
    before = threading.active_count()
    feeds = [hub.follow(game_in(store), end=behind(1)) for _ in range(50)]

    assert threading.active_count() == before + 1
    with valkey.client() as client:
        assert len([link for link in client.client_list() if link["cmd"] == "xread"]) <= 1
    for feed in feeds:
        hub.leave(feed)
    store.close()
