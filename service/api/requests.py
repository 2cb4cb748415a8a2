"""What every request and every answer has, whatever they are about: an id, CORS, no HTML."""

import hashlib
import re
import secrets
from typing import Final

from flask import Flask, Response, g, request

#: A position with two packs in it is 2 KB; nothing that is sent here has reason to be larger.
LARGEST_BODY: Final = 64 * 1024
#: Of a body that is refused unread so much is read and dropped. Gunicorn itself reads on to 64 KB and then
#: closes a connection that it has just told the client it keeps: the client's next request would be lost.
_DROPPED_BYTES: Final = 16 * 1024 * 1024
REQUEST_ID: Final = "X-Request-Id"
_REQUEST_ID_FORM = re.compile(r"[A-Za-z0-9._-]{1,64}\Z")

#: No cookie is ever set or read, so any page may call us: a token does not travel by itself.
_CORS: Final = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": (
        "ETag, Location, Idempotency-Replayed, X-Request-Id, WWW-Authenticate, Retry-After, "
        "RateLimit, RateLimit-Policy, Deprecation, Sunset"
    ),
}
_PREFLIGHT: Final = {
    "Access-Control-Allow-Methods": "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS",
    "Access-Control-Allow-Headers": (
        "Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, Last-Event-ID, X-Request-Id"
    ),
    "Access-Control-Max-Age": "86400",
}


def sender() -> str:
    """Return what stands for a client that has no player yet: a hash of its address."""
    return hashlib.sha256((request.remote_addr or "").encode()).hexdigest()[:32]


def _name_request() -> None:
    given = request.headers.get(REQUEST_ID)
    # An id that would break a log line is replaced, not refused: it is only there to find things by.
    g.request_id = given if given and _REQUEST_ID_FORM.match(given) else secrets.token_urlsafe(12)


def _drop_the_rest_of_the_body() -> None:
    if (request.content_length or 0) <= LARGEST_BODY and "Transfer-Encoding" not in request.headers:
        return
    body, left = request.environ["wsgi.input"], _DROPPED_BYTES
    while left > 0 and (chunk := body.read(LARGEST_BODY)):
        left -= len(chunk)


def _finish(response: Response) -> Response:
    _drop_the_rest_of_the_body()
    headers = response.headers
    headers.extend(_CORS)
    if request.method == "OPTIONS":
        headers.extend(_PREFLIGHT)
    headers[REQUEST_ID] = g.request_id
    headers["X-Content-Type-Options"] = "nosniff"
    headers.setdefault("Cache-Control", "no-store")
    return response


def register(app: Flask) -> None:
    """Give every request its id and its limit, and every answer its common headers."""
    app.config["MAX_CONTENT_LENGTH"] = LARGEST_BODY
    app.before_request(_name_request)
    app.after_request(_finish)
