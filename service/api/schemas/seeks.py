"""Seeks: requests to be matched with other players."""

from typing import Final

from service.api.schemas.base import (
    Boolean,
    Enum,
    Integer,
    Nested,
    RequestSchema,
    ResponseSchema,
    String,
    Time,
)
from service.api.schemas.games import ClockSchema, NewClockSchema
from service.api.schemas.variants import NewVariantSchema, VariantSchema
from service.rummy.options import MAX_SEATS, MIN_SEATS

ANY: Final = "any"
_KINDS: Final = (ANY, "human", "bot")


class NewSeekSchema(RequestSchema):
    """A request for a game with other players."""

    variant = Nested(NewVariantSchema, "The rules.", load_default=lambda: NewVariantSchema().load({}))
    seats = Integer(
        "Number of seats, yours included. Default: the minimum of the preset.",
        minimum=MIN_SEATS,
        maximum=MAX_SEATS,
        load_default=None,
        allow_none=True,
    )
    opponent_kind = Enum("OpponentKind", _KINDS, "The kind of players to be matched with.", load_default=ANY)
    rated = Boolean(
        "Whether the game is rated. From the first finished deal on it counts, also for new players; "
        "who leaves before has lost. More: `/docs/ratings`.",
        load_default=False,
    )
    clock = Nested(
        NewClockSchema,
        "Time limits; null: none. Default: two minutes per turn and 30 seconds between deals.",
        allow_none=True,
    )


class SeekSchema(ResponseSchema):
    """A seek, and the game if it is matched."""

    id = String("The seek's id, for renewSeek and cancelSeek.")
    status = Enum("SeekStatus", ("waiting", "matched"), "Whether enough players were found.")
    game_id = String(
        "The game, already started with you in a seat; null while the seek waits.", allow_none=True
    )
    variant = Nested(VariantSchema, "The rules.")
    seats = Integer("Number of seats.")
    opponent_kind = Enum("OpponentKind", _KINDS, "The kind of players to be matched with.")
    rated = Boolean("Whether the game counts for ratings.")
    clock = Nested(ClockSchema, "Time limits; null: none.", allow_none=True)
    renew_after_ms = Integer("Time after which to renew it, to keep your place and to learn of a match soon.")
    expires_at = Time("When it expires, unless it is renewed before.")
