"""Who is here: by open streams and by requests, over all processes."""

from concurrent.futures import ThreadPoolExecutor

from service.store.contract import PLAYER_ONLINE
from service.store.presence import PresenceLease
from tests.support.stores import MINUTE, now
from tests.support.tree import wait_for

REQUEST = PresenceLease(player_id="pAna", kind="request")


def stream(number, kind="game", player_id="pAna"):
    return PresenceLease(player_id=player_id, kind=kind, name=str(number))


def is_here(store, player_id="pAna", *, at=None):
    return store.online([player_id], now=at or now()) == [True]


class TestAVisit:
    def test_shows_that_a_player_is_here_until_it_ends(self, store):
        began = now()
        assert not is_here(store)

        store.acquire_presence(REQUEST, now=began, until=began + MINUTE)

        assert is_here(store)
        assert is_here(store, at=began + MINUTE - 1)
        assert not is_here(store, at=began + MINUTE)

    def test_is_a_players_own(self, store):
        store.acquire_presence(REQUEST, now=now(), until=now() + MINUTE)

        assert store.online(["pBen", "pAna", "pCem"], now=now()) == [False, True, False]
        assert store.online([], now=now()) == []

    def test_again_lasts_as_long_as_it_says_now(self, store):
        began = now()
        store.acquire_presence(REQUEST, now=began, until=began + MINUTE)
        store.acquire_presence(REQUEST, now=began, until=began + 2 * MINUTE)
        assert is_here(store, at=began + MINUTE)

        store.acquire_presence(REQUEST, now=began, until=began + MINUTE)
        assert not is_here(store, at=began + MINUTE)

    def test_is_renewed_together_with_others(self, store):
        began = now()
        for visit in (stream(1), stream(2, player_id="pBen")):
            store.acquire_presence(visit, now=began, until=began + MINUTE)

        store.renew_presence([stream(1), stream(2, player_id="pBen")], now=began, until=began + 2 * MINUTE)
        store.renew_presence([], now=began, until=began)

        assert store.online(["pAna", "pBen"], now=began + MINUTE) == [True, True]

    def test_that_ended_leaves_a_moment_to_come_back(self, store):
        began = now()
        store.acquire_presence(stream(1), now=began, until=began + MINUTE)

        store.release_presence(stream(1), until=began + 10_000)

        assert is_here(store, at=began + 9_999)
        assert not is_here(store, at=began + 10_000)

    def test_that_ended_is_not_missed_where_another_goes_on(self, store):
        began = now()
        for number in (1, 2):
            store.acquire_presence(stream(number), now=began, until=began + MINUTE)

        store.release_presence(stream(1), until=began + 10_000)

        assert is_here(store, at=began + 10_000)


class TestTheMost:
    def test_is_refused_one_more(self, store):
        def comes(visit):
            return store.acquire_presence(visit, now=now(), until=now() + MINUTE, limit=2)

        assert [comes(stream(number)) for number in (1, 2, 3)] == [True, True, False]
        assert comes(stream(2))  # is there already
        assert comes(stream(1, kind="account"))
        assert comes(stream(3, player_id="pBen"))

        store.release_presence(stream(1), until=now() + MINUTE)
        assert comes(stream(3))

    def test_counts_none_that_is_over(self, store):
        began = now()
        store.acquire_presence(stream(1), now=began, until=began + 1000, limit=1)

        assert not store.acquire_presence(stream(2), now=began + 999, until=began + MINUTE, limit=1)
        assert store.acquire_presence(stream(2), now=began + 1000, until=began + MINUTE, limit=1)

    def test_is_kept_when_many_come_at_once(self, store):
        with ThreadPoolExecutor(8) as pool:
            came = pool.map(
                lambda number: store.acquire_presence(
                    stream(number), now=now(), until=now() + MINUTE, limit=4
                ),
                range(16),
            )

        assert sum(came) == 4


class TestWhoListens:
    def test_hears_of_a_player_who_comes(self, store):
        heard = []
        store.listen(heard.extend)

        store.acquire_presence(REQUEST, now=now(), until=now() + MINUTE)
        store.acquire_presence(stream(1), now=now(), until=now() + MINUTE)
        store.acquire_presence(stream(1, player_id="pBen"), now=now(), until=now() + MINUTE)

        wait_for(lambda: len(heard) == 2, "the news")
        assert heard == [("pAna", PLAYER_ONLINE), ("pBen", PLAYER_ONLINE)]

    def test_hears_nothing_of_one_who_comes_back_at_once(self, store):
        heard, began = [], now()
        store.listen(heard.extend)
        store.acquire_presence(stream(1), now=began, until=began + MINUTE)
        store.release_presence(stream(1), until=began + 10_000)

        store.acquire_presence(stream(2), now=began + 9_000, until=began + MINUTE)
        store.release_presence(stream(2), until=began + 20_000)
        store.acquire_presence(stream(3), now=began + 20_000, until=began + MINUTE)

        wait_for(lambda: len(heard) == 2, "the news")
        assert heard == [("pAna", PLAYER_ONLINE), ("pAna", PLAYER_ONLINE)]
