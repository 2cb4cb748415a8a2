"""Whether the service runs, and whether it can do its work."""

from flask import Response

from service.api.answers import answer
from service.api.problems import Problem
from service.api.resource import Gives, Resource
from service.api.schemas.meta import HealthSchema, ReadinessSchema
from service.api.services import parts

health = Resource("service", __name__, description="The service itself.")


@health.operation(
    "GET /healthz", "getHealth", gives=Gives(schema=HealthSchema, description="The process answers.")
)
def get_health() -> Response:
    """Tell that the process answers.

    Looks at nothing else, so that a store that is away does not get every process restarted.
    """
    return answer({"status": "ok"})


@health.operation(
    "GET /readyz",
    "getReadiness",
    gives=Gives(schema=ReadinessSchema, description="All that is needed is there."),
    refuses=("store_unavailable",),
)
def get_readiness() -> Response:
    """Tell whether games can be played.

    Asks the store and the queue of computers' turns, and names what is missing. Take this for a load
    balancer, and getHealth for restarts.
    """
    if missing := (*parts().store.ping(), *parts().else_missing()):
        raise Problem("store_unavailable", " ".join(missing), headers={"Retry-After": "1"}, missing=missing)
    return answer({"status": "ready"})
