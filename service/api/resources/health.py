"""Health and readiness of the service."""

from flask import Response

from service.api.problems import Problem
from service.api.resource import Resource, ResponseSpec
from service.api.responses import json_response
from service.api.schemas.meta import HealthSchema, ReadinessSchema
from service.api.services import Services

health = Resource("service", __name__, description="Health of the service.")


@health.operation(
    "GET /healthz",
    "getHealth",
    response=ResponseSpec(schema=HealthSchema, description="The process responds."),
)
def get_health() -> Response:
    """Check that the process responds.

    Checks nothing else, so that an unreachable store does not restart every process.
    """
    return json_response({"status": "ok"})


@health.operation(
    "GET /readyz",
    "getReadiness",
    response=ResponseSpec(schema=ReadinessSchema, description="The service is ready."),
    errors=("store_unavailable",),
)
def get_readiness(*, services: Services) -> Response:
    """Check that games can be played.

    Checks the store and the queue of computers' turns, and names what does not respond. Use this for a
    load balancer, and getHealth for restarts.
    """
    if missing := (*services.store.ping(), *services.else_missing()):
        raise Problem("store_unavailable", " ".join(missing), headers={"Retry-After": "1"}, missing=missing)
    return json_response({"status": "ready"})
