"""What a token may do: every operation with every scope, without it, and without a valid token."""

import re

import pytest

from service.api.auth import SCOPES
from tests.support.operations import SCOPE_OF

REFUSED = (403, "insufficient_scope")
#: Something for every place in a path.
PLACES = {"number": "1", "pool": "people", "preset": "classic", "code": "not_found"}


@pytest.fixture
def calls(contract, client):
    """Call every operation that needs a scope, and return the answers by operationId."""
    requests = [
        (operation["operationId"], method, re.sub(r"{(\w+)}", lambda m: PLACES.get(m[1], "g00x"), path))
        for path, methods in contract.document["paths"].items()
        for method, operation in methods.items()
        if isinstance(operation, dict) and SCOPE_OF[operation["operationId"]] is not None
    ]
    # After it nobody is let in.
    requests.sort(key=lambda request: request[0] == "deleteMe")

    def calls(headers):
        answers = {}
        for name, method, path in requests:
            answer = client.open(path, method=method.upper(), headers=headers)
            answers[name] = (answer.status_code, answer.is_json and answer.json.get("code"))
            if answer.status_code in {401, 403}:
                assert answer.headers["WWW-Authenticate"].startswith('Bearer realm="rummy500"')
            answer.close()
        return answers

    return calls


@pytest.fixture
def token(client, ana):
    """Make a token of Ana's with some scopes, and return its headers and its id."""

    def token(scopes):
        made = client.post("/v1/tokens", json={"scopes": scopes}, headers=ana).json
        return {"Authorization": f"Bearer {made['token']}"}, made["token_info"]["id"]

    return token


def needing(scope):
    return {name for name, needed in SCOPE_OF.items() if needed == scope}


def test_every_operation_is_in_the_table_and_documents_its_scope(contract):
    told = {name: operation.get("x-scope") for name, operation in contract.operations.items()}

    assert told == SCOPE_OF


@pytest.mark.parametrize("scope", SCOPES)
def test_without_its_scope_an_operation_is_refused_and_no_other_is(calls, token, scope):
    headers, _ = token([other for other in SCOPES if other != scope])

    answers = calls(headers)

    assert {name for name, answer in answers.items() if answer == REFUSED} == needing(scope)
    assert not [name for name, (status, _) in answers.items() if status == 401]


@pytest.mark.parametrize("scope", SCOPES)
def test_a_scope_alone_opens_its_own_operations_and_no_other(calls, token, scope):
    answers = calls(token([scope])[0])

    assert {name for name, answer in answers.items() if answer != REFUSED} == needing(scope)
    assert not [name for name in needing(scope) if answers[name][0] in {401, 403}]


def test_a_request_without_a_token_is_refused(calls):
    assert set(calls({}).values()) == {(401, "token_missing")}


def test_a_revoked_token_is_invalid(calls, client, ana, token):
    headers, token_id = token(list(SCOPES))
    client.delete(f"/v1/tokens/{token_id}", headers=ana)

    assert set(calls(headers).values()) == {(401, "token_invalid")}


def test_the_token_of_a_deleted_player_is_invalid(calls, client, ana):
    client.delete("/v1/me", headers=ana)

    assert set(calls(ana).values()) == {(401, "token_invalid")}


def test_an_altered_token_of_another_player_is_invalid(calls, ana, ben):
    """The id of one player before the secret of another."""
    mended = ana["Authorization"].split(".")[0] + "." + ben["Authorization"].split(".")[1]

    assert set(calls({"Authorization": mended}).values()) == {(401, "token_invalid")}
