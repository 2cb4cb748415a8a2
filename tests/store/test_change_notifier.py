"""The change notifier in Redis: one reader for each process, and no wake-up lost for long."""

import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from service.store.redis import change_notifier, keys
from service.store.redis.change_notifier import ChangeNotifier
from service.store.redis.connection import Connection
from service.store.redis.store import RedisStore
from tests.support.servers import valkey_server
from tests.support.stores import commit_of, game_in
from tests.support.tree import wait_for


def blocked(server):
    with server.client() as client:
        return [link for link in client.client_list() if link["cmd"] == "xread"]


class TestTheReader:
    def test_holds_one_connection_for_any_number_of_waiters(self, valkey, redis_store):
        games = [game_in(redis_store) for _ in range(40)]
        with ThreadPoolExecutor(40) as pool:
            waits = [pool.submit(redis_store.wait, game, version=1, timeout_ms=60_000) for game in games]
            wait_for(lambda: redis_store.notifier.waiting == 40, "forty waiters")
            wait_for(lambda: blocked(valkey), "the reader")
            assert len(blocked(valkey)) == 1

            for game_id in games:
                redis_store.commit(commit_of(game_id, 1))

            assert all(wait.result(timeout=30) for wait in waits)
        assert redis_store.notifier.waiting == 0

    def test_starts_with_the_first_waiter_and_ends_with_the_store(self, valkey):
        store = RedisStore.at(valkey.url)
        game_id = game_in(store)
        before = threading.active_count()

        store.wait(game_id, version=1, timeout_ms=10)
        assert threading.active_count() == before + 1

        store.close()
        assert threading.active_count() == before

    def test_wakes_for_a_commit_of_another_process(self, valkey, redis_store):
        game_id = game_in(redis_store)
        other = RedisStore.at(valkey.url)
        timer = threading.Timer(0.1, other.commit, [commit_of(game_id, 1)])
        timer.start()

        assert redis_store.wait(game_id, version=1, timeout_ms=60_000)

        timer.join()
        other.close()

    def test_does_not_wake_for_a_known_version(self, valkey, redis_store):
        game_id = game_in(redis_store, version=3)

        def repeat_notification():
            with valkey.client() as client:
                client.xadd(keys.WAKE, {"g": game_id, "v": 3})

        timer = threading.Timer(0.05, repeat_notification)
        timer.start()
        assert not redis_store.wait(game_id, version=3, timeout_ms=200)
        timer.join()


class TestALostWakeUp:
    def test_is_found_by_the_recheck(self, valkey, redis_store):
        game_id = game_in(redis_store)
        notifier = ChangeNotifier(Connection(valkey.url, max_connections=4), recheck_seconds=0.1)

        def change_without_notification():
            with valkey.client() as client:
                client.hset(keys.game(game_id), "version", 2)

        timer = threading.Timer(0.1, change_without_notification)
        timer.start()
        began = time.monotonic()

        assert notifier.wait(game_id, version=1, timeout_ms=60_000)

        assert time.monotonic() - began < 30
        timer.join()
        notifier.close()

    def test_is_found_at_the_end_of_the_wait_at_the_latest(self, valkey, redis_store):
        game_id = game_in(redis_store)

        def change_without_notification():
            with valkey.client() as client:
                client.hset(keys.game(game_id), "version", 2)

        timer = threading.Timer(0.05, change_without_notification)
        timer.start()

        assert redis_store.wait(game_id, version=1, timeout_ms=300)
        timer.join()

    def test_of_a_deleted_game_is_found_by_the_recheck(self, valkey, redis_store):
        game_id = game_in(redis_store)
        notifier = ChangeNotifier(Connection(valkey.url, max_connections=4), recheck_seconds=0.1)

        def vanish():
            with valkey.client() as client:
                client.delete(keys.game(game_id))

        timer = threading.Timer(0.1, vanish)
        timer.start()

        assert notifier.wait(game_id, version=1, timeout_ms=60_000)
        timer.join()
        notifier.close()

    def test_a_server_that_restarts_wakes_remaining_waiters(self, monkeypatch):
        monkeypatch.setattr(change_notifier, "_PAUSE_SECONDS", 0.05)
        with valkey_server() as server:
            store = RedisStore.at(server.url)
            game_id = game_in(store)
            with ThreadPoolExecutor(1) as pool:
                wait = pool.submit(store.wait, game_id, version=1, timeout_ms=60_000)
                wait_for(lambda: blocked(server), "the reader")
                server.kill()
                server.start()
                store.commit(commit_of(game_id, 1))

                assert wait.result(timeout=30)
            store.close()

    def test_a_commit_before_the_reader_is_ready_is_not_missed(self, redis_store, monkeypatch):
        game_id = game_in(redis_store)
        read = ChangeNotifier._read

        def read_late(self, cursor):
            time.sleep(0.2)
            read(self, cursor)

        monkeypatch.setattr(ChangeNotifier, "_read", read_late)
        timer = threading.Timer(0.1, redis_store.commit, [commit_of(game_id, 1)])
        timer.start()
        began = time.monotonic()

        assert redis_store.wait(game_id, version=1, timeout_ms=60_000)

        assert time.monotonic() - began < 30
        timer.join()

    def test_a_reader_that_died_is_replaced(self, valkey, redis_store, monkeypatch):
        game_id = game_in(redis_store)
        monkeypatch.setattr(ChangeNotifier, "_read", lambda self, cursor: None)
        assert not redis_store.wait(game_id, version=1, timeout_ms=10)
        monkeypatch.undo()
        timer = threading.Timer(0.1, redis_store.commit, [commit_of(game_id, 1)])
        timer.start()
        began = time.monotonic()

        assert redis_store.wait(game_id, version=1, timeout_ms=60_000)

        assert time.monotonic() - began < 30
        timer.join()


# Python 3.12 and later warn of a fork with threads, which is what these tests do.
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
class TestAfterAFork:
    def test_parent_and_child_have_separate_readers(self, valkey, redis_store):
        game_id, other = game_in(redis_store), game_in(redis_store)
        redis_store.wait(game_id, version=1, timeout_ms=10)  # a connection and a reader are there

        # As if another thread registered a waiter at the moment of the fork.
        with redis_store.notifier._lock:
            child = os.fork()
            if child == 0:
                signal.alarm(10)
                woken = redis_store.wait(game_id, version=1, timeout_ms=60_000)
                redis_store.commit(commit_of(other, 1))
                os._exit(0 if woken and redis_store.load(game_id).version == 2 else 1)
        wait_for(lambda: len(blocked(valkey)) == 2, "the reader of the child")
        redis_store.commit(commit_of(game_id, 1))

        assert redis_store.wait(other, version=1, timeout_ms=60_000)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0

    def test_neither_reads_the_replies_of_the_other(self, redis_store):
        parents, childs = game_in(redis_store, version=1), game_in(redis_store, version=2)

        child = os.fork()
        if child == 0:
            signal.alarm(10)
            os._exit(0 if all(redis_store.load(childs).version == 2 for _ in range(2000)) else 1)

        assert all(redis_store.load(parents).version == 1 for _ in range(2000))
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
