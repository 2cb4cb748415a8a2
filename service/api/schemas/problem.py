"""The one shape of everything that goes wrong."""

from service.api.schemas.base import Many, Part, ResponseSchema, Text, Whole


class FieldErrorSchema(ResponseSchema):
    """One member, parameter or header that does not fit."""

    field = Text("The place: `position.hands.0`, a parameter's or a header's name; empty for the whole body.")
    message = Text("What is allowed there.")


class ProblemSchema(ResponseSchema):
    """A problem of RFC 9457 with the members of ours."""

    type = Text("Where this kind of problem is explained.", metadata={"format": "uri-reference"})
    title = Text("What all problems of this code have in common.")
    status = Whole("The status of the answer.", least=400, most=599)
    detail = Text(
        "One sentence for a person: what to do. Never there in a 500.", metadata={"sometimes": True}
    )
    instance = Text("The path that was asked for.", metadata={"format": "uri-reference"})
    code = Text(
        "What a program goes by; new codes may come, none is renamed.",
        metadata={"example": "must_use_taken_card"},
    )
    kind = Text("`illegal_move` where the rules of the game refused a move.", metadata={"sometimes": True})
    rule = Text("The number of the rule in the rule book, with a refused move.", metadata={"sometimes": True})
    current_version = Whole(
        "The version the game is at, with `version_conflict`.", metadata={"sometimes": True}
    )
    request_id = Text("The id of the request, as in `X-Request-Id`.")
    errors = Many(
        Part(FieldErrorSchema, "One thing that does not fit."), "All that does not fit; empty otherwise."
    )
