"""Seeks: whom somebody looks for, and what became of it."""

from typing import Final

from service.api.schemas.base import Flag, Named, Part, RequestSchema, ResponseSchema, Text, Time, Whole
from service.api.schemas.games import ClockSchema, NewClockSchema
from service.api.schemas.variants import NewVariantSchema, VariantSchema
from service.rummy.variants import FEWEST_SEATS, MOST_SEATS

ANY: Final = "any"
_KINDS: Final = (ANY, "human", "bot")


class NewSeekSchema(RequestSchema):
    """The game to be played, and with whom."""

    variant = Part(NewVariantSchema, "The rules.", load_default=lambda: NewVariantSchema().load({}))
    seats = Whole(
        "How many play, you among them. Without it as few as the preset takes.",
        least=FEWEST_SEATS,
        most=MOST_SEATS,
        load_default=None,
        allow_none=True,
    )
    opponent_kind = Named("OpponentKind", _KINDS, "Whom you want to meet.", load_default=ANY)
    rated = Flag("Whether it counts for ratings.", load_default=False)
    clock = Part(
        NewClockSchema,
        "How long players have. Null: as long as they like. Without it: two minutes a turn and 30 seconds "
        "between deals.",
        allow_none=True,
    )


class SeekSchema(ResponseSchema):
    """A seek, and the game once it has found one."""

    id = Text("What renewSeek and cancelSeek call it.")
    status = Named("SeekStatus", ("waiting", "matched"), "Whether all who are needed have met.")
    game_id = Text("The game, which has begun and where you sit; null while the seek waits.", allow_none=True)
    variant = Part(VariantSchema, "The rules.")
    seats = Whole("How many play.")
    opponent_kind = Named("OpponentKind", _KINDS, "Whom you want to meet.")
    rated = Flag("Whether it counts for ratings.")
    clock = Part(ClockSchema, "How long players have; null for as long as they like.", allow_none=True)
    renew_after_ms = Whole("When to renew it: then you hear of a match soon, and do not lose your place.")
    expires_at = Time("When it is over, unless it is renewed before.")
