"""JSON responses, encoded once and not dumped through a schema.

The schemas declare these bodies for the document, and a test validates real responses against it. Dumping
through marshmallow would take longer than everything else that a move does.
"""

from collections.abc import Mapping
from typing import Any, Final

from flask import Response
from msgspec import json

from service.games.record import GameRecord

NOT_MODIFIED: Final = 304
#: A view is for one player; clients revalidate it, and a 304 makes that cheap.
PRIVATE: Final = {"Cache-Control": "private, no-cache", "Vary": "Authorization"}

#: Shows that the preference for a minimal response was followed (RFC 7240).
MINIMAL: Final = {"Preference-Applied": "return=minimal"}

encode: Final = json.Encoder().encode


def game_headers(record: GameRecord) -> dict[str, str]:
    """Return the headers of a response that shows a game."""
    return {"ETag": f'"{record.version}"', **PRIVATE}


def json_response(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:  # noqa: ANN401 - any JSON value
    """Return the value as a JSON response."""
    return Response(encode(value), status=status, headers=headers, content_type="application/json")


def no_content() -> Response:
    """Return a 204."""
    response = Response(status=204)
    del response.headers["Content-Type"]
    return response


def not_modified(headers: Mapping[str, str]) -> Response:
    """Return a 304."""
    response = Response(status=NOT_MODIFIED, headers=headers)
    del response.headers["Content-Type"]
    return response
