"""Tickets: a browser's EventSource can send no token, so what it sends opens one stream and no other.

A ticket stands in an address, and addresses end up in logs. So it lives a minute, is taken
once, and is known to the store by its hash only.
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
_GONE: Final = "This ticket opens nothing: it is mistyped, was used, or is older than a minute."


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ticket(StoredValue):
    """What is kept about a ticket: who has it, and the token it was asked for with."""

    player_id: str
    token_hash: str


_TICKETS: Final = StoredCodec(_Ticket)


def issue(services: Services, caller: Caller) -> tuple[str, int]:
    """Return a new ticket and when it ends."""
    ticket = secrets.token_urlsafe(32)
    expires_at = services.now() + TICKET_MS
    kept = _TICKETS.encode(_Ticket(player_id=caller.id, token_hash=caller.token_hash))
    services.store.put_secret(_KIND, auth.hash_token(ticket), kept, expires_at=expires_at)
    return ticket, expires_at


def authenticate(services: Services, request: Request, scope: str) -> Caller:
    """Return who asks, by a token or else by a ticket; raise `Problem` as `auth.authenticate_token` does.

    The ticket is only looked at: what then cannot be opened must not cost it. `use` takes it.
    """
    ticket = _of(request)
    if ticket is None:
        return auth.authenticate_token(services, request, scope)
    body = services.store.secret(_KIND, auth.hash_token(ticket))
    if body is None:
        raise auth.invalid_token(_GONE)
    kept = _TICKETS.decode(body)
    # A ticket is worth no more than the token it was asked for with.
    found = auth.find_caller(services.store, kept.player_id, kept.token_hash)
    if found is None or found.account.is_leaving:
        raise auth.invalid_token(_GONE)
    auth.check_scope(found, scope)
    return found


def redeem(services: Services, request: Request) -> None:
    """Take the ticket, if one let the caller in; raise `Problem` where another stream was quicker."""
    ticket = _of(request)
    if ticket is not None and services.store.take_secret(_KIND, auth.hash_token(ticket)) is None:
        raise auth.invalid_token(_GONE)


def _of(request: Request) -> str | None:
    """Return the ticket that counts: none where a token came too."""
    return None if "Authorization" in request.headers else request.args.get(TICKET)
