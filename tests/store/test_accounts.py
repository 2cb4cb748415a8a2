"""Account logs: one for each player, every event once, and a wake-up for waiting requests."""

import threading
import time

import pytest

from service.store import accounts
from service.store.accounts import NewAccountEvent
from service.store.redis import keys
from service.store.redis.store import RedisStore
from tests.support.memory_store.store import MemoryStore
from tests.support.stores import now

GAME, OTHER = "g00one", "g3fother"


@pytest.fixture
def ana(store):
    store.put_player("pAna", b"Ana", replaces=None)
    return "pAna"


def word(body, version, seq=0, *, game=GAME, player="pAna"):
    return NewAccountEvent(player_id=player, game_id=game, version=version, seq=seq, body=body)


def bodies(store, player="pAna", **page):
    return [event.body for event in store.account_events(player, limit=5000, **page).events]


class TestAppending:
    def test_events_are_read_in_the_order_of_appending(self, store, ana):
        store.append_account_events([word(b"a", 1), word(b"b", 1, 1), word(b"c", 1, game=OTHER)])
        store.append_account_events([word(b"d", 7)])

        page = store.account_events(ana, limit=10)

        assert [event.body for event in page.events] == [b"a", b"b", b"c", b"d"]
        cursors = [event.cursor for event in page.events]
        assert cursors == sorted(set(cursors))
        assert page.gapless

    def test_a_repeated_event_is_not_appended(self, store, ana):
        told = [word(b"a", 3, 0), word(b"b", 3, 2)]
        store.append_account_events(told)

        store.append_account_events(told)
        store.append_account_events([word(b"late", 2, 9), word(b"c", 4)])

        assert bodies(store) == [b"a", b"b", b"c"]

    def test_two_writers_of_the_same_event_append_it_once(self, store, ana):
        words = [word(b"%d" % version, version) for version in range(1, 101)]

        def append():
            for one in words:
                store.append_account_events([one])

        writers = [threading.Thread(target=append) for _ in range(4)]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()

        assert bodies(store) == [one.body for one in words]

    def test_each_player_has_a_separate_log(self, store, ana):
        store.put_player("pBen", b"Ben", replaces=None)

        store.append_account_events([word(b"for Ana", 1), word(b"for Ben", 1, player="pBen")])

        assert bodies(store) == [b"for Ana"]
        assert bodies(store, "pBen") == [b"for Ben"]

    def test_nothing_is_stored_for_an_unknown_player(self, store):
        store.append_account_events([word(b"a", 1)])

        assert bodies(store) == []
        assert store.account_end("pAna") == (0, 0)

    def test_the_log_is_deleted_with_its_player(self, store, ana):
        store.append_account_events([word(b"a", 1)])

        store.delete_player(ana)
        store.put_player("pAna", b"Ana again", replaces=None)

        assert bodies(store) == []
        store.append_account_events([word(b"a", 1)])
        assert bodies(store) == [b"a"]

    def test_appending_nothing_does_nothing(self, store):
        store.append_account_events([])


class TestReading:
    def test_a_cursor_is_exclusive(self, store, ana):
        store.append_account_events([word(b"%d" % version, version) for version in range(1, 8)])
        page = store.account_events(ana, limit=3)

        rest = store.account_events(ana, after=page.events[-1].cursor, limit=2)

        assert [event.body for event in page.events] == [b"1", b"2", b"3"]
        assert [event.body for event in rest.events] == [b"4", b"5"]

    def test_the_end_is_the_cursor_of_the_newest_event(self, store, ana):
        assert store.account_end(ana) == (0, 0)
        store.append_account_events([word(b"a", 1), word(b"b", 2)])

        assert store.account_end(ana) == store.account_events(ana, limit=9).events[-1].cursor
        assert bodies(store, after=store.account_end(ana)) == []

    @pytest.mark.parametrize("page", [{"limit": 0}, {"limit": 1, "after": (-1, 0)}])
    def test_an_impossible_page_is_refused(self, store, page):
        with pytest.raises(ValueError, match=r"limit|cursor"):
            store.account_events("pAna", **page)


class TestLimits:
    def test_the_newest_events_are_kept_and_a_gap_is_reported(self, store, ana, monkeypatch):
        shorten(monkeypatch, "MAX_ACCOUNT_EVENTS", 3)
        store.append_account_events([word(b"1", 1), word(b"2", 2), word(b"3", 3)])
        first, second, _ = (event.cursor for event in store.account_events(ana, limit=9).events)

        store.append_account_events([word(b"4", 4)])

        assert bodies(store) == [b"2", b"3", b"4"]
        assert not store.account_events(ana, limit=9).gapless
        assert store.account_events(ana, after=first, limit=9).gapless
        store.append_account_events([word(b"5", 5)])
        assert not store.account_events(ana, after=first, limit=9).gapless
        assert store.account_events(ana, after=second, limit=9).gapless

    def test_games_with_the_oldest_events_are_forgotten(self, store, ana, monkeypatch):
        shorten(monkeypatch, "MAX_ACCOUNT_GAMES", 4)
        for number in range(4):
            store.append_account_events([word(b"a%d" % number, 1, game=f"g0{number}x")])
        store.append_account_events([word(b"again", 2, game="g00x")])

        store.append_account_events([word(b"one more", 1, game="g04x")])
        before = bodies(store)
        store.append_account_events([word(b"told", 1, game=f"g0{number}x") for number in (0, 3, 4)])

        assert bodies(store) == before
        assert before == [b"a0", b"a1", b"a2", b"a3", b"again", b"one more"]

    def test_a_log_expires_after_its_newest_event(self, redis_store):
        redis_store.put_player("pAna", b"Ana", replaces=None)
        redis_store.append_account_events([word(b"a", 1)])

        for name in (keys.account("pAna"), keys.account_progress("pAna")):
            life = redis_store._redis.call("PTTL", name)
            assert accounts.ACCOUNT_RETENTION_MS - 60_000 < life <= accounts.ACCOUNT_RETENTION_MS

    def test_a_log_expires_in_memory_too(self):
        time_now = now()
        store = MemoryStore(lambda: time_now)
        store.put_player("pAna", b"Ana", replaces=None)
        store.append_account_events([word(b"a", 1)])

        time_now += accounts.ACCOUNT_RETENTION_MS - 1
        assert bodies(store) == [b"a"]
        time_now += 1
        assert bodies(store) == []
        store.close()


class TestWaiting:
    def test_an_existing_event_is_not_waited_for(self, store, ana):
        store.append_account_events([word(b"a", 1)])

        assert store.wait_for_account(ana, after=(0, 0), timeout_ms=60_000)

    def test_an_event_wakes(self, store, ana):
        store.append_account_events([word(b"a", 1)])
        end = store.account_end(ana)
        timer = threading.Timer(0.1, store.append_account_events, [[word(b"b", 2)]])
        timer.start()

        assert store.wait_for_account(ana, after=end, timeout_ms=60_000)

        timer.join()
        assert bodies(store, after=end) == [b"b"]

    def test_events_of_others_and_repeated_events_wake_no_one(self, store, ana):
        store.put_player("pBen", b"Ben", replaces=None)
        store.append_account_events([word(b"a", 1)])
        again = [word(b"a", 1), word(b"b", 1, player="pBen")]
        timer = threading.Timer(0.05, store.append_account_events, [again])
        timer.start()

        assert not store.wait_for_account(ana, after=store.account_end(ana), timeout_ms=300)
        timer.join()

    def test_waiters_are_released(self, store, ana):
        timer = threading.Timer(0.1, store.release_waiters)
        timer.start()

        assert not store.wait_for_account(ana, after=(0, 0), timeout_ms=60_000)
        assert not store.wait_for_account(ana, after=(0, 0), timeout_ms=60_000)
        timer.join()

    def test_a_lost_wake_up_only_delays(self, valkey, redis_store):
        redis_store.put_player("pAna", b"Ana", replaces=None)
        began = time.monotonic()

        def tell_in_silence():
            other = RedisStore.at(valkey.url)
            other.append_account_events([word(b"a", 1)])
            other.close()
            redis_store._redis.call("DEL", keys.WAKE)

        timer = threading.Timer(0.1, tell_in_silence)
        timer.start()

        assert redis_store.wait_for_account("pAna", after=(0, 0), timeout_ms=60_000)
        timer.join()
        assert time.monotonic() - began < 50


def shorten(monkeypatch, name, value):
    """Make a bound small: both stores read it from their module by its name."""
    from service.store.redis import accounts as in_redis
    from tests.support.memory_store import accounts as in_memory

    for module in (in_redis, in_memory):
        monkeypatch.setattr(module, name, value)
