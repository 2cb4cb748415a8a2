"""Webhooks: what players are told, sent to addresses of their own (standardwebhooks.com).

A word to a player who has webhooks becomes a delivery for each, with an id that is made
from webhook and event: sent twice, it is known again. Deliveries are kept in the store until
they are done; the queue only carries them to a worker, and the clock finds those that it
lost. So each is delivered at least once, or tried for a day.
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

from service.games.notifications import NOTIFICATION_TYPES, Notification
from service.runtime.durations import DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS
from service.runtime.http_client import PostResult
from service.runtime.timestamps import rfc3339
from service.store.contract import Store, StoreUnavailable
from service.store.schema import StoredCodec, StoredValue
from service.store.webhooks import Delivery

MAX_WEBHOOKS: Final = 5
"""So many webhooks a player may have."""

TEST: Final = "webhook.test"
EVENT_TYPES: Final = (*NOTIFICATION_TYPES, TEST)

#: How long is waited before the second try, the third one, and so on; the last one again and again.
BACKOFF_MS: Final = (
    *(5 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS),
    *(HOUR_MS, 2 * HOUR_MS, 4 * HOUR_MS),
)
#: A delivery that nobody has taken by then is given up.
GIVEN_UP_MS: Final = DAY_MS
#: A webhook that has taken nothing for so long is switched off.
SWITCHED_OFF_MS: Final = 3 * DAY_MS
#: A delivery is left to the worker that has it for so long, far longer than it takes.
LEASE_MS: Final = MINUTE_MS
#: The other side says so where nobody will ever listen again.
_GONE: Final = 410
_MOST_DELIVERIES: Final = 256
_MOST_WRITES: Final = 8

log = logging.getLogger(__name__)


class DeliveryQueue(Protocol):
    """Hands deliveries to workers. A message may get lost: the clock finds what is due."""

    def enqueue(self, delivery_id: str, step: int) -> None:
        """Ask for the step of a delivery; never raises."""
        ...

    def is_waiting(self, delivery_id: str, step: int) -> bool:
        """Tell whether the step still waits for a worker."""
        ...


class NullDeliveryQueue:
    """Leaves all deliveries to the scheduler."""

    def enqueue(self, delivery_id: str, step: int) -> None:
        """Do nothing now."""

    def is_waiting(self, delivery_id: str, step: int) -> bool:
        """Tell that nothing waits here."""
        del delivery_id, step
        return False


NULL_DELIVERY_QUEUE: Final = NullDeliveryQueue()


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """What came of the last try."""

    at: int
    status: int | None
    error: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook(StoredValue):
    """A webhook as it is kept; times are milliseconds since the epoch.

    `failures` counts the tries in a row that nobody took, since `failing_since`, tries side by
    side as one; before `retry_at` nothing is tried. One that is switched off has a `disabled_at`.
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

    def after(self, posted: PostResult, *, began: int, now: int) -> "Webhook":
        """Return the webhook after a try that began at `began` and ended now."""
        attempt = Attempt(at=now, status=posted.status, error=posted.error)
        if posted.is_success:
            return replace(
                self, failures=0, failing_since=None, retry_at=None, disabled_at=None, last_attempt=attempt
            )
        since = now if self.failing_since is None else self.failing_since
        is_over = posted.status == _GONE or now - since >= SWITCHED_OFF_MS
        # Whatever began before the pause was over, beside the try that failed or as a test within the
        # pause, says nothing new: many workers that meet one outage are not many outages in a row.
        is_new = self.retry_at is None or began >= self.retry_at
        return replace(
            self,
            failures=self.failures + 1 if is_new else self.failures,
            failing_since=since,
            retry_at=now + backoff_ms(self.failures + 1) if is_new else self.retry_at,
            disabled_at=now if is_over and self.disabled_at is None else self.disabled_at,
            last_attempt=attempt,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingDelivery(StoredValue):
    """A delivery as it is kept: the body that is sent, and how often it was tried.

    `step` counts whatever was done with it: a message from an earlier one is out of date.
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


def new_webhook(url: str, events: Sequence[str], *, now: int) -> Webhook:
    """Return a new webhook, with an id and a secret that nobody can guess."""
    secret = base64.b64encode(secrets.token_bytes(32)).decode()
    return Webhook(
        id=f"w{secrets.token_hex(16)}",
        url=url,
        events=tuple(events),
        secret=f"whsec_{secret}",
        created_at=now,
    )


def backoff_ms(failures: int) -> int:
    """Return how long is waited after so many failures, in milliseconds."""
    return BACKOFF_MS[min(failures, len(BACKOFF_MS)) - 1]


def signature_headers(webhook: Webhook, delivery_id: str, body: str, *, now: int) -> dict[str, str]:
    """Return the headers of a delivery that is sent now."""
    at = datetime.fromtimestamp(now // SECOND_MS, UTC)
    return {
        "webhook-id": delivery_id,
        "webhook-timestamp": str(now // SECOND_MS),
        "webhook-signature": Signing(webhook.secret).sign(delivery_id, at, body),
    }


class WebhookSender:
    """Makes deliveries of what players are told, and brings them to workers."""

    def __init__(
        self, *, store: Store, now: Callable[[], int], queue: DeliveryQueue = NULL_DELIVERY_QUEUE
    ) -> None:
        self._store: Final = store
        self._queue: Final = queue
        self._now: Final = now

    def send(self, told: Sequence[Notification]) -> None:
        """Send what players are told to their webhooks; bring it as often as you like."""
        players = list(dict.fromkeys(notice.player_id for notice in told))
        webhooks = {
            player_id: [decode_webhook(stored.body) for stored in found]
            for player_id, found in zip(players, self._store.webhooks_of(players), strict=True)
            if found
        }
        deliveries = [
            _delivery(notice, webhook, now=self._now())
            for notice in told
            for webhook in webhooks.get(notice.player_id, ())
            if webhook.disabled_at is None and notice.type in webhook.events
        ]
        self._put(deliveries)

    def test(self, player_id: str, webhook: Webhook) -> str:
        """Send a test to a webhook and return the delivery's id."""
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
            at=self._now() + LEASE_MS,
        )
        for delivery_id, pending in deliveries:
            self._queue.enqueue(delivery_id, pending.step)

    def catch_up(self) -> int:
        """Bring to workers what is due: tries that were put off, and what got lost; return how many.

        Raises StoreUnavailable, after which the next round goes on.
        """
        now = self._now()
        found = self._store.deliveries_due(now=now, limit=_MOST_DELIVERIES)
        for due in found:
            try:
                self._bring(due, now=now)
            except StoreUnavailable:
                raise
            except Exception:
                # One that cannot be read must not keep all others waiting; it is not tried again.
                log.exception("Delivery %s could not be brought to a worker.", due.delivery_id)
                self._store.move_delivery(due.delivery_id, replaces=due.body, body=None)
        return len(found)

    def _bring(self, due: Delivery, *, now: int) -> None:
        pending = decode_pending(due.body)
        if now - pending.created_at >= GIVEN_UP_MS + LEASE_MS:
            # No worker has come for a day.
            self._store.move_delivery(due.delivery_id, replaces=due.body, body=None)
        elif self._queue.is_waiting(due.delivery_id, pending.step):
            self._store.move_delivery(due.delivery_id, replaces=due.body, body=due.body, at=now + LEASE_MS)
        else:
            following = replace(pending, step=pending.step + 1)
            if self._store.move_delivery(
                due.delivery_id, replaces=due.body, body=encode_pending(following), at=now + LEASE_MS
            ):
                self._queue.enqueue(due.delivery_id, following.step)


class HttpPoster(Protocol):
    """Posts to somebody else's server."""

    def post(self, url: str, body: bytes, headers: dict[str, str]) -> PostResult:
        """Post the body; never raises for what the other side does."""
        ...


class Deliverer:
    """Does the steps of deliveries, for a worker."""

    def __init__(self, *, store: Store, poster: HttpPoster, now: Callable[[], int]) -> None:
        self._store: Final = store
        self._poster: Final = poster
        self._now: Final = now

    def deliver(self, delivery_id: str, step: int) -> None:
        """Try a delivery, unless it is done or somebody else has gone on with it."""
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
            self._put_off(delivery_id, kept, pending, until=webhook.retry_at)
        else:
            self._try(delivery_id, kept, pending, stored)

    def _try(self, delivery_id: str, kept: bytes, pending: PendingDelivery, stored: bytes) -> None:
        webhook = decode_webhook(stored)
        began = self._now()
        headers = signature_headers(webhook, delivery_id, pending.body, now=began)
        posted = self._poster.post(webhook.url, pending.body.encode(), headers)
        now = self._now()
        webhook = self._note(pending, stored, posted, began=began, now=now)
        if posted.is_success or pending.type == TEST or webhook.disabled_at is not None:
            self._store.move_delivery(delivery_id, replaces=kept, body=None)
        else:
            tried = replace(pending, tries=pending.tries + 1)
            self._put_off(delivery_id, kept, tried, until=now + backoff_ms(tried.tries))

    def _put_off(self, delivery_id: str, kept: bytes, pending: PendingDelivery, *, until: int) -> None:
        """Try again later, as long as that is worth while."""
        following = encode_pending(replace(pending, step=pending.step + 1))
        is_over = until - pending.created_at >= GIVEN_UP_MS
        self._store.move_delivery(delivery_id, replaces=kept, body=None if is_over else following, at=until)

    def _stored(self, pending: PendingDelivery) -> bytes | None:
        (found,) = self._store.webhooks_of([pending.player_id])
        return next((stored.body for stored in found if stored.webhook_id == pending.webhook_id), None)

    def _note(
        self, pending: PendingDelivery, stored: bytes, posted: PostResult, *, began: int, now: int
    ) -> Webhook:
        """Write down what came of a try, beside what others write; return the webhook as it is then."""
        current: bytes | None = stored
        after = before = decode_webhook(stored)
        for _ in range(_MOST_WRITES):
            if current is None:
                break
            before = decode_webhook(current)
            after = before.after(posted, began=began, now=now)
            if self._store.put_webhook(
                pending.player_id, after.id, encode_webhook(after), replaces=current, most=MAX_WEBHOOKS
            ):
                break
            current = self._stored(pending)
        if after.disabled_at is not None and before.disabled_at is None:
            log.warning("Webhook %s is switched off: nobody takes what is sent there.", after.id)
        return after


def _delivery(notice: Notification, webhook: Webhook, *, now: int) -> tuple[str, PendingDelivery]:
    event = f"{webhook.id}/{notice.game_id}/{notice.version}-{notice.seq}"
    return f"msg_{hashlib.sha256(event.encode()).hexdigest()[:32]}", PendingDelivery(
        player_id=notice.player_id,
        webhook_id=webhook.id,
        type=notice.type,
        body=_body(notice.type, webhook, at=notice.at, notice=notice),
        created_at=now,
    )


def _body(type_: str, webhook: Webhook, *, at: int, notice: Notification | None = None) -> str:
    about = {
        name: None if notice is None else getattr(notice, name)
        for name in ("game_id", "version", "seq", "seat")
    }
    return msgspec.json.encode(
        {
            "type": type_,
            "timestamp": rfc3339(at),
            "data": {**about, "webhook_id": webhook.id},
        }
    ).decode()
