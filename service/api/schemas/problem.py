"""The one shape of everything that goes wrong."""

from typing import Final

from service.api.schemas.base import (
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

_SOMETIMES: Final = {"sometimes": True}


class FieldErrorSchema(ResponseSchema):
    """One member, parameter or header that does not fit."""

    field = String(
        "The place: `position.hands.0`, a parameter's or a header's name; empty for the whole body."
    )
    message = String("What is allowed there.")


class ChoiceSchema(ResponseSchema):
    """Members that, merged into the body, settle how a move is meant."""

    position = Integer("A place in the discard pile.", metadata=_SOMETIMES)
    meld_id = String("A meld.", metadata=_SOMETIMES)
    end = RunEnd("An end of a run.", metadata=_SOMETIMES)


class ProblemSchema(ResponseSchema):
    """A problem of RFC 9457 with the members of ours."""

    type = String("Where this kind of problem is explained.", metadata={"format": "uri-reference"})
    title = String("What all problems of this code have in common.")
    status = Integer("The status of the answer.", minimum=400, maximum=599)
    detail = String("One sentence for a person: what to do. Never there in a 500.", metadata=_SOMETIMES)
    instance = String("The path that was asked for.", metadata={"format": "uri-reference"})
    code = String(
        "What a program goes by; new codes may come, none is renamed.",
        metadata={"example": "must_use_taken_card"},
    )
    kind = Enum(
        "ProblemKind",
        ("illegal_move",),
        "`illegal_move` where the rules of the game refused a move.",
        metadata=_SOMETIMES,
    )
    rule = String("The number of the rule in the rule book, with a refused move.", metadata=_SOMETIMES)
    move = Integer("Which of the moves of a whole turn was refused, from 0.", metadata=_SOMETIMES)
    current_version = Integer("The version the game is at, with `version_conflict`.", metadata=_SOMETIMES)
    retry_after_ms = DurationMs(
        "In how many milliseconds to try again, with `call_window_open` and `rate_limited`.",
        metadata=_SOMETIMES,
    )
    policy = String(
        "The limit that was reached, with `rate_limited`; getMeta lists them.", metadata=_SOMETIMES
    )
    choices = List(
        Nested(ChoiceSchema, "A choice."),
        "The ways to read the move, with `choice_required`.",
        metadata=_SOMETIMES,
    )
    free_seats = List(SeatNumber(), "The seats still free.", metadata=_SOMETIMES)
    option = String("The option that does not go with the others.", metadata=_SOMETIMES)
    member = String("The member that needs a sandbox.", metadata=_SOMETIMES)
    job_id = String("The job that is thought about already, with `hint_in_progress`.", metadata=_SOMETIMES)
    missing = List(String("A sentence."), "What keeps the service from being ready.", metadata=_SOMETIMES)
    request_id = String("The id of the request, as in `X-Request-Id`.")
    errors = List(
        Nested(FieldErrorSchema, "One thing that does not fit."), "All that does not fit; empty otherwise."
    )
