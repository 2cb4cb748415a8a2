"""Secrets that open something once: device links, tickets."""

from concurrent.futures import ThreadPoolExecutor

from tests.support.stores import BRIEFLY, DAY, now, see_it_end


class TestASecret:
    def test_is_taken_once(self, store):
        assert store.put_secret("link", "5f3a", b"Ana", expires_at=now() + DAY)

        assert store.take_secret("link", "5f3a") == b"Ana"
        assert store.take_secret("link", "5f3a") is None

    def test_may_be_looked_at_until_it_is_taken(self, store):
        assert store.secret("link", "5f3a") is None
        store.put_secret("link", "5f3a", b"Ana", expires_at=now() + DAY)

        assert [store.secret("link", "5f3a") for _ in range(2)] == [b"Ana"] * 2
        assert store.secret("link", "5f3b") is None

        assert store.take_secret("link", "5f3a") == b"Ana"
        assert store.secret("link", "5f3a") is None

    def test_may_be_empty(self, store):
        store.put_secret("link", "5f3a", b"", expires_at=now() + DAY)

        assert store.take_secret("link", "5f3a") == b""
        assert store.take_secret("link", "5f3a") is None

    def test_that_nobody_kept_is_not_there(self, store):
        assert store.take_secret("link", "5f3a") is None

    def test_of_another_kind_or_name_is_another(self, store):
        store.put_secret("link", "5f3a", b"Ana", expires_at=now() + DAY)
        store.put_secret("ticket", "5f3a", b"Ben", expires_at=now() + DAY)
        store.put_secret("link", "5f3b", b"Eve", expires_at=now() + DAY)

        assert store.take_secret("ticket", "5f3a") == b"Ben"
        assert store.take_secret("link", "5f3a") == b"Ana"
        assert store.take_secret("link", "5f3b") == b"Eve"

    def test_is_not_replaced_by_another_of_its_name(self, store):
        store.put_secret("link", "5f3a", b"Ana", expires_at=now() + DAY)

        assert not store.put_secret("link", "5f3a", b"Eve", expires_at=now() + DAY)
        assert store.take_secret("link", "5f3a") == b"Ana"
        assert not store.put_secret("link", "5f3a", b"Eve", expires_at=now() + DAY)
        assert store.take_secret("link", "5f3a") is None

    def test_that_stands_already_is_done_and_keeps_its_end(self, store):
        ends = now() + BRIEFLY
        store.put_secret("link", "5f3a", b"Ana", expires_at=ends)

        assert store.put_secret("link", "5f3a", b"Ana", expires_at=ends + DAY)

        see_it_end()
        assert store.take_secret("link", "5f3a") is None

    def test_is_gone_at_its_end_and_its_name_is_free(self, store):
        store.put_secret("link", "5f3a", b"Ana", expires_at=now() + BRIEFLY)

        see_it_end()

        assert store.take_secret("link", "5f3a") is None
        assert store.put_secret("link", "5f3a", b"Eve", expires_at=now() + DAY)
        assert store.take_secret("link", "5f3a") == b"Eve"

    def test_goes_to_one_of_many_who_want_it(self, store):
        store.put_secret("link", "5f3a", b"Ana", expires_at=now() + DAY)

        with ThreadPoolExecutor(8) as pool:
            taken = list(pool.map(lambda _: store.take_secret("link", "5f3a"), range(32)))

        assert sorted(taken, key=bool) == [None] * 31 + [b"Ana"]
