"""Webhooks: notifications arrive at players' servers signed, at least once, with retries for a day."""

import json
import threading
from dataclasses import replace
from itertools import pairwise

import pytest
import redis
from rq import Queue
from standardwebhooks import Webhook as Checker
from standardwebhooks import WebhookVerificationError

from service.bootstrap import build_components
from service.config import Settings
from service.effects.projector import Projector
from service.effects.webhook_sender import (
    BACKOFF_MS,
    DELIVERY_EXPIRES_MS,
    DELIVERY_LEASE_MS,
    DISABLED_AFTER_MS,
    MAX_WEBHOOKS,
    Deliverer,
    WebhookSender,
    decode_webhook,
    encode_webhook,
    new_webhook,
)
from service.games.notifications import NOTIFICATION_TYPES
from service.games.seating import resign
from service.jobs.queues import WEBHOOKS, RqDeliveryQueue
from service.runtime.http_client import PostResult, WebhookClient
from tests.support.hooks import hooks
from tests.support.outside import ANA, BEN, Outside
from tests.support.servers import valkey_server
from workers.processes.rq_worker import InProcessWorker

HOUR = 60 * 60 * 1000


class HeldDeliveries:
    """Stands in for RQ: steps wait until they are taken out."""

    def __init__(self):
        self.waiting = []

    def enqueue(self, delivery_id, step):
        self.waiting.append((delivery_id, step))

    def is_waiting(self, delivery_id, step):
        return (delivery_id, step) in self.waiting


class Answers:
    """A client that returns given results, and records the requests."""

    def __init__(self, *posted):
        self.answers = list(posted)
        self.sent = []

    def post(self, url, body, headers):
        self.sent.append((url, json.loads(body), headers))
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


TAKEN, REFUSED = PostResult(status=204), PostResult(status=500)


class SideBySide(Answers):
    """Answers nothing until every step that waits is being tried; then one after the other."""

    def __init__(self, house, *posted, apart_ms):
        super().__init__(*posted)
        self.house = house
        self.apart_ms = apart_ms

    def post(self, url, body, headers):
        self.house.work()
        self.house.time += self.apart_ms
        return super().post(url, body, headers)


class House(Outside):
    """A house with webhooks: deliveries are made when a test says so."""

    def __init__(self, *answers, store=None, poster=None):
        super().__init__(store)
        self.queue = HeldDeliveries()
        self.webhooks = WebhookSender(store=self.store, queue=self.queue, now=self.now)
        self.projector = Projector(store=self.store, now=self.now, webhooks=self.webhooks)
        self.prompt = self.table(self.projector)
        self.poster = poster or Answers(*(answers or [TAKEN]))
        self.deliverer = Deliverer(store=self.store, poster=self.poster, now=self.now)

    def hook(self, player=BEN, url="https://example.com/x", events=NOTIFICATION_TYPES):
        made = new_webhook(url, events, now=self.now())
        assert self.store.put_webhook(
            player.id, made.id, encode_webhook(made), replaces=None, max_webhooks=MAX_WEBHOOKS
        )
        return made

    def read(self, webhook, player=BEN):
        (found,) = self.store.webhooks_of([player.id])
        return next(decode_webhook(kept.body) for kept in found if kept.webhook_id == webhook.id)

    def work(self):
        """Have every step done that waits."""
        while self.queue.waiting:
            self.deliverer.deliver(*self.queue.waiting.pop(0))

    def try_side_by_side(self, count, *answers, apart_ms=1):
        """Begin games, and have their deliveries tried all at once; they end so far apart."""
        self.poster = SideBySide(self, *answers, apart_ms=apart_ms)
        self.deliverer = Deliverer(store=self.store, poster=self.poster, now=self.now)
        for _ in range(count):
            self.begin(self.prompt, BEN)
        self.work()

    def later(self, ms):
        """Let time pass, the scheduler find what is due, and workers do it."""
        self.time += ms
        self.webhooks.catch_up()
        self.work()

    def sent(self):
        """Return what was sent, in the form of `words_to`."""
        return [
            (body["type"], body["data"]["version"], body["data"]["seq"]) for _, body, _ in self.poster.sent
        ]

    def sent_types(self):
        return [body["type"] for _, body, _ in self.poster.sent]


@pytest.fixture
def house():
    return House()


def words_to(house, player):
    return [(word["type"], word["version"], word["seq"]) for word in house.notifications(player)]


class TestSending:
    def test_notifications_go_to_the_webhooks_of_their_player_in_order(self, house):
        house.hook()
        record = house.begin(house.prompt, BEN)
        for _ in range(4):
            record = house.end_turn(house.prompt, record)
        house.work()

        sent = [
            (body["type"], body["data"]["version"], body["data"]["seq"]) for _, body, _ in house.poster.sent
        ]
        assert sent == words_to(house, BEN)
        assert "turn.started" in house.sent_types()

    def test_both_hear_that_a_rated_game_is_over_when_one_of_them_resigns(self, house):
        for player in (ANA, BEN):
            house.hook(player, events=("game.ended",))
        record = house.begin(house.prompt, BEN, rated=True)

        house.prompt.change(record.id, lambda game: resign(game, BEN))
        house.work()

        assert [body["data"]["seat"] for _, body, _ in house.poster.sent] == [0, 1]

    def test_others_words_do_not(self, house):
        house.hook(ANA)
        record = house.begin(house.prompt, BEN)
        house.work()

        assert {body["data"]["seat"] for _, body, _ in house.poster.sent} == set(record.seats_of(ANA.id))

    def test_nor_do_types_that_were_not_asked_for(self, house):
        house.hook(events=("game.started",))
        house.end_turn(house.prompt, house.begin(house.prompt, BEN))
        house.work()

        assert house.sent_types() == ["game.started"]

    def test_the_body_says_where_to_look_and_nothing_else(self, house):
        house.hook(events=("game.started",))
        record = house.begin(house.prompt, BEN)
        house.work()

        ((url, body, _),) = house.poster.sent
        assert url == "https://example.com/x"
        assert set(body) == {"type", "timestamp", "data"}
        assert set(body["data"]) == {"game_id", "version", "seq", "seat", "webhook_id"}
        assert body["data"]["game_id"] == record.id

    def test_each_webhook_gets_its_own_id_which_a_second_projection_keeps(self, house):
        house.hook(events=("game.started",))
        house.hook(events=("game.started",))
        record = house.begin(house.prompt, BEN)
        house.work()
        log = house.prompt.events(record.id, after=None, limit=100)

        house.projector._project(record, log)
        house.work()

        ids = [headers["webhook-id"] for _, _, headers in house.poster.sent]
        assert len(ids) == 4
        assert sorted(ids[:2]) == sorted(ids[2:])
        assert ids[0] != ids[1]

    def test_while_one_is_on_its_way_it_is_not_put_there_twice(self, house):
        house.hook(events=("game.started",))
        record = house.begin(house.prompt, BEN)
        log = house.prompt.events(record.id, after=None, limit=100)

        house.projector._project(record, log)
        house.work()

        assert len(house.poster.sent) == 1

    def test_a_player_without_webhooks_costs_nothing(self, house):
        house.begin(house.prompt, BEN)

        assert house.queue.waiting == []


class TestSigning:
    def test_the_library_of_the_receiver_takes_what_arrives(self):
        with hooks() as server:
            house = House(poster=WebhookClient(private=True, seconds=30))
            made = house.hook(url=server.url, events=("game.started",))
            house.begin(house.prompt, BEN)
            house.work()

            (got,) = server.got
            received = Checker(made.secret).verify(got.body, got.headers)
            assert received["type"] == "game.started"
            with pytest.raises(WebhookVerificationError):
                Checker(made.secret).verify(got.body.replace(b"game.started", b"game.ended"), got.headers)
            with pytest.raises(WebhookVerificationError):
                Checker(house.hook().secret).verify(got.body, got.headers)

    def test_secrets_are_long_and_each_its_own(self, house):
        one, two = house.hook(), house.hook()

        assert one.secret.startswith("whsec_")
        assert one.secret != two.secret
        assert len(one.secret) > 40

    def test_each_try_is_signed_for_its_own_time(self):
        house = House(REFUSED, TAKEN)
        house.hook(events=("game.started",))
        house.begin(house.prompt, BEN)
        house.work()
        house.later(BACKOFF_MS[0])

        first, second = (headers for _, _, headers in house.poster.sent)
        assert first["webhook-id"] == second["webhook-id"]
        assert int(second["webhook-timestamp"]) - int(first["webhook-timestamp"]) == BACKOFF_MS[0] // 1000
        assert first["webhook-signature"] != second["webhook-signature"]


class TestTryingAgain:
    def test_a_real_server_that_fails_first_gets_it_in_the_end(self):
        with hooks() as server:
            server.statuses = [500, 302, 404, 200]
            house = House(poster=WebhookClient(private=True, seconds=30))
            made = house.hook(url=server.url, events=("game.started",))
            house.begin(house.prompt, BEN)
            house.work()
            for pause in BACKOFF_MS[:3]:
                assert house.read(made).failing_since is not None
                house.later(pause)

            assert len(server.got) == 4
            assert len({got.headers["webhook-id"] for got in server.got}) == 1
            assert len({got.body for got in server.got}) == 1
            after = house.read(made)
            assert (after.failures, after.failing_since, after.last_attempt.status) == (0, None, 200)
            assert house.store.deliveries_due(now=house.time + DELIVERY_EXPIRES_MS, limit=9) == []

    def test_pauses_grow_and_after_a_day_it_is_given_up(self):
        house = House(REFUSED)
        house.hook(events=("game.started",))
        house.begin(house.prompt, BEN)
        house.work()
        begun, tried = house.time, [house.time]
        while house.store.deliveries_due(now=house.time + DELIVERY_EXPIRES_MS, limit=9):
            house.later(1000 if house.time - begun < 60_000 else 60_000)
            if len(house.poster.sent) > len(tried):
                tried.append(house.time)

        pauses = [after - before for before, after in pairwise(tried)]
        assert pauses == sorted(pauses)
        assert len(tried) > len(BACKOFF_MS)
        assert tried[-1] - begun < DELIVERY_EXPIRES_MS <= tried[-1] - begun + BACKOFF_MS[-1]

    def test_many_words_to_a_dead_server_cost_one_try_a_pause(self):
        house = House(PostResult(error="timed_out"))
        house.hook()
        record = house.begin(house.prompt, BEN)
        for _ in range(6):
            record = house.end_turn(house.prompt, record)
        house.work()

        assert len(house.poster.sent) == 1
        house.later(BACKOFF_MS[0])
        assert len(house.poster.sent) == 2

    def test_a_retry_arrives_when_the_server_is_back(self):
        house = House(REFUSED, TAKEN)
        house.hook()
        record = house.begin(house.prompt, BEN)
        for _ in range(6):
            record = house.end_turn(house.prompt, record)
        house.work()
        for _ in range(3):
            house.later(BACKOFF_MS[0])

        sent = {
            (body["type"], body["data"]["version"], body["data"]["seq"]) for _, body, _ in house.poster.sent
        }
        assert sent == set(words_to(house, BEN))
        assert house.store.deliveries_due(now=house.time + DELIVERY_EXPIRES_MS, limit=9) == []


class TestTriesSideBySide:
    """Workers that meet one outage together record one failure, not several."""

    def test_eight_that_fail_in_one_moment_are_one_failure(self, house):
        made = house.hook(events=("game.started",))
        house.try_side_by_side(8, REFUSED)

        assert len(house.poster.sent) == 8
        after = house.read(made)
        assert (after.failures, after.retry_at) == (1, after.failing_since + BACKOFF_MS[0])
        assert after.last_attempt.at == house.time > after.failing_since

    def test_the_next_one_after_the_pause_counts(self, house):
        made = house.hook(events=("game.started",))
        house.try_side_by_side(3, REFUSED)
        house.deliverer = Deliverer(store=house.store, poster=Answers(REFUSED), now=house.now)
        house.later(house.read(made).retry_at - house.time)

        after = house.read(made)
        assert (after.failures, after.retry_at) == (2, house.time + BACKOFF_MS[1])

    def test_one_that_hung_until_the_pause_was_over_counts_as_when_it_began(self, house):
        made = house.hook(events=("game.started",))
        house.try_side_by_side(2, REFUSED, apart_ms=2 * BACKOFF_MS[0])

        after = house.read(made)
        assert after.last_attempt.at == house.time > after.retry_at
        assert after.failures == 1

    def test_a_success_ends_the_failures(self, house):
        made = house.hook(events=("game.started",))
        house.try_side_by_side(2, REFUSED, TAKEN)

        after = house.read(made)
        assert (after.failures, after.failing_since, after.retry_at) == (0, None, None)

    def test_a_410_disables_the_webhook(self, house):
        made = house.hook(events=("game.started",))
        house.try_side_by_side(2, REFUSED, PostResult(status=410))

        after = house.read(made)
        assert (after.failures, after.disabled_at) == (1, house.time)


class TestGivingUp:
    def test_a_webhook_that_fails_for_days_is_disabled_and_gets_nothing_more(self, caplog):
        house = House(REFUSED)
        made = house.hook(events=("game.started",))
        for _ in range(2):
            house.begin(house.prompt, BEN)
            house.work()
            house.later(DISABLED_AFTER_MS)

        house.begin(house.prompt, BEN)
        house.work()

        assert house.read(made).disabled_at is not None
        assert made.id in caplog.text
        assert made.url not in caplog.text
        tries = len(house.poster.sent)
        house.begin(house.prompt, BEN)
        house.work()
        house.later(DELIVERY_EXPIRES_MS)
        assert len(house.poster.sent) == tries
        assert house.store.deliveries_due(now=house.time + DELIVERY_EXPIRES_MS, limit=9) == []

    def test_a_webhook_that_is_gone_is_disabled_at_once(self):
        house = House(PostResult(status=410))
        made = house.hook()
        house.begin(house.prompt, BEN)
        house.work()

        assert house.read(made).disabled_at == house.time
        assert len(house.poster.sent) == 1
        assert house.store.deliveries_due(now=house.time + DELIVERY_EXPIRES_MS, limit=9) == []

    def test_what_was_on_its_way_to_a_deleted_one_is_dropped(self, house):
        made = house.hook()
        house.begin(house.prompt, BEN)
        house.store.delete_webhook(BEN.id, made.id)
        house.work()

        assert house.poster.sent == []
        assert house.store.deliveries_due(now=house.time + DELIVERY_EXPIRES_MS, limit=9) == []

    def test_one_that_is_deleted_while_it_is_tried_stays_deleted(self):
        house = House()
        made = house.hook(events=("game.started",))

        class Deletes(Answers):
            def post(self, url, body, headers):
                house.store.delete_webhook(BEN.id, made.id)
                return super().post(url, body, headers)

        house.deliverer = Deliverer(store=house.store, poster=Deletes(REFUSED), now=house.now)
        house.begin(house.prompt, BEN)
        house.work()
        house.later(DELIVERY_EXPIRES_MS)

        assert house.store.webhooks_of([BEN.id]) == [[]]

    def test_what_others_write_of_a_webhook_meanwhile_is_kept(self):
        house = House()
        made = house.hook(events=("game.started",))

        class Writes(Answers):
            def post(self, url, body, headers):
                kept = house.read(made)
                changed = replace(kept, failures=7)
                house.store.put_webhook(
                    BEN.id,
                    made.id,
                    encode_webhook(changed),
                    replaces=encode_webhook(kept),
                    max_webhooks=MAX_WEBHOOKS,
                )
                return super().post(url, body, headers)

        house.deliverer = Deliverer(store=house.store, poster=Writes(REFUSED), now=house.now)
        house.begin(house.prompt, BEN)
        house.work()

        assert house.read(made).failures == 8


class TestTests:
    def test_a_test_is_sent_once_and_its_outcome_noted(self):
        house = House(REFUSED)
        made = house.hook()

        delivery_id = house.webhooks.test(BEN.id, made)
        house.work()
        house.later(DELIVERY_EXPIRES_MS)

        ((_, body, headers),) = house.poster.sent
        assert body["type"] == "webhook.test"
        assert headers["webhook-id"] == delivery_id
        assert house.read(made).last_attempt.status == 500

    def test_a_success_enables_a_webhook_again(self):
        house = House(PostResult(status=410), TAKEN)
        made = house.hook()
        house.begin(house.prompt, BEN)
        house.work()
        assert house.read(made).disabled_at is not None

        house.webhooks.test(BEN.id, made)
        house.work()

        assert house.read(made).disabled_at is None
        house.begin(house.prompt, BEN)
        house.work()
        assert "game.started" in house.sent_types()

    def test_one_does_not_wait_for_a_pause(self):
        house = House(REFUSED, TAKEN)
        made = house.hook(events=("game.started",))
        house.begin(house.prompt, BEN)
        house.work()

        house.webhooks.test(BEN.id, made)
        house.work()

        assert house.sent_types() == ["game.started", "webhook.test"]

    def test_failing_ones_do_not_lengthen_the_pause(self):
        house = House(REFUSED)
        made = house.hook(events=("game.started",))
        house.begin(house.prompt, BEN)
        house.work()
        before = house.read(made)

        for _ in range(4):
            house.time += 1000
            house.webhooks.test(BEN.id, made)
            house.work()

        after = house.read(made)
        assert len(house.poster.sent) == 5
        assert (after.failures, after.retry_at) == (before.failures, before.retry_at)
        assert after.last_attempt.at == house.time


class TestLostMessages:
    def test_a_delivery_whose_message_was_lost_is_found_by_the_scheduler(self, house):
        house.hook(events=("game.started",))
        house.begin(house.prompt, BEN)
        house.queue.waiting.clear()
        house.later(DELIVERY_LEASE_MS - 1)
        assert house.poster.sent == []

        house.later(1)

        assert len(house.poster.sent) == 1

    def test_one_that_still_waits_for_a_worker_is_left_to_it(self, house):
        house.hook(events=("game.started",))
        house.begin(house.prompt, BEN)
        waiting = list(house.queue.waiting)

        house.time += DELIVERY_LEASE_MS
        assert house.webhooks.catch_up() == 1
        assert house.webhooks.catch_up() == 0

        assert house.queue.waiting == waiting

    def test_a_message_that_comes_twice_is_done_once(self, house):
        house.hook(events=("game.started",))
        house.begin(house.prompt, BEN)
        house.queue.waiting *= 2
        house.work()

        assert len(house.poster.sent) == 1

    def test_a_message_from_an_earlier_step_is_out_of_date(self):
        house = House(REFUSED, TAKEN)
        house.hook(events=("game.started",))
        house.begin(house.prompt, BEN)
        old = list(house.queue.waiting)
        house.work()
        house.queue.waiting = old
        house.work()

        assert len(house.poster.sent) == 1

    def test_what_a_crash_kept_from_being_sent_is_sent_by_the_next_projection(self, house):
        house.hook(events=("game.started",))
        house.begin(house.late, BEN)
        assert house.queue.waiting == []

        house.catch_up()
        house.work()

        assert len(house.poster.sent) == 1

    def test_what_no_worker_came_for_in_a_day_is_given_up(self, house):
        house.hook(events=("game.started",))
        house.begin(house.prompt, BEN)

        for _ in range(30):
            house.time += HOUR
            house.webhooks.catch_up()
        house.work()

        assert house.poster.sent == []
        assert house.store.deliveries_due(now=house.time + DELIVERY_EXPIRES_MS, limit=9) == []

    def test_one_that_cannot_be_read_keeps_no_other_waiting(self, house, caplog):
        house.store.put_deliveries([("msg_broken", b"nonsense")], at=1)
        house.hook(events=("game.started",))
        house.begin(house.prompt, BEN)
        house.queue.waiting.clear()

        house.later(DELIVERY_LEASE_MS)

        assert len(house.poster.sent) == 1
        assert "msg_broken" in caplog.text
        assert house.store.delivery("msg_broken") is None

    def test_of_many_schedulers_one_enqueues_a_delivery(self, house):
        house.hook(events=("game.started",))
        house.begin(house.prompt, BEN)
        house.queue.waiting.clear()
        house.time += DELIVERY_LEASE_MS

        clocks = [threading.Thread(target=house.webhooks.catch_up) for _ in range(8)]
        for clock in clocks:
            clock.start()
        for clock in clocks:
            clock.join()
        house.work()

        assert len(house.poster.sent) == 1


class TestTheWorker:
    def test_it_delivers_what_stands_in_the_queue(self, monkeypatch):
        """Everything real: Valkey, RQ, HTTP."""
        with valkey_server() as valkey, hooks() as server:
            monkeypatch.setenv("REDIS_URL", valkey.url)
            monkeypatch.setenv("WEBHOOK_PRIVATE_TARGETS", "true")
            monkeypatch.setenv("QUEUE_REDIS_URL", "")
            components = build_components(Settings.from_environment())
            components.store.put_player(BEN.id, b"Ben", replaces=None)
            made = new_webhook(server.url, NOTIFICATION_TYPES, now=components.now())
            components.store.put_webhook(
                BEN.id, made.id, encode_webhook(made), replaces=None, max_webhooks=MAX_WEBHOOKS
            )
            delivery_id = components.webhooks.test(BEN.id, made)
            with redis.Redis.from_url(valkey.url) as connection:
                queues = RqDeliveryQueue(connection)
                assert queues.is_waiting(delivery_id, 0)
                assert not queues.is_waiting(delivery_id, 1)
                from workers.jobs import deliveries

                deliveries._deliverer.cache_clear()
                InProcessWorker([Queue(WEBHOOKS, connection=connection)], connection=connection).work(
                    burst=True
                )

                (got,) = server.got
                assert Checker(made.secret).verify(got.body, got.headers)["type"] == "webhook.test"
                assert components.store.delivery(delivery_id) is None
                assert not queues.is_waiting(delivery_id, 0)
            deliveries._deliverer().deliver("msg_nothing", 0)
            deliveries._deliverer.cache_clear()
            components.store.close()
