"""Seeks: whom somebody looks for, and what became of it."""

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
from service.rummy.variants import MAX_SEATS, MIN_SEATS

ANY: Final = "any"
_KINDS: Final = (ANY, "human", "bot")


class NewSeekSchema(RequestSchema):
    """The game to be played, and with whom."""

    variant = Nested(NewVariantSchema, "The rules.", load_default=lambda: NewVariantSchema().load({}))
    seats = Integer(
        "How many play, you among them. Without it as few as the preset takes.",
        minimum=MIN_SEATS,
        maximum=MAX_SEATS,
        load_default=None,
        allow_none=True,
    )
    opponent_kind = Enum("OpponentKind", _KINDS, "Whom you want to meet.", load_default=ANY)
    rated = Boolean("Whether it counts for ratings.", load_default=False)
    clock = Nested(
        NewClockSchema,
        "How long players have. Null: as long as they like. Without it: two minutes a turn and 30 seconds "
        "between deals.",
        allow_none=True,
    )


class SeekSchema(ResponseSchema):
    """A seek, and the game once it has found one."""

    id = String("What renewSeek and cancelSeek call it.")
    status = Enum("SeekStatus", ("waiting", "matched"), "Whether all who are needed have met.")
    game_id = String(
        "The game, which has begun and where you sit; null while the seek waits.", allow_none=True
    )
    variant = Nested(VariantSchema, "The rules.")
    seats = Integer("How many play.")
    opponent_kind = Enum("OpponentKind", _KINDS, "Whom you want to meet.")
    rated = Boolean("Whether it counts for ratings.")
    clock = Nested(ClockSchema, "How long players have; null for as long as they like.", allow_none=True)
    renew_after_ms = Integer("When to renew it: then you hear of a match soon, and do not lose your place.")
    expires_at = Time("When it is over, unless it is renewed before.")
