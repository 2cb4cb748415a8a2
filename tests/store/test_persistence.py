"""After a power cut everything that was answered is still there."""

import threading

import pytest

from service.store.answers import Answer
from service.store.contract import StoreUnavailable
from service.store.lists import GameList
from service.store.redis import keys
from service.store.redis.store import RedisStore
from tests.support.servers import redis7_server, valkey_server
from tests.support.stores import DAY, commit_of, game_in, now, reserved
from tests.support.tree import wait_for


@pytest.fixture(params=[valkey_server, redis7_server])
def server(request):
    with request.param() as server:
        yield server


@pytest.fixture
def store(server):
    store = RedisStore.at(server.url)
    yield store
    store.close()


def test_everything_is_there_after_a_kill(server, store):
    games = [game_in(store, version=version) for version in (1, 2, 30)]
    reservation = reserved(store, games[0])
    store.commit(commit_of(games[0], 1, answer=(reservation, Answer(status=201, body=b"done"))))
    store.put_player("pAna", b"Ana", replaces=None)
    store.put_token("pAna", "hash", b"scopes")
    store.list_game(games[0], at=7, expires_at=now() + DAY, lists=[GameList.of_player("pAna")])

    def seen():
        return (
            store.load_many(games),
            [store.events(game_id, limit=100) for game_id in games],
            store.due(now=now() + DAY, limit=10),
            store.reserve(reservation.key, reservation.fingerprint),
            store.player_by_token("pAna", "hash"),
            store.games_in(GameList.of_player("pAna"), limit=10),
        )

    before = seen()
    server.kill()
    server.start()

    assert seen() == before


def test_nothing_of_a_game_is_left_after_its_expiry(server, store):
    game_id = game_in(store)
    reservation = reserved(store, game_id)
    at = now() + 60
    store.commit(commit_of(game_id, 1, due_at=at, expires_at=at, answer=(reservation, Answer(status=201))))
    store.lease(game_id, expected_at=at, at=at, attempt=2)
    store.list_game(game_id, at=7, expires_at=at, lists=[GameList.open(), GameList.of_player("pAna")])

    wait_for(lambda: store.load(game_id) is None, "its expiry")
    assert store.forget_due(game_id, expected_at=at)

    with server.client() as client:
        assert client.keys() == [keys.WAKE.encode()]


def test_a_kill_in_the_middle_loses_no_move_and_writes_none_in_part(server, store):
    game_id = game_in(store)
    accepted = [1]

    def play():
        while True:
            try:
                store.commit(commit_of(game_id, accepted[-1]))
            except StoreUnavailable:
                return
            accepted.append(accepted[-1] + 1)

    player = threading.Thread(target=play)
    player.start()
    wait_for(lambda: len(accepted) >= 50, "fifty commits")
    server.kill()
    player.join()
    server.start()

    stored = store.load(game_id)
    # The last one may have been written without a reply.
    assert stored.version - accepted[-1] in {0, 1}
    assert stored.state == b"state %d" % stored.version
    log = store.events(game_id, limit=100_000)
    assert [(event.version, event.seq) for event in log] == [
        (version, seq) for version in range(1, stored.version + 1) for seq in (0, 1)
    ]
