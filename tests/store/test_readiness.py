"""Readiness: each problem of the server is one sentence."""

import pytest

from service.store.answers import Answer
from service.store.contract import StoreUnavailable
from service.store.redis.store import RedisStore
from tests.support.memory_store.store import MemoryStore
from tests.support.servers import free_port, redis7_server, valkey_server
from tests.support.stores import commit_of, game_in, now, reserved


@pytest.fixture(params=[valkey_server, redis7_server])
def server(request):
    with request.param() as server:
        yield server


@pytest.fixture
def store(server):
    store = RedisStore.at(server.url)
    yield store
    store.close()


class TestPing:
    def test_a_working_server_has_no_problem(self, store):
        assert store.ping() == ()
        assert MemoryStore(now).ping() == ()

    def test_an_unreachable_server_is_reported_without_its_address(self):
        port = free_port()

        (sentence,) = RedisStore.at(f"redis://127.0.0.1:{port}").ping()

        assert "cannot be reached" in sentence
        assert "127.0.0.1" not in sentence
        assert str(port) not in sentence

    def test_a_missing_password_is_reported(self, server, store):
        with server.client() as client:
            client.config_set("requirepass", "secret")

        (sentence,) = store.ping()

        assert "uthentication" in sentence

    def test_a_replica_is_reported(self, server, store):
        with server.client() as client:
            client.replicaof("127.0.0.1", str(free_port()))

        (sentence,) = store.ping()

        assert "read only replica" in sentence

    def test_full_memory_is_reported(self, server, store):
        with server.client() as client:
            client.config_set("maxmemory", 1)

        (sentence,) = store.ping()

        assert "maxmemory" in sentence

    @pytest.mark.parametrize("policy", ["allkeys-lru", "volatile-ttl"])
    def test_a_server_that_may_evict_games_is_reported(self, server, store, policy):
        with server.client() as client:
            client.config_set("maxmemory-policy", policy)
            assert store.ping() == ()
            client.config_set("maxmemory", "100mb")

        (sentence,) = store.ping()

        assert policy in sentence
        assert "noeviction" in sentence


class TestAServerThatCannotWrite:
    @pytest.mark.parametrize("trouble", ["no memory", "replica"])
    def test_it_refuses_a_commit_whole_and_still_reads(self, server, store, trouble):
        game_id = game_in(store)
        reservation = reserved(store, game_id)
        before = store.events(game_id, limit=10), store.due(now=now() * 2, limit=10)
        with server.client() as client:
            if trouble == "no memory":
                client.config_set("maxmemory", 1)
            else:
                client.replicaof("127.0.0.1", str(free_port()))

            for write in (
                lambda: store.commit(commit_of(game_id, 1, answer=(reservation, Answer(status=201)))),
                lambda: store.remember(reservation, Answer(status=409)),
                lambda: store.put_player("pAna", b"Ana", replaces=None),
            ):
                with pytest.raises(StoreUnavailable):
                    write()

            assert store.load(game_id).version == 1
            assert (store.events(game_id, limit=10), store.due(now=now() * 2, limit=10)) == before

            client.config_set("maxmemory", 0)
            client.replicaof("NO", "ONE")
        store.commit(commit_of(game_id, 1, answer=(reservation, Answer(status=201))))
        assert store.load(game_id).version == 2
