"""The version that a request is for or that its client has, however it is sent and through any proxy."""

import json
import time
from threading import Timer

import pytest
from flask.testing import FlaskClient

from service.api.document import FOLDER

EXAMPLES = {path.stem: json.loads(path.read_text()) for path in sorted((FOLDER / "examples").glob("*.json"))}
DOCUMENT = json.loads((FOLDER / "openapi.json").read_text())
OPERATIONS = {
    one["operationId"]: one
    for path in DOCUMENT["paths"].values()
    for one in path.values()
    if "operationId" in one
}


def taking(component):
    """Return the operations that take a parameter."""
    ref = {"$ref": f"#/components/parameters/{component}"}
    return sorted(name for name, one in OPERATIONS.items() if ref in one.get("parameters", ()))


WITH_VERSION = taking("IfMatch")
#: How a proxy or a client may write the tag "1".
AS_PROXIES_WRITE = (
    *('"1-gzip"', '"1--gzip"', '"1;gzip"', '"1-br"', '"1-zstd"', 'W/"1-gzip"', '"1"-gzip'),
    *('"1"', 'W/"1"', "1", '"0", "1"', 'W/"0-gzip",W/"1-gzip"', '"abc", "1"'),
)
NO_TAG_OF_OURS = ('"abc"', '""', '"0"', '"01"', '"1-x"', '"' + "9" * 30 + '"', "gzip", '"-gzip"', 'W/"x"')


@pytest.fixture
def ask(client, sandbox, ana):
    """Return a function that sends an operation to a game or a score sheet at version 1."""
    game = sandbox(ana, ["7S 7C KD", "4H 9C 5D"], pile="2C 7H 9D")
    sheet = client.post("/v1/score-sheets", json={"players": ["Ana", "Ben"]}, headers=ana).json["sheet"]
    places = {"game_id": game["id"], "sheet_id": sheet["id"]}

    def ask(name, query=None, **headers):
        method, path = EXAMPLES[name]["request"].split("?")[0].split(" ")
        headers = {**ana, **{header.replace("_", "-"): value for header, value in headers.items()}}
        return client.open(
            path.format(**places),
            method=method,
            query_string=query,
            json={"points": [1, 2]} if name in {"recordDeal", "amendDeal"} else EXAMPLES[name].get("body"),
            headers=headers,
        )

    return ask


def outcome(answer):
    return answer.status_code, (answer.json or {}).get("code")


class TestTheVersionOfAChange:
    def test_is_taken_by_moves_seats_hints_and_score_sheets(self):
        assert {"drawStock", "playTurn", "joinGame", "startGame", "requestHint", "undoDeal"} <= {
            *WITH_VERSION
        }
        assert taking("IfVersion") == taking("ExpectedVersion") == WITH_VERSION

    @pytest.mark.parametrize("name", WITH_VERSION)
    def test_is_a_conflict_however_it_is_sent(self, ask, name):
        by_tag = outcome(ask(name, If_Match='"9"'))

        assert by_tag[0] in {403, 412}
        assert outcome(ask(name, {"if_version": 9})) == by_tag
        assert outcome(ask(name, Expected_Version="9")) == by_tag

    @pytest.mark.parametrize("name", WITH_VERSION)
    @pytest.mark.parametrize("tag", NO_TAG_OF_OURS)
    def test_is_no_conflict_if_it_cannot_be_one(self, ask, name, tag):
        refused = ask(name, If_Match=tag)

        assert outcome(refused) == (422, "validation_failed")
        assert refused.json["errors"][0]["field"] == "If-Match"

    @pytest.mark.parametrize("name", WITH_VERSION)
    def test_must_be_said_in_one_way(self, ask, name):
        for query, headers in (
            ({"if_version": 2}, {"If_Match": '"1"'}),
            ({"if_version": 1}, {"If_Match": '"1", "2"'}),
            ({"if_version": 2}, {"Expected_Version": "1"}),
            (None, {"Expected_Version": "2", "If_Match": '"1"'}),
        ):
            refused = ask(name, query, **headers)

            assert outcome(refused) == (422, "validation_failed")
            sent = {name.replace("_", "-") for name in headers} | {*(query or ())}
            assert {error["field"] for error in refused.json["errors"]} == sent
            assert all(name in refused.json["detail"] for name in sent)

    @pytest.mark.parametrize("tag", [*AS_PROXIES_WRITE, "*", '"abc", *'])
    def test_is_the_one_that_was_read_through_a_proxy(self, ask, tag):
        assert ask("drawStock", If_Match=tag).status_code == 201
        assert ask("recordDeal", If_Match=tag).status_code == 201

    def test_may_be_said_three_times(self, ask):
        made = ask("drawStock", {"if_version": 1}, If_Match='W/"1"', Expected_Version="1")

        assert made.status_code == 201

    def test_is_older_than_the_game_through_a_proxy_too(self, ask):
        ask("drawStock")

        assert outcome(ask("discardCard", If_Match='"1-gzip"')) == (412, "version_conflict")

    def test_is_no_part_of_the_request_that_a_key_names(self, ask):
        """A client that reads the game again before it retries gets its move, not an error."""
        first = ask("drawStock", {"if_version": 1, "as_seat": 0}, Idempotency_Key="k")
        again = ask("drawStock", {"if_version": 2, "as_seat": 0}, Idempotency_Key="k")
        by_tag = ask("drawStock", {"as_seat": 0}, Idempotency_Key="k", If_Match='"1"')

        assert first.status_code == 201
        assert again.json == by_tag.json == first.json
        assert again.headers["Idempotency-Replayed"] == "true"

    def test_of_a_dry_run_is_compared_too(self, ask):
        assert ask("drawStock", {"dry_run": "true", "if_version": 1}).status_code == 200
        assert ask("drawStock", {"dry_run": "true", "if_version": 2}).status_code == 412


class TestTheVersionThatAClientHas:
    READS = ("getGame", "getScoreSheet")

    @pytest.mark.parametrize("name", READS)
    @pytest.mark.parametrize("tag", [*AS_PROXIES_WRITE, "*"])
    def test_is_known_through_a_proxy(self, ask, name, tag):
        assert ask(name, If_None_Match=tag).status_code == 304

    @pytest.mark.parametrize("name", READS)
    @pytest.mark.parametrize("tag", NO_TAG_OF_OURS)
    def test_is_not_known_if_it_is_no_version(self, ask, name, tag):
        assert ask(name, If_None_Match=tag).status_code == 200

    @pytest.mark.parametrize("name", READS)
    def test_may_be_sent_as_a_number(self, ask, name):
        for version in ("1", "2", "999999999"):
            for answer in (ask(name, {"newer_than": version}), ask(name, Known_Version=version)):
                assert (answer.status_code, answer.data) == (204, b"")
                assert answer.headers["ETag"] == '"1"'
        assert ask(name, {"newer_than": 0}).status_code == 200
        assert ask(name, Known_Version="0").status_code == 200

    @pytest.mark.parametrize("name", READS)
    def test_must_be_said_in_one_way(self, ask, name):
        refused = ask(name, {"newer_than": 1}, Known_Version="2")

        assert outcome(refused) == (422, "validation_failed")
        assert {error["field"] for error in refused.json["errors"]} == {"newer_than", "Known-Version"}

    def test_may_be_in_the_cache_of_a_browser_as_well(self, ask):
        """The browser adds the tag of what it keeps; the page has an older version."""
        ask("drawStock")

        assert ask("getGame", {"newer_than": 1}, If_None_Match='"2"').status_code == 304
        assert ask("getGame", {"newer_than": 1}, If_None_Match='"1"').status_code == 200

    @pytest.mark.parametrize("tag", ['"1-gzip"', 'W/"1"', '"abc", "1;gzip"', "*"])
    def test_is_waited_on_through_a_proxy(self, ask, tag):
        began = time.monotonic()

        assert ask("getGame", {"wait_ms": 200}, If_None_Match=tag).status_code == 304
        assert time.monotonic() - began >= 0.2

    @pytest.mark.parametrize("tag", NO_TAG_OF_OURS)
    def test_that_is_none_is_not_waited_on(self, ask, tag):
        """The client would ask again at once, and again."""
        refused = ask("getGame", {"wait_ms": 200}, If_None_Match=tag)

        assert outcome(refused) == (422, "validation_failed")
        assert refused.json["errors"][0]["field"] == "If-None-Match"

    @pytest.mark.parametrize("known", [{"newer_than": 1}, {"newer_than": 7}])
    def test_is_waited_on_as_a_number(self, ask, known):
        began = time.monotonic()

        assert ask("getGame", {"wait_ms": 200, **known}).status_code == 204
        assert time.monotonic() - began >= 0.2

    @pytest.mark.parametrize("how", [({"newer_than": 1}, {}), ({}, {"Known_Version": "1"})])
    def test_is_followed_by_the_next_as_soon_as_there_is_one(self, app, ask, client, ana, how):
        query, headers = how
        path = f"/v1/games/{ask('getGame').json['id']}/draw-stock"
        mover = Timer(0.1, lambda: FlaskClient(app, app.response_class).post(path, headers=ana))
        mover.start()
        answer = ask("getGame", {"wait_ms": 20_000, **query}, **headers)
        mover.join()

        assert (answer.status_code, answer.json["version"]) == (200, 2)


@pytest.mark.parametrize("name", taking("IfNoneMatch"))
def test_every_tag_is_known_with_what_a_proxy_adds(ask, name):
    if name == "getScoreSheetPdf":
        ask("recordDeal")
    tag = ask(name).headers["ETag"].strip('"')

    for known in (f'"{tag}"', f'W/"{tag}"', f'"{tag}-gzip"', f'"x", W/"{tag}--gzip"', f'"{tag};gzip"', "*"):
        assert ask(name, If_None_Match=known).status_code == 304, known
    assert ask(name, If_None_Match='"x"').status_code == 200
