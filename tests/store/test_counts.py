"""Hit counters of the rate limits."""

from tests.support.stores import BRIEFLY, DAY, now, see_it_end


def count(store, window, hits, name="reading/pAna", ends=None):
    return store.count(name, window=window, hits=hits, expires_at=ends or now() + DAY)


def test_hits_add_up_in_their_window(store):
    assert count(store, 7, 3) == (0, 3)
    assert count(store, 7, 2) == (0, 5)


def test_the_previous_window_is_returned_too(store):
    count(store, 7, 3)

    assert count(store, 8, 1) == (3, 1)
    assert count(store, 9, 1) == (1, 1)
    assert count(store, 11, 1) == (0, 1)


def test_names_are_counted_apart(store):
    count(store, 7, 3)

    assert count(store, 7, 1, name="reading/pBen") == (0, 1)


def test_no_more_is_refunded_than_was_counted(store):
    count(store, 7, 3)

    assert count(store, 7, -2) == (0, 1)
    assert count(store, 7, -2) == (0, 0)
    assert count(store, 7, 1) == (0, 1)


def test_a_count_expires(store):
    count(store, 7, 3, ends=now() + BRIEFLY)
    count(store, 7, -9, ends=now() + BRIEFLY)
    count(store, 7, 3, ends=now() + BRIEFLY)

    see_it_end()

    assert count(store, 8, 1) == (0, 1)
    assert count(store, 7, 1) == (0, 1)
