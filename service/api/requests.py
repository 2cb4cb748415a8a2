"""What every request and response has in common: the request id, CORS, the limit of a body."""

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

#: A position with three packs takes 3 KB; no request has a reason to be larger.
MAX_BODY_BYTES: Final = 64 * 1024
#: How much of a refused body is read and dropped. Gunicorn alone reads up to 64 KB and then closes the
#: connection, after its response promised to keep it open: the client's next request would be lost.
_DROPPED_BYTES: Final = 16 * 1024 * 1024
REQUEST_ID: Final = "X-Request-Id"
_REQUEST_ID_FORM = re.compile(r"[A-Za-z0-9._-]{1,64}\Z")

_EXPOSE: Final = "Access-Control-Expose-Headers"
#: No cookie is ever set or read, so any page may call the API: a browser does not send tokens by itself.
_CORS: Final = {
    "Access-Control-Allow-Origin": "*",
    _EXPOSE: (
        "ETag, Location, Idempotency-Replayed, X-Request-Id, WWW-Authenticate, Retry-After, "
        "RateLimit, RateLimit-Policy, Preference-Applied, Deprecation, Sunset"
    ),
}
_PREFLIGHT: Final = {
    "Access-Control-Allow-Methods": "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS",
    "Access-Control-Allow-Headers": (
        "Authorization, Content-Type, If-Match, If-None-Match, Expected-Version, Known-Version, "
        "Idempotency-Key, Last-Event-ID, Prefer, "
        # What tracing and error reporting libraries add to the requests of a page.
        "X-Request-Id, traceparent, tracestate, baggage, sentry-trace"
    ),
    "Access-Control-Max-Age": "86400",
}


#: The headers in which proxies report the client's address, trusted or not.
_PROXY_HEADERS: Final = ("X-Forwarded-For", "Forwarded", "X-Real-IP")


def client_hash() -> str:
    """Return a hash that identifies a client without a player: of the addresses it sends from.

    A stranger with the same Idempotency-Key must not get its response. So what proxies wrote counts even
    where proxies are not trusted: a forged header finds no other client's response, and behind a proxy that
    was not declared the clients are still distinct.
    """
    addresses = [request.remote_addr or "", *(request.headers.get(name, "") for name in _PROXY_HEADERS)]
    return hashlib.sha256("\n".join(addresses).encode()).hexdigest()[:32]


def _name_request() -> None:
    given = request.headers.get(REQUEST_ID)
    # An id that would break a log line is replaced, not refused: it only helps to find the request.
    g.request_id = given if given and _REQUEST_ID_FORM.match(given) else new_request_id()


def new_request_id() -> str:
    """Return an id for a request that has none."""
    return secrets.token_urlsafe(12)


def common_headers(request_id: str) -> dict[str, str]:
    """Return the headers that every response has."""
    return {**_CORS, REQUEST_ID: request_id, "X-Content-Type-Options": "nosniff"}


class _RequestIdFilter(logging.Filter):
    """Adds the request id to every log line of a request."""

    def filter(self, record: logging.LogRecord) -> bool:
        if has_request_context() and "request_id" in g:
            record.request_id = g.request_id
        return True


def add_request_ids_to_logs() -> None:
    """Add the request id to every log line of this process that belongs to a request."""
    for handler in logging.getLogger().handlers:
        handler.addFilter(_RequestIdFilter())


def _answer_preflight() -> Response | None:
    """Respond to a CORS preflight, also for an unknown path.

    If that one failed, the page would never see the 404 of the request itself.
    """
    if request.method == "OPTIONS" and "Access-Control-Request-Method" in request.headers:
        return no_content()
    return None


def _refuse_leading_slashes() -> None:
    """Refuse `//metrics`, which werkzeug reads as `/metrics` while a proxy's rule for it does not match."""
    if request.environ["PATH_INFO"].startswith("//"):
        raise NotFound


def _drop_rest_of_body() -> None:
    if (request.content_length or 0) <= MAX_BODY_BYTES and "Transfer-Encoding" not in request.headers:
        return
    body, left = request.environ["wsgi.input"], _DROPPED_BYTES
    try:
        while left > 0 and (chunk := body.read(MAX_BODY_BYTES)):
            left -= len(chunk)
    except Problem:
        return  # The body ends early. The request has its response already.


def _may_be_read_elsewhere(response: Response) -> bool:
    """Return whether a page of another origin may get the response, by its own request or from a cache."""
    origin = request.headers.get("Origin")
    if origin is None:
        return bool(response.cache_control.public)
    return origin.partition("://")[2] != request.host


def _finish(response: Response) -> Response:
    _drop_rest_of_body()
    headers = response.headers
    headers.update(common_headers(g.request_id))
    if request.method == "OPTIONS":
        headers.update(_PREFLIGHT)
    elif not _may_be_read_elsewhere(response):
        # The list is longer than many bodies.
        del headers[_EXPOSE]
    headers.setdefault("Cache-Control", "no-store")
    return response


def register(app: Flask, *, trusted_proxies: int = 0) -> None:
    """Give every request its id and its limit, and every response its common headers.

    `trusted_proxies` is the number of our own proxies in front: each has appended the address of its client
    to X-Forwarded-For. Anything before that in the header may be forged.
    """
    if trusted_proxies:
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=trusted_proxies)  # type: ignore[method-assign]
    app.config["MAX_CONTENT_LENGTH"] = MAX_BODY_BYTES
    app.before_request(_name_request)
    app.before_request(_answer_preflight)
    app.before_request(_refuse_leading_slashes)
    app.after_request(_finish)
