"""Seats: join, leave, seat computers, start, abort."""

from collections.abc import Callable
from functools import partial

from flask import Response

from service.api.auth import PLAY, Caller
from service.api.idempotency import IdempotentRequest, idempotent_in_game
from service.api.parameters import IDEMPOTENCY_KEY
from service.api.quotas import check_game
from service.api.resource import RULES, Resource, ResponseSpec
from service.api.resources.games import ETAG, GAME, game_response
from service.api.resources.players import as_player
from service.api.responses import no_content
from service.api.schemas.games import AutoPassSchema, GameViewSchema, JoinSchema, OpponentSchema
from service.api.schemas.moves import NoMembersSchema
from service.api.services import Services
from service.api.versions import IF_MATCH
from service.api.views.visibility import require_can_join, viewer_after, visible_game
from service.games import seating
from service.games.record import GameRecord
from service.games.seating import GameChange
from service.games.table import PreparedChange, Transition, until_committed
from service.games.table_moves import check_version
from service.runtime.json_object import Json

seats = Resource(
    "seats", __name__, url_prefix="/v1", description="Who sits at the table before the game starts."
)


@seats.operation(
    f"POST {GAME}/seats",
    "joinGame",
    scope=PLAY,
    body=JoinSchema,
    parameters=(IF_MATCH, IDEMPOTENCY_KEY),
    response=ResponseSpec(
        status=201, schema=GameViewSchema, description="The game, with your seat taken.", headers=ETAG
    ),
    errors=("not_found", "seat_taken", "game_full", "already_started", "game_called_off", "version_conflict"),
)
def join_game(  # noqa: PLR0913 - an argument for each parameter
    body: Json,
    *,
    services: Services,
    caller: Caller,
    game_id: str,
    if_match: int | None,
    idempotency_key: str | None,
) -> Response:
    """Join a game.

    On the seat you name, or on the first free one. A private game requires its invite code. If two
    players want the same seat, only one gets it.
    """
    with idempotent_in_game(services.store, caller.id, idempotency_key, game_id) as idempotency:
        require_can_join(services, game_id, caller, body["invite_code"])
        transition = partial(seating.join, player=as_player(caller), seat=body["seat"], now=services.now())
        return _commit(services, idempotency, caller, game_id, transition, if_match, status=201)


@seats.operation(
    f"DELETE {GAME}/seats/me",
    "leaveGame",
    scope=PLAY,
    parameters=(IF_MATCH,),
    response=ResponseSpec(status=204, schema=None, description="The seat is free."),
    errors=("not_found", "not_seated", "already_started", "game_called_off", "version_conflict"),
)
def leave_game(*, services: Services, caller: Caller, game_id: str, if_match: int | None) -> Response:
    """Leave before the game starts.

    When the last player leaves, the game is aborted. It also declines a seat that a rematch reserves for
    you. After the start use resignGame.
    """
    visible_game(services, game_id, caller)
    services.table.change(game_id, partial(seating.leave, player=as_player(caller)), if_match=if_match)
    return no_content()


@seats.operation(
    f"PUT {GAME}/seats/<int(max=7):number>/computer",
    "seatComputer",
    scope=PLAY,
    body=OpponentSchema,
    parameters=(IF_MATCH,),
    response=ResponseSpec(
        schema=GameViewSchema, description="The game, with the computer seated.", headers=ETAG
    ),
    errors=(
        *("not_found", "not_seated", "not_creator", "rated_game"),
        *("seat_taken", "already_started", "game_called_off", "version_conflict", "quota_exceeded"),
    ),
)
def seat_computer(  # noqa: PLR0913 - an argument for each parameter
    body: Json, *, services: Services, caller: Caller, game_id: str, number: int, if_match: int | None
) -> Response:
    """Put a computer on a free seat.

    For the player who opened the table, before the game starts.
    """
    visible_game(services, game_id, caller)

    def transition(before: GameRecord) -> GameChange:
        change = seating.seat_computer(before, as_player(caller), seat=number, level=body["level"])
        check_game(services, change[0], before)
        return change

    return _changed(services, services.table.change(game_id, transition, if_match=if_match), caller)


@seats.operation(
    f"PUT {GAME}/seats/me/auto-pass",
    "setAutoPass",
    scope=PLAY,
    body=AutoPassSchema,
    parameters=(IF_MATCH,),
    response=ResponseSpec(schema=GameViewSchema, description="The game, with your setting.", headers=ETAG),
    errors=("not_found", "not_seated", "version_conflict", RULES),
)
def set_auto_pass(
    body: Json, *, services: Services, caller: Caller, game_id: str, if_match: int | None
) -> Response:
    """Pass every call automatically.

    While `auto_pass` is true, the service passes for you as soon as a call window opens, in the same version,
    whatever you hold. It applies to the open window too, and lasts until you set it to false or your seat
    ends. No other player sees the setting. In a sandbox it applies to all your seats.
    """
    seen = visible_game(services, game_id, caller)
    transition = partial(seating.set_auto_pass, player=as_player(caller), auto_pass=bool(body["auto_pass"]))
    if seen.viewer is not None and seen.record.seats[seen.viewer].auto_pass is body["auto_pass"]:
        # Nothing changes, so there is nothing to commit.
        check_version(seen.record, if_match)
        return game_response(services, seen.record, seen.viewer)
    return _changed(services, services.table.change(game_id, transition, if_match=if_match), caller)


@seats.operation(
    f"POST {GAME}/invite-codes",
    "renewInviteCodes",
    scope=PLAY,
    body=NoMembersSchema,
    parameters=(IF_MATCH, IDEMPOTENCY_KEY),
    response=ResponseSpec(schema=GameViewSchema, description="The game, with new codes.", headers=ETAG),
    errors=("not_found", "not_seated", "not_creator", "version_conflict"),
)
def renew_invite_codes(  # noqa: PLR0913 - an argument for each parameter
    body: Json,
    *,
    services: Services,
    caller: Caller,
    game_id: str,
    if_match: int | None,
    idempotency_key: str | None,
) -> Response:
    """Replace the invite codes.

    For the player who opened the table: `invite_code` and `spectator_code` change, and the old codes stop
    working. Players at the table keep their seats.
    """
    del body
    return _change_seats(services, seating.renew_invites, caller, game_id, if_match, idempotency_key)


@seats.operation(
    f"POST {GAME}/start",
    "startGame",
    scope=PLAY,
    body=NoMembersSchema,
    parameters=(IF_MATCH, IDEMPOTENCY_KEY),
    response=ResponseSpec(
        schema=GameViewSchema, description="The game, with the first cards dealt.", headers=ETAG
    ),
    errors=(
        *("not_found", "not_seated", "not_creator", "seats_empty"),
        *("already_started", "game_called_off", "version_conflict"),
    ),
)
def start_game(  # noqa: PLR0913 - an argument for each parameter
    body: Json,
    *,
    services: Services,
    caller: Caller,
    game_id: str,
    if_match: int | None,
    idempotency_key: str | None,
) -> Response:
    """Start the game.

    For the player who opened the table, when every seat is taken.
    """
    del body
    return _change_seats(services, seating.start, caller, game_id, if_match, idempotency_key)


@seats.operation(
    f"POST {GAME}/abort",
    "abortGame",
    scope=PLAY,
    body=NoMembersSchema,
    parameters=(IF_MATCH, IDEMPOTENCY_KEY),
    response=ResponseSpec(schema=GameViewSchema, description="The aborted game.", headers=ETAG),
    errors=("not_found", "not_seated", "not_creator", "already_started", "version_conflict", RULES),
)
def abort_game(  # noqa: PLR0913 - an argument for each parameter
    body: Json,
    *,
    services: Services,
    caller: Caller,
    game_id: str,
    if_match: int | None,
    idempotency_key: str | None,
) -> Response:
    """Abort the game.

    Before the start the player who opened the table may do so, afterwards the last player left. The game
    ends without a result.
    """
    del body
    return _change_seats(services, seating.abort, caller, game_id, if_match, idempotency_key)


def _change_seats(  # noqa: PLR0913, PLR0917 - an argument for each parameter
    services: Services,
    transition: Callable[..., GameChange],
    caller: Caller,
    game_id: str,
    if_match: int | None,
    key: str | None,
) -> Response:
    with idempotent_in_game(services.store, caller.id, key, game_id) as idempotency:
        visible_game(services, game_id, caller)
        by_caller = partial(transition, player=as_player(caller))
        return _commit(services, idempotency, caller, game_id, by_caller, if_match)


def _commit(  # noqa: PLR0913, PLR0917 - an argument for each parameter
    services: Services,
    idempotency: IdempotentRequest,
    caller: Caller,
    game_id: str,
    transition: Transition,
    if_match: int | None,
    status: int = 200,
) -> Response:
    """Make a change and return the game after it; the commit stores that response with the change.

    As in `Table.change`, a change without a version is judged again after a conflict.
    """

    def attempt() -> Response:
        record = services.table.get(game_id)
        check_version(record, if_match)
        change = services.table.prepare(record, transition)
        response = _changed(services, change, caller, status)
        services.table.commit(change, idempotency.answer(response))
        return response

    return until_committed(attempt, if_match=if_match)


def _changed(services: Services, change: PreparedChange, caller: Caller, status: int = 200) -> Response:
    viewer = viewer_after(change.record, caller, None)
    return game_response(services, change.record, viewer, status)
