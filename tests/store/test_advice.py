"""Advice jobs: stored by compare-and-set, until they expire."""

from concurrent.futures import ThreadPoolExecutor

from tests.support.stores import DAY, now
from tests.support.tree import wait_for


class TestAnAdviceJob:
    def test_is_stored_and_read(self, store):
        assert store.put_advice_job("hint-1", b"asked for", replaces=None, expires_at=now() + DAY)

        assert store.advice_job("hint-1") == b"asked for"

    def test_that_was_never_stored_is_none(self, store):
        assert store.advice_job("hint-1") is None

    def test_is_found_by_its_name_only(self, store):
        store.put_advice_job("hint-1", b"one", replaces=None, expires_at=now() + DAY)
        store.put_advice_job("hint-2", b"two", replaces=None, expires_at=now() + DAY)

        assert (store.advice_job("hint-1"), store.advice_job("hint-2")) == (b"one", b"two")

    def test_is_changed_from_what_was_read(self, store):
        store.put_advice_job("hint-1", b"asked for", replaces=None, expires_at=now() + DAY)

        assert store.put_advice_job("hint-1", b"done", replaces=b"asked for", expires_at=now() + DAY)
        assert store.advice_job("hint-1") == b"done"

    def test_is_not_changed_after_another_writer(self, store):
        store.put_advice_job("hint-1", b"asked for", replaces=None, expires_at=now() + DAY)

        assert not store.put_advice_job("hint-1", b"asked again", replaces=None, expires_at=now() + DAY)
        assert not store.put_advice_job("hint-1", b"done", replaces=b"begun", expires_at=now() + DAY)
        assert store.advice_job("hint-1") == b"asked for"

    def test_that_has_expired_is_not_changed(self, store):
        assert not store.put_advice_job("hint-1", b"done", replaces=b"begun", expires_at=now() + DAY)
        assert store.advice_job("hint-1") is None

    def test_stored_again_succeeds_and_gets_the_new_expiry(self, store):
        store.put_advice_job("hint-1", b"done", replaces=None, expires_at=now() + DAY)

        assert store.put_advice_job("hint-1", b"done", replaces=b"begun", expires_at=now() + 80)

        wait_for(lambda: store.advice_job("hint-1") is None, "its expiry")

    def test_expires_and_may_be_stored_again(self, store):
        store.put_advice_job("hint-1", b"done", replaces=None, expires_at=now() + 80)

        wait_for(lambda: store.advice_job("hint-1") is None, "its expiry")
        assert store.put_advice_job("hint-1", b"asked for", replaces=None, expires_at=now() + DAY)

    def test_is_created_by_one_of_many(self, store):
        def begin(number):
            return store.put_advice_job("hint-1", b"%d" % number, replaces=None, expires_at=now() + DAY)

        with ThreadPoolExecutor(8) as pool:
            assert sum(pool.map(begin, range(32))) == 1
