"""Error responses (RFC 9457): the table of every code with its status and title.

Every error leaves as `application/problem+json`: our own refusals, illegal moves, Flask's 404 and 405,
and a bug, which is a 500 and shows the client nothing but its request id.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote

from flask import Flask, Response, g, request
from msgspec import json
from werkzeug.exceptions import HTTPException

from service.api.rule_titles import TITLE_OF_RULE_CODE
from service.games.refusals import Refusal
from service.rummy.errors import RULE_OF_CODE, IllegalMove, ImpossiblePosition, VariantContradiction
from service.rummy.sentences import Sentence
from service.store.contract import StoreUnavailable

MEDIA_TYPE: Final = "application/problem+json"
RULES_STATUS: Final = 409

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ProblemType:
    """The status and title of all problems with one code."""

    status: int
    title: str


#: Every code except those of the rules, which are all 409 and are listed in `service.rummy.errors`.
PROBLEMS: Final[Mapping[str, ProblemType]] = {
    "bad_request": ProblemType(400, "Malformed request"),
    "malformed_json": ProblemType(400, "Malformed JSON"),
    "token_missing": ProblemType(401, "Token required"),
    "token_invalid": ProblemType(401, "Invalid token"),
    "insufficient_scope": ProblemType(403, "Insufficient scope"),
    "not_seated": ProblemType(403, "Not seated at this table"),
    "not_creator": ProblemType(403, "Only for the player who opened the table"),
    "read_only_link": ProblemType(403, "Link without the key to write"),
    "rated_game": ProblemType(403, "Not allowed in a rated game"),
    "not_found": ProblemType(404, "Not found"),
    "method_not_allowed": ProblemType(405, "Method not allowed"),
    "request_timeout": ProblemType(408, "Request timeout"),
    "idempotency_in_progress": ProblemType(409, "The first request with this key is still in progress"),
    "seat_taken": ProblemType(409, "Seat taken"),
    "game_full": ProblemType(409, "Game full"),
    "already_started": ProblemType(409, "Game already started"),
    "game_called_off": ProblemType(409, "Game called off"),
    "seats_empty": ProblemType(409, "Seats still empty"),
    "too_many_webhooks": ProblemType(409, "Webhook limit reached"),
    "too_many_blocks": ProblemType(409, "Block limit reached"),
    "sheet_finished": ProblemType(409, "Score sheet finished"),
    "nothing_to_undo": ProblemType(409, "Nothing to undo"),
    "hint_in_progress": ProblemType(409, "Hint or review already in progress"),
    "reactions_off": ProblemType(409, "Reactions turned off"),
    "game_running": ProblemType(409, "Game still running"),
    "version_conflict": ProblemType(412, "Version conflict"),
    "body_too_large": ProblemType(413, "Body too large"),
    "uri_too_long": ProblemType(414, "URI too long"),
    "unsupported_media_type": ProblemType(415, "Unsupported media type"),
    "validation_failed": ProblemType(422, "Validation failed"),
    "idempotency_key_reused": ProblemType(422, "Idempotency-Key already used for another request"),
    "variant_contradiction": ProblemType(422, "Contradictory options"),
    "invalid_deal": ProblemType(422, "Invalid deal"),
    "impossible_position": ProblemType(422, "Impossible position"),
    "sandbox_only": ProblemType(422, "Only in a sandbox game"),
    "rate_limited": ProblemType(429, "Too many requests"),
    "quota_exceeded": ProblemType(429, "Quota exceeded"),
    "too_many_streams": ProblemType(429, "Stream limit of this token reached"),
    "headers_too_large": ProblemType(431, "Headers too large"),
    "internal_error": ProblemType(500, "Internal error"),
    "stream_capacity": ProblemType(503, "Stream capacity reached"),
    "store_unavailable": ProblemType(503, "Store unavailable"),
}

_ILLEGAL_MOVES: Final = {code: ProblemType(RULES_STATUS, title) for code, title in TITLE_OF_RULE_CODE.items()}

#: Errors that werkzeug raises before our code runs: our code and sentence by status.
_OF_STATUS: Final[Mapping[int, tuple[str, str]]] = {
    400: ("bad_request", "The request is malformed: check its path, headers and length."),
    404: ("not_found", "Unknown path: see /docs or /v1/openapi.json."),
    405: (
        "method_not_allowed",
        "This path does not support this method: see the Allow header for those it does.",
    ),
    413: ("body_too_large", "The body is too large: getMeta shows the limit in limits.body_bytes."),
    415: ("unsupported_media_type", "Send Content-Type: application/json."),
}

#: Headers of a werkzeug error that our response keeps.
_KEPT_HEADERS: Final = frozenset({"allow", "retry-after"})


class Problem(Exception):  # noqa: N818 - RFC 9457's own word; not every problem is an error
    """An error response: a code of the table, and a sentence for people."""

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
        """The HTTP status of the response."""
        return type_of(self.code).status


def type_of(code: str) -> ProblemType:
    """Return the type of a code; every code of the rules is an illegal move."""
    return _ILLEGAL_MOVES.get(code) or PROBLEMS[code]


def invalid(field: str, message: str) -> Problem:
    """Return the problem of one invalid member, parameter or header."""
    return invalid_fields([{"field": field, "message": message}])


def invalid_fields(errors: Sequence[Mapping[str, Any]]) -> Problem:
    """Return the problem of all invalid members; `detail` names the first."""
    first = errors[0]
    place = f"{first['field']}: " if first["field"] else ""
    return Problem("validation_failed", f"{place}{first['message']}", errors=errors)


def no_such_game() -> Problem:
    """Return the problem of a game that does not exist, or is hidden from the caller."""
    return Problem("not_found", "There is no such game.")


def from_rules(error: IllegalMove) -> Problem:
    """Return the problem of an illegal move: the code, rule number, sentence and details of the rules."""
    members = dict(error.details)
    if "move" in members:
        members["errors"] = [{"field": f"moves.{members['move']}", "message": error.message}]
    return Problem(error.code, error.message, kind="illegal_move", rule=error.rule, **members)


def from_refusal(refusal: Refusal) -> Problem:
    """Return the problem of a refusal of the table; some of its codes belong to a rule of the game."""
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
    """Return the problem as the JSON body of the response to the running request."""
    return to_json(problem, instance=quote(request.path), request_id=g.request_id)


def to_json(problem: Problem, *, instance: str, request_id: str) -> dict[str, Any]:
    """Return the problem as a JSON body. `instance` is the path of the request."""
    kind = type_of(problem.code)
    members = {
        "type": f"/problems/{problem.code}",
        "title": kind.title,
        "status": kind.status,
        # A plain string: msgspec encodes no sentence.
        "detail": None if problem.detail is None else str(problem.detail),
        "instance": instance,
        "code": problem.code,
        **problem.members,
        "request_id": request_id,
        "errors": [{**error, "message": str(error["message"])} for error in problem.errors],
    }
    if problem.detail is None:
        del members["detail"]
    if isinstance(problem.detail, Sentence):
        members |= sentence_members(problem.detail)
    return members


def sentence_members(sentence: Sentence) -> dict[str, Any]:
    """Return what a client needs to say a sentence in another language."""
    return {"reason_code": sentence.key, "template": sentence.template, "params": sentence.params}


def response_of(problem: Problem) -> Response:
    """Return the problem as a response."""
    return Response(
        json.encode(body(problem)), status=problem.status, headers=problem.headers, content_type=MEDIA_TYPE
    )


def _from_store(error: StoreUnavailable) -> Problem:
    # The write may have happened all the same: a retry with the same Idempotency-Key finds out.
    _log.warning("request %s: %s", g.request_id, error)
    return Problem("store_unavailable", "The store does not respond: retry.", headers={"Retry-After": "1"})


def _from_bug(error: Exception) -> Response:
    # Bugs end here: the traceback is logged under the request id, which is all that the client gets.
    _log.error("request %s failed: %s %s", g.request_id, request.method, request.path, exc_info=error)
    return response_of(Problem("internal_error", None))


def register(app: Flask) -> None:
    """Turn every error of the app into a problem."""
    app.register_error_handler(Problem, response_of)
    app.register_error_handler(IllegalMove, lambda error: response_of(from_rules(error)))
    app.register_error_handler(Refusal, lambda error: response_of(from_refusal(error)))
    app.register_error_handler(VariantContradiction, lambda error: response_of(_from_variant(error)))
    app.register_error_handler(ImpossiblePosition, lambda error: response_of(_from_position(error)))
    app.register_error_handler(StoreUnavailable, lambda error: response_of(_from_store(error)))
    app.register_error_handler(HTTPException, lambda error: response_of(_from_http(error)))
    app.register_error_handler(Exception, _from_bug)
