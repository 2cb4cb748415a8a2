"""Waiting for a game to change, as a long-poll does."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.support.stores import commit_of, game_in


def soon(seconds, do, *arguments, **named):
    timer = threading.Timer(seconds, do, arguments, named)
    timer.start()
    return timer


class TestWaiting:
    def test_a_newer_game_is_not_waited_for(self, store):
        game_id = game_in(store, version=2)
        began = time.monotonic()

        assert store.wait(game_id, version=1, timeout_ms=60_000)

        assert time.monotonic() - began < 30

    @pytest.mark.parametrize("game_id", ["g1fNobodyMadeMe", "nonsense"])
    def test_a_deleted_game_is_not_waited_for(self, store, game_id):
        assert store.wait(game_id, version=1, timeout_ms=60_000)

    def test_a_commit_wakes(self, store):
        game_id = game_in(store)
        timer = soon(0.1, store.commit, commit_of(game_id, 1))
        began = time.monotonic()

        assert store.wait(game_id, version=1, timeout_ms=60_000)

        assert time.monotonic() - began < 30
        assert store.load(game_id).version == 2
        timer.join()

    def test_without_a_commit_it_times_out(self, store):
        game_id = game_in(store)
        began = time.monotonic()

        assert not store.wait(game_id, version=1, timeout_ms=150)

        assert 0.14 < time.monotonic() - began < 30

    def test_a_timeout_of_zero_only_checks(self, store):
        game_id = game_in(store)

        assert not store.wait(game_id, version=1, timeout_ms=0)
        assert store.wait(game_id, version=7, timeout_ms=0)

    def test_commits_to_other_games_wake_no_one(self, store):
        game_id, other = game_in(store), game_in(store)
        timer = soon(0.05, store.commit, commit_of(other, 1))

        assert not store.wait(game_id, version=1, timeout_ms=200)
        timer.join()

    def test_all_waiters_are_woken(self, store):
        game_id = game_in(store)
        with ThreadPoolExecutor(30) as pool:
            waits = [pool.submit(store.wait, game_id, version=1, timeout_ms=60_000) for _ in range(30)]
            time.sleep(0.2)
            store.commit(commit_of(game_id, 1))

            assert all(wait.result(timeout=30) for wait in waits)

    def test_repeated_waits_miss_no_last_version(self, store):
        game_id, seen = game_in(store), 1

        def play():
            for version in range(1, 200):
                store.commit(commit_of(game_id, version))

        timer = soon(0, play)
        while seen < 200:
            assert store.wait(game_id, version=seen, timeout_ms=60_000)
            seen = store.load(game_id).version
        timer.join()

    def test_waiters_are_released(self, store):
        game_id = game_in(store)
        timer = soon(0.1, store.release_waiters)
        began = time.monotonic()

        assert not store.wait(game_id, version=1, timeout_ms=60_000)
        assert not store.wait(game_id, version=1, timeout_ms=60_000)

        assert time.monotonic() - began < 30
        assert store.load(game_id) is not None
        timer.join()
