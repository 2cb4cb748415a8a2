"""The document's links: each leads from what was just made to an operation that finds it."""

import json

import pytest

from service.api import document

EXAMPLES = document.FOLDER / "examples"
COMMITTED = json.loads((document.FOLDER / "openapi.json").read_text())

OPERATIONS = {
    operation["operationId"]: (method.upper(), path, operation)
    for path, methods in COMMITTED["paths"].items()
    for method, operation in methods.items()
    if isinstance(operation, dict)
}
LISTED = OPERATIONS["listLegalMoves"][2]["responses"]["200"]["links"]
#: From what was made: maker, operation, and the parameter with the place its value stands at.
LINKS = [
    (maker, link["operationId"], *next(iter(link["parameters"].items())))
    for maker, (_, _, operation) in OPERATIONS.items()
    for link in operation["responses"].get("201", {}).get("links", {}).values()
]


def body_of(name):
    return json.loads((EXAMPLES / f"{name}.json").read_text()).get("body")


def at(place, answer):
    assert place.startswith("$response.body#/")
    for member in place.removeprefix("$response.body#/").split("/"):
        answer = answer[member]
    return answer


@pytest.fixture
def ask(client, ana):
    def ask(name, **known):
        method, path, _ = OPERATIONS[name]
        headers = {} if name == "createPlayer" else ana
        return client.open(path.format(**known), method=method, json=body_of(name), headers=headers)

    return ask


def test_there_are_links_from_all_that_is_made():
    assert {maker for maker, *_ in LINKS} >= {
        *("createPlayer", "createToken", "createGame", "createSeek", "createWebhook")
    }


@pytest.mark.parametrize(
    "maker, name, parameter, place", LINKS, ids=[f"{link[0]}-{link[1]}" for link in LINKS]
)
def test_leads_to_what_was_made(ask, maker, name, parameter, place):
    made = ask(maker)
    assert made.status_code == 201, made.json
    known = at(place, made.json)

    found = ask(name, **{parameter: known})
    nothing = ask(name, **{parameter: known[:-4] + "none"})

    assert (nothing.status_code, nothing.json["code"]) == (404, "not_found")
    assert found.status_code != 404 or found.json["detail"] != nothing.json["detail"]


@pytest.mark.parametrize("name", LISTED)
def test_from_a_list_of_moves_leads_to_the_operation_of_its_first(client, open_table, ana, name):
    game = open_table(ana, sandbox=True, seats_held="creator")
    listed = client.get(f"/v1/games/{game['id']}/legal-moves", headers=ana).json["moves"]
    method, path, _ = OPERATIONS[name]
    link = LISTED[name]
    assert link["parameters"] == {"game_id": "$request.path.game_id"}
    assert link["requestBody"] == "$response.body#/moves/0/body"

    answer = client.open(path.format(game_id=game["id"]), method=method, json=listed[0]["body"], headers=ana)

    assert (answer.status_code == 201) is (listed[0]["operation_id"] == name)
