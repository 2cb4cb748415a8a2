"""Every request that fits the document gets a response that fits it, and never a 500.

Requests are made up from the document itself, the same ones at every run; more of them with
ANY_REQUESTS=200 in the environment: one by one to every operation, and in walks along the document's links,
where each request is about what an earlier one created.
"""

import os
from collections import Counter
from types import SimpleNamespace

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
from service.api.schemas.moves import MOVES
from service.runtime.durations import DAY_MS
from service.streams.connections import Connections, Timing

EXAMPLES = int(os.environ.get("ANY_REQUESTS", "6"))
#: Of one walk.
STEPS = 30
#: The client of these tests does not unpack responses.
UNPACKED = {"Accept-Encoding": "identity"}
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]


@pytest.fixture
def streams(clock, store):
    """Streams that end as soon as they have sent what there is."""
    streams = Connections(store=store, now=clock, slots=2, timing=Timing(life_seconds=0.0))
    yield streams
    streams.close()


@pytest.fixture
def place(client, sandbox, ana):
    """Ids that lead somewhere, in place of those made up."""
    game = sandbox(ana, ["7S 7C KD", "4H 9C 5D"], pile="2C 7H 9D")
    sheet = client.post("/v1/score-sheets", json={"players": ["Ana", "Ben"]}, headers=ana).json["sheet"]
    client.post(f"/v1/score-sheets/{sheet['id']}/deals", json={"points": [1, 2]}, headers=ana)
    return {"game_id": game["id"], "sheet_id": sheet["id"], "number": 1, "preset": "classic"}


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
        answer = case.call(headers={**ana, **UNPACKED})
        case.validate_response(answer, checks=CHECKS)

    ask()


#: What a walk sits down at: half a deal, where melds, lay-offs and calls are all near.
TABLE = {
    "variant": {"preset": "jokers", "overrides": {"deals": 2}},
    "sandbox": True,
    "seats_held": "creator",
    "position": {
        "hands": [["7S", "7C", "KD", "8H", "X1"], ["4H", "9C", "5D", "7D"]],
        "discard_pile": ["2C", "7H", "9D"],
        "melds": [{"owner": 1, "cards": [{"card": card} for card in ("TH", "JH", "QH")]}],
    },
}


class Walking:
    """What a walk does between its steps. `world` is what it walks in, and `met` what it met there."""

    def setup(self):
        # Nobody is hindered by what those before him have asked for.
        self.world.clock.on(DAY_MS)
        self.arrive()

    def arrive(self):
        self.walker = self.world.settle()
        self.sit_down()

    def sit_down(self):
        opened = self.world.client.post("/v1/games", json=TABLE, headers=self.walker)
        self.game = opened.json["id"]

    def before_call(self, case):
        """Lead to what is there, where chance alone would hardly ever come."""
        case.headers.pop("If-Match", None)
        case.headers.update(UNPACKED)
        # Who is gone would walk no further.
        case.headers.update(self.world.settle() if name_of(case) == "deleteMe" else self.walker)
        case.query.pop("wait_ms", None)
        if name_of(case) == "createGame":
            case.body = TABLE
        elif "game_id" in (case.path_parameters or {}):
            case.path_parameters["game_id"] = self.game
            self.choose_a_lawful_body(case)

    def choose_a_lawful_body(self, case):
        listed = self.world.client.get(f"/v1/games/{self.game}/legal-moves", headers=self.walker).json
        lawful = [one["body"] for one in listed["moves"] if one["operation_id"] == name_of(case)]
        if lawful:
            case.body = lawful[0]
            case.query.pop("as_seat", None)

    def validate_response(self, response, case, **_):
        self.world.met[name_of(case), response.status_code] += 1
        case.validate_response(response, checks=CHECKS)
        if name_of(case) in {"abortGame", "resignGame"}:
            self.sit_down()
        # It may have been the very token that the walker has.
        if name_of(case) == "revokeToken":
            self.arrive()


class TestAWalkAlongTheLinks:
    @pytest.fixture
    def walk(self, app, client, clock, settle):
        """Return a walk, and what it met: how often each operation answered with each status."""
        schema = schemathesis.openapi.from_wsgi("/v1/openapi.json", app)

        class Walk(Walking, schema.as_state_machine()):
            world = SimpleNamespace(client=client, clock=clock, settle=settle, met=Counter())

        return Walk, Walk.world.met

    def test_is_answered_as_the_document_says(self, walk):
        machine, met = walk

        machine.run(
            settings=settings(
                max_examples=EXAMPLES,
                stateful_step_count=STEPS,
                suppress_health_check=list(HealthCheck),
                derandomize=True,
                database=None,
                deadline=None,
            )
        )

        went_well = {name for name, status in met if status < 300}
        assert went_well & {kind.operation_id for kind in MOVES.values()}, "no walk came as far as a move"


def name_of(case):
    return case.operation.definition.raw["operationId"]
