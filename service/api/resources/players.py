"""Players: create a guest, read, rename and delete the own player."""

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
from service.api.idempotency import idempotent_newcomer
from service.api.parameters import IDEMPOTENCY_KEY
from service.api.problems import Problem
from service.api.recovery_secrets import delete_recovery_code
from service.api.resource import Resource, ResponseSpec
from service.api.responses import json_response, no_content
from service.api.schemas.players import ChangedPlayerSchema, MeSchema, NewcomerSchema, NewPlayerSchema
from service.api.services import Services
from service.games.departures import PlayerRemoval
from service.games.record import Player, SeatKind
from service.runtime.json_object import Json
from service.runtime.timestamps import rfc3339
from service.store.ids import new_player_id

players = Resource("players", __name__, url_prefix="/v1", description="Players and their accounts.")


@players.operation(
    "POST /players",
    "createPlayer",
    body=NewPlayerSchema,
    parameters=(IDEMPOTENCY_KEY,),
    response=ResponseSpec(
        status=201, schema=NewcomerSchema, description="The player, and a token that is shown only once."
    ),
    errors=("store_unavailable",),
)
def create_player(body: Json, *, services: Services, idempotency_key: str | None) -> Response:
    """Create a guest player.

    No account is needed: the token in the response identifies the player. It is stored hashed and cannot
    be shown again. A guest without a request for 365 days is deleted. A retry with the same
    `Idempotency-Key` from the same address returns the same player: use a random key.
    """
    with idempotent_newcomer(services.store, idempotency_key) as idempotency:
        account, token = _create_guest(services, **body)
        return idempotency.remember(json_response({"player": player_view(account), "token": token}, 201))


@players.operation(
    "GET /me",
    "getMe",
    scope=READ,
    response=ResponseSpec(schema=MeSchema, description="The player of the token."),
)
def get_me(*, caller: Caller) -> Response:
    """Get my player.

    The player of the token, and what the token may do.
    """
    return json_response(own_view(caller, caller.account))


@players.operation(
    "PATCH /me",
    "updateMe",
    scope=PLAY,
    body=ChangedPlayerSchema,
    response=ResponseSpec(schema=MeSchema, description="The player after the change."),
    errors=("not_found",),
)
def update_me(body: Json, *, services: Services, caller: Caller) -> Response:
    """Rename my player, or change a setting.

    What you leave out stays as it is. Tables at which you have a seat already keep the old name.
    """
    account = change_account(services, caller.id, caller.stored, lambda stored: replace(stored, **body))
    if account is None or account.is_leaving:
        raise deleted_meanwhile()
    return json_response(own_view(caller, account))


@players.operation(
    "DELETE /me",
    "deleteMe",
    scope=TOKENS,
    response=ResponseSpec(status=204, schema=None, description="The player is deleted."),
)
def delete_me(*, services: Services, caller: Caller) -> Response:
    """Delete my player.

    All your tokens, device links and your recovery code stop working at once. At every table you ever sat
    at, your name becomes "former player"; a computer plays on for you in running games, and seats in games
    that have not started become free. This cannot be undone. A request that failed may be retried.
    """
    change_account(services, caller.id, caller.stored, lambda account: replace(account, is_leaving=True))
    if caller.account.recovery_hash is not None:
        delete_recovery_code(services.store, caller.account.recovery_hash, now=services.now())
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


def change_account(
    services: Services, player_id: str, stored: bytes | None, change: Callable[[Account], Account]
) -> Account | None:
    """Change an account, last read as `stored`, and return it; None if the player was deleted meanwhile."""
    # If another writer of the account was faster (a second device, a renewal), try again on its result.
    while stored is not None:
        account = change(decode_account(stored))
        expires_at = services.now() + GUEST_KEPT_MS
        if services.store.put_player(
            player_id, encode_account(account), replaces=stored, expires_at=expires_at
        ):
            return account
        stored = services.store.player(player_id)
    return None


def deleted_meanwhile() -> Problem:
    """Return the problem of a player who was deleted while their request was running."""
    return Problem("not_found", "This player has just been deleted.")


def as_player(caller: Caller) -> Player:
    """Return the caller as a player to seat."""
    account = caller.account
    return Player(id=account.id, name=account.name, kind=SeatKind(account.kind))


def existing_player(services: Services, player_id: str) -> Account:
    """Return the account of a player; raise `Problem` not_found for one who does not exist."""
    stored = services.store.player(player_id)
    account = None if stored is None else decode_account(stored)
    if account is None or account.is_leaving:
        raise Problem("not_found", "No such player.")
    return account


def player_view(account: Account) -> Json:
    """Return the public data of a player."""
    return {"id": account.id, "name": account.name, "kind": account.kind}


def own_view(caller: Caller, account: Account) -> Json:
    """Return a player's own data."""
    return {
        **player_view(account),
        "created_at": rfc3339(account.created_at),
        "scopes": caller.token.scopes,
        "reactions": account.reactions,
        "recovery_code_created_at": account.recovery_created_at and rfc3339(account.recovery_created_at),
    }
