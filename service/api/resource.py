"""One decorator per operation declares its route, access, parameters, body, response and errors.

The declaration is enforced and documented. It builds on flask-smorest, which reads bodies and collects the
document. The difference: msgspec parses bodies, a duplicate member or a wrong media type is an error, and
errors are problems that the operation lists by code.
"""

import codecs
import json
from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from functools import wraps
from inspect import signature
from math import isinf
from typing import Any, Final, NoReturn

import msgspec
from flask import Request, Response, request
from flask_smorest import Blueprint  # type: ignore[import-untyped] # it has no types
from marshmallow import Schema, ValidationError
from webargs.core import missing
from webargs.flaskparser import FlaskParser
from werkzeug.exceptions import RequestEntityTooLarge

from service.api import auth, limits
from service.api.parameters import DRY_RUN, Parameter, read_all
from service.api.problems import MEDIA_TYPE, PROBLEMS, RULES_STATUS, Problem, invalid_fields
from service.api.rate_limiter import Policy
from service.api.requests import MAX_BODY_BYTES
from service.api.schemas.base import MAX_SAFE_INTEGER, flatten_errors
from service.api.schemas.moves import NoMembersSchema
from service.api.schemas.problem import ProblemSchema
from service.api.services import Services, current_services
from service.api.sse.tickets import TICKET, authenticate
from service.games.refusals import Refusal
from service.runtime.json_object import Json

View = Callable[..., Response]


def _read_float(text: str) -> float:
    """Return a number that is written with a point or an exponent, as int if it is whole.

    To JSON 2.0 and 2 are the same number, and several game engines write every number with a point.
    """
    number = float(text)
    if isinf(number):
        raise Problem("malformed_json", f"The number {text[:20]} is too large.")
    # A larger float may stand for another whole number than the one that was written.
    return int(number) if number.is_integer() and abs(number) <= MAX_SAFE_INTEGER else number


_decode = msgspec.json.Decoder(float_hook=_read_float).decode

#: The methods whose body is read. With other methods a body has no meaning.
_METHODS_WITH_BODY: Final = frozenset({"POST", "PUT", "PATCH"})
#: A move that fails so was in no game of the player, and does not count against the policy of moves.
_OUTSIDE_OWN_GAMES: Final = frozenset({"not_found", "not_seated"})

#: Stands for all codes of the rules in a list of errors.
RULES: Final = "rules"

_WITH_TOKEN: Final = ("token_missing", "token_invalid", "insufficient_scope")
_WITH_BODY: Final = (
    "bad_request",
    "malformed_json",
    "request_timeout",
    "body_too_large",
    "unsupported_media_type",
    "validation_failed",
)
_WITH_KEY: Final = ("idempotency_in_progress", "idempotency_key_reused")
_ALWAYS_POSSIBLE: Final = ("internal_error",)

_PATH_PARAMETERS: Final[Mapping[str, str]] = {
    "game_id": "The id of the game.",
    "sheet_id": "The id of the score sheet.",
    "player_id": "The id of the player.",
    "pool": "Whose ratings: `people`, `bots` or `computers`.",
    "seek_id": "The id of the seek.",
    "token_id": "The id of the token, from listTokens.",
    "webhook_id": "The id of the webhook, from listWebhooks.",
    "preset": "The name of a preset, from getMeta.",
    "number": "The number of the deal, from 1.",
    "code": "The code of a problem.",
    "job_id": "The id of the job, from requestHint or requestReview.",
}


#: Where a parameter of one name is another number.
_OF_OPERATION: Final[Mapping[str, Mapping[str, str]]] = {
    "seatComputer": {"number": "The number of the seat, from 0."},
}

_NO_MEMBERS: Final = NoMembersSchema()
#: The byte order marks of UTF-16; those of UTF-32 begin with one or with a NUL.
_OTHER_ENCODINGS: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)


def read_json(raw: bytes) -> Any:  # noqa: ANN401 - JSON
    """Return the JSON of a body; raise `Problem` malformed_json if it is none."""
    # RFC 8259 lets a parser ignore a byte order mark, and editors on Windows write one.
    raw = raw.removeprefix(codecs.BOM_UTF8)
    if raw.startswith(_OTHER_ENCODINGS):
        raise Problem("malformed_json", "Send the body as UTF-8, not as UTF-16 or UTF-32.")
    try:
        body = _decode(raw)
        # msgspec is strict, but takes a duplicate member. The standard library takes lone surrogates
        # and infinite numbers, so neither can parse alone.
        json.loads(raw, object_pairs_hook=_reject_duplicates)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise Problem("malformed_json", f"The body is not JSON: {error}.") from error
    return body


class BodyParser(FlaskParser):
    """Reads JSON bodies: strict about media type and syntax."""

    def load_json(self, req: Request, schema: Schema) -> Any:  # noqa: ANN401 - JSON
        """Return the body, or `missing` if there is none."""
        encoding = req.headers.get("Content-Encoding", "identity")
        if encoding.lower() != "identity":
            raise Problem("unsupported_media_type", "Send the body without a Content-Encoding.")
        raw = req.get_data()
        if req.content_length is None and len(raw) >= MAX_BODY_BYTES:
            # werkzeug silently cuts a chunked body off at the limit.
            raise RequestEntityTooLarge
        # Many clients send a media type with an empty body.
        if not raw and not (req.content_type and _requires_body(schema)):
            return missing
        if req.mimetype != "application/json" and not req.mimetype.endswith("+json"):
            sent = f", not {req.mimetype}" if req.mimetype else ""
            raise Problem("unsupported_media_type", f"Send Content-Type: application/json{sent}.")
        return read_json(raw)

    def handle_error(self, error: ValidationError, *_args: object, **_options: object) -> NoReturn:
        """Raise the problem that names every invalid member."""
        messages = (
            error.messages if isinstance(error.messages, list) else error.messages.get("json", error.messages)
        )
        raise invalid_fields(flatten_errors(messages)) from error


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseSpec:
    """The response of an operation that succeeds."""

    schema: type[Schema] | Json | None
    description: str
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    media_type: str = "application/json"
    other_responses: Mapping[int, tuple[str, type[Schema] | None]] = field(default_factory=dict)


class Resource(Blueprint):  # type: ignore[misc] # flask-smorest has no types
    """A blueprint whose operations document themselves."""

    ARGUMENTS_PARSER = BodyParser()

    def operation(  # noqa: PLR0913 - all that an operation declares
        self,
        route: str,
        operation_id: str,
        *,
        response: ResponseSpec,
        scope: str | None = None,
        optional_scope: str | None = None,
        tickets: bool = False,
        body: type[Schema] | None = None,
        parameters: tuple[Parameter, ...] = (),
        errors: tuple[str, ...] = (),
    ) -> Callable[[View], View]:
        """Register the view as the operation at `route`, such as `POST /games`.

        With a `scope` a request needs a token that has it, and the view gets `caller`; with `tickets` a
        ticket in the query does as well, and the view gets it as `ticket`. With an `optional_scope` a
        request may come without a token, and `caller` is then None. A view that names `services` gets the
        app's. Every parameter arrives as a keyword argument, the body as the first argument.
        """
        method, rule = route.split(" ")
        parameters = tuple(way for parameter in parameters for way in (parameter, *parameter.alternatives))
        policy = limits.policy_of(
            operation_id, method, has_token=scope is not None, is_move=DRY_RUN in parameters
        )
        errors = (*errors, *(("rate_limited",) if policy else ()))
        problems = _problems(
            scope or optional_scope, parameters, errors, may_send=method in _METHODS_WITH_BODY
        )

        def register(view: View) -> View:
            inner = self.response(
                response.status,
                response.schema,
                description=response.description,
                content_type=response.media_type,
                headers=_headers(response.headers),
            )(view)
            if body is not None:
                schema = body()
                inner = self.arguments(schema, location="json", required=_requires_body(schema))(inner)
            elif method in _METHODS_WITH_BODY:
                inner = _without_body(inner)
            gated = _gate(inner, scope, parameters, policy, tickets=tickets, optional_scope=optional_scope)
            gated.policy = policy  # type: ignore[attr-defined] # where `limits` looks
            documented = _documented(inner, operation_id, scope, parameters, problems, response)
            if tickets:
                documented["manual_doc"]["security"].append({TICKET: []})
            if optional_scope is not None:
                documented["manual_doc"] |= {
                    "security": [{}, {"bearer": []}],
                    "x-optional-scope": optional_scope,
                }
            gated._apidoc = documented  # type: ignore[attr-defined] # noqa: SLF001 - where flask-smorest looks
            self.add_url_rule(
                rule, operation_id, gated, methods=[method], parameters=_path_parameters(rule, operation_id)
            )
            return view

        return register


def _reject_duplicates(members: list[tuple[str, Any]]) -> Json:
    """Return the members of an object; raise ValueError for a duplicate.

    Silently taking one of the two might play the wrong card.
    """
    read = dict(members)
    if len(read) < len(members):
        names = [name for name, _ in members]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the member {twice!r} is a duplicate")
    return read


def _without_body(inner: View) -> View:
    """Refuse a body with members for an operation without a body: the client means something by them."""

    @wraps(inner)
    def view(**given: Any) -> Response:  # noqa: ANN401 - each parameter has its own type
        Resource.ARGUMENTS_PARSER.parse(_NO_MEMBERS, request, location="json")
        return inner(**given)

    return view


def _requires_body(schema: Schema) -> bool:
    return any(part.required for part in schema.fields.values())


def _gate(  # noqa: PLR0913 - as `operation`
    inner: View,
    scope: str | None,
    parameters: tuple[Parameter, ...],
    policy: Policy | None,
    *,
    tickets: bool,
    optional_scope: str | None,
) -> View:
    wants_services = "services" in signature(inner).parameters

    @wraps(inner)
    def gated(**given: Any) -> Response:  # noqa: ANN401 - each parameter has its own type
        services = current_services()
        player_id = None
        if scope is not None:
            if tickets:
                caller, given["ticket"] = authenticate(services, request, scope)
            else:
                caller = _authenticate(services, scope, policy)
            given["caller"] = caller
            player_id = caller.id
        elif optional_scope is not None:
            has_token = "Authorization" in request.headers
            given["caller"] = _authenticate(services, optional_scope, policy) if has_token else None
        # Requests of the address policy were counted before anything else.
        if policy is not None and policy is not limits.ADDRESS:
            limits.count_request(services.limiter, policy, player_id)
        if wants_services:
            given["services"] = services
        given.update(read_all(request, parameters, already_read=(TICKET,) if tickets else ()))
        try:
            response = inner(**given)
        except (Problem, Refusal) as refusal:
            if policy is limits.MOVES and refusal.code in _OUTSIDE_OWN_GAMES:
                limits.count_request(services.limiter, limits.CHANGING, player_id)
            raise
        # A dry run changes no game, and its response has no version.
        if policy is limits.MOVES and player_id is not None and "ETag" in response.headers:
            limits.give_back_reads(services.limiter, player_id)
        return response

    return gated


def _authenticate(services: Services, scope: str, policy: Policy | None) -> auth.Caller:
    try:
        return auth.authenticate_token(services, request, scope)
    except Problem:
        if policy is limits.MOVES:
            limits.count_request(services.limiter, limits.ADDRESS, None)
        raise


def _problems(
    scope: str | None, parameters: Iterable[Parameter], errors: tuple[str, ...], *, may_send: bool
) -> dict[int, list[str]]:
    """Return the error codes of an operation by status; `RULES` stands for all codes of the rules."""
    codes = [*errors, *_ALWAYS_POSSIBLE]
    if scope is not None:
        codes += [*_WITH_TOKEN, "store_unavailable"]
    if may_send:
        codes += _WITH_BODY
    if any(parameter.name == "Idempotency-Key" for parameter in parameters):
        codes += _WITH_KEY
    # An unknown query parameter is an error of every operation, also of one without parameters.
    codes.append("validation_failed")
    by_status: dict[int, list[str]] = {}
    for code in dict.fromkeys(codes):
        by_status.setdefault(RULES_STATUS if code == RULES else PROBLEMS[code].status, []).append(code)
    return dict(sorted(by_status.items()))


def _documented(  # noqa: PLR0913, PLR0917 - as `operation`
    inner: View,
    operation_id: str,
    scope: str | None,
    parameters: tuple[Parameter, ...],
    problems: Mapping[int, list[str]],
    response: ResponseSpec,
) -> Json:
    documented = deepcopy(getattr(inner, "_apidoc", {}))
    responses = documented["response"]["responses"]
    for status, (description, schema) in response.other_responses.items():
        shown = {} if schema is None else {"schema": schema()}
        responses[status] = [{"description": description, "content_type": None, **shown}]
    for status, codes in problems.items():
        responses[status] = [
            {
                "description": "; ".join(_description_of(code) for code in codes) + ".",
                "schema": ProblemSchema(),
                "content_type": MEDIA_TYPE,
            }
        ]
        if status == PROBLEMS["rate_limited"].status:
            responses[status][0]["headers"] = _headers(limits.HEADERS)
    manual = documented.setdefault("manual_doc", {})
    manual["operationId"] = operation_id
    manual["security"] = [] if scope is None else [{"bearer": []}]
    if scope is not None:
        # OpenAPI has a standard place for scopes only in OAuth schemes.
        manual["x-scope"] = scope
    if parameters:
        manual["parameters"] = [parameter.component_name for parameter in parameters]
    return documented


def _description_of(code: str) -> str:
    if code == RULES:
        return "Illegal move: `kind` is `illegal_move`, and getMeta lists the codes"
    return f"`{code}`: {PROBLEMS[code].title}"


def _headers(described: Mapping[str, str]) -> Json | None:
    return {
        name: {"description": text, "schema": {"type": "string"}} for name, text in described.items()
    } or None


def _path_parameters(rule: str, operation_id: str) -> list[Json]:
    described = {**_PATH_PARAMETERS, **_OF_OPERATION.get(operation_id, {})}
    return [
        {"in": "path", "name": name, "description": text}
        for name, text in described.items()
        if f"{name}>" in rule
    ]
