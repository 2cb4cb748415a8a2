"""Concurrent writers of one game: one wins each version, and nothing is lost."""

import multiprocessing
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from service.store.answers import Answer, IdempotencyKey, InProgress, Reservation
from service.store.contract import ReservationLost, StaleVersion
from service.store.ids import new_game_id
from service.store.redis.store import RedisStore
from tests.support.stores import commit_of, game_in, now, race

WRITERS = 8
LAST = 101


def assert_one_won_each_version(store, game_id, won):
    log = store.events(game_id, limit=10_000)
    written = {event.version: event.body for event in log if event.version > 1}
    claimed = {version: b"by %d" % writer for writer, versions in won.items() for version in versions}

    assert sum(map(len, won.values())) == LAST - 1
    assert written == claimed
    assert sorted(written) == list(range(2, LAST + 1))
    assert len(log) == 2 + LAST - 1
    assert store.load(game_id).version == LAST


class TestOneGame:
    def test_threads_share_the_versions_among_them(self, store):
        game_id = game_in(store)

        with ThreadPoolExecutor(WRITERS) as pool:
            races = [pool.submit(race, store, game_id, writer, LAST) for writer in range(WRITERS)]
            won = {writer: races[writer].result() for writer in range(WRITERS)}

        assert_one_won_each_version(store, game_id, won)

    @pytest.mark.parametrize("server", ["valkey", "redis7"])
    def test_processes_share_the_versions_among_them(self, server, request):
        url = request.getfixturevalue(server).url
        store = RedisStore.at(url)
        game_id = game_in(store)

        with multiprocessing.get_context("spawn").Pool(3) as pool:
            races = pool.starmap(race, [(url, game_id, writer, LAST) for writer in range(3)])

        assert_one_won_each_version(store, game_id, dict(enumerate(races)))
        store.close()

    def test_one_of_many_creates_it(self, store):
        game_id = new_game_id()
        start = threading.Barrier(WRITERS)

        def create(writer):
            start.wait()
            try:
                store.commit(commit_of(game_id, 0, state=b"by %d" % writer))
            except StaleVersion:
                return None
            return b"by %d" % writer

        with ThreadPoolExecutor(WRITERS) as pool:
            winners = [made for made in pool.map(create, range(WRITERS)) if made]

        assert [store.load(game_id).state] == winners
        assert len(store.events(game_id, limit=10)) == 2


class TestOneKey:
    def test_one_request_works_and_all_get_its_answer(self, store):
        game_id = game_in(store)
        key = IdempotencyKey(player_id="pAna", subject_id=game_id, name="k")
        start = threading.Barrier(WRITERS)

        def request(writer):
            """What the API does with a move, and its client with a 409."""
            start.wait()
            while True:
                found = store.reserve(key, "draw")
                if isinstance(found, Answer):
                    return found.body
                if isinstance(found, InProgress):
                    continue
                assert isinstance(found, Reservation)
                body = b"by %d" % writer
                version = store.load(game_id).version
                try:
                    store.commit(commit_of(game_id, version, answer=(found, Answer(status=201, body=body))))
                except ReservationLost:
                    continue
                return body

        with ThreadPoolExecutor(WRITERS) as pool:
            answers = set(pool.map(request, range(WRITERS)))

        assert len(answers) == 1
        assert store.load(game_id).version == 2


class TestOneLease:
    def test_one_of_many_gets_it(self, store):
        game_id = game_in(store)
        at = store.due(now=now() * 2, limit=1)[0].at
        start = threading.Barrier(WRITERS)

        def lease(writer):
            start.wait()
            return store.lease(game_id, expected_at=at, at=at + 1 + writer, attempt=1)

        with ThreadPoolExecutor(WRITERS) as pool:
            assert sum(pool.map(lease, range(WRITERS))) == 1
