"""Whatever fits the document is answered as the document says, and never with a 500.

Requests are made up from the document itself, the same ones at every run; more of them with
ANY_REQUESTS=200 in the environment.
"""

import os

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from service.api.document import FOLDER
from service.streams.streams import Pace, Streams

EXAMPLES = int(os.environ.get("ANY_REQUESTS", "6"))
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]


@pytest.fixture
def streams(clock, store):
    """Streams that end as soon as they have told what there is."""
    streams = Streams(store=store, now=clock, places=2, pace=Pace(life_seconds=0.0))
    yield streams
    streams.close()


@pytest.fixture
def place(sandbox, ana):
    """Ids that lead somewhere, in place of those made up."""
    game = sandbox(ana, ["7S 7C KD", "4H 9C 5D"], pile="2C 7H 9D")
    return {"game_id": game["id"], "number": 1, "preset": "classic"}


@pytest.mark.parametrize("name", sorted(path.stem for path in (FOLDER / "examples").glob("*.json")))
def test_is_answered_as_the_document_says(app, place, ana, name):
    schema = schemathesis.openapi.from_wsgi("/v1/openapi.json", app)

    @settings(
        max_examples=EXAMPLES,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
        derandomize=True,
        database=None,
    )
    @given(case=schema.find_operation_by_id(name).as_strategy())
    def ask(case):
        for parameter in case.path_parameters or {}:
            case.path_parameters[parameter] = place.get(parameter, case.path_parameters[parameter])
        case.query.pop("wait_ms", None)
        answer = case.call(headers=ana)
        case.validate_response(answer, checks=CHECKS)

    ask()
