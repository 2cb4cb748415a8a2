"""What a stream tells: the events of the log, and words beside them that carry no id."""

import re
from typing import Final

from service.api.schemas.base import (
    Const,
    CustomField,
    DurationMs,
    Enum,
    Integer,
    List,
    Nested,
    ResponseSchema,
    SeatNumber,
    String,
    TaggedUnion,
    Time,
)
from service.api.schemas.events import EVENTS, EventSchema
from service.api.schemas.games import PRESENCE, GameSummarySchema, GameViewSchema
from service.runtime.json_object import Json

CLOSING_REASONS: Final = ("rotate", "shutdown", "slow_consumer", "token_revoked", "access_lost")


def closing_reason() -> Enum:
    """Return a field for why a stream ends."""
    return Enum(
        "ClosingReason",
        CLOSING_REASONS,
        "`rotate`: it was open long enough, or you gave up your seat and see the game late from now on. "
        "`shutdown`: this process ends. `slow_consumer`: you read too slowly. `token_revoked`, "
        "`access_lost`: you may not follow any more, so do not come back.",
    )


class SnapshotSchema(EventSchema):
    """The whole game as you may see it: the first frame without a cursor. Its id is where it stands."""

    type = Const("snapshot")
    game = Nested(GameViewSchema, "The game.")


class AdvisorySchema(ResponseSchema):
    """What all words beside the log have. They have no id, and are never said again."""

    game_id = String("The game.")
    version = Integer("The version of the last event before it.")
    at = Time("When it was said.")


class PresenceChangedSchema(AdvisorySchema):
    """A player has come or gone. On coming back with a cursor you are told how it is."""

    type = Const("presence.changed")
    seat = SeatNumber("His seat.")
    presence = Enum("Presence", PRESENCE, "Whether he is connected.")


class ClockWarningSchema(AdvisorySchema):
    """Time runs out: a quarter of it is left, or half a minute."""

    type = Const("clock.warning")
    seats = List(SeatNumber(), "Who is to act.")
    deadline_at = Time("When the service acts for them.")
    left_ms = DurationMs("How long that is from now.")


class StreamClosingSchema(AdvisorySchema):
    """The stream ends here, and the game goes on: come back with the id of the last event you got."""

    type = Const("stream.closing")
    reason = closing_reason()


STREAM_EVENTS: Final[dict[str, type[ResponseSchema]]] = {
    **EVENTS,
    "snapshot": SnapshotSchema,
    "presence.changed": PresenceChangedSchema,
    "clock.warning": ClockWarningSchema,
    "stream.closing": StreamClosingSchema,
}


def stream_event() -> TaggedUnion:
    """Return a field for whatever a game's stream tells."""
    return TaggedUnion(
        "StreamEvent",
        STREAM_EVENTS,
        "One frame of a game's stream. More types may come: ignore those you do not know.",
    )


class NoticeSchema(ResponseSchema):
    """A word about one event of one of your games: where to look, and never a card."""

    id = String("The cursor for what comes after it.", metadata={"example": "1790000000120-0"})
    game_id = String("The game.")
    version = Integer("The version the event belongs to.")
    seq = Integer("Its place in that version, from 0: with it the id of the event in the game's log.")
    at = Time("When it happened.")
    seat = SeatNumber("Your seat.")


def _notice(tag: str, sentence: str) -> type[NoticeSchema]:
    """Return the schema of one type of notification: `turn.started` is a TurnStartedNotice."""
    name = "".join(word.capitalize() for word in re.split(r"[._]", tag))
    return type(f"{name}NoticeSchema", (NoticeSchema,), {"__doc__": sentence, "type": Const(tag)})


#: The schema of each notification by its type.
NOTICES: Final = {
    tag: _notice(tag, sentence)
    for tag, sentence in {
        "game.started": "A game of yours has begun.",
        "turn.started": "It is your turn.",
        "call_window.opened": "You may call a missed discard.",
        "deal.ended": "A deal was scored; say that you are ready for the next.",
        "game.ended": "A game of yours is over.",
        "game.aborted": "A game of yours was given up.",
        "rematch.offered": "Somebody wants to play again.",
    }.items()
}


class AccountSnapshotSchema(ResponseSchema):
    """The first frame without a cursor, or with one that is too old. Its id is where the stream stands."""

    type = Const("snapshot")
    id = String("The cursor for what comes after it.")
    at = Time("When it was made.")
    games = List(
        Nested(GameSummarySchema, "A game."), "Your games that are not over, the newest 100 at most."
    )


class AccountStreamClosingSchema(ResponseSchema):
    """The stream ends here; come back with the last id you got."""

    type = Const("stream.closing")
    at = Time("When it was said.")
    reason = closing_reason()


ACCOUNT_EVENTS: Final[dict[str, type[ResponseSchema]]] = {
    **NOTICES,
    "snapshot": AccountSnapshotSchema,
    "stream.closing": AccountStreamClosingSchema,
}


def account_event() -> TaggedUnion:
    """Return a field for whatever an account's stream tells."""
    return TaggedUnion(
        "AccountEvent",
        ACCOUNT_EVENTS,
        "One frame of an account's stream. More types may come: ignore those you do not know.",
    )


class _Data(CustomField):
    """The data of a frame: JSON, written as text."""

    def __init__(self, union: str) -> None:
        self.union = union
        super().__init__(metadata={"description": f"One `{union}`, as JSON."})

    def json_schema(self) -> Json:
        """Return what it holds, as far as tools look into text."""
        return json_text_schema(self.union)


def json_text_schema(union: str) -> Json:
    """Return the schema of a text that holds what a union tells."""
    return {
        "type": "string",
        "contentMediaType": "application/json",
        "contentSchema": {"$ref": f"#/components/schemas/{union}"},
    }


class ServerSentEventSchema(ResponseSchema):
    """A frame of a stream, as an EventSource reads it."""

    id = String("`<version>-<seq>`; only what stands in the log has one.", metadata={"sometimes": True})
    event = String("What `type` in the data says, too.")
    data = _Data("StreamEvent")


class AccountServerSentEventSchema(ResponseSchema):
    """A frame of an account's stream, as an EventSource reads it."""

    id = String("The cursor; `stream.closing` has none.", metadata={"sometimes": True})
    event = String("What `type` in the data says, too.")
    data = _Data("AccountEvent")


class StreamTicketSchema(ResponseSchema):
    """What opens one stream."""

    ticket = String("Send it as `?ticket=`, once. It is shown this once.", metadata={"example": "kXy3..."})
    expires_at = Time("When it opens nothing any more.")
