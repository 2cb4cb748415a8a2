"""Device links: one device shows a code, another one sends it and gets a token of its own.

The code has 60 random bits, is valid for ten minutes and works once. The store knows only its hash. The
rate limit of claims stops anyone who guesses long before they find a code.
"""

from dataclasses import dataclass
from typing import Final

from flask import Response

from service.api.auth import TOKENS, Caller, decode_account
from service.api.idempotency import idempotent, idempotent_newcomer
from service.api.parameters import IDEMPOTENCY_KEY
from service.api.problems import Problem
from service.api.resource import Resource, ResponseSpec
from service.api.resources.players import player_view
from service.api.resources.tokens import create_token_of, granted_scopes, token_view
from service.api.responses import json_response
from service.api.schemas.players import ClaimedSchema, ClaimSchema, DeviceLinkSchema, NewDeviceLinkSchema
from service.api.services import Services
from service.api.typed_codes import hash_code, new_code
from service.runtime.json_object import Json
from service.runtime.timestamps import rfc3339
from service.store.schema import StoredCodec, StoredValue

device_links = Resource(
    "device_links",
    __name__,
    url_prefix="/v1",
    description="Links that give another device of a player a token.",
)

_KIND: Final = "device-link"
LINK_MS: Final = 10 * 60 * 1000
_GROUPS: Final = 3
_SIZE: Final = 4
_INVALID_CODE: Final = "Invalid code: mistyped, already used, or older than ten minutes."


@dataclass(frozen=True, slots=True, kw_only=True)
class _Link(StoredValue):
    """What is stored about a code: its player, and the token that it will create."""

    player_id: str
    name: str
    scopes: tuple[str, ...]
    created_at: int = 0


_LINKS: Final = StoredCodec(_Link)


@device_links.operation(
    "POST /device-links",
    "createDeviceLink",
    scope=TOKENS,
    body=NewDeviceLinkSchema,
    parameters=(IDEMPOTENCY_KEY,),
    response=ResponseSpec(
        status=201, schema=DeviceLinkSchema, description="The code, which is shown only once."
    ),
)
def create_device_link(
    body: Json, *, services: Services, caller: Caller, idempotency_key: str | None
) -> Response:
    """Link another device.

    Enter the code on the other device within ten minutes; it works once. The device gets a token of its
    own, which listTokens shows and revokeToken revokes.
    """
    link = _Link(
        player_id=caller.id,
        name=body["name"],
        scopes=granted_scopes(caller, body.get("scopes")),
        created_at=services.now(),
    )
    with idempotent(services.store, caller.id, idempotency_key, holds_secret=True) as idempotency:
        code, expires_at = _store_link(services, link)
        return idempotency.remember(json_response({"code": code, "expires_at": rfc3339(expires_at)}, 201))


@device_links.operation(
    "POST /device-links/claim",
    "claimDeviceLink",
    body=ClaimSchema,
    parameters=(IDEMPOTENCY_KEY,),
    response=ResponseSpec(
        status=201, schema=ClaimedSchema, description="The player, and a token that is shown only once."
    ),
    errors=("not_found", "store_unavailable"),
)
def claim_device_link(body: Json, *, services: Services, idempotency_key: str | None) -> Response:
    """Claim a device link.

    Requires no token and returns one. If two devices send the same code, one gets a token. Send an
    `Idempotency-Key`: if the response is lost, a retry gets it again; without the key the code is used
    up.
    """
    with idempotent_newcomer(services.store, idempotency_key) as idempotency:
        return idempotency.remember(json_response(_claim(services, body["code"]), 201))


def _store_link(services: Services, link: _Link) -> tuple[str, int]:
    expires_at = services.now() + LINK_MS
    while True:
        code = new_code(groups=_GROUPS, size=_SIZE)
        # The chance that the code is in use is about 1 in 10^15; then another one is drawn.
        if services.store.put_secret(_KIND, hash_code(code), _LINKS.encode(link), expires_at=expires_at):
            return code, expires_at


def _claim(services: Services, code: str) -> Json:
    body = services.store.take_secret(_KIND, hash_code(code))
    if body is None:
        raise Problem("not_found", _INVALID_CODE)
    link = _LINKS.decode(body)
    stored = services.store.player(link.player_id)
    # Since then the player may have been deleted, or have recovered the account from a thief.
    account = None if stored is None else decode_account(stored)
    if account is None or account.is_leaving or link.created_at < account.links_since:
        raise Problem("not_found", _INVALID_CODE)
    made = create_token_of(services, account.id, link.name, link.scopes)
    if made is None:
        raise Problem("not_found", _INVALID_CODE)
    kept, token = made
    return {"player": player_view(account), "token_info": token_view(kept), "token": token}
