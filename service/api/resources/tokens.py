"""Tokens of a player, such as for a second device or a program."""

from flask import Response

from service.api.auth import (
    READ,
    TOKENS,
    Caller,
    Token,
    decode_token,
    encode_token,
    hash_token,
    new_token,
    new_token_id,
)
from service.api.idempotency import idempotent
from service.api.parameters import IDEMPOTENCY_KEY
from service.api.problems import Problem
from service.api.resource import Resource, ResponseSpec
from service.api.responses import json_response, no_content
from service.api.schemas.players import CreatedTokenSchema, NewTokenSchema, TokensSchema
from service.api.services import Services
from service.runtime.json_object import Json
from service.runtime.timestamps import rfc3339
from service.store.contract import Store

tokens = Resource("tokens", __name__, url_prefix="/v1", description="Tokens that authenticate a player.")


@tokens.operation(
    "GET /tokens",
    "listTokens",
    scope=READ,
    response=ResponseSpec(schema=TokensSchema, description="Every token of the player."),
)
def list_tokens(*, services: Services, caller: Caller) -> Response:
    """List my tokens.

    Their scopes and when they were created, never the tokens themselves.
    """
    return json_response({"tokens": token_views(services.store, caller)})


@tokens.operation(
    "POST /tokens",
    "createToken",
    scope=TOKENS,
    body=NewTokenSchema,
    parameters=(IDEMPOTENCY_KEY,),
    response=ResponseSpec(
        status=201, schema=CreatedTokenSchema, description="The token, which is shown only once."
    ),
    errors=("not_found",),
)
def create_token(body: Json, *, services: Services, caller: Caller, idempotency_key: str | None) -> Response:
    """Create a token.

    For a second device, or for a program with fewer rights. It cannot have more scopes than the token of
    this request.
    """
    with idempotent(services.store, caller.id, idempotency_key, holds_secret=True) as idempotency:
        made = create_token_of(services, caller.id, body["name"], granted_scopes(caller, body.get("scopes")))
        if made is None:
            raise Problem("not_found", "This player has just been deleted.")
        kept, token = made
        return idempotency.remember(json_response({"token_info": token_view(kept), "token": token}, 201))


@tokens.operation(
    "DELETE /tokens/<string(maxlength=64):token_id>",
    "revokeToken",
    scope=TOKENS,
    response=ResponseSpec(status=204, schema=None, description="The token is revoked."),
    errors=("not_found",),
)
def revoke_token(*, services: Services, caller: Caller, token_id: str) -> Response:
    """Revoke a token.

    It stops working with the next request. A token may revoke itself.
    """
    for token_hash, token in _stored_tokens(services.store, caller):
        if token.id == token_id and services.store.revoke_token(caller.id, token_hash):
            return no_content()
    raise Problem("not_found", "You have no such token.")


def _stored_tokens(store: Store, caller: Caller) -> list[tuple[str, Token]]:
    return [(stored.token_hash, decode_token(stored.body)) for stored in store.tokens_of(caller.id)]


def token_views(store: Store, caller: Caller) -> list[Json]:
    """Return the tokens of a player, oldest first, without their secrets."""
    kept = sorted(
        (token for _, token in _stored_tokens(store, caller)), key=lambda token: (token.created_at, token.id)
    )
    return [token_view(token) for token in kept]


def revoke_all_but(store: Store, player_id: str, token_hash: str) -> None:
    """Revoke every token of a player but one."""
    # Again until no other is left: a request in progress may have created one meanwhile.
    while others := [
        stored.token_hash for stored in store.tokens_of(player_id) if stored.token_hash != token_hash
    ]:
        for other in others:
            store.revoke_token(player_id, other)


def granted_scopes(caller: Caller, wanted: list[str] | None) -> tuple[str, ...]:
    """Return the scopes asked for, by default all of the caller's; raise `Problem` for one they lack."""
    if missing := [scope for scope in wanted or () if scope not in caller.token.scopes]:
        raise Problem("insufficient_scope", f"Your own token lacks {', '.join(missing)}.")
    return tuple(wanted or caller.token.scopes)


def create_token_of(
    services: Services, player_id: str, name: str, scopes: tuple[str, ...]
) -> tuple[Token, str] | None:
    """Create and store a token; return what is stored of it, and the token. None if the player is gone."""
    token = new_token(player_id)
    kept = Token(id=new_token_id(), name=name, scopes=scopes, created_at=services.now())
    if not services.store.put_token(player_id, hash_token(token), encode_token(kept)):
        return None
    return kept, token


def token_view(token: Token) -> Json:
    """Return the token's public data."""
    return {
        "id": token.id,
        "name": token.name,
        "scopes": token.scopes,
        "created_at": rfc3339(token.created_at),
    }
