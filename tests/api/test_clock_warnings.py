"""Time that runs out is told before it has."""

from contextlib import contextmanager

import pytest

from service.store.contract import StoreUnavailable
from service.streams.connections import Connections, Timing
from tests.support.frames import SILENCE, Frames

TURN = 80_000


@pytest.fixture
def streams(clock, store):
    streams = Connections(store=store, now=clock, slots=20, timing=Timing(heartbeat_seconds=0.02))
    yield streams
    streams.close()


@pytest.fixture
def path(client, open_table, ana, ben):
    """A game with a clock, dealt."""
    game = open_table(
        ana, seats=2, visibility="public", spectators="public", clock={"turn_ms": TURN, "next_deal_ms": 8000}
    )
    path = f"/v1/games/{game['id']}"
    client.post(f"{path}/seats", headers=ben)
    client.post(f"{path}/start", headers=ana)
    return path


@pytest.fixture
def follow(client, path):
    @contextmanager
    def follow(headers, query=""):
        with client.get(f"{path}/stream{query}", headers=headers) as answer:
            yield Frames(answer.response)

    return follow


def told_now(frames):
    """What is told before the next silence."""
    found = []
    while (frame := next(frames)) != SILENCE:
        found.append(frame)
    return found


class TestAWarning:
    def test_comes_when_a_quarter_of_the_time_is_left(self, client, contract, clock, path, follow, ana):
        view = client.get(path, headers=ana).json
        with follow(ana) as frames:
            next(frames)
            clock.on(TURN * 3 // 4 - 1)
            assert [frame.type for frame in told_now(frames)] == []
            clock.on(1)
            told = frames.until("clock.warning")[-1]

        assert told.id is None
        assert told.data["seats"] == view["turn"]["may_act"]
        assert told.data["deadline_at"] == view["turn"]["deadline_at"]
        assert told.data["left_ms"] == TURN // 4
        contract.fits({"$ref": "#/components/schemas/StreamEvent"}, told.data)

    def test_comes_once(self, clock, follow, ana):
        with follow(ana) as frames:
            next(frames)
            clock.on(TURN - 1000)
            frames.until("clock.warning")
            clock.on(500)

            assert [frame.type for frame in told_now(frames) + told_now(frames)] == []

    def test_comes_at_once_to_a_late_subscriber(self, clock, follow, ana):
        clock.on(TURN - 1000)

        with follow(ana, "?after=1-0") as frames:
            assert frames.until("clock.warning")[-1].data["left_ms"] == 1000

    def test_comes_not_where_the_turn_has_ended(self, client, clock, path, follow, ana, ben):
        mover = ana if client.get(f"{path}/legal-moves", headers=ana).json["moves"] else ben
        with follow(ana) as frames:
            next(frames)
            clock.on(TURN * 3 // 4 - 1000)
            drawn = client.post(f"{path}/draw-stock", headers=mover).json
            client.post(f"{path}/discard", json={"card": drawn["game"]["you"]["hand"][0]}, headers=mover)
            frames.until("turn.started")
            clock.on(2000)

            assert [frame.type for frame in told_now(frames) + told_now(frames)] == []

    def test_goes_by_the_running_turn_where_the_store_was_away_when_that_began(
        self, client, clock, store, path, follow, ana, ben, monkeypatch
    ):
        def away(game_id):
            raise StoreUnavailable("away")

        mover = ana if client.get(f"{path}/legal-moves", headers=ana).json["moves"] else ben
        with follow(ana) as frames:
            next(frames)
            clock.on(10_000)
            drawn = client.post(f"{path}/draw-stock", headers=mover).json
            client.post(f"{path}/discard", json={"card": drawn["game"]["you"]["hand"][0]}, headers=mover)
            turn = client.get(path, headers=ana).json["turn"]
            with monkeypatch.context() as patched:
                patched.setattr(store, "load", away)
                frames.until("turn.started")
                clock.on(TURN * 3 // 4 - 10_000)
                assert [frame.type for frame in told_now(frames) + told_now(frames)] == []
            assert [frame.type for frame in told_now(frames) + told_now(frames)] == []
            clock.on(10_000)
            told = frames.until("clock.warning")[-1]

        assert (told.data["seats"], told.data["deadline_at"]) == (turn["may_act"], turn["deadline_at"])

    def test_comes_not_when_it_is_too_late(self, clock, follow, ana):
        clock.on(TURN + 1000)

        with follow(ana) as frames:
            next(frames)
            assert "clock.warning" not in [frame.type for frame in told_now(frames) + told_now(frames)]

    def test_comes_not_where_there_is_no_clock(self, client, clock, open_table, ana):
        game = open_table(ana, opponents=[{"level": "steady"}])
        with client.get(f"/v1/games/{game['id']}/stream", headers=ana) as answer:
            frames = Frames(answer.response)
            next(frames)
            clock.on(24 * 60 * TURN)

            assert [frame.type for frame in told_now(frames) + told_now(frames)] == []


class TestTheEventThatBeginsATurn:
    def test_says_when_its_time_is_over(self, client, path, ana, ben):
        game = client.get(path, headers=ana).json
        begun = [
            event
            for event in client.get(f"{path}/events", headers=ana).json["events"]
            if event["type"] == "turn.started"
        ]
        mover = (ana, ben)[game["turn"]["seat"]]
        card = client.post(f"{path}/draw-stock", headers=mover).json["events"][0]["card"]
        *_, next_turn = client.post(f"{path}/discard", json={"card": card}, headers=mover).json["events"]

        assert [event["deadline_at"] for event in begun] == [game["turn"]["deadline_at"]]
        assert next_turn["type"] == "turn.started"
        assert next_turn["deadline_at"] == client.get(path, headers=ana).json["turn"]["deadline_at"]

    def test_says_that_there_is_no_limit(self, client, open_table, ana):
        game = open_table(ana, opponents=[{"level": "steady"}])
        events = client.get(f"/v1/games/{game['id']}/events", headers=ana).json["events"]

        assert [event["deadline_at"] for event in events if event["type"] == "turn.started"] == [None]
