"""JSON responses, encoded once and not dumped through a schema.

The schemas declare these bodies for the document, and a test validates real responses against it. Dumping
through marshmallow would take longer than everything else that a move does.
"""

from collections.abc import Mapping
from typing import Any, Final

from flask import Response
from msgspec import json

from service.api.versions import Tags, is_known
from service.games.record import GameRecord

NO_CONTENT: Final = 204
NOT_MODIFIED: Final = 304
#: A view is for one player; clients revalidate it, and a 304 makes that cheap.
PRIVATE: Final = {"Cache-Control": "private, no-cache", "Vary": "Authorization"}

#: What everybody sees, and a release may change.
PUBLIC: Final = "public, max-age=3600"
#: As an OpenAPI response: a client has it already.
UNCHANGED: Final = {NOT_MODIFIED: ("With `If-None-Match`: nothing has changed since you read it.", None)}
#: Headers of a response with the tag of its content.
CONTENT_TAG: Final = {"ETag": "A strong tag of the content."}

#: Shows that the preference for a minimal response was followed (RFC 7240).
MINIMAL: Final = {"Preference-Applied": "return=minimal"}
#: Headers that a 304 repeats.
_OF_NOT_MODIFIED: Final = ("ETag", "Cache-Control", "Vary")

encode: Final = json.Encoder().encode


def game_headers(record: GameRecord) -> dict[str, str]:
    """Return the headers of a response that shows a game."""
    return {"ETag": f'"{record.version}"', **PRIVATE}


def json_response(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:  # noqa: ANN401 - any JSON value
    """Return the value as a JSON response."""
    return Response(encode(value), status=status, headers=headers, content_type="application/json")


def no_content(headers: Mapping[str, str] | None = None) -> Response:
    """Return a 204."""
    return _without_body(NO_CONTENT, headers)


def not_modified(headers: Mapping[str, str]) -> Response:
    """Return a 304."""
    return _without_body(NOT_MODIFIED, headers)


def cacheable(response: Response, cache_control: str, known: Tags | None) -> Response:
    """Give a response the tag of its content, and return a 304 in its place to a client that has it."""
    response.headers["Cache-Control"] = cache_control
    response.add_etag()
    tag, _ = response.get_etag()
    if not is_known(tag, known):
        return response
    kept = {name: response.headers[name] for name in _OF_NOT_MODIFIED if name in response.headers}
    return not_modified(kept)


def _without_body(status: int, headers: Mapping[str, str] | None) -> Response:
    response = Response(status=status, headers=headers)
    del response.headers["Content-Type"]
    return response
