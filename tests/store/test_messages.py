"""Messages: they reach every listener, of this process and of others, and are kept nowhere."""

from service.store.messages import MAX_MESSAGES
from service.store.redis import keys
from service.store.redis.store import RedisStore
from tests.support.stores import game_in
from tests.support.tree import wait_for


class TestAMessage:
    def test_reaches_every_listener(self, store):
        first, second = [], []
        store.listen_to_messages(first.extend)
        store.listen_to_messages(second.extend)

        store.send_message("g00one", b"hello")
        store.send_message("g00two", b"\x00\xff")

        wait_for(lambda: len(first) == len(second) == 2, "the messages")
        assert first == second == [("g00one", b"hello"), ("g00two", b"\x00\xff")]

    def test_reaches_a_listener_added_twice_once(self, store):
        found = []
        listener = found.extend
        store.listen_to_messages(listener)
        store.listen_to_messages(listener)

        store.send_message("g00one", b"hello")
        store.send_message("g00one", b"bye")

        wait_for(lambda: len(found) >= 2, "the messages")
        assert found == [("g00one", b"hello"), ("g00one", b"bye")]

    def test_is_no_change_of_the_game(self, store):
        game_id, changes, messages = game_in(store), [], []
        store.listen(changes.extend)
        store.listen_to_messages(messages.extend)

        store.send_message(game_id, b"hello")
        other = game_in(store)

        wait_for(lambda: changes and messages, "change and message")
        assert (changes, messages) == ([(other, 1)], [(game_id, b"hello")])
        assert not store.wait(game_id, version=1, timeout_ms=1)

    def test_reaches_other_processes(self, valkey, redis_store):
        found = []
        redis_store.listen_to_messages(found.extend)
        other = RedisStore.at(valkey.url)

        other.send_message("g00one", b"hello")

        wait_for(lambda: found, "the message")
        other.close()

    def test_does_not_wait_for_a_listener(self, redis_store):
        redis_store.send_message("g00one", b"too early")
        found = []
        redis_store.listen_to_messages(found.extend)

        redis_store.send_message("g00one", b"hello")

        wait_for(lambda: found, "the message")
        assert found == [("g00one", b"hello")]

    def test_pushes_older_ones_out(self, valkey, redis_store):
        for _ in range(2 * MAX_MESSAGES):
            redis_store.send_message("g00one", b"hello")

        with valkey.client() as client:
            assert client.xlen(keys.MESSAGES) < 2 * MAX_MESSAGES
