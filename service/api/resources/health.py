"""Whether the service runs, and whether it can do its work."""

from flask import Response

from service.api.problems import Problem
from service.api.resource import Resource, ResponseSpec
from service.api.responses import json_response
from service.api.schemas.meta import HealthSchema, ReadinessSchema
from service.api.services import Services

health = Resource("service", __name__, description="The service itself.")


@health.operation(
    "GET /healthz",
    "getHealth",
    response=ResponseSpec(schema=HealthSchema, description="The process answers."),
)
def get_health() -> Response:
    """Tell that the process answers.

    Looks at nothing else, so that a store that is away does not get every process restarted.
    """
    return json_response({"status": "ok"})


@health.operation(
    "GET /readyz",
    "getReadiness",
    response=ResponseSpec(schema=ReadinessSchema, description="All that is needed is there."),
    errors=("store_unavailable",),
)
def get_readiness(*, services: Services) -> Response:
    """Tell whether games can be played.

    Asks the store and the queue of computers' turns, and names what is missing. Take this for a load
    balancer, and getHealth for restarts.
    """
    if missing := (*services.store.ping(), *services.else_missing()):
        raise Problem("store_unavailable", " ".join(missing), headers={"Retry-After": "1"}, missing=missing)
    return json_response({"status": "ready"})
