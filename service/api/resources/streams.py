"""Streams of games and of accounts, and the tickets with which browsers open them."""

from typing import Any, Final

from flask import Response

from service.api.auth import READ, Caller
from service.api.idempotency import idempotent
from service.api.parameters import (
    AFTER_EVENT,
    AS_SEAT,
    BRIEF,
    IDEMPOTENCY_KEY,
    INVITE_CODE,
    LAST_EVENT_ID,
    STREAM_INCLUDE,
    read_event_id,
)
from service.api.resource import Resource, ResponseSpec
from service.api.resources.games import GAME
from service.api.responses import json_response
from service.api.schemas.streams import (
    AccountServerSentEventSchema,
    NewStreamTicketSchema,
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
from service.api.sse.tickets import TICKET, Ticket, check_game, issue
from service.api.views.visibility import visible_game
from service.runtime.json_object import Json
from service.runtime.timestamps import rfc3339
from service.streams.subscription import Cursor

streams = Resource("streams", __name__, url_prefix="/v1", description="Events as they happen.")

_ERRORS: Final = ("not_found", "not_seated", "too_many_streams", "stream_capacity")


@streams.operation(
    f"GET {GAME}/stream",
    "streamGame",
    scope=READ,
    tickets=True,
    parameters=(AS_SEAT, INVITE_CODE, STREAM_INCLUDE, AFTER_EVENT, LAST_EVENT_ID),
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
    without gap or repetition. After 15 seconds without a frame a `ping` shows that the stream is alive; if
    nothing arrives for 45 seconds, reconnect with `Last-Event-ID`. `stream.closing` gives the reason why
    a stream ends. Browsers send a ticket from createStreamTicket.

    With `include=game` a `snapshot` follows the events of each change: the game after it, as getGame returns
    it. If changes come faster than they are delivered, one snapshot follows the last of them. A stream that
    resumes with a cursor sends one after the events that you missed. With `include=to_act` a `seat.to_act`
    brings your legal moves whenever your seat has to act: with the events that is all that a turn needs.
    """
    return _follow(services, caller, SSE, **asked)


@streams.operation(
    f"GET {GAME}/stream.ndjson",
    "streamGameNdjson",
    scope=READ,
    tickets=True,
    parameters=(AS_SEAT, INVITE_CODE, STREAM_INCLUDE, AFTER_EVENT, LAST_EVENT_ID),
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
    parameters=(BRIEF, AFTER_EVENT, LAST_EVENT_ID),
    response=ResponseSpec(
        schema=AccountServerSentEventSchema,
        description="Frames, until either side ends the stream. The `data` of each is one `AccountEvent`.",
        media_type=SSE_TYPE,
    ),
    errors=("too_many_streams", "stream_capacity"),
)
def stream_my_events(  # noqa: PLR0913 - an argument for each parameter
    *,
    services: Services,
    caller: Caller,
    ticket: Ticket | None,
    brief: bool,
    after: Cursor | None,
    last_event_id: Cursor | None,
) -> Response:
    """Follow my games.

    Server-sent events, as in streamGame, about all games in which you have a seat: game started, your
    turn, a call, a deal or a game over, a rematch. They contain ids only; read the game for details.
    Events of the last 30 days are kept, at most 1,000: with an older cursor the stream starts with a
    `snapshot`: your games that are not over, and how they stand. Sandbox games that you play alone are not
    included.
    """
    check_game(ticket, None)
    cursor = last_event_id or after or (None if ticket is None else ticket.after)
    return open_stream(
        services,
        lambda slot: AccountStream(
            services, caller=caller, brief=brief, encoding=SSE, slot=slot, after=cursor
        ),
        caller,
        kind="account",
        max_streams=MAX_ACCOUNT_STREAMS,
    )


@streams.operation(
    "POST /stream-tickets",
    "createStreamTicket",
    scope=READ,
    body=NewStreamTicketSchema,
    parameters=(IDEMPOTENCY_KEY,),
    response=ResponseSpec(
        status=201, schema=StreamTicketSchema, description="The ticket, which is shown only once."
    ),
    errors=("not_found", "not_seated"),
)
def create_stream_ticket(
    body: Json, *, services: Services, caller: Caller, idempotency_key: str | None
) -> Response:
    """Create a ticket for a stream.

    A browser's EventSource cannot send a token: give it the `url` of the answer. Name the game that it
    shall follow, and a refusal comes here, as a problem, and not as a failed EventSource. Open the stream
    within a minute. When the line is cut the EventSource comes back by itself with the same `url`; a ticket
    lives for a minute after its stream has ended.
    """
    game_id, as_seat, invite_code = body["game_id"], body["as_seat"], body["invite_code"]
    with idempotent(services.store, caller.id, idempotency_key, holds_secret=True) as idempotency:
        if game_id is not None:
            visible_game(services, game_id, caller, as_seat=as_seat, invite_code=invite_code)
        ticket = Ticket(
            player_id=caller.id,
            token_hash=caller.token_hash,
            game_id=game_id,
            as_seat=as_seat,
            invite_code=invite_code,
            after=None if body["after"] is None else read_event_id(body["after"]),
        )
        secret, expires_at = issue(services, ticket)
        path = "/v1/me/stream" if game_id is None else f"/v1/games/{game_id}/stream"
        answer = {
            "ticket": secret,
            "expires_at": rfc3339(expires_at),
            "url": f"{path}?{TICKET}={secret}",
        }
        return idempotency.remember(json_response(answer, 201))


def _follow(  # noqa: PLR0913 - an argument for each parameter
    services: Services,
    caller: Caller,
    encoding: Encoding,
    *,
    ticket: Ticket | None,
    game_id: str,
    as_seat: int | None,
    invite_code: str | None,
    include: frozenset[str],
    after: Cursor | None,
    last_event_id: Cursor | None,
) -> Response:
    check_game(ticket, game_id)
    if ticket is not None:
        as_seat = ticket.as_seat if as_seat is None else as_seat
        invite_code = invite_code or ticket.invite_code
        after = after or ticket.after
    seen = visible_game(services, game_id, caller, as_seat=as_seat, invite_code=invite_code)
    return open_stream(
        services,
        lambda slot: GameStream(
            services,
            seen,
            caller=caller,
            as_seat=as_seat,
            invite_code=invite_code,
            include=include,
            encoding=encoding,
            slot=slot,
            after=last_event_id or after,
        ),
        caller,
        kind="game",
        max_streams=MAX_GAME_STREAMS,
    )
