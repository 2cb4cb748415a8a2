"""Stream tickets: a browser's EventSource cannot send a token, so it sends a ticket in the URL.

URLs end up in logs. So a ticket opens one stream, expires after a minute, and is stored as a
hash only.
"""

import secrets
from dataclasses import dataclass
from typing import Final

from flask import Request

from service.api import auth
from service.api.auth import Caller
from service.api.services import Services
from service.store.schema import StoredCodec, StoredValue

TICKET: Final = "ticket"
TICKET_MS: Final = 60_000
_KIND: Final = "stream-ticket"
_GONE: Final = "Invalid ticket: unknown, already used, or expired."


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ticket(StoredValue):
    """A stored ticket: its player, and the token it was requested with."""

    player_id: str
    token_hash: str


_TICKETS: Final = StoredCodec(_Ticket)


def issue(services: Services, caller: Caller) -> tuple[str, int]:
    """Return a new ticket and when it expires."""
    ticket = secrets.token_urlsafe(32)
    expires_at = services.now() + TICKET_MS
    kept = _TICKETS.encode(_Ticket(player_id=caller.id, token_hash=caller.token_hash))
    services.store.put_secret(_KIND, auth.hash_token(ticket), kept, expires_at=expires_at)
    return ticket, expires_at


def authenticate(services: Services, request: Request, scope: str) -> Caller:
    """Return the caller, by token or else by ticket; raise `Problem` as `auth.authenticate_token` does.

    This does not use the ticket up, because the stream may still fail to open; `redeem` does.
    """
    ticket = _of(request)
    if ticket is None:
        return auth.authenticate_token(services, request, scope)
    body = services.store.secret(_KIND, auth.hash_token(ticket))
    if body is None:
        raise auth.invalid_token(_GONE)
    kept = _TICKETS.decode(body)
    # A ticket is valid only as long as the token it was requested with.
    found = auth.find_caller(services.store, kept.player_id, kept.token_hash)
    if found is None or found.account.is_leaving:
        raise auth.invalid_token(_GONE)
    auth.check_scope(found, scope)
    return found


def redeem(services: Services, request: Request) -> None:
    """Use the ticket up, if there is one; raise `Problem` if another stream already has."""
    ticket = _of(request)
    if ticket is not None and services.store.take_secret(_KIND, auth.hash_token(ticket)) is None:
        raise auth.invalid_token(_GONE)


def _of(request: Request) -> str | None:
    """Return the ticket of the request; a token takes precedence over it."""
    return None if "Authorization" in request.headers else request.args.get(TICKET)
