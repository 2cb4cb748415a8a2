"""Authentication: each request looks its bearer token up by hash, in one read of the store.

Nothing is cached, so a revoked token stops working at once. A token is `<player id>.<secret>`: the id says
where to look, the secret is 256 random bits, and the store holds only the SHA-256 of the token.
"""

import hashlib
import re
import secrets
from dataclasses import dataclass, replace
from typing import Final

from flask import Request

from service.api.problems import Problem
from service.api.recovery_secrets import keep_recovery_code
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

#: The only operation open to a player whose deletion has begun: it may be retried after a failure.
DELETE_ME: Final = "players.deleteMe"

#: How long a guest is kept without a request. Every day of use renews it.
GUEST_KEPT_MS: Final = 365 * DAY_MS


@dataclass(frozen=True, slots=True, kw_only=True)
class Account(StoredValue):
    """A player as stored. `seen_at` is exact to the day.

    With `is_leaving` the player's deletion has begun: their tokens only work to finish it. Device links
    made before `links_since` do not work any more. `reactions` says whether the player gets and sends them.
    """

    id: str
    name: str
    kind: str
    created_at: int
    seen_at: int
    is_leaving: bool = False
    recovery_hash: str | None = None
    recovery_created_at: int | None = None
    links_since: int = 0
    reactions: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Token(StoredValue):
    """What is stored about a token beside its hash."""

    id: str
    name: str
    scopes: tuple[str, ...]
    created_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """The authenticated player and their token. `stored` holds the bytes of the account as read."""

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
    """Return a new token of the player; only its hash may be stored."""
    return f"{player_id}.{secrets.token_urlsafe(32)}"


def new_token_id() -> str:
    """Return a new id, by which a token can be revoked without showing it."""
    return f"t{secrets.token_hex(16)}"


def hash_token(token: str) -> str:
    """Return the hash under which a token is stored."""
    return hashlib.sha256(token.encode()).hexdigest()


def authenticate_token(services: Services, request: Request, scope: str) -> Caller:
    """Return the caller; raise `Problem` unless the request has a valid token with the scope."""
    kind, _, token = request.headers.get("Authorization", "").partition(" ")
    if kind.lower() != "bearer" or not token.strip():
        raise Problem(
            "token_missing",
            "Send Authorization: Bearer <token>; createPlayer returns one.",
            headers={"WWW-Authenticate": _REALM},
        )
    found = _caller_of_token(services, token.strip())
    if found.account.is_leaving and request.endpoint != DELETE_ME:
        raise invalid_token()
    check_scope(found, scope)
    return found


def check_scope(found: Caller, scope: str) -> None:
    """Raise `Problem` insufficient_scope unless the caller's token has the scope."""
    if scope not in found.token.scopes:
        raise Problem(
            "insufficient_scope",
            f"This token lacks the scope {scope}.",
            headers={"WWW-Authenticate": f'{_REALM}, error="insufficient_scope", scope="{scope}"'},
        )


def find_caller(store: Store, player_id: str, token_hash: str) -> Caller | None:
    """Return the player of a token, by its hash; None if it is unknown or revoked."""
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


def invalid_token(sentence: str = "Invalid token: unknown or revoked.") -> Problem:
    """Return the problem of an unknown or revoked token."""
    return Problem(
        "token_invalid",
        sentence,
        headers={"WWW-Authenticate": f'{_REALM}, error="invalid_token"'},
    )


def _renew_guest(services: Services, found: Caller) -> None:
    """Extend the time that a guest is kept; at most one write a day."""
    now = services.now()
    if now - found.account.seen_at >= DAY_MS and not found.account.is_leaving:
        body, until = encode_account(replace(found.account, seen_at=now)), now + GUEST_KEPT_MS
        if found.account.recovery_hash is not None:
            keep_recovery_code(services.store, found.account.recovery_hash, account_until=until)
        # If another writer was faster, it has renewed the guest already, or deleted the player.
        services.store.put_player(found.id, body, replaces=found.stored, expires_at=until)
