"""Streams of games and of accounts, and the tickets with which browsers open them."""

from typing import Any, Final

from flask import Response

from service.api.auth import READ, Caller
from service.api.idempotency import idempotent
from service.api.parameters import AFTER_EVENT, AS_SEAT, IDEMPOTENCY_KEY, INVITE_CODE, LAST_EVENT_ID
from service.api.resource import Resource, ResponseSpec
from service.api.resources.games import GAME
from service.api.responses import json_response
from service.api.schemas.streams import (
    AccountServerSentEventSchema,
    ServerSentEventSchema,
    StreamTicketSchema,
    json_text_schema,
)
from service.api.services import Services
from service.api.sse.account_stream import AccountStream
from service.api.sse.event_stream import (
    JSON_LINES,
    LINES_TYPE,
    MAX_ACCOUNT_STREAMS,
    MAX_GAME_STREAMS,
    SSE,
    SSE_TYPE,
    Encoding,
    open_stream,
)
from service.api.sse.game_stream import GameStream
from service.api.sse.tickets import issue
from service.api.views.visibility import visible_game
from service.runtime.timestamps import rfc3339
from service.streams.subscription import Cursor

streams = Resource("streams", __name__, url_prefix="/v1", description="Events as they happen.")

_ERRORS: Final = ("not_found", "not_seated", "too_many_streams", "stream_capacity")


@streams.operation(
    f"GET {GAME}/stream",
    "streamGame",
    scope=READ,
    tickets=True,
    parameters=(AS_SEAT, INVITE_CODE, AFTER_EVENT, LAST_EVENT_ID),
    response=ResponseSpec(
        # OpenAPI 3.1 cannot describe a sequence. Tools that read event streams take the schema as one event.
        schema=ServerSentEventSchema,
        description="Frames, until either side ends the stream. The `data` of each is one `StreamEvent`.",
        media_type=SSE_TYPE,
    ),
    errors=_ERRORS,
)
def stream_game(*, services: Services, caller: Caller, **asked: Any) -> Response:  # noqa: ANN401 - as `_follow`
    """Follow a game.

    Server-sent events. The first frame is a `snapshot`, or with a cursor the first event after it,
    without gap or repetition. A comment every 15 seconds shows that the stream is alive; if nothing
    arrives for 45 seconds, reconnect with `Last-Event-ID`. `stream.closing` gives the reason why a stream
    ends. Browsers send a ticket from createStreamTicket.
    """
    return _follow(services, caller, SSE, **asked)


@streams.operation(
    f"GET {GAME}/stream.ndjson",
    "streamGameNdjson",
    scope=READ,
    tickets=True,
    parameters=(AS_SEAT, INVITE_CODE, AFTER_EVENT, LAST_EVENT_ID),
    response=ResponseSpec(
        schema=json_text_schema("StreamEvent"),
        description="Lines, until either side ends the stream. Each that is not empty is one `StreamEvent`.",
        media_type=LINES_TYPE,
    ),
    errors=_ERRORS,
)
def stream_game_ndjson(*, services: Services, caller: Caller, **asked: Any) -> Response:  # noqa: ANN401 - as `_follow`
    """Follow a game as lines of JSON.

    As streamGame, for programs: a line of JSON per frame, and an empty line every 15 seconds. To
    reconnect, send the `id` of the last line that had one as `after`.
    """
    return _follow(services, caller, JSON_LINES, **asked)


@streams.operation(
    "GET /me/stream",
    "streamMyEvents",
    scope=READ,
    tickets=True,
    parameters=(AFTER_EVENT, LAST_EVENT_ID),
    response=ResponseSpec(
        schema=AccountServerSentEventSchema,
        description="Frames, until either side ends the stream. The `data` of each is one `AccountEvent`.",
        media_type=SSE_TYPE,
    ),
    errors=("too_many_streams", "stream_capacity"),
)
def stream_my_events(
    *, services: Services, caller: Caller, after: Cursor | None, last_event_id: Cursor | None
) -> Response:
    """Follow my games.

    Server-sent events, as in streamGame, about all games in which you have a seat: game started, your
    turn, a call, a deal or a game over, a rematch. They contain ids only; read the game for details.
    Events of the last 30 days are kept, at most 1,000: with an older cursor the stream starts with a
    `snapshot`. Sandbox games that you play alone are not included.
    """
    return open_stream(
        services,
        lambda slot: AccountStream(
            services, caller=caller, encoding=SSE, slot=slot, after=last_event_id or after
        ),
        caller,
        kind="account",
        max_streams=MAX_ACCOUNT_STREAMS,
    )


@streams.operation(
    "POST /stream-tickets",
    "createStreamTicket",
    scope=READ,
    parameters=(IDEMPOTENCY_KEY,),
    response=ResponseSpec(
        status=201, schema=StreamTicketSchema, description="The ticket, which is shown only once."
    ),
)
def create_stream_ticket(*, services: Services, caller: Caller, idempotency_key: str | None) -> Response:
    """Create a ticket for one stream.

    A browser's EventSource cannot send a token. A ticket opens one stream as `?ticket=`, once and within
    a minute; to reconnect, create a new one and send the cursor as `after`.
    """
    with idempotent(services.store, caller.id, idempotency_key, holds_secret=True) as idempotency:
        ticket, expires_at = issue(services, caller)
        return idempotency.remember(json_response({"ticket": ticket, "expires_at": rfc3339(expires_at)}, 201))


def _follow(  # noqa: PLR0913 - an argument for each parameter
    services: Services,
    caller: Caller,
    encoding: Encoding,
    *,
    game_id: str,
    as_seat: int | None,
    invite_code: str | None,
    after: Cursor | None,
    last_event_id: Cursor | None,
) -> Response:
    seen = visible_game(services, game_id, caller, as_seat=as_seat, invite_code=invite_code)
    return open_stream(
        services,
        lambda slot: GameStream(
            services,
            seen,
            caller=caller,
            as_seat=as_seat,
            invite_code=invite_code,
            encoding=encoding,
            slot=slot,
            after=last_event_id or after,
        ),
        caller,
        kind="game",
        max_streams=MAX_GAME_STREAMS,
    )
