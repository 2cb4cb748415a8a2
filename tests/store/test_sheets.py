"""Score sheets: committed version by version, with their answers, until they expire."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from service.store.answers import ANSWER_MS, Answer, IdempotencyKey, Reservation
from service.store.contract import ReservationLost, StaleVersion
from service.store.ids import new_game_id, new_sheet_id
from service.store.sheets import SheetCommit
from tests.support.stores import BRIEFLY, DAY, commit_of, now, see_it_end


@pytest.fixture
def sheet_id():
    return new_sheet_id()


def commit_to(sheet_id, expected_version=0, body=b"sheet", *, life=DAY, answer=None):
    return SheetCommit(
        sheet_id=sheet_id,
        expected_version=expected_version,
        body=body,
        expires_at=now() + life,
        answer=answer,
    )


def reserved(store, sheet_id, name="key"):
    reservation = store.reserve(IdempotencyKey(player_id="pAna", subject_id=sheet_id, name=name), "deal")
    assert isinstance(reservation, Reservation)
    return reservation


class TestASheet:
    def test_is_stored_and_read(self, store, sheet_id):
        store.commit_sheet(commit_to(sheet_id))

        assert store.sheet(sheet_id) == b"sheet"

    @pytest.mark.parametrize("unknown", ["s00unknown", "g00unknown", "nonsense", ""])
    def test_that_was_never_stored_is_none(self, store, unknown):
        assert store.sheet(unknown) is None

    def test_changes_version_by_version(self, store, sheet_id):
        for version in range(3):
            store.commit_sheet(commit_to(sheet_id, version, b"version %d" % (version + 1)))

        assert store.sheet(sheet_id) == b"version 3"

    @pytest.mark.parametrize("expected, current", [(0, 2), (1, 2), (3, 2)])
    def test_keeps_what_it_has_at_another_version(self, store, sheet_id, expected, current):
        store.commit_sheet(commit_to(sheet_id, 0))
        store.commit_sheet(commit_to(sheet_id, 1, b"kept"))

        with pytest.raises(StaleVersion) as stale:
            store.commit_sheet(commit_to(sheet_id, expected, b"lost"))

        assert stale.value.current == current
        assert store.sheet(sheet_id) == b"kept"

    def test_that_does_not_exist_cannot_be_changed(self, store, sheet_id):
        with pytest.raises(StaleVersion) as stale:
            store.commit_sheet(commit_to(sheet_id, 1))

        assert stale.value.current is None

    def test_ends_at_its_expiry_which_a_change_moves(self, store, sheet_id):
        other = new_sheet_id()
        store.commit_sheet(commit_to(sheet_id, life=BRIEFLY))
        store.commit_sheet(commit_to(other, life=BRIEFLY))
        store.commit_sheet(commit_to(other, 1))

        see_it_end()

        assert store.sheet(sheet_id) is None
        assert store.sheet(other) == b"sheet"

    def test_takes_one_of_many_writers_at_each_version(self, store, sheet_id):
        store.commit_sheet(commit_to(sheet_id))

        def write(writer):
            try:
                store.commit_sheet(commit_to(sheet_id, 1, b"by %d" % writer))
            except StaleVersion:
                return None
            return writer

        with ThreadPoolExecutor(8) as pool:
            won = [writer for writer in pool.map(write, range(8)) if writer is not None]

        assert len(won) == 1
        assert store.sheet(sheet_id) == b"by %d" % won[0]

    def test_is_no_game_and_leaves_the_games_of_its_shard_alone(self, store):
        sheet_id, game_id = new_sheet_id(7), new_game_id(7)
        due_at = now()
        store.commit(commit_of(game_id, due_at=due_at))

        store.commit_sheet(commit_to(sheet_id))

        assert store.load(sheet_id) is None
        assert store.events(sheet_id, limit=10) == []
        assert [entry.game_id for entry in store.due(now=due_at, limit=10)] == [game_id]


class TestItsAnswers:
    def test_are_written_with_the_change(self, store, sheet_id):
        reservation = reserved(store, sheet_id)
        answer = Answer(status=201, body=b"done")

        store.commit_sheet(commit_to(sheet_id, answer=(reservation, answer)))

        assert store.reserve(reservation.key, "deal") == answer

    def test_of_a_new_sheet_lie_in_the_shard_of_the_key(self, store):
        key = IdempotencyKey(player_id="pAna", name="k")
        reservation = store.reserve(key, "new")
        sheet_id = new_sheet_id(key.shard)

        store.commit_sheet(commit_to(sheet_id, answer=(reservation, Answer(status=201))))

        assert store.reserve(key, "new") == Answer(status=201)

    def test_that_are_no_longer_reserved_change_nothing(self, store, sheet_id):
        store.commit_sheet(commit_to(sheet_id))
        reservation = reserved(store, sheet_id)
        store.release(reservation)

        with pytest.raises(ReservationLost):
            store.commit_sheet(commit_to(sheet_id, 1, b"lost", answer=(reservation, Answer(status=201))))

        assert store.sheet(sheet_id) == b"sheet"

    @pytest.mark.parametrize("is_remembered", [True, False])
    def test_do_not_outlive_the_sheet(self, store, sheet_id, is_remembered):
        assert BRIEFLY < ANSWER_MS
        reservation = reserved(store, sheet_id)
        if is_remembered:
            store.commit_sheet(commit_to(sheet_id, life=BRIEFLY))
            store.remember(reservation, Answer(status=409))
        else:
            answer = (reservation, Answer(status=201))
            store.commit_sheet(commit_to(sheet_id, life=BRIEFLY, answer=answer))

        see_it_end()

        assert isinstance(store.reserve(reservation.key, "deal"), Reservation)


class TestACommit:
    def test_is_of_a_sheet(self):
        for text in ("nonsense", new_game_id()):
            with pytest.raises(ValueError, match="id of a score sheet"):
                commit_to(text)

    def test_has_a_version_from_zero(self, sheet_id):
        with pytest.raises(ValueError, match="version"):
            commit_to(sheet_id, -1)

    def test_has_its_answer_in_its_own_shard(self):
        key = IdempotencyKey(player_id="pAna", subject_id=new_sheet_id(1), name="k")
        reservation = Reservation(key=key, fingerprint="deal", holder="h")

        with pytest.raises(ValueError, match="shard"):
            commit_to(new_sheet_id(2), answer=(reservation, Answer(status=201)))
