"""The OpenAPI document as JSON, and an offline page to read and try it."""

from functools import cache
from pathlib import Path
from typing import Final

import flask_swagger_ui  # type: ignore[import-untyped] # it has no types
from flask import Blueprint, Response, current_app, request, send_from_directory

from service.api.document import FOLDER, Document, as_text
from service.api.responses import PUBLIC, cacheable
from service.api.versions import read_tags

docs = Blueprint("docs", __name__)

_DIST: Final = Path(flask_swagger_ui.__file__).parent / "dist"
_ASSETS: Final = frozenset(
    {"swagger-ui.css", "swagger-ui-bundle.js", "favicon-16x16.png", "favicon-32x32.png"}
)
_PAGE: Final = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Rummy 500 API</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
</head>
<body>
<div id="reader"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
"""
#: `validatorUrl: null`: otherwise the page sends the document to a validator on the internet.
_START: Final = """\
window.ui = SwaggerUIBundle({
  url: "/v1/openapi.json", dom_id: "#reader", validatorUrl: null, persistAuthorization: true,
  deepLinking: true
});
"""
#: Only our own files; Swagger UI needs inline styles.
_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_A_DAY: Final = "public, max-age=86400"


@docs.get("/v1/openapi.json")
def openapi() -> Response:
    """Serve the document, as committed in `openapi/openapi.json`."""
    document = _document(current_app.extensions[Document.NAME])
    return _conditional(Response(document, content_type="application/json"), PUBLIC)


@docs.get("/docs")
def page() -> Response:
    """Serve the page that shows the document."""
    return Response(
        _PAGE, content_type="text/html; charset=utf-8", headers={"Content-Security-Policy": _POLICY}
    )


@docs.get("/docs/start.js")
def start() -> Response:
    """Serve the start script of the page; a separate file, because its policy allows no inline script."""
    return Response(_START, content_type="text/javascript; charset=utf-8")


@docs.get("/docs/notation")
def notation() -> Response:
    """Serve the description of the replay notation."""
    return _text("NOTATION.md")


@docs.get("/docs/bots")
def bots() -> Response:
    """Serve the guide for authors of bots."""
    return _text("BOTS.md")


@docs.get("/docs/scores")
def scores() -> Response:
    """Serve the guide to score sheets."""
    return _text("SCORES.md")


@docs.get("/docs/ratings")
def ratings() -> Response:
    """Serve the description of the ratings."""
    return _text("RATINGS.md")


@docs.get("/docs/proof")
def proof() -> Response:
    """Serve the description of how to check a shuffle."""
    return _text("PROOF.md")


def _text(name: str) -> Response:
    text = (FOLDER / name).read_text(encoding="utf-8")
    # Plain text, because browsers would download Markdown.
    return _conditional(Response(text, content_type="text/plain; charset=utf-8"), _A_DAY)


def _conditional(response: Response, cache_control: str) -> Response:
    sent = request.headers.get("If-None-Match")
    return cacheable(response, cache_control, None if sent is None else read_tags(sent))


@docs.get("/docs/<string:name>")
def asset(name: str) -> Response:
    """Serve one of Swagger UI's own files."""
    response = send_from_directory(_DIST, name if name in _ASSETS else "")
    response.headers["Cache-Control"] = _A_DAY
    return response


@cache
def _document(document: Document) -> bytes:
    return as_text(document.complete()).encode()
