"""Players and their tokens."""

from typing import Any

from marshmallow import ValidationError, validate, validates_schema

from service.api.auth import SCOPES
from service.api.schemas.base import (
    Boolean,
    Enum,
    List,
    Name,
    Nested,
    RequestSchema,
    ResponseSchema,
    String,
    Time,
)
from service.runtime.json_object import Json

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
    """A new guest account."""

    name = Name("Your name, as others see it.", required=True)
    kind = _kind("Who decides your moves: a person or a program.", load_default="human")


class ChangedPlayerSchema(RequestSchema):
    """Changes to a player."""

    name = Name("Your new name, as others see it.")
    reactions = Boolean("Whether you get and send reactions; `true` for a new player.")

    @validates_schema
    def _check_any(self, changes: Json, **_options: Any) -> None:  # noqa: ANN401 - marshmallow's own options
        if not changes:
            raise ValidationError("Send name, reactions, or both.")


class PlayerSchema(ResponseSchema):
    """A player as others see them."""

    id = String("The player's id.")
    name = String("The player's name.")
    kind = _kind("Who decides this player's moves.")


class MeSchema(PlayerSchema):
    """The caller's own account."""

    created_at = Time("When the account was created.")
    scopes = List(_scope(), "The scopes of the token of this request.")
    reactions = Boolean("Whether you get and send reactions (sendReaction).")
    recovery_code_created_at = Time(
        "When your recovery code was created; null if you have none.", allow_none=True
    )


class NewcomerSchema(ResponseSchema):
    """A new player, and the token to act as that player."""

    player = Nested(PlayerSchema, "The new player.")
    token = String("The token, returned only once. Send it as `Authorization: Bearer ...`.")


class NewTokenSchema(RequestSchema):
    """Another token, with no more scopes than the token of the request."""

    name = Name("A name for the token, such as that of the device.", load_default="token")
    scopes = _scopes("The scopes of the token; default: those of the token of the request.")


class TokenSchema(ResponseSchema):
    """A token, without its secret."""

    id = String("The token's id, for revokeToken.")
    name = String("The token's name.")
    scopes = List(_scope(), "The scopes of the token.")
    created_at = Time("When it was created.")


class CreatedTokenSchema(ResponseSchema):
    """A new token."""

    token_info = Nested(TokenSchema, "The token as listTokens shows it.")
    token = String("The token, returned only once. Send it as `Authorization: Bearer ...`.")


class NewDeviceLinkSchema(RequestSchema):
    """A code to sign in on another device, with no more scopes than the token of the request."""

    name = Name("A name for the device's token.", load_default="device")
    scopes = _scopes("The scopes of the device; default: those of the token of the request.")


class DeviceLinkSchema(ResponseSchema):
    """A code to sign in with once."""

    code = String(
        "The code, returned only once, to type on the other device. Case and dashes do not matter.",
        metadata={"example": "7Q2M-XK9D-04FT"},
    )
    expires_at = Time("When it expires.")


class ClaimSchema(RequestSchema):
    """The code shown on another device of the player."""

    code = String(
        "The code.",
        validate=validate.Length(min=1, max=64, error="Send 1 to 64 characters."),
        metadata={"example": "7Q2M-XK9D-04FT"},
        required=True,
    )


class RecoveryCodeSchema(ResponseSchema):
    """A code to recover the account with."""

    recovery_code = String(
        "The code, returned only once, to write down: 25 characters of Crockford's base 32. The last one is "
        "a check, with which you can find a typing error before you send the code: the others, read as a "
        "number in base 32, modulo 37. Case, spaces and dashes do not matter.",
        metadata={"example": "1Z8QK-0V7TM-D4XJ9-RB2CW-5HN3F"},
    )
    created_at = Time("When it was created.")


class RecoveryClaimSchema(RequestSchema):
    """A recovery code, as it was written down."""

    code = String(
        "The code.",
        validate=validate.Length(min=1, max=64, error="Send 1 to 64 characters."),
        metadata={"example": "1Z8QK-0V7TM-D4XJ9-RB2CW-5HN3F"},
        required=True,
    )
    name = Name("A name for the new token.", load_default="recovered")
    revoke_other_tokens = Boolean(
        "Whether every other token and every device link of the player stops working.", load_default=False
    )


class ClaimedSchema(ResponseSchema):
    """The player, and a token for the new device."""

    player = Nested(PlayerSchema, "The player that this device acts as.")
    token_info = Nested(TokenSchema, "The token as listTokens shows it.")
    token = String("The token, returned only once. Send it as `Authorization: Bearer ...`.")


class TokensSchema(ResponseSchema):
    """All tokens of a player."""

    tokens = List(Nested(TokenSchema, "A token."), "The tokens, oldest first.")
