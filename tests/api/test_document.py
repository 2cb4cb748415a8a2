"""The OpenAPI document: valid, complete, and the one that is committed."""

import json
import re

import pytest
from jsonschema_rs import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator

from service.api import document as module
from service.rummy.cards import ORDER
from service.rummy.options import OPTIONS
from workers import cli
from workers.tools import openapi_document

SCOPE = {
    "getHealth getReadiness",
    "getMeta getRules getRulesText getRuleBook getGameRules",
    "createPlayer getMe updateMe listMyGames listTokens createToken revokeToken",
    "createGame listGames getGame joinGame leaveGame seatComputer startGame abortGame resignGame",
    "listLegalMoves drawStock takeDiscard layMeld layOff discardCard passDraw keepCard callRummy",
    "readyForNextDeal",
    "listEvents getReplay getDealProof",
}
MOVES = [
    "drawStock",
    "takeDiscard",
    "layMeld",
    "layOff",
    "discardCard",
    "passDraw",
    "keepCard",
    "callRummy",
    "readyForNextDeal",
    "resignGame",
]


@pytest.fixture
def document(contract):
    return contract.document


def parameters_of(contract, name):
    components = contract.document["components"]["parameters"]
    return {
        components[parameter["$ref"].rsplit("/", 1)[-1]]["name"]
        for parameter in contract.operations[name].get("parameters", [])
    }


def parts_of(schema, path=""):
    """Yield every schema within a schema, itself first, with its place."""
    if isinstance(schema, dict):
        yield path, schema
        for name, inner in schema.items():
            if name not in {"example", "examples", "default"}:
                yield from parts_of(inner, f"{path}/{name}")
    elif isinstance(schema, list):
        for place, inner in enumerate(schema):
            yield from parts_of(inner, f"{path}/{place}")


def types_of(schema):
    """The JSON types a schema names, null apart."""
    named = schema.get("type", [])
    if isinstance(named, dict):  # These are properties, and one of them is called so.
        return set()
    return {named} - {"null"} if isinstance(named, str) else set(named) - {"null"}


def enums_of(schema):
    if isinstance(schema, dict):
        if isinstance(schema.get("enum"), list):
            yield schema
        for inner in schema.values():
            yield from enums_of(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from enums_of(inner)


class TestTheDocument:
    def test_is_openapi_3_1(self, document):
        OpenAPIV31SpecValidator(document).validate()
        assert document["openapi"] == "3.1.0"

    def test_is_served_as_it_is_committed(self, client):
        served = client.get("/v1/openapi.json")

        assert served.content_type == "application/json"
        assert served.text == (module.FOLDER / "openapi.json").read_text(encoding="utf-8")

    def test_holds_all_operations(self, contract):
        assert {name for line in SCOPE for name in line.split()} <= set(contract.operations)

    def test_names_its_makers_and_licence(self, document):
        info = document["info"]

        assert info["description"].startswith("Rummy 500 over HTTP")
        assert info["license"]["identifier"] == "MIT"
        assert document["servers"]


class TestEveryOperation:
    def test_is_named_once_in_camel_case(self, document):
        names = [
            operation["operationId"]
            for path in document["paths"].values()
            for operation in path.values()
            if isinstance(operation, dict)
        ]

        assert len(names) == len(set(names))
        assert all(re.fullmatch(r"[a-z]+([A-Z][a-z]+)*", name) for name in names)

    def test_has_one_tag_that_is_explained(self, document, contract):
        explained = {tag["name"] for tag in document["tags"] if tag["description"]}

        assert {len(operation["tags"]) for operation in contract.operations.values()} == {1}
        assert {operation["tags"][0] for operation in contract.operations.values()} == explained

    def test_has_a_summary_and_a_description(self, contract):
        for name, operation in contract.operations.items():
            assert operation["summary"].endswith("."), name
            assert operation["description"], name

    def test_lists_its_refusals_as_problems(self, contract):
        problem = {"$ref": "#/components/schemas/Problem"}
        for name, operation in contract.operations.items():
            refusals = {status: told for status, told in operation["responses"].items() if int(status) >= 400}
            assert {"422", "500"} <= set(refusals), name
            for told in refusals.values():
                assert told["content"]["application/problem+json"]["schema"] == problem
                assert "`" in told["description"]

    def test_that_asks_for_a_token_says_so_and_with_which_scope(self, contract):
        for name, operation in contract.operations.items():
            assert ("401" in operation["responses"]) == bool(operation["security"]), name
            optional = {} in operation["security"]
            assert ("x-optional-scope" in operation) == optional, name
            assert ("x-scope" in operation) == (bool(operation["security"]) and not optional), name
            scope = operation.get("x-scope") or operation.get("x-optional-scope", "")
            assert f"`{scope}`" in operation["description"] or not operation["security"]

    def test_that_changes_a_game_minds_its_version(self, contract):
        for name, operation in contract.operations.items():
            # Of a game that is over no other version is to come.
            if "412" not in operation["responses"] or name == "rematchGame":
                continue
            taken = [one.get("$ref", "") for one in operation["parameters"]]
            assert "#/components/parameters/IfMatch" in taken, name

    def test_that_posts_takes_an_idempotency_key(self, contract, document):
        posting = {path["post"]["operationId"] for path in document["paths"].values() if "post" in path}

        for name in posting:
            assert "Idempotency-Key" in parameters_of(contract, name), name
            assert "409" in contract.operations[name]["responses"]

    @pytest.mark.parametrize("name", MOVES)
    def test_that_is_a_move_takes_what_all_moves_take(self, contract, name):
        versions = {"If-Match", "if_version", "Expected-Version"}
        of_all = {"dry_run", "as_seat", "include", "Idempotency-Key", "Prefer", *versions}
        assert parameters_of(contract, name) == of_all
        assert {"200", "201", "404", "409", "412"} <= set(contract.operations[name]["responses"])

    def test_that_succeeds_in_several_ways_is_read_in_any_of_them(self, contract, document):
        """Generators give an operation one type for all its successes, that of the lowest status."""
        for name, operation in contract.operations.items():
            told = {
                status: media["schema"]
                for status, answer in sorted(operation["responses"].items())
                if status < "300"
                for media in answer.get("content", {}).values()
            }
            lowest = next(iter(told.values()), {})
            named = document["components"]["schemas"].get(lowest.get("$ref", "").rsplit("/", 1)[-1], {})
            for other in told.values():
                assert other == lowest or other in named.get("oneOf", ()), name

    def test_that_creates_something_leads_to_what_is_about_it(self, contract):
        def links(name, status):
            return contract.operations[name]["responses"][status]["links"]

        assert links("createGame", "201")["getGame"]["parameters"] == {"game_id": "$response.body#/id"}
        assert set(MOVES) <= set(links("createGame", "201"))
        assert links("createToken", "201")["revokeToken"]["parameters"] == {
            "token_id": "$response.body#/token_info/id"
        }
        assert links("createPlayer", "201")["getPlayer"]["parameters"] == {
            "player_id": "$response.body#/player/id"
        }

    def test_that_lists_moves_leads_to_them(self, contract):
        links = contract.operations["listLegalMoves"]["responses"]["200"]["links"]

        assert {link["requestBody"] for link in links.values()} == {"$response.body#/moves/0/body"}
        assert set(links) == set(MOVES) - {"resignGame"} | {"readyForNextDeal"}

    def test_numbers_in_its_path_what_it_is_about(self, document):
        for path, operations in document["paths"].items():
            if numbered := re.search(r"/(\w+?)s/\{number\}", path):
                (number,) = (one for one in operations["parameters"] if one.get("name") == "number")
                assert f"number of the {numbered[1]}" in number["description"]

    def test_describes_its_parameters(self, document):
        for path in document["paths"].values():
            for parameter in path.get("parameters", []):
                assert parameter["description"]
        for parameter in document["components"]["parameters"].values():
            assert parameter["description"]


class TestSchemas:
    def test_are_all_components_with_a_name(self, document):
        for path in document["paths"].values():
            for operation in path.values():
                if isinstance(operation, dict):
                    for told in [operation.get("requestBody", {}), *operation["responses"].values()]:
                        for media in told.get("content", {}).values():
                            assert "$ref" in media["schema"] or media["schema"]["type"] == "string"

    def test_do_not_come_twice_under_numbers(self, document):
        assert not [name for name in document["components"]["schemas"] if name[-1].isdigit()]

    def test_of_requests_refuse_what_they_do_not_know(self, document, contract):
        bodies = {
            operation["requestBody"]["content"]["application/json"]["schema"]["$ref"].rsplit("/", 1)[-1]
            for operation in contract.operations.values()
            if "requestBody" in operation
        }

        for name in bodies:
            assert document["components"]["schemas"][name]["additionalProperties"] is False, name

    def test_hold_no_enum_of_mixed_types(self, document):
        """Client generators give up on those, and with them on every operation that leads there."""
        enums = list(enums_of(document["components"]["schemas"]))

        assert enums
        assert not [enum for enum in enums if len({type(value) for value in enum["enum"]}) > 1]
        assert not [enum for enum in enums if "type" not in enum]

    def test_name_every_enum(self, document):
        """Generators invent names for those without one: `OptionsFirstDealerType0`, `ListGamesStatus`."""
        named = {f"/components/schemas/{name}" for name in document["components"]["schemas"]}

        assert [path for path, schema in parts_of(document) if "enum" in schema and path not in named] == []

    def test_name_every_choice_between_several_shapes(self, document):
        """As enums. What may be null besides needs no name."""
        named = {f"/components/schemas/{name}" for name in document["components"]["schemas"]}
        bare = [
            path
            for path, schema in parts_of(document)
            if path not in named
            for choices in [schema.get("anyOf", schema.get("oneOf", []))]
            if len([choice for choice in choices if choice.get("type") != "null"]) > 1
            or len(types_of(schema)) > 1
        ]

        assert bare == []

    def test_bound_every_number(self, document):
        """Programs must know what holds it: 32 bits, or `int64`."""
        for path, schema in parts_of(document):
            if "integer" not in types_of(schema) or "const" in schema:
                continue
            assert {"minimum", "maximum"} <= set(schema), path
            fits = -(2**31) <= schema["minimum"] <= schema["maximum"] < 2**31
            assert (schema.get("format") == "int64") != fits, path
            assert schema["maximum"] < 2**53, f"{path}: JavaScript could not hold it"

    def test_bound_every_text_that_is_sent(self, document, contract):
        """What may be of any length is read to its end first."""
        seen, waiting = (
            set(),
            [operation.get("requestBody", {}) for operation in contract.operations.values()],
        )
        # A line of headers is bounded by the server.
        waiting += [one for one in document["components"]["parameters"].values() if one["in"] == "query"]
        while waiting:
            for path, schema in parts_of(waiting.pop()):
                name = schema.get("$ref", "").rsplit("/", 1)[-1]
                if name in document["components"]["schemas"] and name not in seen:
                    seen.add(name)
                    waiting.append({name: document["components"]["schemas"][name]})
                if types_of(schema) == {"string"}:
                    assert {"maxLength", "pattern", "enum", "const", "format"} & set(schema), path

    def test_say_what_a_time_is(self, document):
        for path, schema in parts_of(document["components"]["schemas"]):
            for name, member in schema.get("properties", {}).items():
                if name.endswith("_at") or name in {"at", "server_time"}:
                    assert member["format"] == "date-time", f"{path}/{name}"

    def test_of_answers_require_what_is_always_there(self, document, contract):
        """A member that may be missing is one that a client must ask for each time."""
        sent = {
            operation["requestBody"]["content"]["application/json"]["schema"]["$ref"].rsplit("/", 1)[-1]
            for operation in contract.operations.values()
            if "requestBody" in operation
        }
        at_times = {
            name
            for name, schema in document["components"]["schemas"].items()
            if schema.get("additionalProperties") is not False
            and name not in sent
            and set(schema.get("properties", {})) - set(schema.get("required", []))
        }

        frames = {"ServerSentEvent", "AccountServerSentEvent"}
        moves = {"LegalTakeDiscard", "LayingMeld", "LayingOff", "MeldOfTake", "LayOffOfTake"}
        assert at_times == {
            "Problem",
            "Choice",
            "GameView",
            "Meld",
            "MinimalDryRun",
            "MinimalMove",
            "MovesByType",
            *frames,
            *moves,
        }

    def test_have_a_free_form_nowhere(self, document):
        """A value without a shape is one that no generated client can do anything with."""
        shapeless = [
            path
            for path, schema in parts_of(document["components"]["schemas"])
            for name, member in schema.get("properties", {}).items()
            if not {"$ref", "anyOf", "oneOf", "const", "type"} & set(member)
            or (member.get("type") == "object" and not {"properties", "additionalProperties"} & set(member))
        ]

        assert shapeless == []

    def test_are_all_used(self, document):
        text = json.dumps(document)

        assert [
            name for name in document["components"]["schemas"] if f'"#/components/schemas/{name}"' not in text
        ] == []

    def test_of_options_allow_what_the_rules_allow(self, document):
        overrides = document["components"]["schemas"]["Overrides"]["properties"]
        tried = ("auto", "nonsense", None, True, False, 0, 1, 2, 4, 25, 100, 100_001)

        assert set(overrides) == set(OPTIONS)
        for name, option in OPTIONS.items():
            allowed = Draft202012Validator({**overrides[name], "components": document["components"]}).is_valid
            for value in (*tried, *option.values):
                assert allowed(value) == option.allows(value), (name, value)

    def test_name_every_card_once(self, document):
        assert document["components"]["schemas"]["Card"]["enum"] == list(ORDER)

    @pytest.mark.parametrize("union", ["LegalMove", "Event", "CallUse"])
    def test_of_unions_have_a_constant_that_selects_the_member(self, document, union):
        schemas = document["components"]["schemas"]
        mapping = schemas[union]["discriminator"]["mapping"]

        assert schemas[union]["discriminator"]["propertyName"] == "type"
        assert [{"$ref": member} for member in mapping.values()] == schemas[union]["oneOf"]
        for tag, member in mapping.items():
            told = schemas[member.rsplit("/", 1)[-1]]
            assert told["properties"]["type"]["const"] == tag
            assert "type" in told["required"]

    def test_describe_every_member(self, document):
        bare = [
            f"{name}.{member}"
            for name, schema in document["components"]["schemas"].items()
            for member, told in schema.get("properties", {}).items()
            if "description" not in told and "const" not in told
        ]

        assert bare == []


class TestTheCommand:
    def test_finds_the_committed_document_as_it_should_be(self):
        assert cli.main(["openapi", "--check"]) == 0

    def test_prints_it(self, capsys):
        assert cli.main(["openapi"]) == 0
        assert json.loads(capsys.readouterr().out)["openapi"] == "3.1.0"

    def test_shows_what_differs_and_writes_it(self, capsys, monkeypatch, tmp_path):
        monkeypatch.setattr(module, "FOLDER", tmp_path)
        (tmp_path / "openapi.json").write_text('{"openapi": "3.0.3"}\n')

        assert cli.main(["openapi", "--check"]) == 1
        assert '-{"openapi": "3.0.3"}' in capsys.readouterr().err
        assert cli.main(["openapi", "--write"]) == 0
        assert cli.main(["openapi", "--release"]) == 0
        assert cli.main(["openapi", "--check"]) == 0
        assert (tmp_path / "openapi.json").read_text() == openapi_document.text()

    def test_misses_one_that_is_not_there(self, monkeypatch, tmp_path):
        monkeypatch.setattr(module, "FOLDER", tmp_path)

        assert cli.main(["openapi", "--check"]) == 1


class TestTheReader:
    def test_needs_nothing_from_the_internet(self, client):
        page = client.get("/docs")

        assert page.content_type == "text/html; charset=utf-8"
        sources = re.findall(r'(?:src|href)="([^"]+)"', page.text)
        assert all(source.startswith("/docs/") for source in sources)
        for source in sources:
            with client.get(source) as file:
                assert file.status_code == 200
        assert "connect-src 'self'" in page.headers["Content-Security-Policy"]
        assert "validatorUrl: null" in client.get("/docs/start.js").text

    @pytest.mark.parametrize("name", ["index.css", "../__init__.py", "swagger-ui.css.map", "%2e%2e"])
    def test_serves_no_other_files(self, client, name):
        assert client.get(f"/docs/{name}").status_code == 404


class TestTheFrontPage:
    def test_leads_to_everything_it_names(self, client):
        page = client.get("/")
        assert page.status_code == 200
        assert page.content_type == "text/html; charset=utf-8"

        links = re.findall(r'(?:href|src)="([^"]+)"', page.text)
        assert {"/docs", "/docs/bots", "/v1/openapi.json", "/v1/rule-book.md"} <= set(links)
        for address in links:
            with client.get(address) as answer:
                assert answer.status_code == 200, address

    def test_is_allowed_nothing_but_its_own_files(self, client):
        policy = client.get("/").headers["Content-Security-Policy"]

        assert policy.startswith("default-src 'none'")
        assert "unsafe" not in policy

    def test_external_docs_are_served(self, client, document):
        guides = [
            document["externalDocs"],
            *(tag["externalDocs"] for tag in document["tags"] if "externalDocs" in tag),
        ]

        assert len(guides) > 3
        for guide in guides:
            path, _, anchor = guide["url"].partition("#")
            text = client.get(path).text
            assert not anchor or re.search(
                rf"^## {anchor.replace('-', ' ')}$", text, re.IGNORECASE | re.MULTILINE
            )
