"""What the service tells about itself."""

from typing import Any

from service.api.schemas.base import (
    CardCode,
    Const,
    DurationMs,
    Enum,
    Integer,
    List,
    Nested,
    ResponseSchema,
    String,
    Time,
)
from service.api.schemas.variants import OptionSchema, PresetSchema
from service.jobs.levels import LEVELS


def level_name(description: str, **options: Any) -> Enum:  # noqa: ANN401 - marshmallow's own options
    """Return a field for the name of a computer level."""
    return Enum("LevelName", tuple(LEVELS), description, **options)


class HealthSchema(ResponseSchema):
    """The process answers."""

    status = Const("ok")


class ReadinessSchema(ResponseSchema):
    """All that is needed is there."""

    status = Const("ready")


class LevelSchema(ResponseSchema):
    """A level the computer plays at."""

    name = level_name("What createGame calls it.")
    sentence = String("How it plays.")


class ErrorCodeSchema(ResponseSchema):
    """A code that problems may have."""

    code = String("The code.")
    status = Integer("The status it comes with.", minimum=400, maximum=599)
    title = String("What it means.")
    rule = String("The number of the rule behind a refused move; null for all else.", allow_none=True)


class RequestLimitSchema(ResponseSchema):
    """How often something may be asked for, in any span of so long."""

    policy = String("What a refusal calls it in `policy`, and `RateLimit` in its header.")
    quota = Integer("The most requests.")
    window_ms = Integer("The span.")
    meaning = String("What is counted.")


class LimitsSchema(ResponseSchema):
    """What a client may not exceed."""

    body_bytes = Integer("The largest body of a request.")
    wait_ms = DurationMs("The longest long-poll.")
    page_entries = Integer("The most entries of one page.")
    legal_moves = Integer("The most moves listLegalMoves lists.")
    seats = Integer("The most seats of a game.")
    name_characters = Integer("The longest name.")
    idempotency_key_characters = Integer("The longest Idempotency-Key.")
    game_streams = Integer("The most streams of games that may be open with one token.")
    account_streams = Integer("The most streams of an account that may be open with one token.")
    webhooks = Integer("The most webhooks of a player.")
    requests = List(
        Nested(RequestLimitSchema, "A limit."),
        "How often one may ask; answers tell in `RateLimit` what is left. Empty where nothing is limited.",
    )


class RetentionSchema(ResponseSchema):
    """How long things are kept."""

    finished_game_ms = DurationMs("A finished game, from its end.")
    waiting_game_ms = DurationMs("A game that waits for players.")
    idle_game_ms = DurationMs(
        "A running game in which nobody moves, not even its clock, until it is aborted."
    )
    answer_ms = DurationMs("The answer to a request with an Idempotency-Key.")
    guest_ms = DurationMs("A guest, from the last request.")
    seek_ms = Integer("A seek that is not renewed.")
    hint_ms = DurationMs("A hint, after it was asked for.")


class BuildSchema(ResponseSchema):
    """What runs here."""

    version = String("The version of the service.", metadata={"example": "0.1.0"})


class MetaSchema(ResponseSchema):
    """All that a client needs to know before it plays."""

    presets = List(Nested(PresetSchema, "A preset."), "The games that can be played.")
    options = List(Nested(OptionSchema, "An option."), "What may be set otherwise in any of them.")
    levels = List(Nested(LevelSchema, "A level."), "The levels the computer plays at.")
    cards = List(CardCode(), "The code of every card in canonical order.")
    errors = List(Nested(ErrorCodeSchema, "A code."), "Every code a problem may have.")
    limits = Nested(LimitsSchema, "What a client may not exceed.")
    retention = Nested(RetentionSchema, "How long things are kept.")
    server_time = Time("The time here, to set deadlines against.")
    build = Nested(BuildSchema, "What runs here.")
