"""Webhooks and deliveries: limited for each player, and kept until they are done."""

import pytest

from service.store.redis import keys
from service.store.webhooks import Delivery, StoredWebhook
from tests.support.memory_store.store import MemoryStore
from tests.support.stores import DAY, now

NOON = 1_800_000_000_000


@pytest.fixture
def ana(store):
    store.put_player("pAna", b"Ana", replaces=None)
    return "pAna"


def put(store, name, body=b"x", *, replaces=None, most=3, player="pAna"):
    return store.put_webhook(player, name, body, replaces=replaces, max_webhooks=most)


class TestWebhooks:
    def test_are_found_by_their_player(self, store, ana):
        assert put(store, "w2", b"two")
        assert put(store, "w1", b"one")

        one, two = StoredWebhook(webhook_id="w1", body=b"one"), StoredWebhook(webhook_id="w2", body=b"two")
        assert store.webhooks_of(["pBen", "pAna"]) == [[], [one, two]]
        assert store.webhooks_of([]) == []

    def test_a_change_is_made_to_the_one_that_was_read(self, store, ana):
        put(store, "w1", b"one")

        assert put(store, "w1", b"two", replaces=b"one")
        assert put(store, "w1", b"two", replaces=b"one")
        assert not put(store, "w1", b"three", replaces=b"one")
        assert not put(store, "w1", b"three")

        assert store.webhooks_of(["pAna"])[0][0].body == b"two"

    def test_a_late_change_does_not_restore_a_deleted_one(self, store, ana):
        put(store, "w1", b"one")

        assert store.delete_webhook(ana, "w1")
        assert not store.delete_webhook(ana, "w1")

        assert not put(store, "w1", b"two", replaces=b"one")
        assert store.webhooks_of([ana]) == [[]]

    def test_their_number_is_limited(self, store, ana):
        assert [put(store, f"w{number}", b"%d" % number, most=3) for number in range(4)] == [True] * 3 + [
            False
        ]

        assert put(store, "w0", b"changed", replaces=b"0", most=3)
        store.delete_webhook(ana, "w1")
        assert put(store, "w3", b"3", most=3)

    def test_an_unknown_player_has_none(self, store):
        assert not put(store, "w1")
        assert store.webhooks_of(["pAna"]) == [[]]

    def test_are_deleted_with_their_player(self, store, ana):
        put(store, "w1")

        store.delete_player(ana)
        store.put_player("pAna", b"Ana again", replaces=None)

        assert store.webhooks_of([ana]) == [[]]

    def test_expire_with_their_player(self, redis_store):
        ends = now() + DAY
        redis_store.put_player("pAna", b"Ana", replaces=None, expires_at=ends)
        put(redis_store, "w1")
        assert redis_store._redis.call("PEXPIRETIME", keys.webhooks("pAna")) == ends

        redis_store.put_player("pAna", b"Ana", replaces=b"Ana", expires_at=ends + DAY)
        assert redis_store._redis.call("PEXPIRETIME", keys.webhooks("pAna")) == ends + DAY

        redis_store.put_player("pAna", b"Ana", replaces=b"Ana")
        assert redis_store._redis.call("PEXPIRETIME", keys.webhooks("pAna")) == -1

    def test_expire_with_their_player_in_memory_too(self):
        time_now = 1000
        store = MemoryStore(lambda: time_now)
        store.put_player("pAna", b"Ana", replaces=None, expires_at=2000)
        put(store, "w1")

        time_now = 2000

        assert store.webhooks_of(["pAna"]) == [[]]
        store.close()


class TestDeliveries:
    def test_are_found_when_due_the_longest_due_first(self, store):
        store.put_deliveries([("m2", b"two")], at=NOON)
        store.put_deliveries([("m1", b"one")], at=NOON - 5)
        store.put_deliveries([], at=NOON)

        one, two = Delivery(delivery_id="m1", body=b"one"), Delivery(delivery_id="m2", body=b"two")
        assert store.deliveries_due(now=NOON - 6, limit=9) == []
        assert store.deliveries_due(now=NOON, limit=9) == [one, two]
        assert store.deliveries_due(now=NOON, limit=1) == [one]
        assert store.delivery("m2") == b"two"
        assert store.delivery("m3") is None

    def test_one_that_is_queued_already_stays_as_it_is(self, store):
        store.put_deliveries([("m1", b"one")], at=NOON)

        store.put_deliveries([("m1", b"again"), ("m2", b"two")], at=NOON - 99)

        assert store.delivery("m1") == b"one"
        assert [due.delivery_id for due in store.deliveries_due(now=NOON - 1, limit=9)] == ["m2"]

    def test_one_of_two_callers_may_change_it(self, store):
        store.put_deliveries([("m1", b"one")], at=NOON)

        assert store.move_delivery("m1", replaces=b"one", body=b"two", at=NOON + 9)
        assert not store.move_delivery("m1", replaces=b"one", body=b"other", at=NOON)
        assert not store.move_delivery("m1", replaces=b"one", body=None)

        assert store.deliveries_due(now=NOON + 8, limit=9) == []
        assert store.deliveries_due(now=NOON + 9, limit=9) == [Delivery(delivery_id="m1", body=b"two")]

    def test_a_finished_one_is_removed(self, store):
        store.put_deliveries([("m1", b"one")], at=NOON)

        assert store.move_delivery("m1", replaces=b"one", body=None)
        assert not store.move_delivery("m1", replaces=b"one", body=None)

        assert store.delivery("m1") is None
        assert store.deliveries_due(now=NOON * 2, limit=9) == []

    def test_a_limit_is_at_least_one(self, store):
        with pytest.raises(ValueError, match="limit"):
            store.deliveries_due(now=NOON, limit=0)
