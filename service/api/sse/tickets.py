"""Stream tickets: a browser's EventSource cannot send a token, so it sends a ticket in the URL.

A ticket carries what the stream is asked for: the game, the seat, the code and the cursor. URLs end up in
logs: so a ticket only reads, is stored as a hash, and lives for a minute, or for a minute after its stream
has closed. An EventSource that comes back takes its ticket over from the stream it has lost, and only one
stream at a time goes on with a ticket.
"""

import logging
import secrets
from dataclasses import dataclass
from typing import Final

from flask import Request

from service.api import auth
from service.api.auth import Caller
from service.api.services import Services
from service.runtime.durations import MINUTE_MS
from service.store.contract import StoreUnavailable
from service.store.players import PlayerStore
from service.store.schema import StoredCodec, StoredValue
from service.streams.subscription import Cursor

log = logging.getLogger(__name__)

TICKET: Final = "ticket"
TICKET_MS: Final = MINUTE_MS
_KIND: Final = "stream-ticket"
_GONE: Final = "Invalid ticket: unknown, or its minute is over. Create a new one."


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticket(StoredValue):
    """A stored ticket: its player, the token it was requested with, and what it opens.

    With a `game_id` it opens the streams of that game only, as `as_seat`, `invite_code` and `after` say.
    """

    player_id: str
    token_hash: str
    game_id: str | None = None
    as_seat: int | None = None
    invite_code: str | None = None
    after: Cursor | None = None


_TICKETS: Final = StoredCodec(Ticket)


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldTicket:
    """The ticket of an open stream, of which `holder` is a random name."""

    store: PlayerStore
    ticket_hash: str
    holder: str

    def renew(self, *, expires_at: int) -> bool:
        """Keep the ticket until a time; return False if another stream took it over.

        Never raises: a ticket that could not be renewed expires by itself.
        """
        try:
            held = self.store.hold_secret(
                _KIND, self.ticket_hash, self.holder, expires_at=expires_at, takes_over=False
            )
        except StoreUnavailable as error:
            log.warning("A stream ticket could not be renewed: %s", error)
            return True
        return held is not False


def issue(services: Services, ticket: Ticket) -> tuple[str, int]:
    """Store a ticket; return its secret and when it expires."""
    secret = secrets.token_urlsafe(32)
    expires_at = services.now() + TICKET_MS
    kept = _TICKETS.encode(ticket)
    services.store.put_secret(_KIND, auth.hash_token(secret), kept, expires_at=expires_at)
    return secret, expires_at


def authenticate(services: Services, request: Request, scope: str) -> tuple[Caller, Ticket | None]:
    """Return the caller, and the ticket if no token was sent; raise `Problem` as `authenticate_token`."""
    secret = _of(request)
    if secret is None:
        return auth.authenticate_token(services, request, scope), None
    body = services.store.secret(_KIND, auth.hash_token(secret))
    if body is None:
        raise auth.invalid_token(_GONE)
    ticket = _TICKETS.decode(body)
    # A ticket is valid only as long as the token it was requested with.
    found = auth.find_caller(services.store, ticket.player_id, ticket.token_hash)
    if found is None or found.account.is_leaving:
        raise auth.invalid_token(_GONE)
    auth.check_scope(found, scope)
    return found, ticket


def check_game(ticket: Ticket | None, game_id: str | None) -> None:
    """Raise `Problem` token_invalid if the ticket is for another game; None stands for the account."""
    if ticket is not None and ticket.game_id not in {None, game_id}:
        raise auth.invalid_token("This ticket opens the streams of another game: use the `url` it came with.")


def hold(services: Services, request: Request, *, expires_at: int) -> HeldTicket | None:
    """Hold the ticket of a request for its stream, None if a token was sent.

    Raises `Problem` token_invalid if the ticket has expired meanwhile.
    """
    secret = _of(request)
    if secret is None:
        return None
    ticket_hash, holder = auth.hash_token(secret), secrets.token_urlsafe(12)
    held = services.store.hold_secret(_KIND, ticket_hash, holder, expires_at=expires_at, takes_over=True)
    if held is None:
        raise auth.invalid_token(_GONE)
    return HeldTicket(store=services.store, ticket_hash=ticket_hash, holder=holder)


def _of(request: Request) -> str | None:
    """Return the ticket of the request; a token takes precedence over it."""
    return None if "Authorization" in request.headers else request.args.get(TICKET)
