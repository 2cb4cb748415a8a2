"""Reports of players, for the operator."""

from service.store.reports import REPORT_KEPT_MS

NOON = 1_800_000_000_000


def test_are_read_from_a_time_on_oldest_first(store):
    for number, at in enumerate((NOON, NOON, NOON + 5)):
        store.add_report(str(number).encode(), at=at)

    assert store.reports(since=0, limit=10) == [b"0", b"1", b"2"]
    assert store.reports(since=NOON + 1, limit=10) == [b"2"]
    assert store.reports(since=0, limit=2) == [b"0", b"1"]


def test_are_kept_for_ninety_days(store):
    store.add_report(b"old", at=NOON)
    store.add_report(b"new", at=NOON + REPORT_KEPT_MS + 1)

    assert store.reports(since=0, limit=10) == [b"new"]
