"""Webhooks: notifications result to URLs of the players (standardwebhooks.com).

A notification becomes one delivery for each webhook of its player. The id of a delivery
is derived from webhook and event, so receivers can recognise duplicates. Deliveries stay in
the store until they are done; the queue only hands them to workers, and the scheduler
enqueues lost ones again. So delivery is at least once, with retries for a day.
"""

import base64
import hashlib
import logging
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final, Protocol

import msgspec
from standardwebhooks import Webhook as Signing

from service.effects.web_push import VapidKey
from service.games.notifications import NOTIFICATION_TYPES, Notification
from service.runtime.durations import DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS
from service.runtime.http_client import PostResult
from service.runtime.timestamps import rfc3339
from service.store.contract import Store, StoreUnavailable
from service.store.schema import StoredCodec, StoredValue
from service.store.webhooks import Delivery

MAX_WEBHOOKS: Final = 5
"""Webhooks per player."""

TEST: Final = "webhook.test"
EVENT_TYPES: Final = (*NOTIFICATION_TYPES, TEST)

#: How a webhook is sent to: to a server of the player, or through the push service of a browser.
HTTP: Final = "http"
WEB_PUSH: Final = "web_push"
WEBHOOK_KINDS: Final = (HTTP, WEB_PUSH)
#: What wakes a person: the types of event that a browser gets unless it asks for others.
WAKING_TYPES: Final = ("game.started", "turn.started", "game.ended", "rematch.offered")

#: Backoff before the second attempt, the third, and so on; the last value repeats.
BACKOFF_MS: Final = (
    *(5 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS),
    *(HOUR_MS, 2 * HOUR_MS, 4 * HOUR_MS),
)
#: A delivery without success is dropped after this time.
DELIVERY_EXPIRES_MS: Final = DAY_MS
#: A webhook without success for this long is disabled.
DISABLED_AFTER_MS: Final = 3 * DAY_MS
#: The lease of a worker on a delivery, far longer than a POST may take.
DELIVERY_LEASE_MS: Final = MINUTE_MS
#: The status by which a server says that the URL is gone for good.
_GONE: Final = 410
#: The statuses by which a push service says that the browser has unsubscribed.
_UNSUBSCRIBED: Final = frozenset({404, _GONE})
_MAX_DELIVERIES: Final = 256
_MAX_WRITES: Final = 8

log = logging.getLogger(__name__)


class DeliveryQueue(Protocol):
    """Hands deliveries to workers. Messages may be lost: the scheduler finds what is due."""

    def enqueue(self, delivery_id: str, step: int) -> None:
        """Enqueue the step of a delivery; never raises."""
        ...

    def is_waiting(self, delivery_id: str, step: int) -> bool:
        """Return whether the step still waits for a worker."""
        ...


class NullDeliveryQueue:
    """Leaves all deliveries to the scheduler."""

    def enqueue(self, delivery_id: str, step: int) -> None:
        """Do nothing now."""

    def is_waiting(self, delivery_id: str, step: int) -> bool:
        """Return False: nothing waits here."""
        del delivery_id, step
        return False


NULL_DELIVERY_QUEUE: Final = NullDeliveryQueue()


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """The result of the last attempt."""

    at: int
    status: int | None
    error: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook(StoredValue):
    """A webhook as stored; times are milliseconds since the epoch.

    `failures` counts the failed attempts in a row since `failing_since`; concurrent
    attempts count once. Before `retry_at` no delivery is attempted. A disabled webhook has
    a `disabled_at`. A `web_push` webhook is a browser's subscription: its `url` is the endpoint, and it
    gets messages without content.
    """

    id: str
    url: str
    events: tuple[str, ...]
    secret: str
    created_at: int
    failures: int = 0
    failing_since: int | None = None
    retry_at: int | None = None
    disabled_at: int | None = None
    last_attempt: Attempt | None = None
    kind: str = HTTP

    def after(self, result: PostResult, *, began: int, now: int) -> "Webhook":
        """Return the webhook after an attempt that began at `began` and ended now."""
        attempt = Attempt(at=now, status=result.status, error=result.error)
        if result.is_success:
            return replace(
                self, failures=0, failing_since=None, retry_at=None, disabled_at=None, last_attempt=attempt
            )
        since = now if self.failing_since is None else self.failing_since
        is_final = result.status == _GONE or now - since >= DISABLED_AFTER_MS
        # An attempt that began during the backoff, beside the one that failed or as a test, is no new
        # failure: many workers that meet one outage are not many outages in a row.
        is_new = self.retry_at is None or began >= self.retry_at
        return replace(
            self,
            failures=self.failures + 1 if is_new else self.failures,
            failing_since=since,
            retry_at=now + backoff_ms(self.failures + 1) if is_new else self.retry_at,
            disabled_at=now if is_final and self.disabled_at is None else self.disabled_at,
            last_attempt=attempt,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingDelivery(StoredValue):
    """A delivery as stored: the body to send, and the number of attempts in `tries`.

    `step` counts every action on it; a queued message for an earlier step is stale.
    """

    player_id: str
    webhook_id: str
    type: str
    body: str
    created_at: int
    step: int = 0
    tries: int = 0


_WEBHOOKS: Final = StoredCodec(Webhook)
_DELIVERIES: Final = StoredCodec(PendingDelivery)
decode_webhook, encode_webhook = _WEBHOOKS.decode, _WEBHOOKS.encode
decode_pending, encode_pending = _DELIVERIES.decode, _DELIVERIES.encode


def new_webhook(url: str, events: Sequence[str], *, now: int, kind: str = HTTP) -> Webhook:
    """Return a new webhook with a random id and secret."""
    secret = base64.b64encode(secrets.token_bytes(32)).decode()
    return Webhook(
        id=f"w{secrets.token_hex(16)}",
        url=url,
        events=tuple(events),
        secret=f"whsec_{secret}",
        created_at=now,
        kind=kind,
    )


def backoff_ms(failures: int) -> int:
    """Return the backoff after a number of failures, in milliseconds."""
    return BACKOFF_MS[min(failures, len(BACKOFF_MS)) - 1]


def signature_headers(webhook: Webhook, delivery_id: str, body: str, *, now: int) -> dict[str, str]:
    """Return the headers that identify and sign a delivery sent now."""
    at = datetime.fromtimestamp(now // SECOND_MS, UTC)
    return {
        "webhook-id": delivery_id,
        "webhook-timestamp": str(now // SECOND_MS),
        "webhook-signature": Signing(webhook.secret).sign(delivery_id, at, body),
    }


class WebhookSender:
    """Creates deliveries for notifications, and hands them to workers."""

    def __init__(
        self, *, store: Store, now: Callable[[], int], queue: DeliveryQueue = NULL_DELIVERY_QUEUE
    ) -> None:
        self._store: Final = store
        self._queue: Final = queue
        self._now: Final = now

    def send(self, notifications: Sequence[Notification]) -> None:
        """Create a delivery for each webhook of each notification; idempotent."""
        players = list(dict.fromkeys(notification.player_id for notification in notifications))
        webhooks = {
            player_id: [decode_webhook(stored.body) for stored in found]
            for player_id, found in zip(players, self._store.webhooks_of(players), strict=True)
            if found
        }
        deliveries = [
            _delivery(notification, webhook, now=self._now())
            for notification in notifications
            for webhook in webhooks.get(notification.player_id, ())
            if webhook.disabled_at is None and notification.type in webhook.events
        ]
        self._put(deliveries)

    def test(self, player_id: str, webhook: Webhook) -> str:
        """Send a test to a webhook; return the id of its delivery."""
        now = self._now()
        delivery_id = f"msg_{secrets.token_hex(16)}"
        body = _body(TEST, webhook, at=now)
        pending = PendingDelivery(
            player_id=player_id, webhook_id=webhook.id, type=TEST, body=body, created_at=now
        )
        self._put([(delivery_id, pending)])
        return delivery_id

    def _put(self, deliveries: Sequence[tuple[str, PendingDelivery]]) -> None:
        if not deliveries:
            return
        self._store.put_deliveries(
            [(delivery_id, encode_pending(pending)) for delivery_id, pending in deliveries],
            at=self._now() + DELIVERY_LEASE_MS,
        )
        for delivery_id, pending in deliveries:
            self._queue.enqueue(delivery_id, pending.step)

    def catch_up(self) -> int:
        """Enqueue what is due, retries and lost deliveries; return how many.

        Raises StoreUnavailable; the next round continues.
        """
        now = self._now()
        found = self._store.deliveries_due(now=now, limit=_MAX_DELIVERIES)
        for due in found:
            try:
                self._enqueue_due(due, now=now)
            except StoreUnavailable:
                raise
            except Exception:
                # One unreadable delivery must not delay all others; it is dropped.
                log.exception("Delivery %s cannot be read and was dropped.", due.delivery_id)
                self._store.move_delivery(due.delivery_id, replaces=due.body, body=None)
        return len(found)

    def _enqueue_due(self, due: Delivery, *, now: int) -> None:
        pending = decode_pending(due.body)
        if now - pending.created_at >= DELIVERY_EXPIRES_MS + DELIVERY_LEASE_MS:
            # There was no worker for a day.
            self._store.move_delivery(due.delivery_id, replaces=due.body, body=None)
        elif self._queue.is_waiting(due.delivery_id, pending.step):
            self._store.move_delivery(
                due.delivery_id, replaces=due.body, body=due.body, at=now + DELIVERY_LEASE_MS
            )
        else:
            following = replace(pending, step=pending.step + 1)
            if self._store.move_delivery(
                due.delivery_id, replaces=due.body, body=encode_pending(following), at=now + DELIVERY_LEASE_MS
            ):
                self._queue.enqueue(due.delivery_id, following.step)


class HttpPoster(Protocol):
    """Posts to servers of players."""

    def post(self, url: str, body: bytes, headers: dict[str, str]) -> PostResult:
        """Post the body; never raises for what the server does."""
        ...


class Deliverer:
    """Attempts deliveries, in a worker."""

    def __init__(
        self,
        *,
        store: Store,
        poster: HttpPoster,
        now: Callable[[], int],
        vapid_key: VapidKey | None = None,
    ) -> None:
        self._store: Final = store
        self._poster: Final = poster
        self._vapid_key: Final = vapid_key
        self._now: Final = now

    def deliver(self, delivery_id: str, step: int) -> None:
        """Attempt a delivery, unless it is done or another worker has taken over."""
        kept = self._store.delivery(delivery_id)
        if kept is None or (pending := decode_pending(kept)).step != step:
            return
        stored = self._stored(pending)
        webhook = None if stored is None else decode_webhook(stored)
        now = self._now()
        is_test = pending.type == TEST
        if stored is None or webhook is None or (webhook.disabled_at is not None and not is_test):
            self._store.move_delivery(delivery_id, replaces=kept, body=None)
        elif webhook.retry_at is not None and now < webhook.retry_at and not is_test:
            self._reschedule(delivery_id, kept, pending, until=webhook.retry_at)
        else:
            self._attempt(delivery_id, kept, pending, stored)

    def _attempt(self, delivery_id: str, kept: bytes, pending: PendingDelivery, stored: bytes) -> None:
        webhook = decode_webhook(stored)
        began = self._now()
        result = self._post(webhook, delivery_id, pending, began)
        now = self._now()
        if webhook.kind == WEB_PUSH and result.status in _UNSUBSCRIBED:
            self._store.delete_webhook(pending.player_id, webhook.id)
            self._store.move_delivery(delivery_id, replaces=kept, body=None)
            return
        webhook = self._record_attempt(pending, stored, result, began=began, now=now)
        if result.is_success or pending.type == TEST or webhook.disabled_at is not None:
            self._store.move_delivery(delivery_id, replaces=kept, body=None)
        else:
            retried = replace(pending, tries=pending.tries + 1)
            self._reschedule(delivery_id, kept, retried, until=now + backoff_ms(retried.tries))

    def _post(self, webhook: Webhook, delivery_id: str, pending: PendingDelivery, now: int) -> PostResult:
        if webhook.kind != WEB_PUSH:
            headers = signature_headers(webhook, delivery_id, pending.body, now=now)
            return self._poster.post(webhook.url, pending.body.encode(), headers)
        if self._vapid_key is None:
            return PostResult(error="not_connected")
        game_id = msgspec.json.decode(pending.body)["data"]["game_id"]
        headers = self._vapid_key.headers(webhook.url, topic=game_id or pending.type, now=now)
        return self._poster.post(webhook.url, b"", headers)

    def _reschedule(self, delivery_id: str, kept: bytes, pending: PendingDelivery, *, until: int) -> None:
        """Schedule a retry, or drop a delivery that would expire before it."""
        is_expired = until - pending.created_at >= DELIVERY_EXPIRES_MS
        body = None if is_expired else encode_pending(replace(pending, step=pending.step + 1))
        self._store.move_delivery(delivery_id, replaces=kept, body=body, at=until)

    def _stored(self, pending: PendingDelivery) -> bytes | None:
        (found,) = self._store.webhooks_of([pending.player_id])
        return next((stored.body for stored in found if stored.webhook_id == pending.webhook_id), None)

    def _record_attempt(
        self, pending: PendingDelivery, stored: bytes, result: PostResult, *, began: int, now: int
    ) -> Webhook:
        """Store the result of an attempt, with optimistic locking; return the new webhook."""
        current: bytes | None = stored
        after = before = decode_webhook(stored)
        for _ in range(_MAX_WRITES):
            if current is None:
                break
            before = decode_webhook(current)
            after = before.after(result, began=began, now=now)
            if self._store.put_webhook(
                pending.player_id,
                after.id,
                encode_webhook(after),
                replaces=current,
                max_webhooks=MAX_WEBHOOKS,
            ):
                break
            current = self._stored(pending)
        if after.disabled_at is not None and before.disabled_at is None:
            log.warning("Webhook %s is disabled: its server has accepted nothing for too long.", after.id)
        return after


def _delivery(notification: Notification, webhook: Webhook, *, now: int) -> tuple[str, PendingDelivery]:
    event = f"{webhook.id}/{notification.game_id}/{notification.version}-{notification.seq}"
    return f"msg_{hashlib.sha256(event.encode()).hexdigest()[:32]}", PendingDelivery(
        player_id=notification.player_id,
        webhook_id=webhook.id,
        type=notification.type,
        body=_body(notification.type, webhook, at=notification.at, notification=notification),
        created_at=now,
    )


def _body(type_: str, webhook: Webhook, *, at: int, notification: Notification | None = None) -> str:
    about = {
        name: None if notification is None else getattr(notification, name)
        for name in ("game_id", "version", "seq", "seat")
    }
    return msgspec.json.encode(
        {
            "type": type_,
            "timestamp": rfc3339(at),
            "data": {**about, "webhook_id": webhook.id},
        }
    ).decode()
