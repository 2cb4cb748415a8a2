"""Idempotency-Keys: one request works, its retries get its answer."""

import pytest

from service.store.answers import Answer, IdempotencyKey, InProgress, KeyReused, Reservation
from service.store.contract import ReservationLost
from service.store.ids import new_game_id
from tests.support.stores import BRIEFLY, commit_of, game_in, now, reserved, see_it_end


@pytest.fixture
def key():
    return IdempotencyKey(player_id="pAna", subject_id=new_game_id(), name="0b7e")


class TestReserving:
    def test_the_first_request_holds_the_key(self, store, key):
        reservation = store.reserve(key, "draw")

        assert isinstance(reservation, Reservation)
        assert reservation.key == key

    def test_the_same_request_meanwhile_is_in_progress(self, store, key):
        store.reserve(key, "draw")

        assert store.reserve(key, "draw") == InProgress()

    def test_with_a_commit_a_retry_takes_the_key_over(self, store):
        game_id = game_in(store)
        key = IdempotencyKey(player_id="pAna", subject_id=game_id, name="0b7e")
        first = store.reserve(key, "draw", with_commit=True)
        second = store.reserve(key, "draw", with_commit=True)

        assert isinstance(second, Reservation)
        with pytest.raises(ReservationLost):
            store.commit(commit_of(game_id, 1, answer=(first, Answer(status=201))))
        store.release(first)
        store.commit(commit_of(game_id, 1, answer=(second, Answer(status=201))))
        assert store.reserve(key, "draw", with_commit=True) == Answer(status=201)

    def test_another_request_takes_over_no_key(self, store, key):
        store.reserve(key, "draw", with_commit=True)

        assert store.reserve(key, "discard", with_commit=True) == KeyReused()

    def test_another_request_under_the_key_is_refused_before_and_after_the_answer(self, store, key):
        reservation = store.reserve(key, "draw")
        assert store.reserve(key, "discard") == KeyReused()

        store.remember(reservation, Answer(status=409))

        assert store.reserve(key, "discard") == KeyReused()

    @pytest.mark.parametrize(
        "change",
        [{"player_id": "pBen"}, {"name": "0b7f"}, {"subject_id": "g1fAnother"}, {"subject_id": None}],
    )
    def test_keys_of_other_players_and_games_are_other_keys(self, store, key, change):
        store.reserve(key, "draw")
        other = IdempotencyKey(
            **({"player_id": key.player_id, "subject_id": key.subject_id, "name": key.name} | change)
        )

        assert isinstance(store.reserve(other, "draw"), Reservation)

    @pytest.mark.parametrize("name", [" ", "{s00}", "a/b", "-/pBen/x", "é", "\n", "x" * 64])
    def test_a_key_may_be_any_text(self, store, key, name):
        odd = IdempotencyKey(player_id="pAna", subject_id=key.subject_id, name=name)

        reservation = store.reserve(odd, "draw")
        store.remember(reservation, Answer(status=200, body=name.encode()))

        assert store.reserve(odd, "draw") == Answer(status=200, body=name.encode())

    def test_a_malformed_game_id_has_no_keys(self):
        with pytest.raises(ValueError, match="game id"):
            IdempotencyKey(player_id="pAna", subject_id="nonsense", name="k")


class TestRemembering:
    def test_a_retry_gets_the_answer_as_it_was(self, store, key):
        answer = Answer(
            status=409, headers=(("Content-Type", "application/problem+json"),), body=b"\x00\n\xff"
        )

        assert store.remember(store.reserve(key, "draw"), answer)

        assert store.reserve(key, "draw") == answer
        assert store.reserve(key, "draw") == answer

    def test_only_the_holder_may_answer(self, store, key):
        first = store.reserve(key, "draw")
        store.release(first)
        second = store.reserve(key, "draw")

        assert not store.remember(first, Answer(status=409))
        assert store.reserve(key, "draw") == InProgress()
        assert store.remember(second, Answer(status=201))

    def test_an_answer_is_never_replaced(self, store, key):
        reservation = store.reserve(key, "draw")
        store.remember(reservation, Answer(status=201))

        assert not store.remember(reservation, Answer(status=409))

        assert store.reserve(key, "draw") == Answer(status=201)

    def test_the_same_answer_twice_is_done(self, store, key):
        reservation = store.reserve(key, "draw")

        assert store.remember(reservation, Answer(status=409, body=b"no"))
        assert store.remember(reservation, Answer(status=409, body=b"no"))

    def test_a_refusal_does_not_outlive_its_game(self, store):
        game_id = new_game_id()
        store.commit(commit_of(game_id, expires_at=now() + BRIEFLY))
        reservation = reserved(store, game_id)
        store.remember(reservation, Answer(status=409))

        see_it_end()

        assert isinstance(store.reserve(reservation.key, "draw-stock"), Reservation)


class TestReleasing:
    def test_a_retry_starts_again(self, store, key):
        store.release(store.reserve(key, "draw"))

        assert isinstance(store.reserve(key, "another body"), Reservation)

    def test_an_answer_stays(self, store, key):
        reservation = store.reserve(key, "draw")
        store.remember(reservation, Answer(status=201))

        store.release(reservation)

        assert store.reserve(key, "draw") == Answer(status=201)

    def test_another_reservation_stays(self, store, key):
        first = store.reserve(key, "draw")
        store.release(first)
        store.reserve(key, "draw")

        store.release(first)

        assert store.reserve(key, "draw") == InProgress()

    def test_a_committed_move_stays_answered(self, store):
        game_id = game_in(store)
        reservation = reserved(store, game_id)
        store.commit(commit_of(game_id, 1, answer=(reservation, Answer(status=201))))

        store.release(reservation)

        assert store.reserve(reservation.key, "draw-stock") == Answer(status=201)
