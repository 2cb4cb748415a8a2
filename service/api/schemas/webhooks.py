"""Webhooks and what becomes of them."""

from marshmallow import ValidationError, validate

from service.api.schemas.base import Many, Named, Part, RequestSchema, ResponseSchema, Text, Time, Whole
from service.notices import NOTICE_TYPES
from service.posting import ERRORS
from service.targets import LONGEST_URL

STATES = ("active", "failing", "disabled")


def _event_type() -> Named:
    return Named("NoticeType", NOTICE_TYPES, "What happened.")


def _each_once(events: list[str]) -> None:
    if len(set(events)) < len(events):
        raise ValidationError("Name each type once.")


class NewWebhookSchema(RequestSchema):
    """Where to send what you are told."""

    url = Text(
        "An https address that everybody can reach.",
        validate=validate.Length(min=1, max=LONGEST_URL, error=f"Send 1 to {LONGEST_URL} characters."),
        metadata={"example": "https://example.com/rummy"},
        required=True,
    )
    events = Many(
        _event_type(),
        "Only these; without it all.",
        validate=[
            validate.Length(
                min=1, max=len(NOTICE_TYPES), error=f"Send an array of 1 to {len(NOTICE_TYPES)} entries."
            ),
            _each_once,
        ],
    )


class AttemptSchema(ResponseSchema):
    """What came of a try."""

    at = Time("When it was.")
    status = Whole("The status of the answer; null where none came.", allow_none=True)
    error = Named("DeliveryError", ERRORS, "Why none came; null where one did.", allow_none=True)


class WebhookSchema(ResponseSchema):
    """A webhook, as far as it can be shown again."""

    id = Text("What the other operations call it by.")
    url = Text("Where it sends.")
    events = Many(_event_type(), "What it sends.")
    status = Named("WebhookStatus", STATES, "Whether it is taken there; a disabled one sends nothing.")
    created_at = Time("When it was made.")
    failing_since = Time("Since when nothing was taken; null while all is well.", allow_none=True)
    last_attempt = Part(AttemptSchema, "The last try; null before the first.", allow_none=True)


class CreatedWebhookSchema(ResponseSchema):
    """A new webhook."""

    webhook = Part(WebhookSchema, "What will be shown of it later.")
    secret = Text("Shown this once: checks the signatures. It begins with `whsec_`.")


class WebhooksSchema(ResponseSchema):
    """All webhooks of a player."""

    webhooks = Many(Part(WebhookSchema, "A webhook."), "The webhooks, oldest first.")


class DeliverySchema(ResponseSchema):
    """Something that is on its way."""

    delivery_id = Text("What the header `webhook-id` will be.")
