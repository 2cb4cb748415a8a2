"""Players and their tokens."""

from typing import Any

from marshmallow import ValidationError, validate

from service.api.auth import SCOPES
from service.api.schemas.base import Enum, List, Name, Nested, RequestSchema, ResponseSchema, String, Time

PLAYER_KINDS = ("human", "bot")


def _kind(description: str, **options: Any) -> Enum:  # noqa: ANN401 - marshmallow's own options
    return Enum("PlayerKind", PLAYER_KINDS, description, **options)


def _scope() -> Enum:
    return Enum("Scope", SCOPES, "What a token may do.")


def _scopes(description: str) -> List:
    once = validate.Length(min=1, max=len(SCOPES), error=f"Send an array of 1 to {len(SCOPES)} entries.")
    return List(_scope(), description, validate=[once, _each_once])


def _each_once(scopes: list[str]) -> None:
    if len(set(scopes)) < len(scopes):
        raise ValidationError("Name each scope once.")


class NewPlayerSchema(RequestSchema):
    """A guest who wants to play."""

    name = Name("What others call you.", required=True)
    kind = _kind("Who decides your moves: a person, or a program of yours.", load_default="human")


class ChangedPlayerSchema(RequestSchema):
    """What a player may change."""

    name = Name("What others call you from now on.", required=True)


class PlayerSchema(ResponseSchema):
    """A player as everybody may know him."""

    id = String("The player's id.")
    name = String("What others call this player.")
    kind = _kind("Who decides this player's moves.")


class MeSchema(PlayerSchema):
    """A player as only he may know himself."""

    created_at = Time("When the player came.")
    scopes = List(_scope(), "What the token of this request may do.")


class NewcomerSchema(ResponseSchema):
    """A new player and the token to act as that player."""

    player = Nested(PlayerSchema, "The new player.")
    token = String("Shown this once: send it as `Authorization: Bearer ...`.")


class NewTokenSchema(RequestSchema):
    """A further token, with no more rights than the one that asks."""

    name = Name("What you will know it by, such as the device it is for.", load_default="token")
    scopes = _scopes("What it may do; without it all that the asking token may.")


class TokenSchema(ResponseSchema):
    """A token, as far as it can be shown again."""

    id = String("What revokeToken calls it by.")
    name = String("What its player knows it by.")
    scopes = List(_scope(), "What it may do.")
    created_at = Time("When it was made.")


class CreatedTokenSchema(ResponseSchema):
    """A new token."""

    token_info = Nested(TokenSchema, "What will be shown of it later.")
    token = String("Shown this once: send it as `Authorization: Bearer ...`.")


class NewDeviceLinkSchema(RequestSchema):
    """A code that brings a second device in, with no more rights than the token that asks."""

    name = Name("What you will know the device's token by.", load_default="device")
    scopes = _scopes("What the device may do; without it all that the asking token may.")


class DeviceLinkSchema(ResponseSchema):
    """A code that opens the door once."""

    code = String(
        "Shown this once, to be typed at the other device: capitals or not, with or without dashes.",
        metadata={"example": "7Q2M-XK9D-04FT"},
    )
    expires_at = Time("Until when it can be claimed.")


class ClaimSchema(RequestSchema):
    """The code that another device of the player shows."""

    code = String(
        "The code as it is shown there.",
        validate=validate.Length(min=1, max=64, error="Send 1 to 64 characters."),
        metadata={"example": "7Q2M-XK9D-04FT"},
        required=True,
    )


class ClaimedSchema(ResponseSchema):
    """The player, and the new device's own token."""

    player = Nested(PlayerSchema, "The player this device now is.")
    token_info = Nested(TokenSchema, "What will be shown of the token later.")
    token = String("Shown this once: send it as `Authorization: Bearer ...`.")


class TokensSchema(ResponseSchema):
    """All tokens of a player."""

    tokens = List(Nested(TokenSchema, "A token."), "The tokens, oldest first.")
