"""`/v1` grows and never breaks: one example of every kind of break, and of what is none.

The first class holds the document of today against the one that was last released. When it fails, what it
prints is what clients that are out there would meet.
"""

import json
from copy import deepcopy

import pytest

from service.api import document as module
from workers import cli
from workers.tools.api_compatibility import breaking_changes

REFUSED = {
    "description": "`version_conflict`: the game has moved on; the rules refuse the move.",
    "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
}
OLD = {
    "paths": {
        "/games/{game_id}": {
            "parameters": [{"in": "path", "name": "game_id", "required": True, "schema": {"type": "string"}}],
            "get": {
                "operationId": "getGame",
                "tags": ["games"],
                "security": [],
                "parameters": [
                    {
                        "in": "query",
                        "name": "limit",
                        "schema": {"type": "integer", "maximum": 100, "default": 5},
                    },
                    {"$ref": "#/components/parameters/Status"},
                ],
                "responses": {
                    "200": {
                        "description": "The game.",
                        "headers": {"ETag": {"schema": {"type": "string"}}},
                        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Game"}}},
                    },
                    "304": {"description": "Nothing new."},
                },
            },
            "post": {
                "operationId": "layMeld",
                "tags": ["moves"],
                "security": [{"bearer": []}],
                "x-scope": "games:play",
                "callbacks": {"told": {}},
                "requestBody": {
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Body"}}}
                },
                "responses": {"201": {"description": "Laid."}, "412": REFUSED},
            },
        }
    },
    "components": {
        "parameters": {
            "Status": {"in": "query", "name": "status", "schema": {"$ref": "#/components/schemas/Status"}}
        },
        "schemas": {
            "Status": {"type": "string", "enum": ["waiting", "playing"]},
            "Frame": {"type": "object", "properties": {"at": {"type": "string"}}, "required": ["at"]},
            "Problem": {"type": "object", "properties": {"code": {"type": "string"}}, "required": ["code"]},
            "Laid": {
                "type": "object",
                "properties": {"type": {"type": "string", "const": "laid"}, "at": {"type": "string"}},
                "required": ["type", "at"],
            },
            "Thrown": {
                "type": "object",
                "properties": {"type": {"type": "string", "const": "thrown"}},
                "required": ["type"],
            },
            "Event": {
                "oneOf": [{"$ref": "#/components/schemas/Laid"}, {"$ref": "#/components/schemas/Thrown"}],
                "discriminator": {"propertyName": "type"},
            },
            "Game": {
                "type": "object",
                "properties": {
                    "id": {"type": "string"},
                    "status": {"$ref": "#/components/schemas/Status"},
                    "pace": {"type": "integer", "minimum": 0, "maximum": 10},
                    "events": {"type": "array", "items": {"$ref": "#/components/schemas/Event"}},
                    "rematch": {"$ref": "#/components/schemas/Game"},
                    "reason": {"type": ["string", "null"]},
                },
                "required": ["id", "status", "pace", "events"],
            },
            "Given": {"type": "object", "properties": {"hand": {"type": "array"}}, "required": ["hand"]},
            "Body": {
                "type": "object",
                "properties": {
                    "cards": {
                        "type": "array",
                        "items": {"type": "string", "enum": ["7H", "8H"]},
                        "minItems": 0,
                    },
                    "end": {"anyOf": [{"type": "string", "enum": ["low", "high"]}, {"type": "null"}]},
                    "given": {"anyOf": [{"$ref": "#/components/schemas/Given"}, {"type": "null"}]},
                    "name": {"type": "string", "maxLength": 40},
                    "key": {"type": "string", "pattern": "^[a-z]$"},
                    "seed": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
                    "stands_for": {
                        "type": "object",
                        "additionalProperties": {"type": "string", "maxLength": 2},
                    },
                },
                "required": ["cards"],
            },
        },
    },
}


def at(document, *path):
    """The part of a document at a path."""
    for name in path:
        document = document[name]
    return document


GET = ("paths", "/games/{game_id}", "get")
POST = ("paths", "/games/{game_id}", "post")
SCHEMAS = ("components", "schemas")
GAME = (*SCHEMAS, "Game", "properties")
BODY = (*SCHEMAS, "Body", "properties")


def put(value, *path):
    def change(document):
        at(document, *path[:-1])[path[-1]] = value

    return change


def cut(*path):
    def change(document):
        del at(document, *path[:-1])[path[-1]]

    return change


def both(*changes):
    def change(document):
        for one in changes:
            one(document)

    return change


BREAKS = {
    "a path": (cut("paths", "/games/{game_id}"), "getGame: GET /games/{game_id} is gone."),
    "an operation": (cut(*POST), "layMeld: POST /games/{game_id} is gone."),
    "an operation's name": (
        put("lookAtGame", *GET, "operationId"),
        "getGame: it was renamed to lookAtGame, which renames the methods of clients.",
    ),
    "an operation's tag": (
        put(["tables"], *GET, "tags"),
        "getGame: its tag was ['games'] and is ['tables'].",
    ),
    "a token that is needed": (put([{"bearer": []}], *GET, "security"), "getGame: it requires a token now."),
    "another scope": (
        put("games:write", *POST, "x-scope"),
        "layMeld: it requires the scope games:write instead of games:play.",
    ),
    "a parameter": (cut(*GET, "parameters", 0), "getGame limit: this query parameter is gone."),
    "a parameter of a path": (
        put([], "paths", "/games/{game_id}", "parameters"),
        "getGame game_id: this path parameter is gone.",
    ),
    "a parameter that is needed now": (
        put(True, *GET, "parameters", 0, "required"),
        "getGame limit: this query parameter is required now.",
    ),
    "a new parameter that is needed": (
        put(
            [{"in": "header", "name": "If-Match", "required": True, "schema": {"type": "string"}}],
            *POST,
            "parameters",
        ),
        "layMeld If-Match: this header parameter is required now.",
    ),
    "a parameter's bound": (
        put(50, *GET, "parameters", 0, "schema", "maximum"),
        "getGame limit: its maximum was 100 and is 50.",
    ),
    "a parameter's default": (
        put(10, *GET, "parameters", 0, "schema", "default"),
        "getGame limit: its default was 5 and is 10.",
    ),
    "a value of an enum": (
        put(["waiting"], *SCHEMAS, "Status", "enum"),
        "Status: the values ['playing'] are gone.",
    ),
    "a body that is needed": (
        put(True, *POST, "requestBody", "required"),
        "layMeld body: it is required now.",
    ),
    "a body": (cut(*POST, "requestBody"), "layMeld body: it is no longer accepted."),
    "a media type": (
        both(
            put({"schema": {"type": "string"}}, *GET, "responses", "200", "content", "text/plain"),
            cut(*GET, "responses", "200", "content", "application/json"),
        ),
        "getGame 200: application/json is gone.",
    ),
    "a member of a body": (cut(*BODY, "name"), "Body.name: this member is gone."),
    "a member of a body that is needed": (
        put(["cards", "name"], *SCHEMAS, "Body", "required"),
        "Body.name: this member is required now.",
    ),
    "a new member of a body that is needed": (
        both(put({"type": "string"}, *BODY, "ace"), put(["cards", "ace"], *SCHEMAS, "Body", "required")),
        "Body.ace: this member is required now.",
    ),
    "null in a body": (
        put({"type": "string", "enum": ["low", "high"]}, *BODY, "end"),
        "Body.end: it may no longer be null.",
    ),
    "a type in a body": (
        put({"type": "string"}, *BODY, "seed"),
        "Body.seed: it may no longer be integer.",
    ),
    "a value deep in a body": (
        put(["7H"], *BODY, "cards", "items", "enum"),
        "Body.cards[]: the values ['8H'] are gone.",
    ),
    "an enum where anything was taken": (
        put({"type": "string", "enum": ["Ana"]}, *BODY, "name"),
        "Body.name: only ['Ana'] are accepted now.",
    ),
    "a constant where anything was taken": (
        put({"type": "string", "const": "Ana"}, *BODY, "name"),
        "Body.name: only ['Ana'] are accepted now.",
    ),
    "a bound from below": (put(3, *BODY, "cards", "minItems"), "Body.cards: its minItems was 0 and is 3."),
    "a bound from above": (put(20, *BODY, "name", "maxLength"), "Body.name: its maxLength was 40 and is 20."),
    "a bound in a map": (
        put(1, *BODY, "stands_for", "additionalProperties", "maxLength"),
        "Body.stands_for{}: its maxLength was 2 and is 1.",
    ),
    "a pattern": (
        put("^[a-y]$", *BODY, "key", "pattern"),
        "Body.key: its pattern was ^[a-z]$ and is ^[a-y]$.",
    ),
    "a format in a body": (
        put("uuid", *BODY, "name", "format"),
        "Body.name: its format was None and is uuid.",
    ),
    "members that were ignored": (
        put(False, *SCHEMAS, "Body", "additionalProperties"),
        "Body: unknown members are refused now.",
    ),
    "a status": (cut(*GET, "responses", "304"), "getGame 304: this status is gone."),
    "a new success": (
        put({"description": "Soon."}, *POST, "responses", "202"),
        "layMeld 202: this status is new; clients know only ['201', '412'].",
    ),
    "a success that an old parameter brings": (
        put({"description": "More than `limit`."}, *GET, "responses", "206"),
        "getGame 206: this status is new; clients know only ['200', '304'].",
    ),
    "a header": (cut(*GET, "responses", "200", "headers", "ETag"), "getGame 200: the header ETag is gone."),
    "the status of a code": (
        both(put(REFUSED, *POST, "responses", "409"), put({"description": "No."}, *POST, "responses", "412")),
        "The code version_conflict came with 412 and comes with 409.",
    ),
    "a code": (
        put({**REFUSED, "description": "`stale`: no."}, *POST, "responses", "412"),
        "The code version_conflict came with 412 and comes with none.",
    ),
    "a member of an answer": (cut(*GAME, "id"), "Game.id: this member is gone."),
    "a member of an answer that may be missing": (
        put(["status", "pace", "events"], *SCHEMAS, "Game", "required"),
        "Game.id: this member is optional now.",
    ),
    "null in an answer": (put(["string", "null"], *GAME, "id", "type"), "Game.id: it may be null now."),
    "another type in an answer": (put("number", *GAME, "pace", "type"), "Game.pace: it may be number now."),
    "a number that was short": (
        put("int64", *GAME, "pace", "format"),
        "Game.pace: its format was None and is int64.",
    ),
    "a member of a union": (
        put([{"$ref": "#/components/schemas/Laid"}], *SCHEMAS, "Event", "oneOf"),
        "Event: it may no longer be object thrown.",
    ),
    "the tag in a union": (
        put("put_down", *SCHEMAS, "Laid", "properties", "type", "const"),
        "Event: it may no longer be object laid.",
    ),
    "an answer beside the one there was": (
        put(
            {"anyOf": [{"$ref": "#/components/schemas/Game"}, {"$ref": "#/components/schemas/Problem"}]},
            *(*GET, "responses", "200", "content", "application/json", "schema"),
        ),
        "Game: it may be object Problem now.",
    ),
    "a member deep in a union": (cut(*SCHEMAS, "Laid", "properties", "at"), "Event.at: this member is gone."),
    "a member of what no operation refers to": (
        cut(*SCHEMAS, "Frame", "properties", "at"),
        "Frame.at: this member is gone.",
    ),
    "a callback": (cut(*POST, "callbacks", "told"), "layMeld: the callback told is gone."),
    "a name that clients have a type of": (
        both(
            put({"type": "string"}, *SCHEMAS, "State"),
            cut(*SCHEMAS, "Thrown"),
            put([{"$ref": "#/components/schemas/Laid"}], *SCHEMAS, "Event", "oneOf"),
        ),
        "The schema Thrown is gone; generated clients have a type of this name.",
    ),
}
GROWTH = {
    "a path": put({"get": {**OLD["paths"]["/games/{game_id}"]["get"], "operationId": "x"}}, "paths", "/x"),
    "an operation": put({**OLD["paths"]["/games/{game_id}"]["get"], "operationId": "x"}, *GET[:-1], "put"),
    "a looser form of what may be null in a request": both(
        put([], *SCHEMAS, "Given", "required"),
        put(["array", "null"], *SCHEMAS, "Given", "properties", "hand", "type"),
    ),
    "a parameter": put(
        [{"in": "query", "name": "dry_run", "schema": {"type": "boolean"}}], *POST, "parameters"
    ),
    "a success that only a new parameter brings": both(
        put([{"in": "query", "name": "dry_run", "schema": {"type": "boolean"}}], *POST, "parameters"),
        put({"description": "With `dry_run`: it would be laid."}, *POST, "responses", "200"),
    ),
    "a member of a body": put({"type": "string"}, *BODY, "ace"),
    "a wider bound": put(400, *GET, "parameters", 0, "schema", "maximum"),
    "no bound": cut(*BODY, "name", "maxLength"),
    "no pattern": cut(*BODY, "key", "pattern"),
    "no need for a member": put([], *SCHEMAS, "Body", "required"),
    "no need for a token": put([], *POST, "security"),
    "another type in a body": put({"type": ["string", "null"]}, *BODY, "name"),
    "a member of an answer": put({"type": "string"}, *GAME, "clock"),
    "a value of an enum": put(["waiting", "playing", "over"], *SCHEMAS, "Status", "enum"),
    "an answer that is never null": put("string", *GAME, "reason", "type"),
    "a refusal": put(REFUSED, *POST, "responses", "429"),
    "a header": put({"schema": {"type": "string"}}, *GET, "responses", "200", "headers", "Sunset"),
    "a member of a union": both(
        put(
            {"type": "object", "properties": {"type": {"type": "string", "const": "kept"}}}, *SCHEMAS, "Kept"
        ),
        lambda document: document["components"]["schemas"]["Event"]["oneOf"].append(
            {"$ref": "#/components/schemas/Kept"}
        ),
    ),
    "another description": put("The table.", *GET, "responses", "200", "description"),
}


def changed(change):
    new = deepcopy(OLD)
    change(new)
    return new


class TestTheDocumentOfToday:
    def test_breaks_nothing_that_was_released(self):
        released, today = (
            json.loads((module.FOLDER / path).read_text(encoding="utf-8"))
            for path in ("released/v1.json", "openapi.json")
        )

        assert breaking_changes(released, today) == []


class TestABreak:
    @pytest.mark.parametrize("change, sentence", BREAKS.values(), ids=list(BREAKS))
    def test_is_seen_and_told(self, change, sentence):
        assert sentence in breaking_changes(OLD, changed(change))

    def test_is_told_once_however_often_it_is_met(self):
        (sentence,) = breaking_changes(OLD, changed(put("int64", *GAME, "pace", "format")))

        assert sentence.startswith("Game.pace")


class TestGrowth:
    @pytest.mark.parametrize("change", GROWTH.values(), ids=list(GROWTH))
    def test_is_none(self, change):
        assert breaking_changes(OLD, changed(change)) == []

    def test_is_none_where_nothing_changed(self):
        assert breaking_changes(OLD, OLD) == []


class TestARelease:
    @pytest.fixture
    def folder(self, monkeypatch, tmp_path):
        module.examples()  # They are read once, and not from here.
        monkeypatch.setattr(module, "FOLDER", tmp_path)
        return tmp_path

    def test_keeps_the_document_and_grows(self, folder):
        assert cli.main(["openapi", "--release"]) == 0
        assert cli.main(["openapi", "--write"]) == 0
        assert cli.main(["openapi", "--check"]) == 0
        released = folder / "released" / "v1.json"
        assert released.read_text() == (folder / "openapi.json").read_text()
        smaller = json.loads(released.read_text())
        del smaller["paths"]["/v1/meta"]
        released.write_text(json.dumps(smaller))

        assert cli.main(["openapi", "--release"]) == 0
        assert released.read_text() == (folder / "openapi.json").read_text()

    def test_breaks_nothing(self, folder, capsys):
        assert cli.main(["openapi", "--release"]) == 0
        assert cli.main(["openapi", "--write"]) == 0
        released = folder / "released" / "v1.json"
        larger = json.loads(released.read_text())
        larger["paths"]["/v1/peek"] = larger["paths"]["/v1/meta"]
        released.write_text(json.dumps(larger))
        before = released.read_text()

        assert cli.main(["openapi", "--release"]) == 1
        assert released.read_text() == before
        assert cli.main(["openapi", "--check"]) == 1
        assert "getMeta: GET /v1/peek is gone." in capsys.readouterr().err

    def test_is_missed_where_there_was_none(self, folder, capsys):
        assert cli.main(["openapi", "--write"]) == 0

        assert cli.main(["openapi", "--check"]) == 1
        assert "rummy500 openapi --release" in capsys.readouterr().err
