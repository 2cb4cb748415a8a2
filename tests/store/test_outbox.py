"""The outbox: effects are recorded with their commit, and found until they are done."""

import pytest

from service.store.contract import StaleVersion
from service.store.ids import SHARDS, new_game_id
from service.store.outbox import OverdueEffects, PendingEffects
from tests.support.stores import commit_of, game_in

NOON = 1_800_000_000_000


def game_with_effects(store, at=NOON, shard=None):
    game_id = new_game_id(shard)
    store.commit(commit_of(game_id, effects_due_at=at))
    return game_id


class TestACommitWithEffects:
    def test_is_found_when_its_effects_are_overdue(self, store):
        game_id = game_with_effects(store)

        assert store.overdue_effects(now=NOON - 1, limit=9) == []
        assert store.overdue_effects(now=NOON, limit=9) == [OverdueEffects(game_id=game_id, at=NOON)]
        assert store.pending_effects(game_id) == PendingEffects(version=1, state=b"state 1", done_version=0)

    def test_a_commit_without_effects_adds_nothing(self, store):
        game_id = game_in(store, version=3)

        assert store.overdue_effects(now=NOON * 2, limit=9) == []
        assert store.pending_effects(game_id) is None
        assert store.pending_effects("nonsense") is None

    def test_effects_of_all_earlier_commits_count_as_done(self, store):
        game_id = game_in(store, version=3)
        store.commit(commit_of(game_id, 3, effects_due_at=NOON))
        store.commit(commit_of(game_id, 4))

        assert store.pending_effects(game_id) == PendingEffects(version=5, state=b"state 5", done_version=3)

    def test_a_second_one_reports_pending_effects(self, store):
        game_id = new_game_id()
        assert not store.commit(commit_of(game_id, effects_due_at=NOON))
        assert not store.commit(commit_of(game_id, 1))

        assert store.commit(commit_of(game_id, 2, effects_due_at=NOON + 5))

        # The earliest pending effects decide when the game is overdue.
        assert store.overdue_effects(now=NOON, limit=9) == [OverdueEffects(game_id=game_id, at=NOON)]
        assert store.pending_effects(game_id).done_version == 0

    def test_a_refused_commit_adds_nothing(self, store):
        game_id = game_in(store)

        with pytest.raises(StaleVersion):
            store.commit(commit_of(game_id, 7, effects_due_at=NOON))

        assert store.pending_effects(game_id) is None

    def test_the_longest_overdue_comes_first_from_all_shards(self, store):
        games = [game_with_effects(store, at=NOON - 10 * shard, shard=shard) for shard in range(SHARDS)]

        assert [entry.game_id for entry in store.overdue_effects(now=NOON, limit=1000)] == games[::-1]
        assert [entry.game_id for entry in store.overdue_effects(now=NOON, limit=3)] == games[:-4:-1]

    def test_a_limit_is_at_least_one(self, store):
        with pytest.raises(ValueError, match="limit"):
            store.overdue_effects(now=NOON, limit=0)


class TestMarkingDone:
    def test_done_effects_are_not_found_again(self, store):
        game_id = game_with_effects(store)

        store.mark_effects_done(game_id, version=1)
        store.mark_effects_done(game_id, version=1)

        assert store.overdue_effects(now=NOON, limit=9) == []
        assert store.pending_effects(game_id) is None
        assert not store.commit(commit_of(game_id, 1, effects_due_at=NOON))
        assert store.pending_effects(game_id).done_version == 1

    def test_a_game_with_later_commits_stays(self, store):
        game_id = game_with_effects(store)
        store.commit(commit_of(game_id, 1, effects_due_at=NOON))
        store.commit(commit_of(game_id, 2, effects_due_at=NOON))

        store.mark_effects_done(game_id, version=2)
        store.mark_effects_done(game_id, version=1)

        assert store.pending_effects(game_id) == PendingEffects(version=3, state=b"state 3", done_version=2)
        assert store.overdue_effects(now=NOON, limit=9) != []

    def test_a_later_version_is_enough(self, store):
        game_id = game_with_effects(store)
        store.commit(commit_of(game_id, 1))

        store.mark_effects_done(game_id, version=2)

        assert store.pending_effects(game_id) is None

    def test_an_expired_game_leaves_the_outbox(self, store):
        game_id = new_game_id()
        store.commit(commit_of(game_id, effects_due_at=NOON, expires_at=1))
        assert [entry.game_id for entry in store.overdue_effects(now=NOON, limit=9)] == [game_id]
        assert store.pending_effects(game_id) is None

        store.mark_effects_done(game_id, version=0)

        assert store.overdue_effects(now=NOON, limit=9) == []
        assert store.load(game_id) is None

    def test_a_malformed_id_is_ignored(self, store):
        store.mark_effects_done("nonsense", version=1)


class TestRescheduling:
    def test_one_of_two_callers_succeeds(self, store):
        game_id = game_with_effects(store)

        assert store.reschedule_effects(game_id, expected_at=NOON, at=NOON + 9)
        assert not store.reschedule_effects(game_id, expected_at=NOON, at=NOON + 9)

        assert store.overdue_effects(now=NOON + 8, limit=9) == []
        assert store.overdue_effects(now=NOON + 9, limit=9) == [OverdueEffects(game_id=game_id, at=NOON + 9)]

    def test_a_game_without_pending_effects_stays_so(self, store):
        assert not store.reschedule_effects(game_in(store), expected_at=NOON, at=NOON)
        assert not store.reschedule_effects("nonsense", expected_at=NOON, at=NOON)
        assert store.overdue_effects(now=NOON, limit=9) == []
