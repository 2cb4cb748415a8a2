"""Broken connections: an accepted move is never lost and never made twice."""

import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from service.store.accounts import NewAccountEvent
from service.store.answers import Answer, IdempotencyKey, InProgress, Reservation
from service.store.contract import ReservationLost, StaleVersion, StoreUnavailable
from service.store.presence import PresenceLease
from service.store.ratings import RatingUpdate
from service.store.redis import connection, keys
from service.store.redis.connection import script
from service.store.redis.store import RedisStore
from tests.support.proxy import Proxy
from tests.support.servers import valkey_server
from tests.support.stores import DAY, commit_of, game_in, now, reserved


@pytest.fixture
def proxy(valkey) -> Iterator[Proxy]:
    proxy = Proxy(valkey.port)
    yield proxy
    proxy.close()


@pytest.fixture
def far(proxy, redis_store) -> Iterator[RedisStore]:
    """The store behind the proxy; `redis_store` reaches the same server directly."""
    far = RedisStore.at(proxy.url)
    # A request that finds its script missing is two: the tests count one.
    for name in (
        *("commit", "remember", "release", "due", "lease", "put_player", "put_token", "append_account"),
        *(
            "put_secret",
            "take_secret",
            "acquire_presence",
            "release_presence",
            "mark_effects_done",
            "rate",
            "put_webhook",
            "move_delivery",
        ),
    ):
        far._redis.call("SCRIPT", "LOAD", script(name).text)
    yield far
    far.close()


class TestACommit:
    def test_whose_reply_was_lost_is_recognised(self, far, proxy, redis_store):
        game_id = game_in(far)
        reservation = reserved(far, game_id)
        proxy.lose_reply()

        far.commit(commit_of(game_id, 1, answer=(reservation, Answer(status=201))))

        assert redis_store.load(game_id).version == 2
        assert len(redis_store.events(game_id, limit=10)) == 4
        assert redis_store.reserve(reservation.key, reservation.fingerprint) == Answer(status=201)

    def test_that_never_arrived_is_sent_again(self, far, proxy, redis_store):
        game_id = game_in(far)
        proxy.lose_request()

        far.commit(commit_of(game_id, 1))

        assert redis_store.load(game_id).version == 2
        assert len(redis_store.events(game_id, limit=10)) == 4

    def test_that_creates_is_recognised(self, far, proxy, redis_store):
        proxy.lose_reply()

        game_id = game_in(far)

        assert redis_store.load(game_id).version == 1

    @pytest.mark.parametrize("later", [1, 31])
    def test_is_recognised_beneath_later_ones(self, far, proxy, redis_store, later):
        game_id = game_in(far)

        def play_on():
            for version in range(2, 2 + later):
                redis_store.commit(commit_of(game_id, version, events=()))

        proxy.lose_reply(meanwhile=play_on)

        far.commit(commit_of(game_id, 1))

        assert redis_store.load(game_id).version == 2 + later

    def test_beneath_too_many_later_ones_is_not_recognised(self, far, proxy, redis_store):
        """The limit of the promise: 32 later commits between two attempts, and no Idempotency-Key."""
        game_id = game_in(far)

        def play_on():
            for version in range(2, 34):
                redis_store.commit(commit_of(game_id, version))

        proxy.lose_reply(meanwhile=play_on)

        with pytest.raises(StaleVersion):
            far.commit(commit_of(game_id, 1))

    def test_is_not_taken_for_the_same_move_of_another(self, far, proxy, redis_store):
        game_id = game_in(far)
        same = commit_of(game_id, 1)
        proxy.lose_request(meanwhile=lambda: redis_store.commit(same))

        with pytest.raises(StaleVersion) as refusal:
            far.commit(same)

        assert refusal.value.current == 2
        assert len(redis_store.events(game_id, limit=10)) == 4

    def test_that_is_lost_twice_leaves_the_outcome_unknown(self, far, proxy, redis_store):
        game_id = game_in(far)
        reservation = reserved(far, game_id)
        proxy.lose_reply()
        proxy.lose_request()

        with pytest.raises(StoreUnavailable):
            far.commit(commit_of(game_id, 1, answer=(reservation, Answer(status=201))))

        # The client tries again, and gets the answer of what was done.
        assert redis_store.reserve(reservation.key, reservation.fingerprint) == Answer(status=201)

    def test_that_was_not_done_keeps_its_key_for_a_while(self, far, proxy, redis_store):
        game_id = game_in(far)
        reservation = reserved(far, game_id)
        proxy.lose_request(times=2)

        with pytest.raises(StoreUnavailable):
            far.commit(commit_of(game_id, 1, answer=(reservation, Answer(status=201))))

        assert redis_store.load(game_id).version == 1
        assert redis_store.reserve(reservation.key, reservation.fingerprint) == InProgress()
        retry = redis_store.reserve(reservation.key, reservation.fingerprint, with_commit=True)
        redis_store.commit(commit_of(game_id, 1, answer=(retry, Answer(status=201))))

    def test_that_arrives_late_repeats_nothing(self, far, proxy, redis_store):
        game_id = game_in(far)
        reservation = reserved(far, game_id)
        proxy.hold_request()
        proxy.lose_request()
        with pytest.raises(StoreUnavailable):
            far.commit(commit_of(game_id, 1, answer=(reservation, Answer(status=201))))
        redis_store.release(reservation)
        again = redis_store.reserve(reservation.key, reservation.fingerprint)

        proxy.deliver()  # nothing: the key is another's now

        redis_store.commit(commit_of(game_id, 1, answer=(again, Answer(status=201, body=b"again"))))
        assert redis_store.load(game_id).version == 2
        assert redis_store.reserve(again.key, again.fingerprint) == Answer(status=201, body=b"again")

    def test_whose_reservation_was_lost_is_refused_however_often_it_is_sent(self, far, proxy):
        game_id = game_in(far)
        reservation = reserved(far, game_id)
        far.release(reservation)
        proxy.lose_reply()

        with pytest.raises(ReservationLost):
            far.commit(commit_of(game_id, 1, answer=(reservation, Answer(status=201))))

    def test_stands_when_only_its_wake_up_fails(self, redis_store, valkey):
        with valkey.client() as client:
            client.set(keys.WAKE, "not a stream")

        game_id = game_in(redis_store, version=2)

        assert redis_store.load(game_id).version == 2


class TestOtherWrites:
    def test_a_reservation_is_recognised(self, far, proxy):
        key = IdempotencyKey(player_id="pAna", name="k")
        proxy.lose_reply()

        assert isinstance(far.reserve(key, "draw"), Reservation)

    def test_a_remembered_answer_is_stored(self, far, proxy):
        reservation = reserved(far, game_in(far))
        proxy.lose_reply()

        assert far.remember(reservation, Answer(status=409))

    def test_a_lease_with_an_unknown_outcome_comes_due_again(self, far, proxy):
        game_id = game_in(far)
        at = far.due(now=now() * 2, limit=1)[0].at
        proxy.lose_reply()

        assert not far.lease(game_id, expected_at=at, at=at + 5, attempt=1)

        assert [(entry.at, entry.attempt) for entry in far.due(now=at + 5, limit=1)] == [(at + 5, 1)]

    def test_a_player_is_stored_once(self, far, proxy):
        proxy.lose_reply()

        assert far.put_player("pAna", b"Ana", replaces=None)

    def test_a_secret_is_stored_once(self, far, proxy):
        proxy.lose_reply()

        assert far.put_secret("link", "5f3a", b"Ana", expires_at=now() + DAY)

    def test_a_taken_secret_reaches_its_taker(self, far, proxy, redis_store):
        far.put_secret("link", "5f3a", b"Ana", expires_at=now() + DAY)
        proxy.lose_reply()

        assert far.take_secret("link", "5f3a") == b"Ana"
        assert redis_store.take_secret("link", "5f3a") is None

    def test_a_secret_that_another_caller_took_in_between_is_gone(self, far, proxy, redis_store):
        far.put_secret("link", "5f3a", b"Ana", expires_at=now() + DAY)
        proxy.lose_request(meanwhile=lambda: redis_store.take_secret("link", "5f3a"))

        assert far.take_secret("link", "5f3a") is None


class TestAServer:
    def test_that_lost_its_scripts_gets_them_again(self, redis_store, valkey):
        game_id = game_in(redis_store)
        reservation = reserved(redis_store, game_id)
        at = redis_store.due(now=now() * 2, limit=1)[0].at

        def forget():
            with valkey.client() as client:
                client.script_flush()

        forget()
        redis_store.commit(commit_of(game_id, 1, due_at=at, answer=(reservation, Answer(status=201))))
        forget()
        assert len(redis_store.due(now=at, limit=1)) == 1
        forget()
        assert redis_store.lease(game_id, expected_at=at, at=at + 1)

    def test_that_is_gone_is_unavailable_and_serves_again_when_back(self):
        with valkey_server() as server:
            store = RedisStore.at(server.url)
            game_id = game_in(store, version=3)
            server.kill()

            for call in (
                lambda: store.load(game_id),
                lambda: store.commit(commit_of(game_id, 3)),
                lambda: store.events(game_id, limit=1),
                lambda: store.wait(game_id, version=3, timeout_ms=10),
                lambda: store.due(now=0, limit=1),
            ):
                with pytest.raises(StoreUnavailable):
                    call()

            server.start()
            assert store.load(game_id).version == 3
            store.commit(commit_of(game_id, 3))
            store.close()

    def test_that_was_away_costs_one_attempt_not_one_a_connection(self):
        with valkey_server() as server:
            store = RedisStore.at(server.url)
            start = threading.Barrier(6)

            def load():
                start.wait()
                return [store.load("g00a") for _ in range(20)]

            with ThreadPoolExecutor(6) as pool:
                for loading in [pool.submit(load) for _ in range(6)]:
                    loading.result()
            assert len(store._redis._idle) > 1
            server.kill()
            server.start()

            store.load("g00a")

            assert len(store._redis._idle) == 1
            store.close()

    def test_that_hangs_is_unavailable_after_a_short_while(self, monkeypatch):
        monkeypatch.setattr(connection, "_REPLY_SECONDS", 0.1)
        with valkey_server() as server:
            store = RedisStore.at(server.url)
            game_id = game_in(store)
            os.kill(server.pid, signal.SIGSTOP)
            try:
                with pytest.raises(StoreUnavailable):
                    store.commit(commit_of(game_id, 1))
            finally:
                os.kill(server.pid, signal.SIGCONT)

            # The server received both attempts, and made the commit once.
            assert store.load(game_id).version == 2
            assert len(store.events(game_id, limit=10)) == 4
            store.close()

    def test_no_thread_reads_the_replies_of_another(self, far, proxy):
        games = [game_in(far, version=version) for version in (1, 2, 3)]

        for _ in range(5):
            proxy.lose_reply()
            assert [far.load(game_id).version for game_id in games] == [1, 2, 3]


class TestConnections:
    def test_a_thread_waits_for_its_turn_and_no_longer_than_it_can(self, valkey, monkeypatch):
        monkeypatch.setattr(connection, "_CONNECT_SECONDS", 0.05)
        store = RedisStore.at(valkey.url, max_connections=1)
        store._redis._free.acquire()

        with pytest.raises(StoreUnavailable, match="in use"):
            store.load("g00a")

        store._redis._free.release()
        assert store.load("g00a") is None
        store.close()

    def test_a_unix_socket_will_do(self, tmp_path):
        with valkey_server("--unixsocket", str(tmp_path / "v.sock")):
            store = RedisStore.at(f"unix://{tmp_path}/v.sock")

            assert store.load(game_in(store)).version == 1
            assert store.ping() == ()
            store.close()

    @pytest.mark.parametrize("url", ["http://localhost", "localhost:6379", ""])
    def test_another_scheme_is_refused_at_once(self, url):
        with pytest.raises(ValueError, match="scheme"):
            RedisStore.at(url)


class TestAnAccountEvent:
    def test_is_appended_once_when_the_reply_was_lost(self, far, proxy, redis_store):
        redis_store.put_player("pAna", b"Ana", replaces=None)
        entry = NewAccountEvent(player_id="pAna", game_id="g00one", version=1, seq=0, body=b"your turn")
        proxy.lose_reply()

        far.append_account_events([entry])

        assert [event.body for event in redis_store.account_events("pAna", limit=9).events] == [b"your turn"]


class TestAPresenceLease:
    def test_counts_once_when_the_reply_was_lost(self, far, proxy):
        lease = PresenceLease(player_id="pAna", kind="game", name="1")
        proxy.lose_reply()

        assert far.acquire_presence(lease, now=now(), until=now() + DAY, limit=1)

        assert far.online(["pAna"], now=now()) == [True]


class TestARatedGame:
    def test_counts_once_when_the_reply_was_lost(self, far, proxy, redis_store):
        rating = RatingUpdate(player_id="pAna", replaces=None, body=b"up", score=60)
        proxy.lose_reply()

        assert far.rate("people", "g00one", [rating], at=now())

        assert redis_store.ratings("people", ["pAna"]) == [b"up"]


class TestAWebhook:
    def test_is_stored_once_when_the_reply_was_lost(self, far, proxy, redis_store):
        redis_store.put_player("pAna", b"Ana", replaces=None)
        proxy.lose_reply()

        assert far.put_webhook("pAna", "w1", b"body", replaces=None, max_webhooks=1)

        assert [kept.body for (kept,) in redis_store.webhooks_of(["pAna"])] == [b"body"]
