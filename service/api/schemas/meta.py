"""Health, and what a client needs to know about the service."""

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
from service.api.schemas.reactions import ReactionSchema
from service.api.schemas.variants import OptionSchema, PresetSchema
from service.jobs.levels import LEVELS


def level_name(description: str, **options: Any) -> Enum:  # noqa: ANN401 - marshmallow's own options
    """Return a field for the name of a computer level."""
    return Enum("LevelName", tuple(LEVELS), description, **options)


class HealthSchema(ResponseSchema):
    """The process is running."""

    status = Const("ok")


class ReadinessSchema(ResponseSchema):
    """The service is ready for requests."""

    status = Const("ready")


class LevelSchema(ResponseSchema):
    """A level of the computer player."""

    name = level_name("The name for createGame.")
    sentence = String("How the level plays, in one sentence.")


class ErrorCodeSchema(ResponseSchema):
    """An error code."""

    code = String("The code.")
    status = Integer("The HTTP status.", minimum=400, maximum=599)
    title = String("What the code means.")
    rule = String("The number of the rule, if the code refuses a move; null otherwise.", allow_none=True)
    rule_path = String(
        "Where this service serves the text of the rule; null with `rule`.",
        allow_none=True,
        metadata={"example": "/v1/rule-book.md#2.5"},
    )


class RequestLimitSchema(ResponseSchema):
    """A rate limit: the number of requests allowed in any window of time."""

    policy = String("The name of the limit, as in `policy` of a refusal and in the `RateLimit` header.")
    quota = Integer("Number of requests allowed in a window.")
    window_ms = Integer("Length of the window.")
    meaning = String("What the limit counts.")


class UsageQuotaSchema(ResponseSchema):
    """How much an account, and an address, may have in use of one thing."""

    name = String("The name of the quota.", metadata={"example": "tables"})
    account = Integer("How much of it an account may have in use.")
    address = Integer("How much of it all accounts of one address may have in use.")
    meaning = String("What counts, in words.")


class LimitsSchema(ResponseSchema):
    """Limits for clients."""

    body_bytes = Integer("Maximum size of a request body.")
    wait_ms = DurationMs("Maximum duration of a long poll.")
    page_entries = Integer("Maximum number of entries in a page.")
    legal_moves = Integer("Maximum number of moves in an answer of listLegalMoves.")
    seats = Integer("Maximum number of seats of a game.")
    name_characters = Integer("Maximum length of a name.")
    idempotency_key_characters = Integer("Maximum length of an Idempotency-Key.")
    game_streams = Integer("Maximum number of open game streams per token.")
    account_streams = Integer("Maximum number of open account streams per token.")
    expired_turns = Integer(
        "After this many expired turns in a row a computer plays the seat; a rated game is then resigned."
    )
    webhooks = Integer("Maximum number of webhooks per player.")
    score_sheet_deals = Integer("Maximum number of deals of a score sheet.")
    score_sheet_changes = Integer("Number of changes that a score sheet remembers, and can undo.")
    requests = List(
        Nested(RequestLimitSchema, "A limit."),
        "The rate limits; the `RateLimit` header shows what is left of them. Empty if rates are not limited.",
    )
    quotas = List(
        Nested(UsageQuotaSchema, "A quota."),
        "How much an account and an address may have in use at a time; more is refused with "
        "`quota_exceeded`. Empty if rates are not limited.",
    )


class RatingLimitsSchema(ResponseSchema):
    """What a rated game needs to count; `/docs/ratings` says why."""

    established_games = Integer(
        "Number of games that counted before a player is established: on the leaderboard, and rated at "
        "tables that players arrange."
    )
    established_opponents = Integer("Number of opponents that an established player has met.")
    meetings = Integer("How often the same two players count for each other within `meetings_ms`.")
    meetings_ms = DurationMs("The time in which `meetings` are counted.")


class RetentionSchema(ResponseSchema):
    """How long data is kept."""

    finished_game_ms = DurationMs("A finished game, from its end.")
    waiting_game_ms = DurationMs("A game that waits for players.")
    idle_game_ms = DurationMs("A running game without moves, until it is aborted.")
    answer_ms = DurationMs("The answer to a request with an Idempotency-Key.")
    guest_ms = DurationMs("A guest account, from its last request.")
    seek_ms = Integer("A seek, from its last renewal.")
    hint_ms = DurationMs("A hint, from its request.")
    score_sheet_ms = DurationMs("A score sheet, from its last change.")


class BuildSchema(ResponseSchema):
    """The running build."""

    version = String("The version of the service.", metadata={"example": "0.1.0"})


class MetaSchema(ResponseSchema):
    """What a client needs to know before it plays."""

    presets = List(Nested(PresetSchema, "A preset."), "The available presets of rules.")
    options = List(Nested(OptionSchema, "An option."), "The options that may be overridden in any preset.")
    levels = List(Nested(LevelSchema, "A level."), "The levels of the computer player.")
    cards = List(CardCode(), "The codes of all cards, in canonical order.")
    reactions = List(Nested(ReactionSchema, "A reaction."), "The reactions for sendReaction.")
    errors = List(Nested(ErrorCodeSchema, "A code."), "All error codes.")
    limits = Nested(LimitsSchema, "Limits for clients.")
    ratings = Nested(RatingLimitsSchema, "What a rated game needs to count.")
    retention = Nested(RetentionSchema, "How long data is kept.")
    server_time = Time("The current time of the server, to compare deadlines with.")
    web_push_key = String(
        "The public key to subscribe with for Web Push (`applicationServerKey`); null if it is off.",
        allow_none=True,
    )
    build = Nested(BuildSchema, "The running build.")
