"""A second device of a player: one device shows a code, the other types it and gets a token of its own.

The code is 60 random bits, lives ten minutes and opens once. The store knows its hash only. Who guesses
is held up by the limit on claims long before a code is found.
"""

import hashlib
import re
import secrets
from dataclasses import dataclass
from typing import Final

from flask import Response

from service.api.auth import TOKENS, Caller, decode_account
from service.api.idempotency import idempotent
from service.api.parameters import IDEMPOTENCY_KEY
from service.api.problems import Problem
from service.api.requests import client_hash
from service.api.resource import Resource, ResponseSpec
from service.api.resources.players import public
from service.api.resources.tokens import make_token, rights, shown
from service.api.responses import json_response
from service.api.schemas.players import ClaimedSchema, ClaimSchema, DeviceLinkSchema, NewDeviceLinkSchema
from service.api.services import Services
from service.runtime.json_object import Json
from service.runtime.timestamps import rfc3339
from service.store.schema import StoredCodec, StoredValue

device_links = Resource(
    "device_links", __name__, url_prefix="/v1", description="What brings a second device of a player in."
)

_KIND: Final = "device-link"
LINK_MS: Final = 10 * 60 * 1000
# Crockford's: no letter is taken for a digit when it is read from another screen.
_ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_READ_AS: Final = str.maketrans({"O": "0", "I": "1", "L": "1"})
_GROUPS: Final = 3
_GROUP: Final = 4
_GONE: Final = "This code opens nothing: it is mistyped, was used, or is older than ten minutes."


@dataclass(frozen=True, slots=True, kw_only=True)
class _Link(StoredValue):
    """What is kept about a code: whose it is, and what its token will be."""

    player_id: str
    name: str
    scopes: tuple[str, ...]


_LINKS: Final = StoredCodec(_Link)


@device_links.operation(
    "POST /device-links",
    "createDeviceLink",
    scope=TOKENS,
    body=NewDeviceLinkSchema,
    parameters=(IDEMPOTENCY_KEY,),
    response=ResponseSpec(status=201, schema=DeviceLinkSchema, description="The code, shown this once."),
)
def create_device_link(
    body: Json, *, services: Services, caller: Caller, idempotency_key: str | None
) -> Response:
    """Invite a second device of mine.

    Type the code at the other device within ten minutes; it opens once. The device gets a token of its own,
    which listTokens shows and revokeToken ends.
    """
    link = _Link(player_id=caller.id, name=body["name"], scopes=rights(caller, body.get("scopes")))
    with idempotent(services.store, caller.id, idempotency_key, holds_secret=True) as idempotency:
        code, expires_at = _keep(services, link)
        return idempotency.remember(json_response({"code": code, "expires_at": rfc3339(expires_at)}, 201))


@device_links.operation(
    "POST /device-links/claim",
    "claimDeviceLink",
    body=ClaimSchema,
    parameters=(IDEMPOTENCY_KEY,),
    response=ResponseSpec(
        status=201, schema=ClaimedSchema, description="Who you are, and a token shown this once."
    ),
    errors=("not_found", "store_unavailable"),
)
def claim_device_link(body: Json, *, services: Services, idempotency_key: str | None) -> Response:
    """Come in by a code that another device of mine shows.

    Needs no token and answers one. Of two who type the same code, one comes in. Send an `Idempotency-Key`:
    should the answer get lost, the same request gets it again, and without the key the code is used up.
    """
    with idempotent(services.store, client_hash(), idempotency_key, holds_secret=True) as idempotency:
        return idempotency.remember(json_response(_claim(services, body["code"]), 201))


def _keep(services: Services, link: _Link) -> tuple[str, int]:
    expires_at = services.now() + LINK_MS
    while True:
        code = "-".join("".join(secrets.choice(_ALPHABET) for _ in range(_GROUP)) for _ in range(_GROUPS))
        # One chance in 10 to the 15th that somebody has the same code now; then another is drawn.
        if services.store.put_secret(_KIND, _name_of(code), _LINKS.encode(link), expires_at=expires_at):
            return code, expires_at


def _claim(services: Services, code: str) -> Json:
    body = services.store.take_secret(_KIND, _name_of(code))
    if body is None:
        raise Problem("not_found", _GONE)
    link = _LINKS.decode(body)
    stored = services.store.player(link.player_id)
    # The player may have deleted himself since.
    account = None if stored is None else decode_account(stored)
    if account is None or account.is_leaving:
        raise Problem("not_found", _GONE)
    made = make_token(services, account.id, link.name, link.scopes)
    if made is None:
        raise Problem("not_found", _GONE)
    kept, token = made
    return {"player": public(account), "token_info": shown(kept), "token": token}


def _name_of(code: str) -> str:
    """Return what the code is kept as: a hash of what it says, however it was typed."""
    typed = re.sub(r"[\s-]", "", code).upper().translate(_READ_AS)
    return hashlib.sha256(typed.encode()).hexdigest()
