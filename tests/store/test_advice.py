"""Work that goes on while nobody waits for it: how far it has come."""

import time
from concurrent.futures import ThreadPoolExecutor

from tests.support.stores import DAY, now


class TestAPieceOfWork:
    def test_is_kept_and_read(self, store):
        assert store.put_advice_job("hint-1", b"asked for", replaces=None, expires_at=now() + DAY)

        assert store.advice_job("hint-1") == b"asked for"

    def test_that_nobody_began_is_not_there(self, store):
        assert store.advice_job("hint-1") is None

    def test_of_another_name_is_another(self, store):
        store.put_advice_job("hint-1", b"one", replaces=None, expires_at=now() + DAY)
        store.put_advice_job("hint-2", b"two", replaces=None, expires_at=now() + DAY)

        assert (store.advice_job("hint-1"), store.advice_job("hint-2")) == (b"one", b"two")

    def test_goes_on_from_what_was_read(self, store):
        store.put_advice_job("hint-1", b"asked for", replaces=None, expires_at=now() + DAY)

        assert store.put_advice_job("hint-1", b"done", replaces=b"asked for", expires_at=now() + DAY)
        assert store.advice_job("hint-1") == b"done"

    def test_does_not_go_on_from_what_another_changed(self, store):
        store.put_advice_job("hint-1", b"asked for", replaces=None, expires_at=now() + DAY)

        assert not store.put_advice_job("hint-1", b"asked again", replaces=None, expires_at=now() + DAY)
        assert not store.put_advice_job("hint-1", b"done", replaces=b"begun", expires_at=now() + DAY)
        assert store.advice_job("hint-1") == b"asked for"

    def test_that_is_gone_is_not_gone_on_with(self, store):
        assert not store.put_advice_job("hint-1", b"done", replaces=b"begun", expires_at=now() + DAY)
        assert store.advice_job("hint-1") is None

    def test_that_stands_already_is_done_and_gets_the_new_end(self, store):
        store.put_advice_job("hint-1", b"done", replaces=None, expires_at=now() + DAY)

        assert store.put_advice_job("hint-1", b"done", replaces=b"begun", expires_at=now() + 80)

        time.sleep(0.12)
        assert store.advice_job("hint-1") is None

    def test_is_gone_at_its_end_and_may_begin_anew(self, store):
        store.put_advice_job("hint-1", b"done", replaces=None, expires_at=now() + 80)

        time.sleep(0.12)

        assert store.advice_job("hint-1") is None
        assert store.put_advice_job("hint-1", b"asked for", replaces=None, expires_at=now() + DAY)

    def test_is_begun_by_one_of_many(self, store):
        def begin(number):
            return store.put_advice_job("hint-1", b"%d" % number, replaces=None, expires_at=now() + DAY)

        with ThreadPoolExecutor(8) as pool:
            assert sum(pool.map(begin, range(32))) == 1
