"""Players: come as a guest, see and rename oneself, find one's games again."""

from collections.abc import Callable
from dataclasses import replace

from flask import Response

from service.api.auth import (
    GUEST_KEPT_MS,
    PLAY,
    READ,
    SCOPES,
    TOKENS,
    Account,
    Caller,
    Token,
    decode_account,
    encode_account,
    encode_token,
    hash_token,
    new_token,
    new_token_id,
)
from service.api.idempotency import idempotent
from service.api.parameters import IDEMPOTENCY_KEY
from service.api.problems import Problem
from service.api.requests import client_hash
from service.api.resource import Resource, ResponseSpec
from service.api.responses import json_response, no_content
from service.api.schemas.players import ChangedPlayerSchema, MeSchema, NewcomerSchema, NewPlayerSchema
from service.api.services import Services
from service.games.departures import PlayerRemoval
from service.games.record import Player, SeatKind
from service.runtime.json_object import Json
from service.runtime.timestamps import rfc3339
from service.store.ids import new_player_id

players = Resource("players", __name__, url_prefix="/v1", description="Who plays, and with which tokens.")


@players.operation(
    "POST /players",
    "createPlayer",
    body=NewPlayerSchema,
    parameters=(IDEMPOTENCY_KEY,),
    response=ResponseSpec(
        status=201, schema=NewcomerSchema, description="The player, and a token shown this once."
    ),
    errors=("store_unavailable",),
)
def create_player(body: Json, *, services: Services, idempotency_key: str | None) -> Response:
    """Come as a guest.

    No account is needed: the token in the answer is the player. It is stored hashed and cannot be shown
    again. A guest who is not seen for 365 days is forgotten. Repeating the request with the same
    `Idempotency-Key` from the same address gives the same player again: take a random key.
    """
    with idempotent(services.store, client_hash(), idempotency_key, holds_secret=True) as idempotency:
        account, token = _create_guest(services, **body)
        return idempotency.remember(json_response({"player": public(account), "token": token}, 201))


@players.operation(
    "GET /me",
    "getMe",
    scope=READ,
    response=ResponseSpec(schema=MeSchema, description="The player whose token was sent."),
)
def get_me(*, caller: Caller) -> Response:
    """Tell who I am.

    Answers the player whose token was sent, and what that token may do.
    """
    return json_response(_private(caller, caller.account))


@players.operation(
    "PATCH /me",
    "updateMe",
    scope=PLAY,
    body=ChangedPlayerSchema,
    response=ResponseSpec(schema=MeSchema, description="The player after the change."),
    errors=("not_found",),
)
def update_me(body: Json, *, services: Services, caller: Caller) -> Response:
    """Change my name.

    Tables you sit at already keep the old one.
    """
    account = _update_account(services, caller, lambda stored: replace(stored, name=body["name"]))
    if account is None or account.is_leaving:
        raise Problem("not_found", "This player has just been deleted.")
    return json_response(_private(caller, account))


@players.operation(
    "DELETE /me",
    "deleteMe",
    scope=TOKENS,
    response=ResponseSpec(status=204, schema=None, description="The player is gone."),
)
def delete_me(*, services: Services, caller: Caller) -> Response:
    """Delete myself.

    From this moment on no token and no device link of yours opens anything. At every table you ever sat at
    your name becomes "former player"; a computer plays on for you where the game runs, and a seat you only
    waited on is free again. Nothing of this can be undone. A request that broke off may be sent again.
    """
    _update_account(services, caller, lambda account: replace(account, is_leaving=True))
    PlayerRemoval(store=services.store, table=services.table).remove(caller.id)
    services.store.delete_player(caller.id)
    return no_content()


def _create_guest(services: Services, name: str, kind: str) -> tuple[Account, str]:
    now = services.now()
    account = Account(id=new_player_id(), name=name, kind=kind, created_at=now, seen_at=now)
    token = new_token(account.id)
    kept = Token(id=new_token_id(), name="first", scopes=SCOPES, created_at=now)
    services.store.put_player(
        account.id, encode_account(account), replaces=None, expires_at=now + GUEST_KEPT_MS
    )
    services.store.put_token(account.id, hash_token(token), encode_token(kept))
    return account, token


def _update_account(
    services: Services, caller: Caller, change: Callable[[Account], Account]
) -> Account | None:
    """Change the caller's account and return it; None where it was deleted in the meantime."""
    stored: bytes | None = caller.stored
    # Another writer of the same player (a second device, the note that he was seen) goes first.
    while stored is not None:
        account = change(decode_account(stored))
        expires_at = services.now() + GUEST_KEPT_MS
        if services.store.put_player(
            caller.id, encode_account(account), replaces=stored, expires_at=expires_at
        ):
            return account
        stored = services.store.player(caller.id)
    return None


def as_player(caller: Caller) -> Player:
    """Return the caller as somebody who sits down."""
    account = caller.account
    return Player(id=account.id, name=account.name, kind=SeatKind(account.kind))


def public(account: Account) -> Json:
    """Return what everybody may know of a player."""
    return {"id": account.id, "name": account.name, "kind": account.kind}


def _private(caller: Caller, account: Account) -> Json:
    return {
        **public(account),
        "created_at": rfc3339(account.created_at),
        "scopes": caller.token.scopes,
    }
