"""The body of every error response."""

from collections.abc import Mapping
from typing import Any, Final

from service.api.schemas.base import (
    CustomField,
    DurationMs,
    Enum,
    Integer,
    List,
    Nested,
    ResponseSchema,
    RunEnd,
    SeatNumber,
    String,
)
from service.runtime.json_object import Json

_SOMETIMES: Final = {"sometimes": True}


class FieldErrorSchema(ResponseSchema):
    """An invalid member, parameter or header."""

    field = String(
        "The path of a member, such as `position.hands.0`, or the name of a parameter or header; empty for "
        "the whole body."
    )
    message = String("What is allowed.")


class ChoiceSchema(ResponseSchema):
    """Members that make an ambiguous move unique when merged into its body."""

    position = Integer("A position in the discard pile.", metadata=_SOMETIMES)
    meld_id = String("The id of a meld.", metadata=_SOMETIMES)
    end = RunEnd("An end of a run.", metadata=_SOMETIMES)


class Params(CustomField):
    """The parameters of a sentence, by name."""

    def __init__(self, description: str, metadata: Mapping[str, Any]) -> None:
        super().__init__(metadata={**metadata, "description": description})

    def json_schema(self) -> Json:
        """Return an object of texts and numbers."""
        return {"type": "object", "additionalProperties": True}


class ProblemSchema(ResponseSchema):
    """A problem by RFC 9457, with additional members."""

    type = String("A page that explains this code.", metadata={"format": "uri-reference"})
    title = String("The title of the code, the same for all its problems.")
    status = Integer("The HTTP status.", minimum=400, maximum=599)
    detail = String("What to do, in one sentence for people. Never present in a 500.", metadata=_SOMETIMES)
    reason_code = String(
        "A stable key of the sentence in `detail`, if it has parameters; another sentence of the same `code` "
        "has another one. Look up your own text by it, or by `code` where it is absent.",
        metadata={**_SOMETIMES, "example": "card_not_in_hand"},
    )
    template = String(
        "The English sentence in `detail` with the names of `params` in braces.",
        metadata={**_SOMETIMES, "example": "You do not hold the {card}."},
    )
    params = Params(
        "The parameters of the sentence in `detail`: a `card` is a card's code, the others are numbers, "
        "codes or names.",
        metadata=_SOMETIMES,
    )
    instance = String("The path of the request.", metadata={"format": "uri-reference"})
    code = String(
        "The error code for programs. New codes may be added; none is renamed.",
        metadata={"example": "must_use_taken_card"},
    )
    kind = Enum(
        "ProblemKind",
        ("illegal_move",),
        "`illegal_move` if the rules of the game refuse the move.",
        metadata=_SOMETIMES,
    )
    rule = String(
        "With a refused move: the number of the rule, an anchor of the rule book (getRuleBook).",
        metadata=_SOMETIMES,
    )
    move = Integer("With a refused whole turn: the index of the refused move, from 0.", metadata=_SOMETIMES)
    current_version = Integer(
        "With `version_conflict`: the current version of the game.", metadata=_SOMETIMES
    )
    retry_after_ms = DurationMs(
        "With `call_window_open` and `rate_limited`: time to wait before the next try.",
        metadata=_SOMETIMES,
    )
    quota = String("With `quota_exceeded`: the name of the quota; getMeta lists all.", metadata=_SOMETIMES)
    limit = Integer("With `quota_exceeded`: how much may be in use.", metadata=_SOMETIMES)
    in_use = Integer("With `quota_exceeded`: how much is in use.", metadata=_SOMETIMES)
    policy = String("With `rate_limited`: the name of the limit; getMeta lists all.", metadata=_SOMETIMES)
    choices = List(
        Nested(ChoiceSchema, "A choice."),
        "With `choice_required`: the possible readings of the move.",
        metadata=_SOMETIMES,
    )
    free_seats = List(SeatNumber(), "The seats that are free.", metadata=_SOMETIMES)
    option = String("The option that contradicts others.", metadata=_SOMETIMES)
    member = String("The member that is allowed in a sandbox only.", metadata=_SOMETIMES)
    job_id = String("With `hint_in_progress`: the running job.", metadata=_SOMETIMES)
    missing = List(String("A sentence."), "Why the service is not ready.", metadata=_SOMETIMES)
    request_id = String("The id of the request, as in the `X-Request-Id` header.")
    errors = List(
        Nested(FieldErrorSchema, "An error."), "All invalid members, parameters and headers; empty otherwise."
    )
