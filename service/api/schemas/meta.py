"""What the service tells about itself."""

from typing import Any

from service.api.schemas.base import (
    CardCode,
    Const,
    Many,
    Named,
    Part,
    ResponseSchema,
    Span,
    Text,
    Time,
    Whole,
)
from service.api.schemas.variants import OptionSchema, PresetSchema
from service.jobs.levels import LEVELS


def level_name(description: str, **options: Any) -> Named:  # noqa: ANN401 - marshmallow's own options
    """Return a field for the name of a computer level."""
    return Named("LevelName", tuple(LEVELS), description, **options)


class HealthSchema(ResponseSchema):
    """The process answers."""

    status = Const("ok")


class ReadinessSchema(ResponseSchema):
    """All that is needed is there."""

    status = Const("ready")


class LevelSchema(ResponseSchema):
    """A level the computer plays at."""

    name = level_name("What createGame calls it.")
    sentence = Text("How it plays.")


class ErrorCodeSchema(ResponseSchema):
    """A code that problems may have."""

    code = Text("The code.")
    status = Whole("The status it comes with.", least=400, most=599)
    title = Text("What it means.")
    rule = Text("The number of the rule behind a refused move; null for all else.", allow_none=True)


class RequestLimitSchema(ResponseSchema):
    """How often something may be asked for, in any span of so long."""

    policy = Text("What a refusal calls it in `policy`, and `RateLimit` in its header.")
    quota = Whole("The most requests.")
    window_ms = Whole("The span.")
    meaning = Text("What is counted.")


class LimitsSchema(ResponseSchema):
    """What a client may not exceed."""

    body_bytes = Whole("The largest body of a request.")
    wait_ms = Span("The longest long-poll.")
    page_entries = Whole("The most entries of one page.")
    legal_moves = Whole("The most moves listLegalMoves lists.")
    seats = Whole("The most seats of a game.")
    name_characters = Whole("The longest name.")
    idempotency_key_characters = Whole("The longest Idempotency-Key.")
    game_streams = Whole("The most streams of games that may be open with one token.")
    account_streams = Whole("The most streams of an account that may be open with one token.")
    webhooks = Whole("The most webhooks of a player.")
    requests = Many(
        Part(RequestLimitSchema, "A limit."),
        "How often one may ask; answers tell in `RateLimit` what is left. Empty where nothing is limited.",
    )


class RetentionSchema(ResponseSchema):
    """How long things are kept."""

    finished_game_ms = Span("A finished game, from its end.")
    waiting_game_ms = Span("A game that waits for players.")
    idle_game_ms = Span("A running game in which nobody moves, not even its clock, until it is aborted.")
    answer_ms = Span("The answer to a request with an Idempotency-Key.")
    guest_ms = Span("A guest, from the last request.")
    seek_ms = Whole("A seek that is not renewed.")
    hint_ms = Span("A hint, after it was asked for.")


class BuildSchema(ResponseSchema):
    """What runs here."""

    version = Text("The version of the service.", metadata={"example": "0.1.0"})


class MetaSchema(ResponseSchema):
    """All that a client needs to know before it plays."""

    presets = Many(Part(PresetSchema, "A preset."), "The games that can be played.")
    options = Many(Part(OptionSchema, "An option."), "What may be set otherwise in any of them.")
    levels = Many(Part(LevelSchema, "A level."), "The levels the computer plays at.")
    cards = Many(CardCode(), "The code of every card in canonical order.")
    errors = Many(Part(ErrorCodeSchema, "A code."), "Every code a problem may have.")
    limits = Part(LimitsSchema, "What a client may not exceed.")
    retention = Part(RetentionSchema, "How long things are kept.")
    server_time = Time("The time here, to set deadlines against.")
    build = Part(BuildSchema, "What runs here.")
