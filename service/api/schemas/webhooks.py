"""Webhooks and their deliveries."""

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
from service.effects.webhook_sender import EVENT_TYPES, HTTP, WEBHOOK_KINDS
from service.games.notifications import NOTIFICATION_TYPES
from service.runtime.http_client import ERRORS
from service.runtime.json_object import Json
from service.runtime.ssrf_guard import MAX_URL_LENGTH

WEBHOOK_STATUSES = ("active", "failing", "disabled")


def _event_type() -> Enum:
    return Enum("NoticeType", NOTIFICATION_TYPES, "The type of event.")


def _each_once(events: list[str]) -> None:
    if len(set(events)) < len(events):
        raise ValidationError("Name each type once.")


class NewWebhookSchema(RequestSchema):
    """A new webhook."""

    url = String(
        "A public https URL.",
        validate=validate.Length(min=1, max=MAX_URL_LENGTH, error=f"Send 1 to {MAX_URL_LENGTH} characters."),
        metadata={"example": "https://example.com/rummy"},
        required=True,
    )
    kind = Enum(
        "WebhookKind",
        WEBHOOK_KINDS,
        "`http`: a server of yours. `web_push`: a browser, whose endpoint is the URL.",
        load_default=HTTP,
    )
    events = List(
        _event_type(),
        "The types of event to send; default: all, for `web_push` those that wake a person.",
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
    """The result of an attempt to deliver."""

    at = Time("Time of the attempt.")
    status = Integer("The HTTP status of the response; null without one.", allow_none=True)
    error = Enum(
        "DeliveryError", ERRORS, "Why there was no response; null if there was one.", allow_none=True
    )


class WebhookSchema(ResponseSchema):
    """A webhook, without its secret."""

    id = String("The webhook's id.")
    kind = Enum("WebhookKind", WEBHOOK_KINDS, "How it is sent to.")
    url = String("The URL it sends to.")
    events = List(_event_type(), "The types of event it sends.")
    status = Enum(
        "WebhookStatus", WEBHOOK_STATUSES, "Whether deliveries succeed. A disabled webhook sends nothing."
    )
    created_at = Time("When it was created.")
    failing_since = Time("Since when all deliveries have failed; null while they succeed.", allow_none=True)
    last_attempt = Nested(AttemptSchema, "The last attempt; null before the first.", allow_none=True)


class CreatedWebhookSchema(ResponseSchema):
    """A webhook just created, and its secret."""

    webhook = Nested(WebhookSchema, "The webhook as listWebhooks shows it.")
    secret = String("The secret to verify signatures with, returned only once. It begins with `whsec_`.")


class WebhooksSchema(ResponseSchema):
    """All webhooks of a player."""

    webhooks = List(Nested(WebhookSchema, "A webhook."), "The webhooks, oldest first.")


class DeliverySchema(ResponseSchema):
    """A delivery that was queued."""

    delivery_id = String("The value of the `webhook-id` header of the delivery.")


class WebhookMessageDataSchema(ResponseSchema):
    """The event's game and place. In a test only the webhook is set."""

    game_id = String("The game; null in a test.", allow_none=True)
    version = Integer("The version of the game that the event belongs to; null in a test.", allow_none=True)
    seq = Integer("Position of the event in that version, from 0; null in a test.", allow_none=True)
    seat = SeatNumber("Your seat; null in a test.", allow_none=True)
    webhook_id = String("The webhook that sends the message.")


class WebhookMessageSchema(ResponseSchema):
    """A message to a webhook. It never shows a card. New types may be added."""

    type = Enum("WebhookEventType", EVENT_TYPES, "The type of event.")
    timestamp = Time("Time of the event; the same in every attempt.")
    data = Nested(WebhookMessageDataSchema, "The event's game and place.")


def webhook_callbacks(schema: Json) -> Json:
    """Return the callbacks of the document: the requests sent to webhooks."""
    headers = {
        "webhook-id": (
            "The id of the message, the same in every attempt. Ignore a message you have already received.",
            {"type": "string"},
        ),
        "webhook-timestamp": ("Time of this attempt, in seconds since 1970.", {"type": "string"}),
        "webhook-signature": (
            "`v1,` followed by the signature made with the webhook's secret.",
            {"type": "string"},
        ),
    }
    return {
        "message": {
            "{$request.body#/url}": {
                "post": {
                    "operationId": "receiveWebhookMessage",
                    "tags": ["webhooks"],
                    "summary": "Receive events of your games.",
                    "description": (
                        "The request your server receives, signed by the Standard Webhooks specification. It "
                        "is repeated for a day until your server responds with a 2xx status."
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
                        "204": {"description": "Received. Any 2xx status is accepted."},
                        "410": {"description": "The endpoint is gone: the webhook is disabled."},
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
