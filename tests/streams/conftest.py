from collections.abc import Iterator

import pytest

from service.store.contract import Store
from service.store.redis.store import RedisStore
from tests.support.memory_store.store import MemoryStore
from tests.support.servers import Server, valkey_server
from tests.support.stores import now


@pytest.fixture(scope="session")
def valkey() -> Iterator[Server]:
    with valkey_server() as server:
        yield server


@pytest.fixture(params=["memory", "valkey"])
def store(request) -> Iterator[Store]:
    if request.param == "memory":
        yield MemoryStore(now)
        return
    server: Server = request.getfixturevalue("valkey")
    with server.client() as client:
        client.flushall()
    store = RedisStore.at(server.url)
    yield store
    store.close()
