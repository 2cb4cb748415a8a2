from collections.abc import Iterator

import pytest

from service.store.contract import Store
from service.store.redis.store import RedisStore
from tests.support.memory_store.store import MemoryStore
from tests.support.servers import Server, cluster_server, redis7_server, valkey_server
from tests.support.stores import now


@pytest.fixture(scope="session")
def valkey() -> Iterator[Server]:
    with valkey_server() as server:
        yield server


@pytest.fixture(scope="session")
def redis7() -> Iterator[Server]:
    with redis7_server() as server:
        yield server


@pytest.fixture(scope="session")
def cluster() -> Iterator[Server]:
    with cluster_server() as server:
        yield server


@pytest.fixture(params=["memory", "valkey", "redis7", "cluster"])
def store(request) -> Iterator[Store]:
    """Every implementation of the contract, empty."""
    if request.param == "memory":
        yield MemoryStore(now)
        return
    server: Server = request.getfixturevalue(request.param)
    with server.client() as client:
        client.flushall()
    store = RedisStore.at(server.url)
    yield store
    store.close()


@pytest.fixture
def redis_store(valkey) -> Iterator[RedisStore]:
    with valkey.client() as client:
        client.flushall()
    store = RedisStore.at(valkey.url)
    yield store
    store.close()
