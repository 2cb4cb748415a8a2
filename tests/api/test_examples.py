"""The examples of the document: each request is sent as it stands, and its answer compared.

They are files in `openapi/examples`, one per operation: the game given, the requests before, the request
and its answer. `make examples` writes the answers (with WRITE_EXAMPLES=1 in the environment); read them
before you commit.
"""

import json
import os
import random
import secrets

import pytest

from service.api import document
from service.effects.rating_updates import Skill, encode_skill
from service.store.ratings import RatingUpdate
from service.streams.connections import Connections, Timing

FOLDER = document.FOLDER / "examples"
NAMES = sorted(path.stem for path in FOLDER.glob("*.json"))


@pytest.fixture
def streams(clock, store):
    """Streams that end as soon as they have told what there is."""
    streams = Connections(store=store, now=clock, slots=2, timing=Timing(life_seconds=0.0))
    yield streams
    streams.close()


@pytest.fixture
def no_chance(monkeypatch):
    """Make ids and tokens come out the same at every run."""
    dice = random.Random("examples")
    monkeypatch.setattr(secrets, "choice", dice.choice)
    monkeypatch.setattr(secrets, "randbelow", dice.randrange)
    monkeypatch.setattr(secrets, "token_bytes", dice.randbytes)
    monkeypatch.setattr(secrets, "token_hex", lambda size: dice.randbytes(size).hex())
    monkeypatch.setattr(secrets, "token_urlsafe", lambda size: dice.randbytes(size).hex())


@pytest.fixture
def perform(client, no_chance, store, ana, ben):
    """Carry out an example and return its answer."""

    def perform(example):
        known = {}

        def send(step):
            method, path = step["request"].split(" ")
            headers = {"ana": ana, "ben": ben, None: {}}[step.get("as", "ana")]
            answer = client.open(
                path.format(**known),
                method=method,
                json=step.get("body"),
                headers={**headers, **step.get("headers", {}), "X-Request-Id": "example"},
            )
            if answer.is_json:
                known.update({"game_id": answer.json["id"]} if "invite_code" in answer.json else {})
                known.update({"webhook_id": answer.json["webhook"]["id"]} if "webhook" in answer.json else {})
                known.update({"player_id": answer.json["id"]} if "scopes" in answer.json else {})
                known.update(
                    {"other_id": answer.json["player"]["id"]}
                    if answer.json.keys() == {"player", "token"}
                    else {}
                )
                known.update({"seek_id": answer.json["id"]} if "opponent_kind" in answer.json else {})
                known.update(
                    {"token_id": answer.json["token_info"]["id"]} if "token_info" in answer.json else {}
                )
                known.update(
                    {"sheet_id": answer.json["sheet"]["id"], "write_key": answer.json["write_key"]}
                    if "write_key" in answer.json
                    else {}
                )
                known.update({"job_id": answer.json["id"]} if "asked_at" in answer.json else {})
            return answer

        for name, skill in example.get("skills", {}).items():
            player_id = client.get("/v1/me", headers={"ana": ana, "ben": ben}[name]).json["id"]
            rated = Skill(**skill)
            update = RatingUpdate(
                player_id=player_id, replaces=None, body=encode_skill(rated), score=rated.score
            )
            assert store.rate("people", f"g00{name}", [update], at=0)
        if example["given"] is not None:
            send({"request": "POST /v1/games", "body": example["given"]})
        for step in example["before"]:
            assert send(step).status_code in {200, 201, 202}
        return send(example)

    return perform


def told(answer, example):
    """The answer as an example shows it: of a long text its first characters only."""
    if answer.is_json:
        return answer.json
    if answer.mimetype == "application/pdf":
        return None  # Binary; tests/paper looks at it.
    return answer.text[: example.get("first_characters")] or None


@pytest.mark.parametrize("name", NAMES)
def test_answers_what_it_says(perform, name):
    path = FOLDER / f"{name}.json"
    example = json.loads(path.read_text())
    answer = perform(example)

    assert answer.status_code == example["status"], answer.text
    if os.environ.get("WRITE_EXAMPLES"):
        written = {**example, "answer": told(answer, example)}
        path.write_text(json.dumps(written, indent=2, ensure_ascii=False) + "\n")
    else:
        assert told(answer, example) == example["answer"]


def test_every_operation_has_one(contract):
    assert sorted(contract.operations) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_is_of_the_operation_it_is_named_for(contract, name):
    method, path = json.loads((FOLDER / f"{name}.json").read_text())["request"].split(" ")
    filled = path.partition("?")[0].format(
        game_id="g00x",
        token_id="t0",
        player_id="p0",
        other_id="p1",
        seek_id="s0",
        webhook_id="w0",
        job_id="j0",
        sheet_id="s00x",
    )

    assert contract.operation_of(method, filled)["operationId"] == name


@pytest.mark.parametrize("name", NAMES)
def test_stands_in_the_document(contract, name):
    example = json.loads((FOLDER / f"{name}.json").read_text())
    operation = contract.operations[name]

    if "body" in example:
        body = operation["requestBody"]["content"]["application/json"]
        assert body["example"] == example["body"]
        contract.fits(body["schema"], example["body"])
    content = operation["responses"][str(example["status"])].get("content", {})
    for media_type, media in content.items():
        if media_type == "application/pdf":
            assert "example" not in media
        elif media_type == "text/event-stream":
            assert media["example"]["data"] in example["answer"]
            contract.fits(media["schema"], media["example"])
        else:
            assert media["example"] == example["answer"]
