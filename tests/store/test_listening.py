"""Change listeners: they get every change, of this process and of others."""

import threading

from service.store.accounts import NewAccountEvent
from service.store.contract import PLAYER_NOTIFIED
from service.store.redis.change_notifier import ChangeNotifier
from service.store.redis.store import RedisStore
from tests.support.stores import commit_of, game_in
from tests.support.tree import wait_for


def notification(player_id):
    return NewAccountEvent(player_id=player_id, game_id="g00one", version=1, seq=0, body=b"your turn")


class TestAListener:
    def test_gets_every_commit(self, store):
        before, changes = game_in(store), []
        store.listen(changes.extend)

        store.commit(commit_of(before, 1))
        new = game_in(store)

        wait_for(lambda: len(changes) == 2, "the news")
        assert changes == [(before, 2), (new, 1)]

    def test_gets_notifications_of_players(self, store):
        changes = []
        store.put_player("pAna", b"Ana", replaces=None)
        store.listen(changes.extend)

        store.append_account_events([notification("pAna")])

        wait_for(lambda: changes, "the news")
        # Twice, if the script had to be sent to the server first.
        assert set(changes) == {("pAna", PLAYER_NOTIFIED)}

    def test_added_twice_is_called_once(self, store):
        changes = []
        listener = changes.extend
        store.listen(listener)
        store.listen(listener)

        game_id = game_in(store, version=2)

        wait_for(lambda: len(changes) >= 2, "the news")
        assert changes == [(game_id, 1), (game_id, 2)]

    def test_finds_what_it_was_called_for(self, store):
        """A commit can be read before any listener gets it."""
        found = []
        store.listen(lambda changes: found.extend(store.load(game_id).version for game_id, _ in changes))

        game_in(store)

        wait_for(lambda: found, "the news")
        assert found == [1]

    def test_gets_the_commits_of_another_process(self, valkey, redis_store):
        changes, other = [], RedisStore.at(valkey.url)
        redis_store.listen(changes.extend)

        game_id = game_in(other)

        wait_for(lambda: changes, "the news")
        assert changes == [(game_id, 1)]
        other.close()

    def test_shares_the_thread_of_the_waiters(self, redis_store):
        redis_store.listen(print)
        threads = threading.active_count()

        redis_store.wait(game_in(redis_store), version=1, timeout_ms=10)

        assert threading.active_count() == threads

    def test_added_again_restarts_a_reader_that_died(self, redis_store, monkeypatch):
        changes = []
        listener = changes.extend
        monkeypatch.setattr(ChangeNotifier, "_read", lambda self, cursor: None)
        redis_store.listen(listener)
        wait_for(lambda: not redis_store.notifier.is_reading, "its end")
        monkeypatch.undo()
        redis_store.listen(listener)

        game_id = game_in(redis_store)

        wait_for(lambda: changes, "the news")
        assert changes == [(game_id, 1)]
