"""Games: what a store does with commits, whichever store it is."""

from dataclasses import replace

import pytest

from service.store.answers import Answer, IdempotencyKey, Reservation
from service.store.contract import Commit, ReservationLost, StaleVersion, StoredEvent, StoredGame
from service.store.ids import new_game_id
from tests.support.stores import BRIEFLY, DAY, MINUTE, commit_of, game_in, now, reserved, see_it_end


def everything(store, game_id):
    """All that can be seen of a game."""
    return (
        store.load(game_id),
        store.events(game_id, limit=1000),
        store.due(now=now() + 400 * DAY, limit=1000),
    )


class TestLoading:
    def test_a_game_comes_back_as_it_was_committed(self, store):
        game_id = new_game_id()

        store.commit(commit_of(game_id, state=b"\x00 any \xff bytes"))

        assert store.load(game_id) == StoredGame(version=1, state=b"\x00 any \xff bytes")

    @pytest.mark.parametrize(
        "game_id", ["g1fNobodyMadeMe", "", "g1f", "gff0000", "g00\n", "{s00}", "g1f" + "x" * 99]
    )
    def test_an_unknown_game_is_none(self, store, game_id):
        assert store.load(game_id) is None
        assert store.events(game_id, limit=10) == []

    def test_many_games_come_in_the_order_asked_for(self, store):
        first, second = game_in(store, version=1), game_in(store, version=2)

        found = store.load_many([second, "nonsense", new_game_id(), first, second])

        assert [stored and stored.version for stored in found] == [2, None, None, 1, 2]
        assert store.load_many([]) == []


class TestCommitting:
    def test_each_commit_raises_the_version_by_one(self, store):
        game_id = game_in(store, version=5)

        assert store.load(game_id) == StoredGame(version=5, state=b"state 5")

    def test_a_game_is_created_only_once(self, store):
        game_id = game_in(store)

        with pytest.raises(StaleVersion) as refusal:
            store.commit(commit_of(game_id, 0, state=b"another"))

        assert refusal.value.current == 1
        assert store.load(game_id).state == b"state 1"

    @pytest.mark.parametrize("expected", [1, 3, 4, 100])
    def test_a_commit_to_another_version_is_refused(self, store, expected):
        game_id = game_in(store, version=2)

        with pytest.raises(StaleVersion) as refusal:
            store.commit(commit_of(game_id, expected))

        assert refusal.value.current == 2

    def test_a_commit_to_a_game_that_does_not_exist_is_refused(self, store):
        game_id = new_game_id()

        with pytest.raises(StaleVersion) as refusal:
            store.commit(commit_of(game_id, 7))

        assert refusal.value.current is None
        assert store.load(game_id) is None

    def test_a_refused_commit_changes_nothing_at_all(self, store):
        game_id = game_in(store, version=3)
        reservation = reserved(store, game_id)
        before = everything(store, game_id)

        with pytest.raises(StaleVersion):
            store.commit(
                commit_of(
                    game_id,
                    2,
                    due_at=None,
                    expires_at=now() + BRIEFLY,
                    answer=(reservation, Answer(status=201)),
                )
            )

        see_it_end()
        assert everything(store, game_id) == before
        assert store.remember(reservation, Answer(status=409))

    def test_the_answer_is_written_with_the_move(self, store):
        game_id = game_in(store)
        reservation = reserved(store, game_id)
        answer = Answer(status=201, headers=(("ETag", '"2"'), ("X", "é")), body=b'{"a":\n1}\n\x00\xff')

        store.commit(commit_of(game_id, 1, answer=(reservation, answer)))

        assert store.reserve(reservation.key, reservation.fingerprint) == answer

    def test_a_commit_needs_its_reservation_still(self, store):
        game_id = game_in(store)
        reservation = reserved(store, game_id)
        store.release(reservation)
        before = everything(store, game_id)

        with pytest.raises(ReservationLost):
            store.commit(commit_of(game_id, 1, answer=(reservation, Answer(status=201))))

        assert everything(store, game_id) == before
        assert isinstance(store.reserve(reservation.key, "draw-stock"), Reservation)

    def test_a_commit_does_not_use_the_reservation_of_another_request(self, store):
        game_id = game_in(store)
        first = reserved(store, game_id)
        store.release(first)
        second = reserved(store, game_id)

        with pytest.raises(ReservationLost):
            store.commit(commit_of(game_id, 1, answer=(first, Answer(status=201))))

        store.commit(commit_of(game_id, 1, answer=(second, Answer(status=201))))
        assert store.load(game_id).version == 2

    def test_a_reservation_answers_one_commit_only(self, store):
        game_id = game_in(store)
        reservation = reserved(store, game_id)
        store.commit(commit_of(game_id, 1, answer=(reservation, Answer(status=201))))

        with pytest.raises(ReservationLost):
            store.commit(commit_of(game_id, 2, answer=(reservation, Answer(status=200))))

        assert store.load(game_id).version == 2

    def test_a_creation_brings_its_answer_in_the_shard_of_the_key(self, store):
        key = IdempotencyKey(player_id="pAna", name="my first game")
        reservation = store.reserve(key, "create")
        game_id = new_game_id(key.shard)

        store.commit(commit_of(game_id, answer=(reservation, Answer(status=201, body=b"made"))))

        assert store.reserve(key, "create") == Answer(status=201, body=b"made")

    def test_an_answer_outside_the_games_shard_cannot_be_committed(self):
        key = IdempotencyKey(player_id="pAna", name="k", subject_id=new_game_id(3))
        reservation = Reservation(key=key, fingerprint="f", holder="h")

        with pytest.raises(ValueError, match="shard"):
            commit_of(new_game_id(4), answer=(reservation, Answer(status=201)))

    def test_a_negative_version_cannot_be_expected(self):
        with pytest.raises(ValueError, match="version"):
            Commit(game_id=new_game_id(), expected_version=-1, state=b"", expires_at=now())

    def test_a_game_can_be_large(self, store):
        game_id = new_game_id()
        commit = commit_of(game_id, state=b"s" * 300_000, events=tuple(b"%d" % n * 2000 for n in range(200)))

        store.commit(commit)

        assert store.load(game_id).state == commit.state
        assert tuple(event.body for event in store.events(game_id, limit=500)) == commit.events


class TestTheLog:
    def test_events_are_numbered_by_version_and_place(self, store):
        game_id = game_in(store, version=2)

        assert store.events(game_id, limit=10) == [
            StoredEvent(version=1, seq=0, body=b"event 1.0"),
            StoredEvent(version=1, seq=1, body=b"event 1.1"),
            StoredEvent(version=2, seq=0, body=b"event 2.0"),
            StoredEvent(version=2, seq=1, body=b"event 2.1"),
        ]

    def test_a_commit_may_bring_no_event(self, store):
        game_id = new_game_id()
        store.commit(commit_of(game_id, 0, events=()))
        store.commit(commit_of(game_id, 1, events=(b"started",)))
        store.commit(commit_of(game_id, 2, events=()))

        assert store.events(game_id, limit=10) == [StoredEvent(version=2, seq=0, body=b"started")]
        assert store.load(game_id).version == 3

    @pytest.mark.parametrize(
        "after, found",
        [
            ((0, 0), ["1.0", "1.1", "2.0", "2.1", "3.0", "3.1"]),
            ((1, 0), ["1.1", "2.0", "2.1", "3.0", "3.1"]),
            ((1, 1), ["2.0", "2.1", "3.0", "3.1"]),
            ((1, 999), ["2.0", "2.1", "3.0", "3.1"]),
            ((3, 0), ["3.1"]),
            ((3, 1), []),
            ((2**63 - 1, 2**63 - 1), []),
        ],
    )
    def test_a_cursor_is_exclusive(self, store, after, found):
        game_id = game_in(store, version=3)

        bodies = [event.body.decode() for event in store.events(game_id, after=after, limit=10)]

        assert bodies == [f"event {number}" for number in found]

    def test_pages_leave_no_gap_and_repeat_nothing(self, store):
        game_id = game_in(store, version=9)
        seen, cursor = [], None

        while page := store.events(game_id, after=cursor, limit=4):
            assert len(page) <= 4
            seen += page
            cursor = (page[-1].version, page[-1].seq)

        assert seen == store.events(game_id, limit=1000)
        assert len(seen) == 18

    def test_a_long_log_is_never_trimmed(self, store):
        game_id = game_in(store, version=700)

        log = store.events(game_id, limit=10_000)

        assert [(event.version, event.seq) for event in log] == [
            (v, s) for v in range(1, 701) for s in (0, 1)
        ]

    @pytest.mark.parametrize(
        "page",
        [{"limit": 0}, {"limit": -1}, {"limit": 5, "after": (-1, 0)}, {"limit": 5, "after": (1, 2**63)}],
    )
    def test_a_page_that_cannot_be_is_refused(self, store, page):
        game_id = game_in(store)

        with pytest.raises(ValueError, match=r"limit|cursor"):
            store.events(game_id, **page)


class TestRewritingTheLog:
    def test_puts_other_words_in_the_same_places(self, store):
        game_id = game_in(store, version=2)

        store.rewrite_events(game_id, {(1, 1): b"other", (2, 0): b"", (9, 9): b"nowhere"})

        log = [(event.version, event.seq, event.body) for event in store.events(game_id, limit=10)]
        assert log == [(1, 0, b"event 1.0"), (1, 1, b"other"), (2, 0, b""), (2, 1, b"event 2.1")]

    def test_may_be_done_twice_and_the_log_goes_on(self, store):
        game_id = game_in(store)

        for _ in range(2):
            store.rewrite_events(game_id, {(1, 0): b"other"})
        store.commit(commit_of(game_id, 1))

        bodies = [event.body for event in store.events(game_id, limit=10)]
        assert bodies == [b"other", b"event 1.1", b"event 2.0", b"event 2.1"]
        assert store.load(game_id).version == 2

    def test_keeps_the_log_no_longer_than_the_game(self, store):
        game_id = new_game_id()
        store.commit(commit_of(game_id, 0, expires_at=now() + BRIEFLY))
        store.rewrite_events(game_id, {(1, 0): b"other"})

        see_it_end()

        assert store.events(game_id, limit=10) == []
        store.rewrite_events(game_id, {(1, 0): b"other"})
        assert store.events(game_id, limit=10) == []

    def test_of_no_game_is_nothing(self, store):
        store.rewrite_events("nonsense", {(1, 0): b"other"})

        assert store.events("nonsense", limit=10) == []


class TestExpiry:
    def test_all_of_a_game_vanishes_at_its_time(self, store):
        game_id = game_in(store)
        reservation = reserved(store, game_id)
        store.commit(
            commit_of(game_id, 1, expires_at=now() + BRIEFLY, answer=(reservation, Answer(status=201)))
        )
        assert store.load(game_id).version == 2

        see_it_end()

        assert store.load(game_id) is None
        assert store.events(game_id, limit=10) == []
        assert isinstance(store.reserve(reservation.key, "draw-stock"), Reservation)

    def test_the_last_commit_decides_when(self, store):
        game_id = new_game_id()
        store.commit(commit_of(game_id, 0, expires_at=now() + BRIEFLY))
        store.commit(commit_of(game_id, 1, expires_at=now() + MINUTE))

        see_it_end()

        assert store.load(game_id).version == 2
        assert len(store.events(game_id, limit=10)) == 4

    def test_a_commit_after_the_end_is_stale(self, store):
        game_id = new_game_id()
        commit = commit_of(game_id, 0, expires_at=now() - 1)
        store.commit(commit)

        with pytest.raises(StaleVersion) as refusal:
            store.commit(replace(commit, expected_version=1))

        assert refusal.value.current is None
