"""The frames of streams: events of the log, which have an id, and messages without one."""

import re
from typing import Final

from marshmallow import validate

from service.api.parameters import EVENT_ID_FORM
from service.api.schemas.base import (
    Const,
    CustomField,
    DurationMs,
    Enum,
    Integer,
    List,
    Nested,
    Points,
    RequestSchema,
    ResponseSchema,
    SeatNumber,
    String,
    TaggedUnion,
    Time,
)
from service.api.schemas.events import EVENTS, EventSchema
from service.api.schemas.game_lists import GameSummarySchema, brief_games
from service.api.schemas.games import PRESENCE, GameViewSchema
from service.api.schemas.moves import MOVES, MovesByTypeSchema
from service.api.schemas.reactions import reaction_key
from service.jobs.advice import JobKind, JobStatus
from service.runtime.json_object import Json

CLOSING_REASONS: Final = ("rotate", "shutdown", "slow_consumer", "token_revoked", "access_lost", "replaced")


def closing_reason() -> Enum:
    """Return a field for the reason why a stream ends."""
    return Enum(
        "ClosingReason",
        CLOSING_REASONS,
        "`rotate`: the stream reached its maximum duration, or you left your seat and now see the game with "
        "the spectators' delay. `shutdown`: the server process is stopping. `slow_consumer`: the client "
        "reads too slowly. `token_revoked`, `access_lost`: you may not follow the game any "
        "more; do not reconnect. `replaced`: another stream was opened with the same ticket.",
    )


class SnapshotSchema(EventSchema):
    """The whole game as you may see it: the first frame if no cursor was sent. Its id is a cursor.

    With `include=game` it follows the events of each change, too.
    """

    type = Const("snapshot")
    game = Nested(GameViewSchema, "The game.")


class AdvisorySchema(ResponseSchema):
    """The members of all messages that are not in the log. They have no id and are never sent again."""

    game_id = String("The game.")
    version = Integer("The version of the last event before it.")
    at = Time("When the message was sent.")


class PresenceChangedSchema(AdvisorySchema):
    """A player connected or disconnected. A stream resumed with a cursor begins with the presence of all."""

    type = Const("presence.changed")
    seat = SeatNumber("The player's seat.")
    presence = Enum("Presence", PRESENCE, "Whether the player is connected.")


class ClockWarningSchema(AdvisorySchema):
    """Time is running out: a quarter of it is left, 30 seconds at most."""

    type = Const("clock.warning")
    seats = List(SeatNumber(), "The seats that must act.")
    deadline_at = Time("When the service acts for these seats.")
    left_ms = DurationMs("Time left until then.")


class SeatToActSchema(AdvisorySchema):
    """Your seat has to act: your turn began, a call window asks you, or the next deal waits for you.

    Only with `include=to_act`, at the beginning of a stream too. What you may do after a move of your own is
    in its response, with `include=moves_by_type`.
    """

    type = Const("seat.to_act")
    version = Integer("The version of the game in which the moves are legal.")
    seat = SeatNumber("Your seat.")
    deadline_at = Time("When the service acts for you; null without a time limit.", allow_none=True)
    hand_points = Points("Points of the cards in your hand, as a positive number.")
    moves_by_type = Nested(MovesByTypeSchema, "The bodies of your legal moves.")
    legal_moves_truncated = List(
        Enum("MoveType", tuple(MOVES), "A type of move."), "The types of move that are not listed completely."
    )


class ReactionSentSchema(AdvisorySchema):
    """A player sent a reaction. Only streams of players get it, not those of spectators."""

    type = Const("reaction.sent")
    seat = SeatNumber("The player's seat.")
    key = reaction_key("What the player says. New keys may be added: ignore keys you do not know.")


class AdviceReadySchema(AdvisorySchema):
    """A hint or review that you requested has ended: read it with getJob. No other player gets this message.

    A message may be lost: poll getJob as well, less often.
    """

    type = Const("advice.ready")
    job_id = String("The job.")
    kind = Enum("JobKind", tuple(JobKind), "Whether it computes a hint or a review.")
    status = Enum("JobStatus", tuple(JobStatus), "`done`, or `failed`.")


class StreamClosingSchema(AdvisorySchema):
    """The stream ends, the game goes on: reconnect with the id of the last event received."""

    type = Const("stream.closing")
    reason = closing_reason()


class PingSchema(ResponseSchema):
    """Nothing has happened for 15 seconds, and the stream is alive."""

    type = Const("ping")
    server_time = Time("The time of the server, by which clocks run.")


STREAM_EVENTS: Final[dict[str, type[ResponseSchema]]] = {
    **EVENTS,
    "snapshot": SnapshotSchema,
    "presence.changed": PresenceChangedSchema,
    "clock.warning": ClockWarningSchema,
    "seat.to_act": SeatToActSchema,
    "reaction.sent": ReactionSentSchema,
    "advice.ready": AdviceReadySchema,
    "stream.closing": StreamClosingSchema,
    "ping": PingSchema,
}


def stream_event() -> TaggedUnion:
    """Return a field for a frame of a game's stream."""
    return TaggedUnion(
        "StreamEvent",
        STREAM_EVENTS,
        "A frame of a game's stream. New types may be added: ignore types you do not know.",
    )


class NoticeSchema(ResponseSchema):
    """A notification of an event in one of your games. It never shows a card."""

    id = String("The cursor for the frames after this one.", metadata={"example": "1790000000120-0"})
    game_id = String("The game.")
    version = Integer("The version of the game that the event belongs to.")
    seq = Integer("Position of the event in that version, from 0; the event's id is `<version>-<seq>`.")
    at = Time("Time of the event.")
    seat = SeatNumber("Your seat.")


def _notice(tag: str, sentence: str) -> type[NoticeSchema]:
    """Return the schema of one type of notification: `turn.started` is a TurnStartedNotice."""
    name = "".join(word.capitalize() for word in re.split(r"[._]", tag))
    return type(f"{name}NoticeSchema", (NoticeSchema,), {"__doc__": sentence, "type": Const(tag)})


#: The schema of each notification by its type.
NOTICES: Final = {
    tag: _notice(tag, sentence)
    for tag, sentence in {
        "game.started": "A game of yours started.",
        "turn.started": "It is your turn.",
        "call_window.opened": 'You may call "Rummy!" on a discard.',
        "deal.ended": "A deal was scored; use readyForNextDeal.",
        "game.ended": "A game of yours is over.",
        "game.aborted": "A game of yours was aborted.",
        "rematch.offered": "A player opened a rematch.",
        "rematch.withdrawn": "A rematch was aborted before it began.",
    }.items()
}


class AccountSnapshotSchema(ResponseSchema):
    """Your running games: the first frame if no cursor was sent, or one too old. Its id is a cursor."""

    type = Const("snapshot")
    id = String("The cursor for the frames after this one.")
    at = Time("When the snapshot was made.")
    games = List(
        Nested(GameSummarySchema, "A game."), "Your games that are not over; at most the newest 100."
    )
    brief = brief_games("With `brief=true`: these games; `games` is then empty.")


class AccountStreamClosingSchema(ResponseSchema):
    """The stream ends; reconnect with the last id received."""

    type = Const("stream.closing")
    at = Time("When the message was sent.")
    reason = closing_reason()


ACCOUNT_EVENTS: Final[dict[str, type[ResponseSchema]]] = {
    **NOTICES,
    "snapshot": AccountSnapshotSchema,
    "stream.closing": AccountStreamClosingSchema,
    "ping": PingSchema,
}


def account_event() -> TaggedUnion:
    """Return a field for a frame of an account's stream."""
    return TaggedUnion(
        "AccountEvent",
        ACCOUNT_EVENTS,
        "A frame of an account's stream. New types may be added: ignore types you do not know.",
    )


class _Data(CustomField):
    """The data of a frame: JSON as text."""

    def __init__(self, union: str) -> None:
        self.union = union
        super().__init__(metadata={"description": f"One `{union}`, as JSON."})

    def json_schema(self) -> Json:
        """Return a string whose content has a schema."""
        return json_text_schema(self.union)


def json_text_schema(union: str) -> Json:
    """Return the schema of a string that contains a member of a union as JSON."""
    return {
        "type": "string",
        "contentMediaType": "application/json",
        "contentSchema": {"$ref": f"#/components/schemas/{union}"},
    }


class ServerSentEventSchema(ResponseSchema):
    """A frame of a game's stream, as an EventSource reads it."""

    id = String("`<version>-<seq>`; present for events of the log only.", metadata={"sometimes": True})
    event = String("The same as `type` in the data.")
    data = _Data("StreamEvent")


class AccountServerSentEventSchema(ResponseSchema):
    """A frame of an account's stream, as an EventSource reads it."""

    id = String("The cursor; `stream.closing` has none.", metadata={"sometimes": True})
    event = String("The same as `type` in the data.")
    data = _Data("AccountEvent")


class NewStreamTicketSchema(RequestSchema):
    """What the stream is asked for. Without a game the ticket opens the account's stream, or any other."""

    game_id = String(
        "The game to follow.",
        load_default=None,
        allow_none=True,
        validate=validate.Length(max=64, error="Send 64 characters at most."),
    )
    as_seat = SeatNumber("As the parameter of streamGame.", load_default=None, allow_none=True)
    invite_code = String(
        "As the parameter of streamGame.",
        load_default=None,
        allow_none=True,
        validate=validate.Length(max=64, error="Send 64 characters at most."),
    )
    after = String(
        "As the parameter of streamGame, and of streamMyEvents.",
        load_default=None,
        allow_none=True,
        validate=validate.Regexp(f"{EVENT_ID_FORM}$", error="Send the id of an event, such as 17-2."),
    )


class StreamTicketSchema(ResponseSchema):
    """A ticket that opens a stream, and opens it again when the line was cut."""

    ticket = String(
        "The ticket, returned only once. Send it as `?ticket=`. One stream at a time uses it.",
        metadata={"example": "kXy3..."},
    )
    expires_at = Time("When it expires, unless a stream uses it. After that stream it lives for a minute.")
    url = String(
        "The path to give to an EventSource: the ticket has seat, code and cursor.",
        metadata={"example": "/v1/games/g0f.../stream?ticket=kXy3..."},
    )
