"""Webhooks and what becomes of them."""

from marshmallow import ValidationError, validate

from service.api.schemas.base import (
    Enum,
    Integer,
    List,
    Nested,
    RequestSchema,
    ResponseSchema,
    SeatNumber,
    String,
    Time,
)
from service.effects.webhooks import EVENT_TYPES
from service.games.notifications import NOTIFICATION_TYPES
from service.runtime.http_client import ERRORS
from service.runtime.json_object import Json
from service.runtime.ssrf_guard import MAX_URL_LENGTH

WEBHOOK_STATUSES = ("active", "failing", "disabled")


def _event_type() -> Enum:
    return Enum("NoticeType", NOTIFICATION_TYPES, "What happened.")


def _each_once(events: list[str]) -> None:
    if len(set(events)) < len(events):
        raise ValidationError("Name each type once.")


class NewWebhookSchema(RequestSchema):
    """Where to send what you are told."""

    url = String(
        "An https address that everybody can reach.",
        validate=validate.Length(min=1, max=MAX_URL_LENGTH, error=f"Send 1 to {MAX_URL_LENGTH} characters."),
        metadata={"example": "https://example.com/rummy"},
        required=True,
    )
    events = List(
        _event_type(),
        "Only these; without it all.",
        validate=[
            validate.Length(
                min=1,
                max=len(NOTIFICATION_TYPES),
                error=f"Send an array of 1 to {len(NOTIFICATION_TYPES)} entries.",
            ),
            _each_once,
        ],
    )


class AttemptSchema(ResponseSchema):
    """What came of a try."""

    at = Time("When it was.")
    status = Integer("The status of the answer; null where none came.", allow_none=True)
    error = Enum("DeliveryError", ERRORS, "Why none came; null where one did.", allow_none=True)


class WebhookSchema(ResponseSchema):
    """A webhook, as far as it can be shown again."""

    id = String("What the other operations call it by.")
    url = String("Where it sends.")
    events = List(_event_type(), "What it sends.")
    status = Enum(
        "WebhookStatus", WEBHOOK_STATUSES, "Whether it is taken there; a disabled one sends nothing."
    )
    created_at = Time("When it was made.")
    failing_since = Time("Since when nothing was taken; null while all is well.", allow_none=True)
    last_attempt = Nested(AttemptSchema, "The last try; null before the first.", allow_none=True)


class CreatedWebhookSchema(ResponseSchema):
    """A new webhook."""

    webhook = Nested(WebhookSchema, "What will be shown of it later.")
    secret = String("Shown this once: checks the signatures. It begins with `whsec_`.")


class WebhooksSchema(ResponseSchema):
    """All webhooks of a player."""

    webhooks = List(Nested(WebhookSchema, "A webhook."), "The webhooks, oldest first.")


class DeliverySchema(ResponseSchema):
    """Something that is on its way."""

    delivery_id = String("What the header `webhook-id` will be.")


class WebhookMessageDataSchema(ResponseSchema):
    """Where to look; of a test it tells the webhook alone."""

    game_id = String("The game; null in a test.", allow_none=True)
    version = Integer("The version whose change it belongs to; null in a test.", allow_none=True)
    seq = Integer("Its place in that change, from 0; null in a test.", allow_none=True)
    seat = SeatNumber("Your seat; null in a test.", allow_none=True)
    webhook_id = String("The webhook that it is sent to.")


class WebhookMessageSchema(ResponseSchema):
    """What is sent to a webhook: a type and where to look, never a card. More types may come."""

    type = Enum("WebhookEventType", EVENT_TYPES, "What happened.")
    timestamp = Time("When it happened; the same at every try.")
    data = Nested(WebhookMessageDataSchema, "Where to look.")


def webhook_callbacks(schema: Json) -> Json:
    """Return what the document says of the requests that are sent to webhooks."""
    headers = {
        "webhook-id": ("What it is: the same at every try. Drop what you have had.", {"type": "string"}),
        "webhook-timestamp": ("When this try was made, in seconds since 1970.", {"type": "string"}),
        "webhook-signature": ("`v1,` and the signature by the webhook's secret.", {"type": "string"}),
    }
    return {
        "message": {
            "{$request.body#/url}": {
                "post": {
                    "operationId": "receiveWebhookMessage",
                    "tags": ["webhooks"],
                    "summary": "Hear of your games",
                    "description": (
                        "What your server gets. It is signed as Standard Webhooks are, and sent again "
                        "for a day, until it is answered 2xx."
                    ),
                    "security": [],
                    "parameters": [
                        {"in": "header", "name": name, "description": text, "required": True, "schema": form}
                        for name, (text, form) in headers.items()
                    ],
                    "requestBody": {
                        "required": True,
                        "content": {"application/json": {"schema": schema, "example": _MESSAGE}},
                    },
                    "responses": {
                        "204": {"description": "Taken. Any 2xx will do."},
                        "410": {"description": "Nobody listens here any more: the webhook is switched off."},
                    },
                }
            }
        }
    }


_MESSAGE: Json = {
    "type": "turn.started",
    "timestamp": "2026-09-21T14:13:20.120Z",
    "data": {
        "game_id": "g2aJEfXIpvU07cNMubYHVuBr3e6EQ",
        "version": 17,
        "seq": 2,
        "seat": 0,
        "webhook_id": "w574bb98ee05618dd86b8d74f54767d1c",
    },
}
