"""A move from request to response: `handle_move` is the whole path."""

from collections.abc import Callable
from dataclasses import dataclass

from flask import Response

from service.api import problems
from service.api.auth import Caller
from service.api.idempotency import idempotent_in_game
from service.api.problems import Problem
from service.api.responses import MINIMAL, PRIVATE, game_headers, json_response
from service.api.services import Services
from service.api.views.move_entries import included_moves
from service.api.views.rendering import event_views, preview_members
from service.api.views.visibility import current_game_view, seat_of, viewer_after
from service.games.record import GameRecord
from service.games.refusals import Refusal, VersionConflict
from service.games.table import MAX_CONFLICTS, PreparedChange, Table
from service.games.table_moves import TableMove, check_version, may_retry
from service.rummy.errors import IllegalMove

#: Returns the move that a request asks for, given the seat that makes it.
MoveOfSeat = Callable[[int], TableMove]


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveRequest:
    """Who moves in which game, and the parameters that all moves take."""

    caller: Caller
    game_id: str
    dry_run: bool
    as_seat: int | None
    if_match: int | None
    idempotency_key: str | None
    include: frozenset[str]
    minimal: bool


def handle_move(services: Services, request: MoveRequest, move_of_seat: MoveOfSeat) -> Response:
    """Make a move and return what happened; with `dry_run` only what it would lead to.

    The stored answer is looked up before seat and version: a player who resigned has no seat when the same
    request comes again, and the version has moved on. The response is built before the commit, because the
    commit stores it with the move, in one script: either both are written or neither is.
    """
    if request.dry_run:
        return _dry_run(services, request, move_of_seat)
    table = services.table
    with idempotent_in_game(
        services.store, request.caller.id, request.idempotency_key, request.game_id
    ) as idempotency:
        record = table.get(request.game_id)
        seat = seat_of(record, request.caller, request.as_seat)
        move = move_of_seat(seat)
        attempts = 0
        while True:
            attempts += 1
            check_version(record, request.if_match)
            change = table.prepare_move(record, move)
            response = _move_response(services, change, request, seat)
            try:
                table.commit(change, idempotency.answer(response))
            except VersionConflict:
                if attempts == MAX_CONFLICTS or not may_retry(record, move, request.if_match):
                    raise
                record = table.get(request.game_id)
            else:
                return response


def _move_response(services: Services, change: PreparedChange, request: MoveRequest, seat: int) -> Response:
    record = change.record
    viewer = viewer_after(record, request.caller, seat)
    body: dict[str, object] = {
        "version": record.version,
        "events": event_views(change.events, viewer, game_id=record.id),
    }
    headers = game_headers(record)
    if request.minimal:
        # Not a 201, whose schema has `game`: clients that are generated from it rely on that.
        body |= {"minimal": True, **included_moves(record, viewer, request.include)}
        return json_response(body, 200, {**headers, **MINIMAL})
    body["game"] = current_game_view(
        services, record, viewer, include=request.include, player_id=request.caller.id
    )
    return json_response(body, 201, headers)


def _dry_run(services: Services, request: MoveRequest, move_of_seat: MoveOfSeat) -> Response:
    table = services.table
    record = table.get(request.game_id)
    seat = seat_of(record, request.caller, request.as_seat)
    move = move_of_seat(seat)
    check_version(record, request.if_match)
    problem = _problem_of_move(table, record, move)
    preview = table.preview_move(record, move) if problem is None else None
    body: dict[str, object] = {
        "lawful": problem is None,
        "problem": problem and problems.body(problem),
        **preview_members(record, preview, seat),
    }
    shown = record if preview is None else preview.record
    if request.minimal:
        body |= {"minimal": True, **included_moves(shown, seat, request.include)}
        return json_response(body, headers={**PRIVATE, **MINIMAL})
    include = request.include or frozenset({"legal_moves"})
    body["game"] = current_game_view(services, shown, seat, include=include)
    return json_response(body, headers=PRIVATE)


def _problem_of_move(table: Table, record: GameRecord, move: TableMove) -> Problem | None:
    """Return the problem that the move would meet now, None if it is legal."""
    try:
        table.prepare_move(record, move)
    except IllegalMove as error:
        return problems.from_rules(error)
    except Refusal as error:
        return problems.from_refusal(error)
    return None
