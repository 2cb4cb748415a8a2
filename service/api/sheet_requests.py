"""A change of a score sheet from request to response, and who may make one."""

from collections.abc import Callable
from dataclasses import dataclass

from flask import Response

from service.api.auth import Caller, hash_token
from service.api.idempotency import idempotent
from service.api.problems import Problem
from service.api.responses import PRIVATE, json_response
from service.api.services import Services
from service.api.views.score_sheet import score_sheet_view
from service.games.table import until_committed
from service.scorekeeping.sheet import ScoreSheet

#: Returns the changed sheet, for the time it is given.
SheetTransition = Callable[[ScoreSheet, int], ScoreSheet]


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetRequest:
    """Who changes which sheet, and the parameters that all changes take."""

    caller: Caller | None
    sheet_id: str
    write_key: str | None
    if_match: int | None
    idempotency_key: str | None = None


def change_sheet(
    services: Services, request: SheetRequest, transition: SheetTransition, status: int = 200
) -> Response:
    """Change a sheet and return it; the commit stores that response with the change.

    Without a version the change is judged again after a conflict. The stored answer is looked up before the
    version, because a retry of a success would otherwise be stale.
    """
    keeper = services.score_keeper
    writer = _writer(keeper.get(request.sheet_id), request)
    with idempotent(
        services.store, writer, request.idempotency_key, subject_id=request.sheet_id, with_commit=True
    ) as idempotency:

        def attempt() -> Response:
            before = keeper.get(request.sheet_id, if_match=request.if_match)
            after = transition(before, services.now())
            response = sheet_response(after, status)
            keeper.commit(after, idempotency.answer(response))
            return response

        return until_committed(attempt, if_match=request.if_match)


def _writer(sheet: ScoreSheet, request: SheetRequest) -> str:
    """Return what tells the writer from others in stored answers; raise Problem for one who may only read."""
    if request.caller is not None and request.caller.id == sheet.owner:
        return request.caller.id
    check_write_key(sheet, request.write_key)
    return sheet.write_hash


def check_write_key(sheet: ScoreSheet, write_key: str | None) -> None:
    """Raise Problem `read_only_link` unless the key is the one to write."""
    if write_key is None or hash_token(write_key) != sheet.write_hash:
        raise Problem(
            "read_only_link",
            "Send the write_key of the sheet's write link, or the token of the player who created the sheet.",
        )


def sheet_response(sheet: ScoreSheet, status: int = 200) -> Response:
    """Return a sheet as a response."""
    return json_response(score_sheet_view(sheet), status, sheet_headers(sheet))


def sheet_headers(sheet: ScoreSheet) -> dict[str, str]:
    """Return the headers of a response that shows a sheet."""
    return {"ETag": f'"{sheet.version}"', **PRIVATE}
