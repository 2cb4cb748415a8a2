"""Metrics for Prometheus at /metrics, and what is counted of each request.

The page is no part of the API and of its document. With a METRICS_TOKEN it is there only for who sends
it; to anybody else it is a path like any other that is not ours.
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
def tell() -> Response:
    """Tell what all processes have counted."""
    services = current_services()
    if services.metrics_token is not None:
        sent = request.headers.get("Authorization", "").removeprefix(_BEARER)
        if not secrets.compare_digest(sent.encode(), services.metrics_token.encode()):
            raise NotFound
    return Response(metrics.render(services.jobs_waiting()), content_type=metrics.CONTENT_TYPE)


# Asked every few seconds by a machine that must never be told that it asks too often.
tell.policy = None  # type: ignore[attr-defined] # where `limits` looks


def _begin() -> None:
    g.begun = time.perf_counter()


def _count(response: Response) -> Response:
    operation = _operation()
    metrics.REQUESTS.labels(operation, response.status_code).inc()
    # Who waits for news decides himself how long it takes; a stream is answered when it begins.
    if "wait_ms" not in request.args:
        metrics.REQUEST_SECONDS.labels(operation).observe(time.perf_counter() - g.begun)
    return response


def _operation() -> str:
    """Return the operationId; what is no operation has one name for all, whatever its path says."""
    endpoint = request.endpoint or ""
    view = current_app.view_functions.get(endpoint)
    return endpoint.rsplit(".", 1)[-1] if hasattr(view, "policy") else "other"


def register(app: Flask) -> None:
    """Count every request, from the first thing done for it to the last."""
    app.before_request(_begin)
    app.after_request(_count)
    app.register_blueprint(page)
