"""Listening: what changes, here or in another process, is heard of."""

import threading

from service.store.accounts import NewAccountEvent
from service.store.contract import PLAYER_NOTIFIED
from service.store.redis.change_notifier import ChangeNotifier
from service.store.redis.store import RedisStore
from tests.support.stores import commit_of, game_in
from tests.support.tree import wait_for


def told(player_id):
    return NewAccountEvent(player_id=player_id, game_id="g00one", version=1, seq=0, body=b"your turn")


class TestWhoListens:
    def test_hears_of_every_commit(self, store):
        before, heard = game_in(store), []
        store.listen(heard.extend)

        store.commit(commit_of(before, 1))
        new = game_in(store)

        wait_for(lambda: len(heard) == 2, "the news")
        assert heard == [(before, 2), (new, 1)]

    def test_hears_of_what_a_player_is_told(self, store):
        heard = []
        store.put_player("pAna", b"Ana", replaces=None)
        store.listen(heard.extend)

        store.append_account_events([told("pAna")])

        wait_for(lambda: heard, "the news")
        assert set(heard) == {
            ("pAna", PLAYER_NOTIFIED)
        }  # A server that had to be sent the script hears twice.

    def test_hears_nothing_twice_for_listening_again(self, store):
        heard = []
        hear = heard.extend
        store.listen(hear)
        store.listen(hear)

        game_id = game_in(store, version=2)

        wait_for(lambda: len(heard) >= 2, "the news")
        assert heard == [(game_id, 1), (game_id, 2)]

    def test_finds_what_it_heard_of(self, store):
        """A commit can be read before anybody hears of it."""
        found = []
        store.listen(lambda heard: found.extend(store.load(game_id).version for game_id, _ in heard))

        game_in(store)

        wait_for(lambda: found, "the news")
        assert found == [1]

    def test_hears_what_another_process_does(self, valkey, redis_store):
        heard, other = [], RedisStore.at(valkey.url)
        redis_store.listen(heard.extend)

        game_id = game_in(other)

        wait_for(lambda: heard, "the news")
        assert heard == [(game_id, 1)]
        other.close()

    def test_holds_no_thread_beside_the_one_of_those_who_wait(self, redis_store):
        redis_store.listen(print)
        threads = threading.active_count()

        redis_store.wait(game_in(redis_store), version=1, timeout_ms=10)

        assert threading.active_count() == threads

    def test_has_a_reader_that_died_replaced_by_listening_again(self, redis_store, monkeypatch):
        heard = []
        hear = heard.extend
        monkeypatch.setattr(ChangeNotifier, "_read", lambda self, cursor: None)
        redis_store.listen(hear)
        wait_for(lambda: not redis_store.notifier.is_reading, "its end")
        monkeypatch.undo()
        redis_store.listen(hear)

        game_id = game_in(redis_store)

        wait_for(lambda: heard, "the news")
        assert heard == [(game_id, 1)]
