"""Webhooks: notifications of a player, sent to a server of theirs."""

from flask import Response

from service.api.auth import WEBHOOKS, Caller
from service.api.idempotency import idempotent
from service.api.parameters import IDEMPOTENCY_KEY
from service.api.problems import Problem, invalid
from service.api.resource import Resource, ResponseSpec
from service.api.responses import json_response, no_content
from service.api.schemas.webhooks import (
    CreatedWebhookSchema,
    DeliverySchema,
    NewWebhookSchema,
    WebhooksSchema,
)
from service.api.services import Services
from service.effects.webhook_sender import (
    MAX_WEBHOOKS,
    WAKING_TYPES,
    WEB_PUSH,
    Webhook,
    WebhookSender,
    decode_webhook,
    encode_webhook,
    new_webhook,
)
from service.games.notifications import NOTIFICATION_TYPES
from service.runtime.json_object import Json
from service.runtime.ssrf_guard import TargetForbidden, check_url
from service.runtime.timestamps import rfc3339
from service.store.contract import Store

webhooks = Resource(
    "webhooks", __name__, url_prefix="/v1", description="Notifications sent to a server of yours."
)

_ONE = "/webhooks/<string(maxlength=64):webhook_id>"


@webhooks.operation(
    "GET /webhooks",
    "listWebhooks",
    scope=WEBHOOKS,
    response=ResponseSpec(schema=WebhooksSchema, description="Every webhook of the player."),
)
def list_webhooks(*, services: Services, caller: Caller) -> Response:
    """List my webhooks.

    With the result of the last attempt of each. Secrets are not shown again.
    """
    return json_response({"webhooks": webhook_views(services.store, caller)})


@webhooks.operation(
    "POST /webhooks",
    "createWebhook",
    scope=WEBHOOKS,
    body=NewWebhookSchema,
    parameters=(IDEMPOTENCY_KEY,),
    response=ResponseSpec(
        status=201,
        schema=CreatedWebhookSchema,
        description="The webhook, and its secret, which is shown only once.",
    ),
    errors=("too_many_webhooks",),
)
def create_webhook(
    body: Json, *, services: Services, caller: Caller, idempotency_key: str | None
) -> Response:
    """Create a webhook.

    Notifications about your games are sent there by POST, signed according to Standard Webhooks: check
    `webhook-signature` with the secret, and ignore a `webhook-id` that you have received before. The body
    contains a type, a game and a version, never a card: read the game for more. Respond with 2xx within
    ten seconds. After any other result the delivery is retried with growing pauses for a day. Deliveries
    may then arrive late and out of order, so go by `version`. A webhook that has accepted nothing for
    three days, or responds with 410, is disabled; a successful test enables it again. Only https URLs
    with public addresses are accepted; redirects are not followed.

    With `kind: "web_push"` the URL is the `endpoint` of a browser's push subscription, made with
    `web_push_key` of getMeta. It gets messages without content that wake the browser, by default only those
    that a person waits for; it is deleted when the browser has unsubscribed.
    """
    with idempotent(services.store, caller.id, idempotency_key, holds_secret=True) as idempotency:
        webhook = _create(services, caller, body)
        return idempotency.remember(
            json_response({"webhook": _webhook_view(webhook), "secret": webhook.secret}, 201)
        )


@webhooks.operation(
    f"DELETE {_ONE}",
    "deleteWebhook",
    scope=WEBHOOKS,
    response=ResponseSpec(status=204, schema=None, description="The webhook is deleted."),
    errors=("not_found",),
)
def delete_webhook(*, services: Services, caller: Caller, webhook_id: str) -> Response:
    """Delete a webhook.

    Deliveries that are still pending are dropped.
    """
    if not services.store.delete_webhook(caller.id, webhook_id):
        raise _no_such_webhook()
    return no_content()


@webhooks.operation(
    f"POST {_ONE}/test",
    "testWebhook",
    scope=WEBHOOKS,
    parameters=(IDEMPOTENCY_KEY,),
    response=ResponseSpec(status=202, schema=DeliverySchema, description="The test delivery is queued."),
    errors=("not_found",),
)
def test_webhook(
    *, services: Services, caller: Caller, webhook_id: str, idempotency_key: str | None
) -> Response:
    """Test a webhook.

    Sends `webhook.test` once; `last_attempt` in listWebhooks shows the result.
    """
    with idempotent(services.store, caller.id, idempotency_key) as idempotency:
        webhook = next(
            (webhook for webhook in _stored_webhooks(services.store, caller) if webhook.id == webhook_id),
            None,
        )
        if webhook is None:
            raise _no_such_webhook()
        sending = services.webhooks or WebhookSender(store=services.store, now=services.now)
        return idempotency.remember(json_response({"delivery_id": sending.test(caller.id, webhook)}, 202))


def webhook_views(store: Store, caller: Caller) -> list[Json]:
    """Return the webhooks of a player, oldest first, without their secrets."""
    kept = sorted(_stored_webhooks(store, caller), key=lambda webhook: (webhook.created_at, webhook.id))
    return [_webhook_view(webhook) for webhook in kept]


def _stored_webhooks(store: Store, caller: Caller) -> list[Webhook]:
    (found,) = store.webhooks_of([caller.id])
    return [decode_webhook(stored.body) for stored in found]


def _create(services: Services, caller: Caller, body: Json) -> Webhook:
    url, kind = body["url"], body["kind"]
    if kind == WEB_PUSH and services.web_push_key is None:
        raise invalid("kind", "This service sends no Web Push: its operator has set no VAPID_PRIVATE_KEY.")
    try:
        check_url(url, private=services.private_targets)
    except TargetForbidden as refused:
        raise invalid("url", str(refused)) from refused
    events = body.get("events") or (WAKING_TYPES if kind == WEB_PUSH else NOTIFICATION_TYPES)
    webhook = new_webhook(url, events, now=services.now(), kind=kind)
    stored = encode_webhook(webhook)
    if not services.store.put_webhook(
        caller.id, webhook.id, stored, replaces=None, max_webhooks=MAX_WEBHOOKS
    ):
        raise Problem("too_many_webhooks", f"A player may have {MAX_WEBHOOKS} webhooks: delete one first.")
    return webhook


def _no_such_webhook() -> Problem:
    return Problem("not_found", "You have no such webhook.")


def _webhook_view(webhook: Webhook) -> Json:
    attempt = webhook.last_attempt
    return {
        "id": webhook.id,
        "kind": webhook.kind,
        "url": webhook.url,
        "events": webhook.events,
        "status": _status(webhook),
        "created_at": rfc3339(webhook.created_at),
        "failing_since": None if webhook.failing_since is None else rfc3339(webhook.failing_since),
        "last_attempt": attempt
        and {"at": rfc3339(attempt.at), "status": attempt.status, "error": attempt.error},
    }


def _status(webhook: Webhook) -> str:
    if webhook.disabled_at is not None:
        return "disabled"
    return "active" if webhook.failing_since is None else "failing"
