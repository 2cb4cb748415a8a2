"""What a stream tells: the events of the log, and words beside them that carry no id."""

from typing import Final

from service.api.schemas.base import (
    Const,
    Json,
    Many,
    Named,
    Part,
    ResponseSchema,
    SeatNumber,
    Shaped,
    Span,
    Tagged,
    Text,
    Time,
    Whole,
)
from service.api.schemas.events import EVENTS, EventSchema
from service.api.schemas.games import PRESENCE, GameViewSchema

CLOSING_REASONS: Final = ("rotate", "shutdown", "slow_consumer", "token_revoked", "access_lost")


class SnapshotSchema(EventSchema):
    """The whole game as you may see it: the first frame without a cursor. Its id is where it stands."""

    type = Const("snapshot")
    game = Part(GameViewSchema, "The game.")


class AdvisorySchema(ResponseSchema):
    """What all words beside the log have. They have no id, and are never said again."""

    game_id = Text("The game.")
    version = Whole("The version of the last event before it.")
    at = Time("When it was said.")


class PresenceChangedSchema(AdvisorySchema):
    """A player has come or gone. On coming back with a cursor you are told how it is."""

    type = Const("presence.changed")
    seat = SeatNumber("His seat.")
    presence = Named("Presence", PRESENCE, "Whether he is connected.")


class ClockWarningSchema(AdvisorySchema):
    """Time runs out: a quarter of it is left, or half a minute."""

    type = Const("clock.warning")
    seats = Many(SeatNumber(), "Who is to act.")
    deadline_at = Time("When the service acts for them.")
    left_ms = Span("How long that is from now.")


class StreamClosingSchema(AdvisorySchema):
    """The stream ends here, and the game goes on: come back with the id of the last event you got."""

    type = Const("stream.closing")
    reason = Named(
        "ClosingReason",
        CLOSING_REASONS,
        "`rotate`: it was open long enough. `shutdown`: this process ends. `slow_consumer`: you read too "
        "slowly. `token_revoked`, `access_lost`: you may not follow any more, so do not come back.",
    )


STREAMED: Final[dict[str, type[ResponseSchema]]] = {
    **EVENTS,
    "snapshot": SnapshotSchema,
    "presence.changed": PresenceChangedSchema,
    "clock.warning": ClockWarningSchema,
    "stream.closing": StreamClosingSchema,
}


def stream_event() -> Tagged:
    """Return a field for whatever a game's stream tells."""
    return Tagged(
        "StreamEvent",
        STREAMED,
        "One frame of a game's stream. More types may come: ignore those you do not know.",
    )


class _Data(Shaped):
    """The data of a frame: JSON, written as text."""

    def json_schema(self) -> Json:
        """Return what it holds, as far as tools look into text."""
        return text_of("StreamEvent")


def text_of(union: str) -> Json:
    """Return the schema of a text that holds what a union tells."""
    return {
        "type": "string",
        "contentMediaType": "application/json",
        "contentSchema": {"$ref": f"#/components/schemas/{union}"},
    }


class ServerSentEventSchema(ResponseSchema):
    """A frame of a stream, as an EventSource reads it."""

    id = Text("`<version>-<seq>`; only what stands in the log has one.", metadata={"sometimes": True})
    event = Text("What `type` in the data says, too.")
    data = _Data(metadata={"description": "One `StreamEvent`, as JSON."})


class StreamTicketSchema(ResponseSchema):
    """What opens one stream."""

    ticket = Text("Send it as `?ticket=`, once. It is shown this once.", metadata={"example": "kXy3..."})
    expires_at = Time("When it opens nothing any more.")
