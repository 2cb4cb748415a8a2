"""Due games: found when their time has come, leased to one caller."""

import pytest

from service.store.contract import DueGame, StaleVersion
from service.store.ids import SHARDS, new_game_id
from tests.support.stores import commit_of

NOON = 1_800_000_000_000


def due_game(store, at=NOON, shard=None):
    game_id = new_game_id(shard)
    store.commit(commit_of(game_id, due_at=at))
    return game_id


class TestFinding:
    def test_a_game_is_found_from_its_time_on(self, store):
        game_id = due_game(store)

        assert store.due(now=NOON - 1, limit=10) == []
        assert store.due(now=NOON, limit=10) == [DueGame(game_id=game_id, at=NOON, attempt=0)]

    def test_games_of_all_shards_are_found_the_longest_due_first(self, store):
        games = [due_game(store, at=NOON - 10 * shard, shard=shard) for shard in range(SHARDS)]

        found = store.due(now=NOON, limit=1000)

        assert [entry.game_id for entry in found] == games[::-1]

    def test_the_limit_keeps_the_longest_due(self, store):
        games = [due_game(store, at=NOON - n, shard=n % 3) for n in range(9)]

        assert [entry.game_id for entry in store.due(now=NOON, limit=4)] == games[:4:-1]

    def test_a_limit_is_at_least_one(self, store):
        with pytest.raises(ValueError, match="limit"):
            store.due(now=NOON, limit=0)

    def test_finding_changes_nothing(self, store):
        due_game(store)

        assert store.due(now=NOON, limit=10) == store.due(now=NOON, limit=10)


class TestCommitting:
    def test_a_commit_moves_the_time_and_resets_the_attempts(self, store):
        game_id = due_game(store)
        store.lease(game_id, expected_at=NOON, at=NOON + 5, attempt=3)

        store.commit(commit_of(game_id, 1, due_at=NOON + 9))

        assert store.due(now=NOON + 9, limit=10) == [DueGame(game_id=game_id, at=NOON + 9, attempt=0)]

    def test_a_commit_may_leave_nothing_due(self, store):
        game_id = due_game(store)

        store.commit(commit_of(game_id, 1, due_at=None))

        assert store.due(now=NOON, limit=10) == []

    def test_a_refused_commit_leaves_the_lease_as_it_is(self, store):
        game_id = due_game(store)
        store.lease(game_id, expected_at=NOON, at=NOON + 5, attempt=1)

        with pytest.raises(StaleVersion):
            store.commit(commit_of(game_id, 7, due_at=None))

        assert store.due(now=NOON + 5, limit=10) == [DueGame(game_id=game_id, at=NOON + 5, attempt=1)]


class TestLeasing:
    def test_one_of_two_gets_the_lease(self, store):
        game_id = due_game(store)

        assert store.lease(game_id, expected_at=NOON, at=NOON + 3500, attempt=1)
        assert not store.lease(game_id, expected_at=NOON, at=NOON + 3500, attempt=1)

        assert store.due(now=NOON + 3499, limit=10) == []
        assert store.due(now=NOON + 3500, limit=10) == [DueGame(game_id=game_id, at=NOON + 3500, attempt=1)]

    def test_a_worker_renews_whatever_lease_there_is(self, store):
        game_id = due_game(store)
        store.lease(game_id, expected_at=NOON, at=NOON + 5, attempt=2)

        assert store.lease(game_id, expected_at=None, at=NOON + 7)

        assert store.due(now=NOON + 7, limit=10) == [DueGame(game_id=game_id, at=NOON + 7, attempt=2)]

    def test_a_game_that_is_not_due_stays_so(self, store):
        game_id = new_game_id()
        store.commit(commit_of(game_id, due_at=None))

        assert not store.lease(game_id, expected_at=None, at=NOON, attempt=1)
        assert not store.lease("nonsense", expected_at=None, at=NOON)
        assert store.due(now=NOON, limit=10) == []


class TestForgetting:
    def test_an_expired_game_is_still_due_until_it_is_forgotten(self, store):
        game_id = new_game_id()
        store.commit(commit_of(game_id, due_at=NOON, expires_at=1))
        assert store.load(game_id) is None

        assert [entry.game_id for entry in store.due(now=NOON, limit=10)] == [game_id]
        assert store.forget_due(game_id, expected_at=NOON)

        assert store.due(now=NOON, limit=10) == []
        assert not store.forget_due(game_id, expected_at=NOON)

    def test_what_was_moved_meanwhile_is_kept(self, store):
        game_id = due_game(store)
        store.lease(game_id, expected_at=NOON, at=NOON + 1)

        assert not store.forget_due(game_id, expected_at=NOON)

        assert len(store.due(now=NOON + 1, limit=10)) == 1

    def test_the_count_of_attempts_goes_too(self, store):
        game_id = due_game(store)
        store.lease(game_id, expected_at=NOON, at=NOON, attempt=4)
        store.forget_due(game_id, expected_at=NOON)

        store.commit(commit_of(game_id, 1, due_at=NOON))

        assert store.due(now=NOON, limit=10) == [DueGame(game_id=game_id, at=NOON, attempt=0)]
