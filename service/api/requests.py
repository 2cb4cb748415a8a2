"""What every request and every answer has, whatever they are about: an id, CORS, no HTML."""

import hashlib
import logging
import re
import secrets
from typing import Final

from flask import Flask, Response, g, has_request_context, request
from werkzeug.exceptions import NotFound
from werkzeug.middleware.proxy_fix import ProxyFix

from service.api.problems import Problem
from service.api.responses import no_content

#: A position with two packs in it is 2 KB; nothing that is sent here has reason to be larger.
MAX_BODY_BYTES: Final = 64 * 1024
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


#: What proxies tell of those before them, whether we trust them or not.
_FORWARDED: Final = ("X-Forwarded-For", "Forwarded", "X-Real-IP")


def client_hash() -> str:
    """Return what stands for a client that has no player yet: a hash of where it asks from.

    A stranger with the same Idempotency-Key must not get its answer, so what proxies wrote is part of it
    even where it is not trusted: a lie there finds nobody else's answers, and behind a proxy that was not
    declared not all clients are one.
    """
    told = [request.remote_addr or "", *(request.headers.get(name, "") for name in _FORWARDED)]
    return hashlib.sha256("\n".join(told).encode()).hexdigest()[:32]


def _name_request() -> None:
    given = request.headers.get(REQUEST_ID)
    # An id that would break a log line is replaced, not refused: it is only there to find things by.
    g.request_id = given if given and _REQUEST_ID_FORM.match(given) else new_request_id()


def new_request_id() -> str:
    """Return an id for a request that brought none."""
    return secrets.token_urlsafe(12)


def common_headers(request_id: str) -> dict[str, str]:
    """Return the headers of every answer, whatever it says."""
    return {**_CORS, REQUEST_ID: request_id, "X-Content-Type-Options": "nosniff"}


class _Names(logging.Filter):
    """Gives every line of a request the request's id."""

    def filter(self, record: logging.LogRecord) -> bool:
        if has_request_context() and "request_id" in g:
            record.request_id = g.request_id
        return True


def add_request_ids_to_logs() -> None:
    """Let every line of this process's log tell which request it belongs to."""
    for handler in logging.getLogger().handlers:
        handler.addFilter(_Names())


def _answer_preflight() -> Response | None:
    """Answer a browser that asks before it asks: also for a path that is not ours.

    Were that one refused, the page would never see the 404 that tells it so.
    """
    if request.method == "OPTIONS" and "Access-Control-Request-Method" in request.headers:
        return no_content()
    return None


def _refuse_slashes_in_front() -> None:
    """Refuse `//metrics`, which werkzeug takes for `/metrics` and a proxy's rule for it does not."""
    if request.environ["PATH_INFO"].startswith("//"):
        raise NotFound


def _drop_the_rest_of_the_body() -> None:
    if (request.content_length or 0) <= MAX_BODY_BYTES and "Transfer-Encoding" not in request.headers:
        return
    body, left = request.environ["wsgi.input"], _DROPPED_BYTES
    try:
        while left > 0 and (chunk := body.read(MAX_BODY_BYTES)):
            left -= len(chunk)
    except Problem:
        return  # It breaks off before its end. The request has its answer all the same.


def _finish(response: Response) -> Response:
    _drop_the_rest_of_the_body()
    headers = response.headers
    headers.update(common_headers(g.request_id))
    if request.method == "OPTIONS":
        headers.update(_PREFLIGHT)
    headers.setdefault("Cache-Control", "no-store")
    return response


def register(app: Flask, *, trusted_proxies: int = 0) -> None:
    """Give every request its id and its limit, and every answer its common headers.

    Each of so many proxies before us has written into X-Forwarded-For who asked it; whatever else stands
    there, anybody may have written.
    """
    if trusted_proxies:
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=trusted_proxies)  # type: ignore[method-assign]
    app.config["MAX_CONTENT_LENGTH"] = MAX_BODY_BYTES
    app.before_request(_name_request)
    app.before_request(_answer_preflight)
    app.before_request(_refuse_slashes_in_front)
    app.after_request(_finish)
