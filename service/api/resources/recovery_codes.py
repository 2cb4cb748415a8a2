"""Recovery codes: a player who lost every device gets a token again.

A code has 120 random bits and is stored as a hash. It works until its player creates another one: a response
that is lost on the way never locks a player out. The code's secret names the player, and the account names
the code: both must agree, so that only the newest code works.
"""

from dataclasses import replace
from typing import Final

from flask import Response

from service.api.auth import GUEST_KEPT_MS, SCOPES, TOKENS, Account, Caller, decode_account, hash_token
from service.api.idempotency import idempotent, idempotent_newcomer
from service.api.parameters import IDEMPOTENCY_KEY
from service.api.problems import Problem
from service.api.recovery_secrets import delete_recovery_code, player_of_recovery_code, put_recovery_code
from service.api.resource import Resource, ResponseSpec
from service.api.resources.players import change_account, deleted_meanwhile, player_view
from service.api.resources.tokens import create_token_of, revoke_all_but, token_view
from service.api.responses import json_response
from service.api.schemas.moves import NoMembersSchema
from service.api.schemas.players import ClaimedSchema, RecoveryClaimSchema, RecoveryCodeSchema
from service.api.services import Services
from service.api.typed_codes import has_valid_check, hash_code, new_checked_code
from service.runtime.json_object import Json
from service.runtime.timestamps import rfc3339

recovery_codes = Resource(
    "recovery_codes",
    __name__,
    url_prefix="/v1",
    description="Codes with which a player who lost every device gets a token again.",
)

_GROUPS: Final = 5
_SIZE: Final = 5
#: The same for every reason, so that it reveals nothing about accounts.
_INVALID_CODE: Final = "Invalid recovery code: mistyped, replaced by a newer one, or its player is deleted."


@recovery_codes.operation(
    "POST /me/recovery-code",
    "createRecoveryCode",
    scope=TOKENS,
    body=NoMembersSchema,
    parameters=(IDEMPOTENCY_KEY,),
    response=ResponseSpec(
        status=201, schema=RecoveryCodeSchema, description="The code, which is shown only once."
    ),
    errors=("not_found",),
)
def create_recovery_code(
    body: Json, *, services: Services, caller: Caller, idempotency_key: str | None
) -> Response:
    """Create a recovery code.

    To write down, for the day when you have no device with a token left. It replaces the code that you had.
    getMe shows when it was created, never the code itself.
    """
    del body
    with idempotent(services.store, caller.id, idempotency_key, holds_secret=True) as idempotency:
        code, created_at = _replace_code(services, caller)
        answer = {"recovery_code": code, "created_at": rfc3339(created_at)}
        return idempotency.remember(json_response(answer, 201))


@recovery_codes.operation(
    "POST /recovery-codes/claim",
    "claimRecoveryCode",
    body=RecoveryClaimSchema,
    parameters=(IDEMPOTENCY_KEY,),
    response=ResponseSpec(
        status=201, schema=ClaimedSchema, description="The player, and a token that is shown only once."
    ),
    errors=("not_found", "store_unavailable"),
)
def claim_recovery_code(body: Json, *, services: Services, idempotency_key: str | None) -> Response:
    """Recover my account.

    Requires no token and returns one with all scopes. With `revoke_other_tokens`, all tokens and device links
    that the player had before stop working. The code itself stays valid until createRecoveryCode replaces it:
    do so if another person may have seen it.
    """
    with idempotent_newcomer(services.store, idempotency_key) as idempotency:
        return idempotency.remember(json_response(_claim(services, **body), 201))


def _replace_code(services: Services, caller: Caller) -> tuple[str, int]:
    code = new_checked_code(groups=_GROUPS, size=_SIZE)
    code_hash, now = hash_code(code), services.now()
    put_recovery_code(services.store, code_hash, caller.id, account_until=now + GUEST_KEPT_MS)
    replaced: list[str | None] = []

    def with_code(account: Account) -> Account:
        replaced.append(account.recovery_hash)
        return replace(account, recovery_hash=code_hash, recovery_created_at=now)

    account = change_account(services, caller.id, caller.stored, with_code)
    # If another device was faster, its code is replaced too. One that was never named works in no case.
    unused = [*replaced, code_hash if account is None else None]
    for old in {name for name in unused if name is not None}:
        delete_recovery_code(services.store, old, now=now)
    if account is None:
        raise deleted_meanwhile()
    return code, now


def _claim(services: Services, code: str, name: str, *, revoke_other_tokens: bool) -> Json:
    stored = _account_of(services, code)
    account = decode_account(stored)
    made = create_token_of(services, account.id, name, SCOPES)
    if made is None:
        raise Problem("not_found", _INVALID_CODE)
    kept, token = made
    if revoke_other_tokens:
        # Links first: afterwards no token is left that could create one.
        since = services.now() + 1
        change_account(services, account.id, stored, lambda account: replace(account, links_since=since))
        revoke_all_but(services.store, account.id, hash_token(token))
    return {"player": player_view(account), "token_info": token_view(kept), "token": token}


def _account_of(services: Services, code: str) -> bytes:
    """Return the stored account that names this code; raise `Problem` not_found if there is none."""
    if has_valid_check(code, length=_GROUPS * _SIZE):
        code_hash = hash_code(code)
        player_id = player_of_recovery_code(services.store, code_hash)
        stored = None if player_id is None else services.store.player(player_id)
        if stored is not None and _is_named(decode_account(stored), code_hash):
            return stored
    raise Problem("not_found", _INVALID_CODE)


def _is_named(account: Account, code_hash: str) -> bool:
    return account.recovery_hash == code_hash and not account.is_leaving
