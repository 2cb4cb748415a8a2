"""What must be derived: marked with the commit it follows from, found until it is acknowledged."""

import pytest

from service.store.contract import StaleVersion
from service.store.ids import SHARDS, new_game_id
from service.store.outbox import OverdueEffects, PendingEffects
from tests.support.stores import commit_of, game_in

NOON = 1_800_000_000_000


def marked_game(store, at=NOON, shard=None):
    game_id = new_game_id(shard)
    store.commit(commit_of(game_id, effects_due_at=at))
    return game_id


class TestMarking:
    def test_a_marked_game_is_found_once_its_derivation_is_overdue(self, store):
        game_id = marked_game(store)

        assert store.overdue_effects(now=NOON - 1, limit=9) == []
        assert store.overdue_effects(now=NOON, limit=9) == [OverdueEffects(game_id=game_id, at=NOON)]
        assert store.pending_effects(game_id) == PendingEffects(version=1, state=b"state 1", done_version=0)

    def test_a_commit_that_nothing_follows_from_marks_nothing(self, store):
        game_id = game_in(store, version=3)

        assert store.overdue_effects(now=NOON * 2, limit=9) == []
        assert store.pending_effects(game_id) is None
        assert store.pending_effects("nonsense") is None

    def test_all_before_the_first_mark_counts_as_derived(self, store):
        game_id = game_in(store, version=3)
        store.commit(commit_of(game_id, 3, effects_due_at=NOON))
        store.commit(commit_of(game_id, 4))

        assert store.pending_effects(game_id) == PendingEffects(version=5, state=b"state 5", done_version=3)

    def test_a_second_mark_hears_that_an_earlier_one_waits(self, store):
        game_id = new_game_id()
        assert not store.commit(commit_of(game_id, effects_due_at=NOON))
        assert not store.commit(commit_of(game_id, 1))

        assert store.commit(commit_of(game_id, 2, effects_due_at=NOON + 5))

        # The one that waits longest says when it is overdue.
        assert store.overdue_effects(now=NOON, limit=9) == [OverdueEffects(game_id=game_id, at=NOON)]
        assert store.pending_effects(game_id).done_version == 0

    def test_a_refused_commit_marks_nothing(self, store):
        game_id = game_in(store)

        with pytest.raises(StaleVersion):
            store.commit(commit_of(game_id, 7, effects_due_at=NOON))

        assert store.pending_effects(game_id) is None

    def test_the_longest_overdue_comes_first_from_all_shards(self, store):
        games = [marked_game(store, at=NOON - 10 * shard, shard=shard) for shard in range(SHARDS)]

        assert [entry.game_id for entry in store.overdue_effects(now=NOON, limit=1000)] == games[::-1]
        assert [entry.game_id for entry in store.overdue_effects(now=NOON, limit=3)] == games[:-4:-1]

    def test_a_limit_is_at_least_one(self, store):
        with pytest.raises(ValueError, match="limit"):
            store.overdue_effects(now=NOON, limit=0)


class TestAcknowledging:
    def test_what_was_derived_is_not_found_again(self, store):
        game_id = marked_game(store)

        store.mark_effects_done(game_id, version=1)
        store.mark_effects_done(game_id, version=1)

        assert store.overdue_effects(now=NOON, limit=9) == []
        assert store.pending_effects(game_id) is None
        assert not store.commit(commit_of(game_id, 1, effects_due_at=NOON))
        assert store.pending_effects(game_id).done_version == 1

    def test_what_was_committed_meanwhile_stays(self, store):
        game_id = marked_game(store)
        store.commit(commit_of(game_id, 1, effects_due_at=NOON))
        store.commit(commit_of(game_id, 2, effects_due_at=NOON))

        store.mark_effects_done(game_id, version=2)
        store.mark_effects_done(game_id, version=1)

        assert store.pending_effects(game_id) == PendingEffects(version=3, state=b"state 3", done_version=2)
        assert store.overdue_effects(now=NOON, limit=9) != []

    def test_a_version_beyond_the_mark_is_enough(self, store):
        game_id = marked_game(store)
        store.commit(commit_of(game_id, 1))

        store.mark_effects_done(game_id, version=2)

        assert store.pending_effects(game_id) is None

    def test_a_game_that_has_expired_is_forgotten(self, store):
        game_id = new_game_id()
        store.commit(commit_of(game_id, effects_due_at=NOON, expires_at=1))
        assert [entry.game_id for entry in store.overdue_effects(now=NOON, limit=9)] == [game_id]
        assert store.pending_effects(game_id) is None

        store.mark_effects_done(game_id, version=0)

        assert store.overdue_effects(now=NOON, limit=9) == []
        assert store.load(game_id) is None

    def test_what_is_no_game_is_let_be(self, store):
        store.mark_effects_done("nonsense", version=1)


class TestPuttingOff:
    def test_one_of_two_gets_it(self, store):
        game_id = marked_game(store)

        assert store.reschedule_effects(game_id, expected_at=NOON, at=NOON + 9)
        assert not store.reschedule_effects(game_id, expected_at=NOON, at=NOON + 9)

        assert store.overdue_effects(now=NOON + 8, limit=9) == []
        assert store.overdue_effects(now=NOON + 9, limit=9) == [OverdueEffects(game_id=game_id, at=NOON + 9)]

    def test_what_is_not_behind_stays_so(self, store):
        assert not store.reschedule_effects(game_in(store), expected_at=NOON, at=NOON)
        assert not store.reschedule_effects("nonsense", expected_at=NOON, at=NOON)
        assert store.overdue_effects(now=NOON, limit=9) == []
