"""What an account or an address has in use."""

from service.store.usage import UsageEntry
from tests.support.stores import now


def entry(owner, name, body=b"{}"):
    return UsageEntry(owner=owner, name=name, body=body, expires_at=now() + 60_000)


class TestWhatIsInUse:
    def test_is_kept_by_owner_and_name(self, store):
        store.put_usage(
            [entry("pAna", "g00one", b"1"), entry("pAna", "g00two", b"2"), entry("a0", "g00one", b"3")]
        )

        assert store.usage(["a0", "pAna", "pBen"]) == [{"g00one": b"3"}, {"g00one": b"1", "g00two": b"2"}, {}]

    def test_is_replaced_under_its_name(self, store):
        store.put_usage([entry("pAna", "g00one", b"1")])
        store.put_usage([entry("pAna", "g00one", b"2")])

        assert store.usage(["pAna"]) == [{"g00one": b"2"}]

    def test_ends_for_each_owner(self, store):
        store.put_usage([entry("pAna", "g00one"), entry("a0", "g00one"), entry("a0", "g00two")])

        store.drop_usage(["pAna", "a0", "pBen"], "g00one")

        assert store.usage(["pAna", "a0"]) == [{}, {"g00two": b"{}"}]

    def test_of_nobody_is_nothing(self, store):
        store.put_usage([])
        store.drop_usage([], "g00one")

        assert store.usage([]) == []
