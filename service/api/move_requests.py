"""What all moves have in common: the retry, the seat, the version, the answer; or only a try."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from flask import Response

from service.api import problems
from service.api.auth import Caller
from service.api.idempotency import idempotent_in_game
from service.api.problems import Problem
from service.api.responses import PRIVATE, game_headers, json_response
from service.api.services import current_services
from service.api.views.rendering import event_views
from service.api.views.visibility import current_game_view, seat_of, viewer_after
from service.games.record import GameRecord
from service.games.refusals import Refusal
from service.games.table import Outcome, check_version
from service.rummy.errors import IllegalMove


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Who asks for a move, where, and how: the parameters that all moves take."""

    caller: Caller
    game_id: str
    dry_run: bool
    as_seat: int | None
    if_match: int | None
    idempotency_key: str | None


#: Judges a move without making it: answers or raises what would refuse it.
Attempt = Callable[[GameRecord, int], object]
#: Makes a move: takes record and seat, `if_match` and `answering`.
Change = Callable[..., Outcome]


def carry_out(asked: Asked, *, change: Change, attempt: Attempt) -> Response:
    """Make the move and answer what came of it, or with `dry_run` whether it would be lawful.

    The retry comes first: a player who resigned has no seat when the same request
    comes again, and the version has moved on.
    """
    if asked.dry_run:
        return _tried(asked, attempt)
    with idempotent_in_game(asked.caller, asked.idempotency_key, asked.game_id) as idempotency:
        record = current_services().table.get(asked.game_id)
        seat = seat_of(record, asked.caller, asked.as_seat)
        return idempotency.commit(
            partial(change, record, seat, if_match=asked.if_match),
            lambda outcome: _made(outcome, asked.caller, seat),
        )


def _made(outcome: Outcome, caller: Caller, seat: int) -> Response:
    record = outcome.record
    viewer = viewer_after(record, caller, seat)
    told = {
        "version": record.version,
        "events": event_views(outcome.events, viewer, game_id=record.id),
        "game": current_game_view(record, viewer),
    }
    return json_response(told, 201, game_headers(record))


def _tried(asked: Asked, attempt: Attempt) -> Response:
    record = current_services().table.get(asked.game_id)
    seat = seat_of(record, asked.caller, asked.as_seat)
    check_version(record, asked.if_match)
    refusal = _refusal(attempt, record, seat)
    told = {"lawful": refusal is None, "problem": refusal and problems.body(refusal)}
    return json_response(told, headers=PRIVATE)


def _refusal(attempt: Attempt, record: GameRecord, seat: int) -> Problem | None:
    try:
        refusal = attempt(record, seat)
    except IllegalMove as error:
        refusal = error
    except Refusal as error:
        return problems.from_refusal(error)
    return problems.from_rules(refusal) if isinstance(refusal, IllegalMove) else None
