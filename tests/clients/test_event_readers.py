"""The readers of server-sent events that authors begin with: nothing lost, nothing twice, over cut lines."""

import json
import subprocess
import sys
import threading

import httpx
import pytest

from service.api.document import FOLDER
from tests.support import node
from tests.support.gateway import Gateway
from tests.support.tree import environment

READERS = FOLDER / "examples" / "streams"
COMMANDS = {"events.py": [sys.executable, "-W", "error"], "events.mjs": [str(node.NODE)]}
PATIENCE_SECONDS = 60


@pytest.fixture(params=list(COMMANDS))
def read(request):
    """Start a reader; return a function that returns its next event."""
    started = []

    def read(url, token):
        reader = subprocess.Popen(
            [*COMMANDS[request.param], READERS / request.param, url, token],
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        # A reader that hears nothing more ends, and its test with it.
        timer = threading.Timer(PATIENCE_SECONDS, reader.kill)
        timer.start()
        started.append((reader, timer))
        return reader

    yield read
    for reader, timer in started:
        timer.cancel()
        reader.kill()
        reader.communicate()


def next_event(reader):
    return json.loads(reader.stdout.readline())


@pytest.fixture
def client(url):
    with httpx.Client(base_url=url) as client:
        token = client.post("/v1/players", json={"name": "Ana"}).json()["token"]
        client.headers["Authorization"] = f"Bearer {token}"
        client.token = token
        yield client


@pytest.fixture
def game(client):
    """A game in which Ana holds every seat."""
    position = {"hands": [["7S", "7C", "KD"], ["4H", "9C"]], "discard_pile": ["2C", "7H"]}
    body = {"variant": {"preset": "classic"}, "sandbox": True, "seats_held": "creator", "position": position}
    answer = client.post("/v1/games", json=body)
    assert answer.status_code == 201, answer.text
    return f"/v1/games/{answer.json()['id']}"


class TestAReader:
    def test_reads_every_event_once_over_a_line_that_is_cut(self, url, client, game, read):
        with Gateway(url) as gateway:
            # What comes after the snapshot is cut off.
            gateway.fail("GET", 1, "half answer")
            reader = read(f"{gateway.url}{game}/stream?as_seat=0", client.token)
            assert next_event(reader)["type"] == "snapshot"

            for path, body in (("draw-stock", {}), ("discard", {"card": "KD"})):
                assert client.post(f"{game}/{path}", params={"as_seat": 0}, json=body).status_code == 201
            log = client.get(f"{game}/events", params={"as_seat": 0}).json()["events"]

            expected = [event["id"] for event in log if event["version"] > 1]
            got = []
            while len(got) < len(expected):
                event = next_event(reader)
                if "id" in event:
                    got.append(event["id"])
            assert got == expected
            assert gateway.counts["GET"] == 2, "the line was not cut"
            reader.kill()

    def test_ends_when_it_may_not_come_back(self, url, client, read):
        reader = read(f"{url}/v1/games/g00nowhere/stream", client.token)
        _, complaint = reader.communicate(timeout=PATIENCE_SECONDS)

        assert reader.returncode == 1
        assert "404" in complaint
