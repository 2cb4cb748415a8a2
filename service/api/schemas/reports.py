"""Reports about players."""

from marshmallow import validate

from service.api.schemas.base import Enum, RequestSchema, ResponseSchema, String, Time
from service.games.player_reports import REASONS

MAX_TEXT = 500


class NewReportSchema(RequestSchema):
    """What a player did."""

    reason = Enum("ReportReason", REASONS, "What it is about.", required=True)
    text = String(
        "What happened, in your words.",
        load_default="",
        validate=validate.Length(max=MAX_TEXT, error=f"Send {MAX_TEXT} characters at most."),
    )
    game_id = String(
        "The game in which it happened; you and the player must have played in it.",
        load_default=None,
        allow_none=True,
        validate=validate.Length(max=64, error="Send 64 characters at most."),
    )


class ReportSchema(ResponseSchema):
    """A report that was made."""

    id = String("The id of the report, to name it to the operator.")
    created_at = Time("When it was made.")
