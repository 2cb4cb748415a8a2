"""Streams of a real service: they outlive its processes, and end in good order."""

import os
import signal
import socket
import threading
from contextlib import contextmanager

import httpx
import pytest

from tests.e2e.people import ids
from tests.support.frames import Frames
from tests.support.servers import valkey_server
from tests.support.tree import PATIENCE_SECONDS, Tree, children, wait_for


@contextmanager
def following(person, path, **asked):
    """Open a stream as a client does, and read its frames."""
    headers = asked.pop("headers", {})
    with person.http.stream("GET", f"{path}/stream", params=asked, headers=headers, timeout=60.0) as answer:
        assert answer.status_code == 200, answer.read()
        yield Frames(answer.iter_bytes())


class Follower(threading.Thread):
    """Follows a game whatever happens: comes back with its cursor when a stream ends or breaks."""

    def __init__(self, person, game):
        super().__init__(daemon=True)
        self.person, self.game = person.elsewhere(), game
        self.received, self.endings, self.streams = [], [], 0
        self._cursor, self._over = "0-0", threading.Event()

    def run(self):
        while not self._over.is_set():
            try:
                with following(self.person, self.game, headers={"Last-Event-ID": self._cursor}) as frames:
                    self.streams += 1
                    self._read(frames)
            except (httpx.HTTPError, AssertionError):
                self._over.wait(0.1)  # The service is away for a moment.

    def _read(self, frames):
        for frame in frames:
            if frame.id is not None:
                self._cursor = frame.id
                self.received.append(frame.data)
            if frame.type == "stream.closing":
                self.endings.append(frame.data["reason"])
            if self._over.is_set():
                return

    def stop(self):
        self._over.set()


POSITION = {"hands": [["7S", "7C", "KD"], ["4H", "9C", "5D"]], "discard_pile": ["2C", "7H", "9D"]}


def turns(person, game, count):
    """Draw and throw the card again, so many times; a move without an answer is sent once more."""
    for _ in range(count):
        view = person.view(game)
        seat = view["turn"]["seat"]
        for move, body in (("draw-stock", {}), ("discard", None)):
            card = person.view(game, as_seat=seat)["you"]["hand"][-1]
            made = person.post(f"{game}/{move}", {"card": card} if body is None else body, as_seat=seat)
            assert made.status_code == 201, made.text


class TestAStream:
    def test_tells_what_happens_as_it_happens(self, url, arrive):
        ana = arrive(url, "Ana")
        game = ana.hold(POSITION)
        with following(ana.elsewhere(), game, as_seat=0) as frames:
            first = next(frames)
            turns(ana, game, 1)
            received = frames.log(3)

        assert first.type == "snapshot"
        assert [frame.data for frame in received] == ana.events(game, as_seat=0, after=first.id)

    def test_shows_that_its_player_is_there(self, url, arrive):
        ana, ben = arrive(url, "Ana"), arrive(url, "Ben")
        game = ana.open(seats=2, visibility="public")
        assert ben.post(f"{game}/seats").status_code == 201
        with following(ana.elsewhere(), game) as frames:
            assert next(frames).data["game"]["seats"][0]["presence"] == "online"

            assert ben.view(game)["seats"][0]["presence"] == "online"

    def test_of_an_account_tells_whose_turn_it_is(self, url, arrive):
        ana, ben = arrive(url, "Ana"), arrive(url, "Ben")
        with following(ana.elsewhere(), "/v1/me") as frames:
            assert next(frames).type == "snapshot"
            game = ana.open(seats=2, visibility="public")
            ben.post(f"{game}/seats")
            ana.post(f"{game}/start")

            received = frames.until("game.started")[-1].data

        assert game.endswith(received["game_id"])

    def test_that_is_left_is_noticed_and_gives_its_place_back(self, url, arrive):
        ana = arrive(url, "Ana")
        game = ana.hold(POSITION)
        connections = [arrive(url, token=ana.token) for _ in range(16)]
        streams = [person.http.stream("GET", f"{game}/stream") for person in connections]
        assert {stream.__enter__().status_code for stream in streams} == {200}

        def one_more():
            with ana.http.stream("GET", f"{game}/stream") as answer:
                return answer.status_code

        assert one_more() == 429
        for person in connections:
            person.http.close()
        wait_for(lambda: one_more() == 200, "a place for one more")
        for stream in streams:
            stream.__exit__(None, None, None)


@pytest.fixture
def service(tmp_path):
    with valkey_server() as valkey, Tree(tmp_path / "data", REDIS_URL=valkey.url) as tree:
        yield tree


class TestAServiceThatIsStartedAgain:
    def test_costs_no_event_and_repeats_none(self, service, arrive):
        """Whatever ends it, the process that serves or its head: who follows gets the log, whole and once."""
        url = service.url
        ana = arrive(url, "Ana")
        game = ana.hold(POSITION)
        followers = [Follower(ana, game) for _ in range(3)]
        for follower in followers:
            follower.start()
        for end in ("worker", "head"):
            wait_for(lambda: all(follower.streams for follower in followers), "streams")
            turns(ana, game, 3)
            for follower in followers:
                follower.streams = 0
            head = service.part("API")
            if end == "worker":
                (serving,) = children(head)
                os.kill(serving, signal.SIGKILL)
            else:
                service.kill("API")
                wait_for(lambda gone=head: service.part("API") != gone, "another API")
            wait_for(lambda: _answers(url), "its answers")
        wait_for(lambda: all(follower.streams for follower in followers), "streams")
        turns(ana, game, 3)

        log = ana.events(game)
        for follower in followers:
            wait_for(lambda one=follower: len(one.received) >= len(log), "the whole log")
            follower.stop()
        turns(ana, game, 1)  # lets them see that it is over
        for follower in followers:
            follower.join(PATIENCE_SECONDS)
            assert ids(follower.received)[: len(log)] == ids(log)
            assert "shutdown" in follower.endings


class TestAProcessThatEnds:
    def test_ends_its_streams_in_good_order_and_soon(self, service, arrive):
        url = service.url
        ana = arrive(url, "Ana")
        game = ana.hold(POSITION)
        endings = []
        with following(ana.elsewhere(), game) as frames, following(ana.elsewhere(), "/v1/me") as account:
            assert (next(frames).type, next(account).type) == ("snapshot", "snapshot")
            deaf = _one_who_reads_nothing(url, ana.token, game)
            service.send(signal.SIGTERM)
            endings += [frames.until("stream.closing")[-1].data, account.until("stream.closing")[-1].data]
            assert list(frames) == list(account) == []

        assert [ending["reason"] for ending in endings] == ["shutdown", "shutdown"]
        assert service.wait() == 0
        deaf.close()


def _answers(url):
    try:
        return httpx.get(f"{url}/readyz", timeout=5.0).status_code == 200
    except httpx.HTTPError:
        return False


def _one_who_reads_nothing(url, token, game):
    host, _, port = url.removeprefix("http://").partition(":")
    connection = socket.create_connection((host, int(port)))
    request = f"GET {game}/stream HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer {token}\r\n\r\n"
    connection.sendall(request.encode())
    return connection
