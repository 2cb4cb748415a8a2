"""Presence leases: by open streams and by requests, over all processes."""

from concurrent.futures import ThreadPoolExecutor

from service.store.contract import PLAYER_ONLINE
from service.store.presence import PresenceLease
from tests.support.stores import MINUTE, now
from tests.support.tree import wait_for

REQUEST = PresenceLease(player_id="pAna", kind="request")


def stream(number, kind="game", player_id="pAna"):
    return PresenceLease(player_id=player_id, kind=kind, name=str(number))


def is_online(store, player_id="pAna", *, at=None):
    return store.online([player_id], now=at or now()) == [True]


class TestALease:
    def test_keeps_a_player_online_until_it_ends(self, store):
        began = now()
        assert not is_online(store)

        store.acquire_presence(REQUEST, now=began, until=began + MINUTE)

        assert is_online(store)
        assert is_online(store, at=began + MINUTE - 1)
        assert not is_online(store, at=began + MINUTE)

    def test_belongs_to_one_player(self, store):
        store.acquire_presence(REQUEST, now=now(), until=now() + MINUTE)

        assert store.online(["pBen", "pAna", "pCem"], now=now()) == [False, True, False]
        assert store.online([], now=now()) == []

    def test_acquired_again_gets_the_new_end(self, store):
        began = now()
        store.acquire_presence(REQUEST, now=began, until=began + MINUTE)
        store.acquire_presence(REQUEST, now=began, until=began + 2 * MINUTE)
        assert is_online(store, at=began + MINUTE)

        store.acquire_presence(REQUEST, now=began, until=began + MINUTE)
        assert not is_online(store, at=began + MINUTE)

    def test_is_renewed_together_with_others(self, store):
        began = now()
        for lease in (stream(1), stream(2, player_id="pBen")):
            store.acquire_presence(lease, now=began, until=began + MINUTE)

        store.renew_presence([stream(1), stream(2, player_id="pBen")], now=began, until=began + 2 * MINUTE)
        store.renew_presence([], now=began, until=began)

        assert store.online(["pAna", "pBen"], now=began + MINUTE) == [True, True]

    def test_keeps_a_player_online_for_a_moment_after_its_release(self, store):
        began = now()
        store.acquire_presence(stream(1), now=began, until=began + MINUTE)

        store.release_presence(stream(1), until=began + 10_000)

        assert is_online(store, at=began + 9_999)
        assert not is_online(store, at=began + 10_000)

    def test_does_not_matter_after_its_release_while_another_runs(self, store):
        began = now()
        for number in (1, 2):
            store.acquire_presence(stream(number), now=began, until=began + MINUTE)

        store.release_presence(stream(1), until=began + 10_000)

        assert is_online(store, at=began + 10_000)


class TestTheLimit:
    def test_refuses_one_more(self, store):
        def acquire(lease):
            return store.acquire_presence(lease, now=now(), until=now() + MINUTE, limit=2)

        assert [acquire(stream(number)) for number in (1, 2, 3)] == [True, True, False]
        assert acquire(stream(2))  # held already
        assert acquire(stream(1, kind="account"))
        assert acquire(stream(3, player_id="pBen"))

        store.release_presence(stream(1), until=now() + MINUTE)
        assert acquire(stream(3))

    def test_does_not_count_expired_leases(self, store):
        began = now()
        store.acquire_presence(stream(1), now=began, until=began + 1000, limit=1)

        assert not store.acquire_presence(stream(2), now=began + 999, until=began + MINUTE, limit=1)
        assert store.acquire_presence(stream(2), now=began + 1000, until=began + MINUTE, limit=1)

    def test_holds_for_concurrent_calls(self, store):
        with ThreadPoolExecutor(8) as pool:
            acquired = pool.map(
                lambda number: store.acquire_presence(
                    stream(number), now=now(), until=now() + MINUTE, limit=4
                ),
                range(16),
            )

        assert sum(acquired) == 4


class TestAListener:
    def test_gets_a_player_who_comes_online(self, store):
        changes = []
        store.listen(changes.extend)

        store.acquire_presence(REQUEST, now=now(), until=now() + MINUTE)
        store.acquire_presence(stream(1), now=now(), until=now() + MINUTE)
        store.acquire_presence(stream(1, player_id="pBen"), now=now(), until=now() + MINUTE)

        wait_for(lambda: len(changes) == 2, "the news")
        assert changes == [("pAna", PLAYER_ONLINE), ("pBen", PLAYER_ONLINE)]

    def test_gets_nothing_of_one_who_comes_back_at_once(self, store):
        changes, began = [], now()
        store.listen(changes.extend)
        store.acquire_presence(stream(1), now=began, until=began + MINUTE)
        store.release_presence(stream(1), until=began + 10_000)

        store.acquire_presence(stream(2), now=began + 9_000, until=began + MINUTE)
        store.release_presence(stream(2), until=began + 20_000)
        store.acquire_presence(stream(3), now=began + 20_000, until=began + MINUTE)

        wait_for(lambda: len(changes) == 2, "the news")
        assert changes == [("pAna", PLAYER_ONLINE), ("pAna", PLAYER_ONLINE)]
