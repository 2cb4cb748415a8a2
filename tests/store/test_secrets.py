"""One-time secrets: device links, stream tickets."""

from concurrent.futures import ThreadPoolExecutor

from tests.support.stores import BRIEFLY, DAY, now, see_it_end


class TestASecret:
    def test_is_taken_once(self, store):
        assert store.put_secret("link", "5f3a", b"Ana", expires_at=now() + DAY)

        assert store.take_secret("link", "5f3a") == b"Ana"
        assert store.take_secret("link", "5f3a") is None

    def test_may_be_read_until_it_is_taken(self, store):
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

    def test_that_was_never_stored_is_none(self, store):
        assert store.take_secret("link", "5f3a") is None

    def test_is_found_by_its_kind_and_name_only(self, store):
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

    def test_stored_again_succeeds_and_keeps_its_expiry(self, store):
        ends = now() + BRIEFLY
        store.put_secret("link", "5f3a", b"Ana", expires_at=ends)

        assert store.put_secret("link", "5f3a", b"Ana", expires_at=ends + DAY)

        see_it_end()
        assert store.take_secret("link", "5f3a") is None

    def test_expires_and_frees_its_name(self, store):
        store.put_secret("link", "5f3a", b"Ana", expires_at=now() + BRIEFLY)

        see_it_end()

        assert store.take_secret("link", "5f3a") is None
        assert store.put_secret("link", "5f3a", b"Eve", expires_at=now() + DAY)
        assert store.take_secret("link", "5f3a") == b"Eve"

    def test_goes_to_one_of_many_callers(self, store):
        store.put_secret("link", "5f3a", b"Ana", expires_at=now() + DAY)

        with ThreadPoolExecutor(8) as pool:
            taken = list(pool.map(lambda _: store.take_secret("link", "5f3a"), range(32)))

        assert sorted(taken, key=bool) == [None] * 31 + [b"Ana"]


class TestHolding:
    def hold(self, store, holder, *, ends=None, takes_over=False):
        return store.hold_secret(
            "link", "5f3a", holder, expires_at=ends or now() + DAY, takes_over=takes_over
        )

    def test_a_held_secret_can_be_read_and_taken(self, store):
        store.put_secret("link", "5f3a", b"Ana", expires_at=now() + DAY)

        assert self.hold(store, "one")
        assert store.secret("link", "5f3a") == b"Ana"
        assert store.take_secret("link", "5f3a") == b"Ana"
        assert self.hold(store, "one", takes_over=True) is None

    def test_one_holder_at_a_time(self, store):
        store.put_secret("link", "5f3a", b"Ana", expires_at=now() + DAY)
        self.hold(store, "one")

        assert self.hold(store, "two") is False
        assert self.hold(store, "two", takes_over=True)
        assert self.hold(store, "one") is False
        assert self.hold(store, "two")

    def test_it_lives_as_long_as_its_holder_says(self, store):
        store.put_secret("link", "5f3a", b"Ana", expires_at=now() + BRIEFLY)
        assert self.hold(store, "one")
        see_it_end()
        assert self.hold(store, "one", ends=now() + BRIEFLY)
        see_it_end()
        assert self.hold(store, "one") is None

    def test_nothing_is_held_that_was_never_stored(self, store):
        assert self.hold(store, "one", takes_over=True) is None
        assert store.secret("link", "5f3a") is None
