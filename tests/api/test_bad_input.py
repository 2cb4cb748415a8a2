"""Bad input of every kind, at every operation: a problem that the document lists, and nothing is changed."""

import json

import pytest

from service.api.document import FOLDER
from service.streams.connections import Connections, Timing

EXAMPLES = {path.stem: json.loads(path.read_text()) for path in sorted((FOLDER / "examples").glob("*.json"))}
#: What takes a body, or could be thought to.
SENDING = ("POST", "PUT", "PATCH")

NOT_JSON = {
    "nothing but a space": b" ",
    "cut off": b'{"card": "7',
    "Python": b"{'card': '7H'}",
    "no number": b'{"card": NaN}',
    "without end": b'{"card": Infinity}',
    "larger than any number": b'{"card": 1e999}',
    "twice": b'{"card": "7H", "card": "7D"}',
    "half a pair": b'{"card": "\\ud83d"}',
    "half a character": b'{"card": "\xc3"}',
    "UTF-16": '{"card": "7H"}'.encode("utf-16"),
    "more than one": b'{"card": "7H"} {}',
    "nested without end": b"[" * 60_000,
    "nested deep within an object": b'{"a":' * 10_000 + b"1" + b"}" * 10_000,
    "NUL": b'{"card": "7H\0"}',
}
NO_OBJECT = {"an array": b"[]", "a string": b'"7H"', "a number": b"-1", "null": b"null", "true": b"true"}
MEDIA_TYPES = (None, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "text/json")

#: No parameter may be any of these.
NEVER = (
    "",
    "\0",
    "\u202e1",
    "\ud83c\udccf".encode("utf-16", "surrogatepass").decode("utf-16"),
    "1 2",
    "1\r\nX: y",
)
NO_NUMBER = ("-1", "+1", "1.0", "1e3", "0x1", "NaN", "Infinity", "1_0", "\u0663", "9" * 5_000)
NO_PARAMETER = {
    "After": ("1", "1-", "-1-2", "1-2-3", "9" * 16 + "-1", "1-" + "9" * 7),
    "LastEventId": ("", "1", "-1-2", "1-2\u00fc", "9" * 16 + "-1", "x"),
    "IfMatch": ("", '"1', '"1"x', "1 2", '"0"', '"\u00fc"', '"abc"', '"1-deflated"'),
    "ExpectedVersion": ("", "0", '"1"', "*", "-1", "1.0", "1, 2", "9" * 10),
    "KnownVersion": ("", '"1"', "*", "-1", "1.0", "9" * 10),
    "IdempotencyKey": ("", "x" * 65, "two words", "\u00fc"),
}
#: Members whose strings or numbers are anything, which the rules or the store then may not know.
FREE = ("name", "text", "code", "meld_id", "seed", "url", "players", "teams", "points")
NO_TEXT = (True, {}, ["a"], 1.5)
NO_TOKENS = (
    "Basic YTpi",
    "Bearer \u00fc",
    "Bearer a b",
    "Bearer " + "x" * 5_000,
    "Bearer p0." + "x" * 43,
    "Bearer null",
    "bearer {token}x",
    "Bearer {token}, Bearer {token}",
)
NO_ID = ("x", "..", "-1", "%00", "%2F", "%252F", "\u202e", "9" * 300, "g" + "0" * 28, "%0d%0aSet-Cookie:a=b")


@pytest.fixture
def streams(clock, store):
    """Streams that end as soon as they have sent what there is."""
    streams = Connections(store=store, now=clock, slots=2, timing=Timing(life_seconds=0.0))
    yield streams
    streams.close()


class World:
    """A player at a table and with a score sheet, and what could be changed by mistake."""

    def __init__(self, client, contract, token, game_id, sheet_id):
        self._client = client
        self._contract = contract
        self.token = token
        self.game_id = game_id
        self.sheet_id = sheet_id
        self._places = {
            "game_id": game_id,
            "player_id": "p0",
            "other_id": "p1",
            "token_id": "t0",
            "seek_id": "s0",
        }
        self._places |= {"webhook_id": "w0", "job_id": "j0", "sheet_id": sheet_id}

    def of(self, name):
        """Return method, path and parameters of an operation."""
        method, path = EXAMPLES[name]["request"].split("?")[0].split(" ")
        shared = self._contract.document["components"]["parameters"]
        named = [
            ref["$ref"].rsplit("/", 1)[-1]
            for ref in self._contract.operations[name].get("parameters", ())
            if "$ref" in ref
        ]
        return method, path.format(**self._places), {one: shared[one] for one in named}

    def ask(self, name, *, path=None, headers=None, **how):
        method, own_path, _ = self.of(name)
        headers = {"Authorization": f"Bearer {self.token}", **(headers or {})}
        return self._client.open(path or own_path, method=method, headers=headers, **how)

    def everything(self):
        """Return all data of the player, without times."""
        paths = (
            f"/v1/games/{self.game_id}",
            f"/v1/score-sheets/{self.sheet_id}",
            "/v1/me",
            "/v1/me/games",
            "/v1/tokens",
            "/v1/webhooks",
        )
        return [self.ask("getMe", path=path).json for path in paths]


@pytest.fixture
def world(client, contract, sandbox):
    token = client.post("/v1/players", json={"name": "Ana"}).json["token"]
    game = sandbox({"Authorization": f"Bearer {token}"}, ["7S 7C KD", "4H 9C 5D"], pile="2C 7H 9D")
    bearer = {"Authorization": f"Bearer {token}"}
    sheet = client.post("/v1/score-sheets", json={"players": ["Ana", "Ben", "Cem"]}, headers=bearer).json[
        "sheet"
    ]
    client.post(f"/v1/score-sheets/{sheet['id']}/deals", json={"points": [1, 2, 3]}, headers=bearer)
    return World(client, contract, token, game["id"], sheet["id"])


def bad_bodies(name, method):
    """Invalid bodies, each with its expected error."""
    if method not in SENDING:
        return
    for what, body in NOT_JSON.items():
        yield what, {"data": body, "content_type": "application/json"}, "malformed_json"
    for what, body in NO_OBJECT.items():
        yield what, {"data": body, "content_type": "application/json"}, "validation_failed"
    for media_type in MEDIA_TYPES:
        yield media_type, {"data": b'{"card": "7H"}', "content_type": media_type}, "unsupported_media_type"
    packed = {"json": {}, "headers": {"Content-Encoding": "gzip"}}
    yield "packed", packed, "unsupported_media_type"
    yield "10 MB", {"data": b" " * 10_000_000, "content_type": "application/json"}, "body_too_large"
    good = EXAMPLES[name].get("body") or {}
    yield "an unknown member", {"json": {**good, "surprise": 1}}, "validation_failed"
    yield "a member of another script", {"json": {**good, "c\u0430rd": "7H"}}, "validation_failed"
    for spoiled in spoilt(good):
        yield json.dumps(spoiled)[:200], {"json": spoiled}, "validation_failed"


def spoilt(value):
    """Yield copies of the value, each with one leaf spoilt."""
    match value:
        case dict():
            for name, inner in value.items():
                bads = NO_TEXT if name in FREE else spoilt(inner)
                yield from ({**value, name: bad} for bad in bads)
        case list():
            yield from (
                [*value[:at], bad, *value[at + 1 :]] for at in range(len(value)) for bad in spoilt(value[at])
            )
        case str():
            yield from (7, -1, True, {}, [value], "", "\0", "\u202e" + value, "1H", "7h", value * 200)
        case bool():
            yield from (0, 1, "true", [], {})
        case _:
            yield from (-1, -(10**30), 10**30, 1.5, "1", True, [value], {})


def bad_parameters(parameters):
    """Invalid values of parameters, each with the parameter."""
    for component, parameter in parameters.items():
        junk = NO_PARAMETER.get(component, ())
        if parameter["in"] == "query":
            junk = (*junk, *NEVER)
            if parameter["schema"].get("type") == "integer":
                junk = (*junk, *NO_NUMBER)
        for value in junk:
            place = "query_string" if parameter["in"] == "query" else "headers"
            yield f"{parameter['name']}={value[:40]!r}", {place: {parameter["name"]: value}}


def is_refused(answer, what, *codes):
    """Return whether a response is the expected problem; the client has checked it against the document."""
    assert answer.mimetype == "application/problem+json", f"{what}: {answer.status_code} {answer.mimetype}"
    told = answer.json
    assert told["code"] in codes, f"{what}: {answer.status_code} {answer.text}"
    assert told["request_id"] == answer.headers["X-Request-Id"]
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    return True


@pytest.mark.parametrize("name", EXAMPLES)
def test_is_refused_and_changes_nothing(world, contract, name):
    method, path, parameters = world.of(name)
    before = world.everything()

    for what, how, code in bad_bodies(name, method):
        assert is_refused(world.ask(name, **how), what, code)
    for what, how in bad_parameters(parameters):
        assert is_refused(world.ask(name, **how), what, "validation_failed")
    assert is_refused(world.ask(name, query_string={"dry_runn": "true"}), "unknown", "validation_failed")
    assert is_refused(world.ask(name, query_string="%ff=%00"), "no UTF-8", "validation_failed")
    for query in (one["name"] for one in parameters.values() if one["in"] == "query"):
        assert is_refused(world.ask(name, query_string=f"{query}=1&{query}=1"), query, "validation_failed")
    if {"x-scope", "x-optional-scope"} & contract.operations[name].keys():
        for sent in NO_TOKENS:
            told = world.ask(name, headers={"Authorization": sent.format(token=world.token)})
            assert is_refused(told, sent[:40], "token_missing", "token_invalid")
    for junk in NO_ID if path.startswith(("/v1/games/", "/v1/score-sheets/")) else ():
        elsewhere = path.replace(world.game_id, junk).replace(world.sheet_id, junk)
        told = world.ask(name, path=elsewhere, json=EXAMPLES[name].get("body"))
        assert is_refused(told, junk[:40], "not_found", "method_not_allowed")

    assert [without_time(one) for one in world.everything()] == [without_time(one) for one in before]


def without_time(told):
    return {name: value for name, value in told.items() if name != "server_time"}


class TestAByteOrderMark:
    @pytest.mark.parametrize("body", [b'{"name": "Ana"}', b'{"name": "\xc3\x84nne"}'])
    def test_before_a_body_is_ignored(self, client, body):
        made = client.post("/v1/players", data=b"\xef\xbb\xbf" + body, content_type="application/json")

        assert made.status_code == 201, made.json

    def test_alone_is_no_body(self, client):
        refused = client.post("/v1/players", data=b"\xef\xbb\xbf", content_type="application/json")

        assert is_refused(refused, "alone", "malformed_json")

    @pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
    def test_of_another_encoding_is_refused_with_its_reason(self, client, encoding):
        body = '{"name": "Ana"}'.encode(encoding)
        refused = client.post("/v1/players", data=body, content_type="application/json")

        assert refused.json["detail"] == "Send the body as UTF-8, not as UTF-16 or UTF-32."
        assert is_refused(refused, encoding, "malformed_json")
