"""Who sits at the table: join, leave, seat computers, start, give up."""

from collections.abc import Callable
from functools import partial

from flask import Response

from service.api.auth import PLAY, Caller
from service.api.idempotency import idempotent_in_game
from service.api.parameters import IDEMPOTENCY_KEY, IF_MATCH
from service.api.resource import RULES, Resource, ResponseSpec
from service.api.resources.games import ETAG, GAME, viewed
from service.api.resources.players import as_player
from service.api.responses import no_content
from service.api.schemas.games import GameViewSchema, JoinSchema, OpponentSchema
from service.api.schemas.moves import NoMembersSchema
from service.api.services import current_services
from service.api.views.visibility import require_can_join, viewer_after, visible_game
from service.games import seating
from service.games.seating import GameChange
from service.games.table import Outcome
from service.runtime.json_object import Json

seats = Resource("seats", __name__, url_prefix="/v1", description="Who sits at the table, until it starts.")


@seats.operation(
    f"POST {GAME}/seats",
    "joinGame",
    scope=PLAY,
    body=JoinSchema,
    parameters=(IF_MATCH, IDEMPOTENCY_KEY),
    response=ResponseSpec(
        status=201, schema=GameViewSchema, description="The game with you at the table.", headers=ETAG
    ),
    errors=("not_found", "seat_taken", "game_full", "already_started", "version_conflict"),
)
def join_game(
    body: Json, *, caller: Caller, game_id: str, if_match: int | None, idempotency_key: str | None
) -> Response:
    """Sit down at a table.

    On the seat you name, or the first free one. A private game asks for its invite code. Two who want the
    same seat cannot both get it.
    """
    with idempotent_in_game(caller, idempotency_key, game_id) as idempotency:
        require_can_join(game_id, caller, body["invite_code"])
        transition = partial(
            seating.join, player=as_player(caller), seat=body["seat"], now=current_services().now()
        )
        change = partial(current_services().table.change, game_id, transition, if_match=if_match)
        return idempotency.commit(change, lambda made: _changed(made, caller, 201))


@seats.operation(
    f"DELETE {GAME}/seats/me",
    "leaveGame",
    scope=PLAY,
    parameters=(IF_MATCH,),
    response=ResponseSpec(status=204, schema=None, description="The seat is free again."),
    errors=("not_found", "not_seated", "already_started", "version_conflict"),
)
def leave_game(*, caller: Caller, game_id: str, if_match: int | None) -> Response:
    """Get up before the game starts.

    When nobody is left the table is given up. At a rematch it also declines a seat that is kept for you. Once
    the game has begun there is resignGame.
    """
    visible_game(game_id, caller)
    current_services().table.change(
        game_id, partial(seating.leave, player=as_player(caller)), if_match=if_match
    )
    return no_content()


@seats.operation(
    f"PUT {GAME}/seats/<int(max=7):number>/computer",
    "seatComputer",
    scope=PLAY,
    body=OpponentSchema,
    parameters=(IF_MATCH,),
    response=ResponseSpec(
        schema=GameViewSchema, description="The game with the computer at the table.", headers=ETAG
    ),
    errors=(
        *("not_found", "not_seated", "not_creator", "rated_game"),
        *("seat_taken", "already_started", "version_conflict"),
    ),
)
def seat_computer(body: Json, *, caller: Caller, game_id: str, number: int, if_match: int | None) -> Response:
    """Put a computer on a free seat.

    For the one who opened the table, before the game starts.
    """
    visible_game(game_id, caller)
    transition = partial(seating.seat_computer, player=as_player(caller), seat=number, level=body["level"])
    return _changed(current_services().table.change(game_id, transition, if_match=if_match), caller)


@seats.operation(
    f"POST {GAME}/invite-codes",
    "renewInviteCodes",
    scope=PLAY,
    body=NoMembersSchema,
    parameters=(IF_MATCH, IDEMPOTENCY_KEY),
    response=ResponseSpec(schema=GameViewSchema, description="The game, with new codes.", headers=ETAG),
    errors=("not_found", "not_seated", "not_creator", "version_conflict"),
)
def renew_invite_codes(
    body: Json, *, caller: Caller, game_id: str, if_match: int | None, idempotency_key: str | None
) -> Response:
    """Take new invite codes.

    For the one who opened the table: `invite_code` and `spectator_code` change, and the old ones open nothing
    any more. Whoever sits there stays.
    """
    del body
    return _ask(seating.renew_invites, caller, game_id, if_match, idempotency_key)


@seats.operation(
    f"POST {GAME}/start",
    "startGame",
    scope=PLAY,
    body=NoMembersSchema,
    parameters=(IF_MATCH, IDEMPOTENCY_KEY),
    response=ResponseSpec(schema=GameViewSchema, description="The game, dealt.", headers=ETAG),
    errors=("not_found", "not_seated", "not_creator", "seats_empty", "already_started", "version_conflict"),
)
def start_game(
    body: Json, *, caller: Caller, game_id: str, if_match: int | None, idempotency_key: str | None
) -> Response:
    """Start the game.

    For the one who opened the table, once every seat is taken.
    """
    del body
    return _ask(seating.start, caller, game_id, if_match, idempotency_key)


@seats.operation(
    f"POST {GAME}/abort",
    "abortGame",
    scope=PLAY,
    body=NoMembersSchema,
    parameters=(IF_MATCH, IDEMPOTENCY_KEY),
    response=ResponseSpec(schema=GameViewSchema, description="The game, given up.", headers=ETAG),
    errors=("not_found", "not_seated", "not_creator", "already_started", "version_conflict", RULES),
)
def abort_game(
    body: Json, *, caller: Caller, game_id: str, if_match: int | None, idempotency_key: str | None
) -> Response:
    """Give the game up.

    Before it starts the one who opened the table may, afterwards the last person at it. There is no result.
    """
    del body
    return _ask(seating.abort, caller, game_id, if_match, idempotency_key)


def _ask(
    transition: Callable[..., GameChange], caller: Caller, game_id: str, if_match: int | None, key: str | None
) -> Response:
    with idempotent_in_game(caller, key, game_id) as idempotency:
        visible_game(game_id, caller)
        asked = partial(transition, player=as_player(caller))
        change = partial(current_services().table.change, game_id, asked, if_match=if_match)
        return idempotency.commit(change, lambda made: _changed(made, caller))


def _changed(made: Outcome, caller: Caller, status: int = 200) -> Response:
    return viewed(made.record, viewer_after(made.record, caller, None), status)
