"""What is answered instead of what was asked for: the one table from code to status (RFC 9457).

Everything that is no success leaves as `application/problem+json`: our own
refusals, refused moves, Flask's 404 and 405, and a bug, which stays a 500 and
tells nobody more than its request id.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote

from flask import Flask, Response, g, request
from msgspec import json
from werkzeug.exceptions import HTTPException

from service.games.refusals import Refusal
from service.rummy.errors import RULE_OF_CODE, IllegalMove, ImpossiblePosition, VariantContradiction
from service.store.contract import StoreUnavailable

MEDIA_TYPE: Final = "application/problem+json"
RULES_STATUS: Final = 409

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ProblemType:
    """What all problems of one code have in common."""

    status: int
    title: str


#: Every code but those of the rules, which are all 409 and stand in `service.rummy.errors`.
PROBLEMS: Final[Mapping[str, ProblemType]] = {
    "bad_request": ProblemType(400, "The request cannot be read"),
    "malformed_json": ProblemType(400, "The body is not JSON"),
    "token_missing": ProblemType(401, "A token is needed"),
    "token_invalid": ProblemType(401, "The token is not known"),
    "insufficient_scope": ProblemType(403, "The token may not do this"),
    "not_seated": ProblemType(403, "Only for those who sit at this table"),
    "not_creator": ProblemType(403, "Only for the one who opened the table"),
    "rated_game": ProblemType(403, "Not in a rated game"),
    "not_found": ProblemType(404, "There is no such thing here"),
    "method_not_allowed": ProblemType(405, "This method does not exist here"),
    "request_timeout": ProblemType(408, "The request took too long to come"),
    "idempotency_in_progress": ProblemType(409, "The first request with this key is still running"),
    "seat_taken": ProblemType(409, "Somebody sits there"),
    "game_full": ProblemType(409, "Every seat is taken"),
    "already_started": ProblemType(409, "The game has begun"),
    "seats_empty": ProblemType(409, "Seats are still free"),
    "too_many_webhooks": ProblemType(409, "No more webhooks for you"),
    "hint_in_progress": ProblemType(409, "One hint at a time"),
    "game_running": ProblemType(409, "The game is not over yet"),
    "version_conflict": ProblemType(412, "The game has moved on"),
    "body_too_large": ProblemType(413, "The body is too large"),
    "uri_too_long": ProblemType(414, "The path is too long"),
    "unsupported_media_type": ProblemType(415, "Send JSON"),
    "validation_failed": ProblemType(422, "The request does not fit its schema"),
    "idempotency_key_reused": ProblemType(422, "This key was used for another request"),
    "variant_contradiction": ProblemType(422, "These options do not go together"),
    "impossible_position": ProblemType(422, "No game can be in this position"),
    "sandbox_only": ProblemType(422, "Only in a sandbox game"),
    "rate_limited": ProblemType(429, "Too many requests"),
    "too_many_streams": ProblemType(429, "This token has too many streams open"),
    "headers_too_large": ProblemType(431, "The headers are too large"),
    "internal_error": ProblemType(500, "Something went wrong on our side"),
    "stream_capacity": ProblemType(503, "Too many clients are waiting here"),
    "store_unavailable": ProblemType(503, "The store does not answer"),
}

_REFUSED_MOVE = ProblemType(RULES_STATUS, "The rules refuse this move")

#: What werkzeug refuses before any of our code runs, in our words.
_OF_STATUS: Final[Mapping[int, tuple[str, str]]] = {
    400: ("bad_request", "The request cannot be read."),
    404: ("not_found", "Nothing is at this path; /docs and /v1/openapi.json tell what is."),
    405: (
        "method_not_allowed",
        "This path does not take this method; the Allow header tells which it takes.",
    ),
    413: ("body_too_large", "The body is larger than anything that is needed here; getMeta tells the limit."),
    415: ("unsupported_media_type", "Send Content-Type: application/json."),
}

#: Headers of a werkzeug error that still hold for our answer.
_KEPT_HEADERS: Final = frozenset({"allow", "retry-after"})


class Problem(Exception):  # noqa: N818 - RFC 9457's own word; not every problem is an error
    """An answer other than the one asked for: a code of the table and a sentence for a person."""

    def __init__(
        self,
        code: str,
        detail: str | None,
        *,
        errors: Sequence[Mapping[str, Any]] = (),
        headers: Mapping[str, str] | None = None,
        **members: Any,  # noqa: ANN401 - any JSON value may be a member
    ) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.errors = list(errors)
        self.headers = dict(headers or {})
        self.members = members

    @property
    def status(self) -> int:
        """The status number of the answer."""
        return type_of(self.code).status


def type_of(code: str) -> ProblemType:
    """Return what the table says of a code; a code of the rules is a refused move."""
    return _REFUSED_MOVE if code in RULE_OF_CODE else PROBLEMS[code]


def invalid(field: str, message: str) -> Problem:
    """Return the problem of one member, parameter or header that does not fit its schema."""
    return invalid_fields([{"field": field, "message": message}])


def invalid_fields(errors: Sequence[Mapping[str, Any]]) -> Problem:
    """Return the problem of all members that do not fit; the first one is told in the sentence."""
    first = errors[0]
    place = f"{first['field']}: " if first["field"] else ""
    return Problem("validation_failed", f"{place}{first['message']}", errors=errors)


def no_such_game() -> Problem:
    """Return the refusal for a game that is not there, and for one that is none of a stranger's business."""
    return Problem("not_found", "There is no such game.")


def from_rules(error: IllegalMove) -> Problem:
    """Return the problem of a refused move: the rules' code, number, sentence and details."""
    members = dict(error.details)
    if "move" in members:
        members["errors"] = [{"field": f"moves.{members['move']}", "message": error.message}]
    return Problem(error.code, error.message, kind="illegal_move", rule=error.rule, **members)


def from_refusal(refusal: Refusal) -> Problem:
    """Return the problem of what the table refuses; some of it has a rule of the game behind it."""
    members = dict(refusal.details)
    if refusal.code in RULE_OF_CODE:
        members |= {"kind": "illegal_move", "rule": RULE_OF_CODE[refusal.code]}
    return Problem(refusal.code, refusal.message, **members)


def _from_variant(error: VariantContradiction) -> Problem:
    place = {"seats": "seats", "preset": "variant.preset"}.get(
        error.option, f"variant.overrides.{error.option}"
    )
    field = {"field": place, "message": error.message}
    return Problem("variant_contradiction", error.message, errors=[field], option=error.option)


def _from_position(error: ImpossiblePosition) -> Problem:
    field = {"field": f"position.{error.where}", "message": error.message}
    return Problem("impossible_position", error.message, errors=[field])


def _from_http(error: HTTPException) -> Problem:
    code, sentence = _OF_STATUS.get(error.code or 400, _OF_STATUS[400])
    kept = {name: value for name, value in error.get_headers() if name.lower() in _KEPT_HEADERS}
    return Problem(code, sentence, headers=kept)


def body(problem: Problem) -> dict[str, Any]:
    """Return the problem of the running request as the JSON object that is sent."""
    return to_json(problem, instance=quote(request.path), request_id=g.request_id)


def to_json(problem: Problem, *, instance: str, request_id: str) -> dict[str, Any]:
    """Return the problem as the JSON object that is sent. `instance` is the path that was asked for."""
    kind = type_of(problem.code)
    members = {
        "type": f"/problems/{problem.code}",
        "title": kind.title,
        "status": kind.status,
        "detail": problem.detail,
        "instance": instance,
        "code": problem.code,
        **problem.members,
        "request_id": request_id,
        "errors": problem.errors,
    }
    if problem.detail is None:
        del members["detail"]
    return members


def response_of(problem: Problem) -> Response:
    """Return the problem as a response."""
    return Response(
        json.encode(body(problem)), status=problem.status, headers=problem.headers, content_type=MEDIA_TYPE
    )


def _from_store(error: StoreUnavailable) -> Problem:
    # A write may have been done all the same: a retry with the same Idempotency-Key finds out.
    _log.warning("request %s: %s", g.request_id, error)
    return Problem("store_unavailable", "The store does not answer; try again.", headers={"Retry-After": "1"})


def _from_bug(error: Exception) -> Response:
    # The one place where a bug ends: logged whole with the id that the client is given, and no more.
    _log.error("request %s failed: %s %s", g.request_id, request.method, request.path, exc_info=error)
    return response_of(Problem("internal_error", None))


def register(app: Flask) -> None:
    """Make every refusal of the app leave as a problem."""
    app.register_error_handler(Problem, response_of)
    app.register_error_handler(IllegalMove, lambda error: response_of(from_rules(error)))
    app.register_error_handler(Refusal, lambda error: response_of(from_refusal(error)))
    app.register_error_handler(VariantContradiction, lambda error: response_of(_from_variant(error)))
    app.register_error_handler(ImpossiblePosition, lambda error: response_of(_from_position(error)))
    app.register_error_handler(StoreUnavailable, lambda error: response_of(_from_store(error)))
    app.register_error_handler(HTTPException, lambda error: response_of(_from_http(error)))
    app.register_error_handler(Exception, _from_bug)
