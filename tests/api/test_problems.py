"""Every error is a problem, with a code for programs and a sentence for people."""

import ast
import logging
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from service.api import problems
from service.api.services import current_services
from service.app import create_app
from service.rummy.errors import RULE_OF_CODE
from service.store.contract import StoreUnavailable


def is_problem(answer, status, code):
    assert answer.content_type == "application/problem+json"
    assert answer.status_code == status
    assert answer.json["status"] == status
    assert answer.json["code"] == code
    assert answer.json["type"] == f"/problems/{code}"
    assert answer.json["request_id"] == answer.headers["X-Request-Id"]
    return True


class TestWhatFlaskRefuses:
    def test_a_path_that_does_not_exist(self, client):
        assert is_problem(client.get("/v1/nowhere"), 404, "not_found")

    def test_a_path_with_a_slash_too_many_is_no_redirect(self, app, client):
        # As the server hands it over: a client takes //v1 for a host.
        doubled = FlaskClient(app).get("/v1/meta", environ_overrides={"PATH_INFO": "//v1/meta"})

        assert is_problem(doubled, 404, "not_found")
        assert is_problem(client.get("/v1/meta/"), 404, "not_found")

    def test_a_method_that_does_not_exist_there_names_those_that_do(self, client):
        answer = client.delete("/v1/meta")

        assert is_problem(answer, 405, "method_not_allowed")
        assert "GET" in answer.headers["Allow"]

    def test_a_body_that_is_too_large(self, client):
        answer = client.post("/v1/players", data=b" " * 70_000, content_type="application/json")

        assert is_problem(answer, 413, "body_too_large")


class TestBodies:
    @pytest.mark.parametrize(
        "text", ["{", "", "{'name': 1}", '{"name": NaN}', '"\\ud800"', b"\xff"], ids=range(6)
    )
    def test_what_is_no_json(self, client, text):
        answer = client.post("/v1/players", data=text, content_type="application/json")

        assert is_problem(answer, 400, "malformed_json")

    def test_a_member_that_is_there_twice(self, client):
        text = '{"name": "Ana", "kind": "human", "name": "Ben"}'
        answer = client.post("/v1/players", data=text, content_type="application/json")

        assert is_problem(answer, 400, "malformed_json")
        assert "'name' is a duplicate" in answer.json["detail"]

    def test_json_nested_too_deep(self, client):
        answer = client.post("/v1/players", data="[" * 60_000, content_type="application/json")

        assert is_problem(answer, 400, "malformed_json")

    @pytest.mark.parametrize("media_type", ["text/plain", "application/x-www-form-urlencoded", None])
    def test_another_media_type(self, client, media_type):
        answer = client.post("/v1/players", data='{"name": "Ana"}', content_type=media_type)

        assert is_problem(answer, 415, "unsupported_media_type")

    def test_what_is_packed(self, client):
        packed = {"Content-Encoding": "gzip"}
        answer = client.post("/v1/players", json={"name": "Ana"}, headers=packed)

        assert is_problem(answer, 415, "unsupported_media_type")

    def test_a_media_type_with_a_parameter_is_the_same_type(self, client):
        answer = client.post(
            "/v1/players", data='{"name": "Ana"}', content_type="application/json; charset=utf-8"
        )

        assert answer.status_code == 201

    def test_an_unknown_member_gets_the_allowed_ones(self, client):
        answer = client.post("/v1/players", json={"name": "Ana", "colour": "red"})

        assert is_problem(answer, 422, "validation_failed")
        assert answer.json["errors"] == [
            {"field": "colour", "message": "No such member here. Allowed: name, kind."}
        ]
        assert answer.json["detail"] == "colour: No such member here. Allowed: name, kind."

    def test_every_member_that_does_not_fit_is_named(self, client):
        answer = client.post("/v1/players", json={"kind": "cat"})

        assert {error["field"] for error in answer.json["errors"]} == {"name", "kind"}

    @pytest.mark.parametrize("body", [[], "Ana", 1, None])
    def test_a_body_that_is_no_object(self, client, body):
        assert is_problem(client.post("/v1/players", json=body), 422, "validation_failed")

    @pytest.mark.parametrize(
        "name", ["", "   ", "x" * 41, "a\nb", "\u202eevil", "\u3164", "\u2800 \u0301", 7, None, ["Ana"]]
    )
    def test_a_name_that_cannot_be_read(self, client, name):
        assert is_problem(client.post("/v1/players", json={"name": name}), 422, "validation_failed")


class TestParameters:
    def test_an_unknown_query_parameter_is_refused(self, client):
        answer = client.get("/v1/meta?dry_runn=true")

        assert is_problem(answer, 422, "validation_failed")
        assert answer.json["errors"][0]["field"] == "dry_runn"

    @pytest.mark.parametrize("key", ["", "x" * 65, "two words", "\u00fcber"])
    def test_an_idempotency_key_that_is_none(self, client, key):
        answer = client.post("/v1/players", json={"name": "Ana"}, headers={"Idempotency-Key": key})

        assert is_problem(answer, 422, "validation_failed")


class TestABug:
    @pytest.fixture
    def broken(self, given):
        app = create_app(given)

        @app.get("/broken")
        def broken():
            raise RuntimeError("the seed is 1234")

        return app.test_client().get("/broken")

    def test_shows_the_client_nothing_but_the_request_id(self, broken):
        assert is_problem(broken, 500, "internal_error")
        assert "detail" not in broken.json
        assert "1234" not in broken.text

    def test_is_logged_whole_under_that_id(self, broken, caplog):
        (record,) = caplog.get_records("setup")

        assert record.levelno == logging.ERROR
        assert broken.json["request_id"] in record.getMessage()
        assert "the seed is 1234" in str(record.exc_info[1])


class TestTheTable:
    def test_a_code_of_the_rules_is_always_409(self):
        assert {problems.type_of(code).status for code in RULE_OF_CODE} == {409}

    def test_no_code_stands_for_two_things(self):
        assert not set(problems.PROBLEMS) & set(RULE_OF_CODE)

    def test_only_the_table_knows_status_numbers_of_refusals(self):
        statuses = {kind.status for kind in problems.PROBLEMS.values()}
        elsewhere = {
            f"{path.name}:{node.lineno}"
            for path in Path(problems.__file__).parent.glob("*.py")
            if path.name != "problems.py"
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.Constant) and type(node.value) is int and node.value in statuses
        }

        assert elsewhere == set()

    def test_every_type_leads_to_its_explanation(self, client):
        for code in (*problems.PROBLEMS, *RULE_OF_CODE):
            assert client.get(f"/problems/{code}").json["code"] == code

    def test_an_unknown_type_is_not_found(self, client):
        assert is_problem(client.get("/problems/bad_luck"), 404, "not_found")


class TestEveryAnswer:
    def test_gives_the_request_id_back(self, client):
        answer = client.get("/healthz", headers={"X-Request-Id": "trace-7"})

        assert answer.headers["X-Request-Id"] == "trace-7"

    @pytest.mark.parametrize("sent", ["a b", "x" * 65, "line\u00e9"])
    def test_replaces_an_id_that_would_spoil_a_log(self, client, sent):
        assert client.get("/healthz", headers={"X-Request-Id": sent}).headers["X-Request-Id"] != sent

    def test_may_be_read_by_any_page_without_cookies(self, client, ana):
        answer = client.get("/v1/me", headers={**ana, "Origin": "https://example.org"})

        assert answer.headers["Access-Control-Allow-Origin"] == "*"
        assert "Access-Control-Allow-Credentials" not in answer.headers
        for name in ("ETag", "Idempotency-Replayed", "Retry-After", "Preference-Applied", "Location"):
            assert name in answer.headers["Access-Control-Expose-Headers"]

    @pytest.mark.parametrize("origin", [None, "http://localhost"])
    def test_lists_no_headers_for_other_origins_to_a_page_of_its_own(self, client, ana, origin):
        headers = ana if origin is None else {**ana, "Origin": origin}

        assert "Access-Control-Expose-Headers" not in client.get("/v1/me", headers=headers).headers
        assert "Access-Control-Expose-Headers" in client.get("/v1/meta", headers=headers).headers or origin

    def test_a_preflight_allows_our_headers(self, client):
        answer = client.options("/v1/players", headers={"Access-Control-Request-Method": "POST"})

        assert (answer.status_code, answer.data) == (204, b"")
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
        for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
            assert method in answer.headers["Access-Control-Allow-Methods"]
        for name in (
            "Last-Event-ID",
            "X-Request-Id",
            "Authorization",
            "Content-Type",
            "If-Match",
            "If-None-Match",
            "Idempotency-Key",
            "Expected-Version",
            "Known-Version",
            "Prefer",
            # What tracing and error reporting libraries add to every request of a page.
            "traceparent",
            "tracestate",
            "baggage",
            "sentry-trace",
        ):
            assert name in answer.headers["Access-Control-Allow-Headers"].split(", ")

    @pytest.mark.parametrize("path", ["/nowhere", "/v1/games/g00/nothing", "/healthz", "/v1//players"])
    def test_a_preflight_lets_a_page_see_that_there_is_nothing(self, client, path):
        answer = client.options(path, headers={"Access-Control-Request-Method": "DELETE"})

        assert answer.status_code == 204
        assert answer.headers["Access-Control-Allow-Origin"] == "*"

    def test_an_options_request_that_is_no_preflight_lists_the_methods(self, client):
        answer = client.options("/v1/me")

        assert (answer.status_code, set(answer.headers["Allow"].split(", "))) == (
            200,
            {"GET", "HEAD", "PATCH", "DELETE", "OPTIONS"},
        )
        assert client.options("/nowhere").status_code == 404

    def test_a_refusal_may_be_read_by_any_page_too(self, client):
        assert client.get("/nowhere").headers["Access-Control-Allow-Origin"] == "*"

    def test_the_parts_belong_to_the_app(self, app, store):
        with app.app_context():
            assert current_services().store is store


class TestAStoreThatIsAway:
    def test_is_distinct_from_a_bug(self, client, store, ana, monkeypatch):
        def away(*_args):
            raise StoreUnavailable("connection refused")

        monkeypatch.setattr(store, "player_by_token", away)
        answer = client.get("/v1/me", headers=ana)

        assert is_problem(answer, 503, "store_unavailable")
        assert answer.headers["Retry-After"] == "1"

    def test_is_what_readiness_names(self, client, store, monkeypatch):
        monkeypatch.setattr(store, "ping", lambda: ("The store cannot be reached.",))
        answer = client.get("/readyz")

        assert is_problem(answer, 503, "store_unavailable")
        assert answer.json["missing"] == ["The store cannot be reached."]
        assert client.get("/healthz").status_code == 200


class TestASentenceWithValues:
    def test_can_be_said_in_another_language(self, client, sandbox, ana):
        game = sandbox(ana, ["7S 7C KD", "4H 9C 5D"], pile="2C 7H 9D")
        refused = client.post(f"/v1/games/{game['id']}/take-discard", json={"card": "QH"}, headers=ana).json

        assert refused["reason_code"] == "card_not_in_pile"
        assert refused["params"] == {"card": "QH"}
        said = refused["template"].format(card="queen of hearts")
        assert (
            said
            == refused["detail"]
            == "The queen of hearts is not in the discard pile. Name a card that is."
        )

    def test_of_the_table_too(self, client, open_table, ana, ben):
        game = open_table(ana, seats=3, visibility="public")
        refused = client.post(f"/v1/games/{game['id']}/seats", json={"seat": 0}, headers=ben).json

        assert (refused["code"], refused["reason_code"]) == ("seat_taken", "seat_not_free")
        assert refused["params"] == {"seat": 0, "numbers": "1, 2"}
