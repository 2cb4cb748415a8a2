"""One app on the memory store for each test, with a clock that stands still until it is moved."""

from collections.abc import Iterator

import pytest
from flask import Flask
from flask.testing import FlaskClient

from service.api import services
from service.api.services import Services
from service.app import create_app
from service.effects.projector import Projector
from service.games.table import Table
from service.streams.connections import Connections
from tests.support.advice_queue import InlineAdviceQueue
from tests.support.contract import CheckedClient, Contract
from tests.support.http_tables import OverHttp
from tests.support.memory_store.store import MemoryStore

START_MS = 1_790_000_000_000


class Clock:
    """Tells the time it is set to."""

    def __init__(self) -> None:
        self.ms = START_MS

    def __call__(self) -> int:
        return self.ms

    def on(self, ms: int) -> None:
        self.ms += ms


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(clock) -> Iterator[MemoryStore]:
    store = MemoryStore(clock)
    yield store
    store.close()


class Turns:
    """Takes note of the computers' turns that are asked for; nobody plays them by himself."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, int, int]] = []

    def enqueue(self, game_id: str, version: int, attempt: int) -> None:
        self.asked.append((game_id, version, attempt))


@pytest.fixture
def turns() -> Turns:
    return Turns()


@pytest.fixture
def table(clock, store, turns) -> Table:
    return Table(store=store, turns=turns, now=clock, projector=Projector(store=store, now=clock))


@pytest.fixture
def streams(clock, store) -> Iterator[Connections]:
    streams = Connections(store=store, now=clock, slots=2)
    yield streams
    streams.close()


@pytest.fixture
def advice_queue(clock, store, table) -> InlineAdviceQueue:
    return InlineAdviceQueue(store=store, table=table, now=clock)


@pytest.fixture
def given(clock, store, table, streams, advice_queue) -> Services:
    return Services(store=store, table=table, now=clock, streams=streams, advice_queue=advice_queue)


@pytest.fixture(scope="session")
def one_app() -> Flask:
    """Make the document once for all tests: it takes longer than most of them."""
    now = Clock()
    store = MemoryStore(now)
    table = Table(store=store, turns=Turns(), now=now)
    streams = Connections(store=store, now=now, slots=1)
    return create_app(Services(store=store, table=table, now=now, streams=streams))


@pytest.fixture
def app(one_app, given) -> Flask:
    services.init_app(one_app, given)
    return one_app


@pytest.fixture(scope="session")
def contract(one_app) -> Contract:
    return Contract(one_app)


@pytest.fixture
def client(app, contract) -> FlaskClient:
    """Return a client that fails the test at any answer the document does not list."""
    app.test_client_class = CheckedClient
    client = app.test_client()
    client.contract = contract
    return client


@pytest.fixture
def settle(client):
    """Make a guest and return the headers to act as that player."""

    def settle(name="Ana", kind="human"):
        answer = client.post("/v1/players", json={"name": name, "kind": kind})
        assert answer.status_code == 201, answer.json
        return {"Authorization": f"Bearer {answer.json['token']}"}

    return settle


@pytest.fixture
def ana(settle):
    return settle("Ana")


@pytest.fixture
def ben(settle):
    return settle("Ben")


@pytest.fixture
def open_table(client):
    """Open a table and return its first view."""

    def open_table(headers, **body):
        answer = client.post("/v1/games", json=body, headers=headers)
        assert answer.status_code == 201, answer.json
        return answer.json

    return open_table


@pytest.fixture
def sandbox(open_table):
    """Open a sandbox in a position, with every seat held by the one who asks."""

    def sandbox(headers, hands, *, preset="classic", overrides=None, seed="test", **position):
        position["hands"] = [hand.split() for hand in hands]
        position["discard_pile"] = position.pop("pile", "2C").split()
        return open_table(
            headers,
            variant={"preset": preset, "overrides": overrides or {}},
            sandbox=True,
            seed=seed,
            seats_held="creator",
            position=position,
        )

    return sandbox


@pytest.fixture
def room(client, ana):
    """Set up tables over HTTP, all seats held by one player."""
    return OverHttp(client, ana)


@pytest.fixture
def at(room):
    """Set up a table in a position; the stories of `tests/stories` are played at it."""
    return room.table
