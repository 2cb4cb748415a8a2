"""Streams of games that spectators see late: nothing of them comes too early."""

from contextlib import contextmanager

import pytest

from service.streams.streams import Pace, Streams
from tests.support.frames import SILENCE, Frames

DELAY = 60_000


@pytest.fixture
def streams(clock, store):
    streams = Streams(store=store, now=clock, places=20, pace=Pace(heartbeat_seconds=0.02))
    yield streams
    streams.close()


@pytest.fixture
def cem(settle):
    return settle("Cem")


@pytest.fixture
def path(client, open_table, ana, ben):
    """A public game of two that is watched a minute late; it waits for its start."""
    game = open_table(ana, seats=2, visibility="public", spectators="public", spectator_delay_ms=DELAY)
    path = f"/v1/games/{game['id']}"
    client.post(f"{path}/seats", headers=ben)
    return path


@pytest.fixture
def watch(client, path, cem):
    @contextmanager
    def watch(query=""):
        with client.get(f"{path}/stream{query}", headers=cem) as answer:
            assert answer.status_code == 200, answer.json
            yield Frames(answer.response)

    return watch


def log_of(client, path, headers):
    return client.get(f"{path}/events?limit=100", headers=headers).json["events"]


class TestASpectator:
    def test_is_told_at_once_who_sits_down(self, client, open_table, ana, ben, cem):
        game = open_table(ana, seats=2, visibility="public", spectators="public", spectator_delay_ms=DELAY)
        path = f"/v1/games/{game['id']}"
        with client.get(f"{path}/stream", headers=cem) as answer:
            frames = Frames(answer.response)
            next(frames)
            client.post(f"{path}/seats", headers=ben)

            assert frames.until("seat.joined")

    def test_is_told_of_the_cards_when_it_is_time(self, client, clock, path, watch, ana):
        with watch() as frames:
            next(frames)
            client.post(f"{path}/start", headers=ana)
            assert [next(frames) for _ in range(4)] == [SILENCE] * 4

            clock.on(DELAY - 1)
            assert [next(frames) for _ in range(4)] == [SILENCE] * 4

            clock.on(1)
            told = frames.until("turn.started")

        assert [frame.type for frame in told] == ["game.started", "deal.started", "turn.started"]

    def test_begins_with_the_game_as_it_stood(self, client, clock, path, watch, ana, ben):
        client.post(f"{path}/start", headers=ana)
        mover = ana if client.get(f"{path}/legal-moves", headers=ana).json["moves"] else ben
        clock.on(DELAY)
        client.post(f"{path}/draw-stock", headers=mover)
        with watch() as frames:
            first = next(frames)
            assert first.data["version"] == 3
            assert [next(frames) for _ in range(3)] == [SILENCE] * 3
            clock.on(DELAY)

            (drawn,) = frames.until("stock.drawn")

        assert drawn.cursor == (4, 0)
        assert drawn.data["card"] is None

    def test_misses_nothing_of_a_game_that_has_just_begun(self, client, clock, path, watch, ana, cem):
        client.post(f"{path}/start", headers=ana)
        with watch("?after=0-0") as frames:
            joined = frames.log(2)
            clock.on(DELAY)
            rest = frames.log(3)

        assert [frame.data for frame in (*joined, *rest)] == log_of(client, path, cem)

    def test_learns_nothing_from_a_cursor_ahead_of_him(self, client, path, watch, ana):
        client.post(f"{path}/start", headers=ana)

        for after in ("3-0", "4-0", "99-0"):
            with watch(f"?after={after}") as frames:
                assert next(frames).data["version"] == 2

    def test_is_told_the_same_as_who_asks_for_the_log(self, client, clock, path, watch, ana, ben, cem):
        client.post(f"{path}/start", headers=ana)
        players = {0: ana, 1: ben}
        told = []
        with watch("?after=0-0") as frames:
            for _ in range(4):
                clock.on(DELAY // 3)
                seat = client.get(path, headers=ana).json["turn"]["seat"]
                drawn = client.post(f"{path}/draw-stock", headers=players[seat]).json
                card = drawn["game"]["you"]["hand"][0]
                client.post(f"{path}/discard", json={"card": card}, headers=players[seat])
                known = log_of(client, path, cem)
                told += frames.log(len(known) - len(told))
                assert [frame.data for frame in told] == known
                assert next(frames) == SILENCE
