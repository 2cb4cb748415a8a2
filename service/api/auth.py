"""Who is asking: a bearer token is looked up by its hash, in one read, at every request.

Nothing is cached, so a revoked token is refused at once. A token is
`<player id>.<secret>`: the id only says where to look, the secret is 256 random
bits, and the store holds nothing but its SHA-256.
"""

import hashlib
import re
import secrets
from dataclasses import dataclass, replace
from typing import Final

from flask import Request

from service.api.problems import Problem
from service.api.services import Services
from service.runtime.durations import DAY_MS
from service.store.contract import Store
from service.store.schema import StoredCodec, StoredValue

READ: Final = "games:read"
PLAY: Final = "games:play"
TOKENS: Final = "tokens:write"
WEBHOOKS: Final = "webhooks:write"
SCOPES: Final = (READ, PLAY, TOKENS, WEBHOOKS)

_FORM = re.compile(r"(p[0-9A-Za-z_-]{1,64})\.([0-9A-Za-z_-]{20,100})\Z")
_REALM: Final = 'Bearer realm="rummy500"'

#: The one operation for those who are leaving: a request that broke off may be sent again.
DELETE_ME: Final = "players.deleteMe"

#: A guest who comes back within this time is still there. Every day of use renews it.
GUEST_KEPT_MS: Final = 365 * DAY_MS


@dataclass(frozen=True, slots=True, kw_only=True)
class Account(StoredValue):
    """A player as stored. `seen_at` is exact to the day.

    One who `is_leaving` has asked to be deleted and lets nobody in any more, but to finish that.
    """

    id: str
    name: str
    kind: str
    created_at: int
    seen_at: int
    is_leaving: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Token(StoredValue):
    """What is kept about a token beside its hash."""

    id: str
    name: str
    scopes: tuple[str, ...]
    created_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """The player who asks, and the token that says so. `stored` is the account as it was read."""

    account: Account
    token: Token
    token_hash: str
    stored: bytes

    @property
    def id(self) -> str:
        """The player's id."""
        return self.account.id


_ACCOUNTS: Final = StoredCodec(Account)
_TOKENS: Final = StoredCodec(Token)
decode_account, encode_account = _ACCOUNTS.decode, _ACCOUNTS.encode
decode_token, encode_token = _TOKENS.decode, _TOKENS.encode


def new_token(player_id: str) -> str:
    """Return a new token of the player; only its hash may be kept."""
    return f"{player_id}.{secrets.token_urlsafe(32)}"


def new_token_id() -> str:
    """Return a new id by which a token can be revoked without being known."""
    return f"t{secrets.token_hex(16)}"


def hash_token(token: str) -> str:
    """Return what a token is stored as."""
    return hashlib.sha256(token.encode()).hexdigest()


def authenticate_token(services: Services, request: Request, scope: str) -> Caller:
    """Return who asks; raise `Problem` unless a known token with the scope came along."""
    kind, _, token = request.headers.get("Authorization", "").partition(" ")
    if kind.lower() != "bearer" or not token.strip():
        raise Problem(
            "token_missing",
            "Send Authorization: Bearer <token>; createPlayer gives you one.",
            headers={"WWW-Authenticate": _REALM},
        )
    found = _caller_of_token(services, token.strip())
    if found.account.is_leaving and request.endpoint != DELETE_ME:
        raise invalid_token()
    check_scope(found, scope)
    return found


def check_scope(found: Caller, scope: str) -> None:
    """Raise `Problem` insufficient_scope unless the caller's token may do this."""
    if scope not in found.token.scopes:
        raise Problem(
            "insufficient_scope",
            f"This token lacks the scope {scope}.",
            headers={"WWW-Authenticate": f'{_REALM}, error="insufficient_scope", scope="{scope}"'},
        )


def find_caller(store: Store, player_id: str, token_hash: str) -> Caller | None:
    """Return who a token belongs to, by its hash; None where it opens nothing any more."""
    holder = store.player_by_token(player_id, token_hash)
    if holder is None:
        return None
    return Caller(
        account=decode_account(holder.player),
        token=decode_token(holder.token),
        token_hash=token_hash,
        stored=holder.player,
    )


def _caller_of_token(services: Services, token: str) -> Caller:
    form = _FORM.match(token)
    found = find_caller(services.store, form[1], hash_token(token)) if form else None
    if found is None:
        raise invalid_token()
    _renew_guest(services, found)
    services.streams.presence.record_request(found.id)
    return found


def invalid_token(sentence: str = "Nobody has this token: it is mistyped or was revoked.") -> Problem:
    """Return the refusal of what opens nothing."""
    return Problem(
        "token_invalid",
        sentence,
        headers={"WWW-Authenticate": f'{_REALM}, error="invalid_token"'},
    )


def _renew_guest(services: Services, found: Caller) -> None:
    """Put off the day a guest is forgotten; one write a day at most."""
    now = services.now()
    if now - found.account.seen_at >= DAY_MS and not found.account.is_leaving:
        body = encode_account(replace(found.account, seen_at=now))
        # Lost to another writer: the player was seen by that one, or has just gone.
        services.store.put_player(found.id, body, replaces=found.stored, expires_at=now + GUEST_KEPT_MS)
