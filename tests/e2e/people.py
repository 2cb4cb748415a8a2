"""People at a real service: each with a token and a connection of their own, as on their own device."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event
from uuid import uuid4

import httpx

from workers.tools.conformance.client import Client, SharedTally
from workers.tools.conformance.person import Person

#: A request takes milliseconds; on a busy machine it may wait for its turn.
PATIENCE_SECONDS = 30.0


class Player:
    """A player with a token. `connections` is an ExitStack that closes the connection at the end."""

    def __init__(self, connections, url, name="Ana", token=None):
        self._connections = connections
        self.http = connections.enter_context(httpx.Client(base_url=url, timeout=PATIENCE_SECONDS))
        if token is None:
            answer = self.http.post("/v1/players", json={"name": name})
            assert answer.status_code == 201, answer.text
            token = answer.json()["token"]
        self.token = token
        self.http.headers["Authorization"] = f"Bearer {token}"

    def elsewhere(self):
        """The same person with a new connection."""
        return Player(self._connections, str(self.http.base_url), token=self.token)

    def open(self, **table):
        """Open a table and return its path."""
        answer = self.http.post("/v1/games", json=table)
        assert answer.status_code == 201, answer.text
        return answer.headers["Location"]

    def hold(self, position, preset="classic", **more):
        """Open a sandbox in which this person holds every seat; return its path."""
        return self.open(
            variant={"preset": preset, **more}, sandbox=True, seats_held="creator", position=position
        )

    def view(self, game, **asked):
        answer = self.http.get(game, params=asked)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def events(self, game, **asked):
        answer = self.http.get(f"{game}/events", params={"limit": 100, **asked})
        assert answer.status_code == 200, answer.text
        return answer.json()["events"]

    def post(self, path, body=None, *, version=None, key=None, **asked):
        headers = {"Idempotency-Key": key or uuid4().hex}
        if version is not None:
            headers["If-Match"] = f'"{version}"'
        return self.http.post(path, json={} if body is None else body, headers=headers, params=asked)

    def seated(self, game, *, patience_seconds=PATIENCE_SECONDS):
        """A person at the table who checks every answer from now on."""
        client = Client(self.http, SharedTally(), patience_seconds=patience_seconds, stopped=Event())
        return Person(client, self.token, self.view(game))


def at_once(*requests):
    """Make requests at the same moment, each in a thread of its own; return their answers in order."""
    gate = Barrier(len(requests))

    def make(request):
        gate.wait(PATIENCE_SECONDS)
        return request()

    with ThreadPoolExecutor(len(requests)) as threads:
        return list(threads.map(make, requests))


def statuses(answers):
    return sorted(answer.status_code for answer in answers)


def codes(answers):
    """The codes of those that were refused."""
    return {answer.json()["code"] for answer in answers if answer.is_error}


def kinds(events):
    return [event["type"] for event in events]


def ids(events):
    return [event["id"] for event in events]
