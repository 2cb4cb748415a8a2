"""Metrics for Prometheus at /metrics, and the counting of each request.

The page is no part of the API and its document. With a METRICS_TOKEN it requires that token; any other
request gets the 404 of an unknown path.
"""

import secrets
import time
from typing import Final

from flask import Blueprint, Flask, Response, current_app, g, request
from werkzeug.exceptions import NotFound

from service.api.services import current_services
from service.runtime import metrics

page: Final = Blueprint("metrics", __name__)

_BEARER: Final = "Bearer "


@page.get("/metrics")
def get_metrics() -> Response:
    """Serve the metrics of all processes."""
    services = current_services()
    if services.metrics_token is not None:
        sent = request.headers.get("Authorization", "").removeprefix(_BEARER)
        if not secrets.compare_digest(sent.encode(), services.metrics_token.encode()):
            raise NotFound
    return Response(metrics.render(services.jobs_waiting()), content_type=metrics.CONTENT_TYPE)


# Exempt from rate limits: a monitor scrapes it every few seconds.
get_metrics.policy = None  # type: ignore[attr-defined] # where `limits` looks


def _begin() -> None:
    g.begun = time.perf_counter()


def _count(response: Response) -> Response:
    operation = _operation()
    metrics.REQUESTS.labels(operation, response.status_code).inc()
    # The client decides how long a long-poll takes; a stream counts until its first byte.
    if "wait_ms" not in request.args:
        metrics.REQUEST_SECONDS.labels(operation).observe(time.perf_counter() - g.begun)
    return response


def _operation() -> str:
    """Return the operationId; anything else is `other`, so that unknown paths make no new labels."""
    endpoint = request.endpoint or ""
    view = current_app.view_functions.get(endpoint)
    return endpoint.rsplit(".", 1)[-1] if hasattr(view, "policy") else "other"


def register(app: Flask) -> None:
    """Count every request from its start to its end."""
    app.before_request(_begin)
    app.after_request(_count)
    app.register_blueprint(page)
