"""Streams of games that spectators see late: nothing of them comes too early."""

from contextlib import contextmanager
from itertools import islice

import pytest

from service.store.contract import StoreUnavailable
from service.streams.connections import Connections, Timing
from tests.support.frames import SILENCE, Frames
from tests.support.memory_store.store import MemoryStore

DELAY = 60_000


@pytest.fixture
def streams(clock, store):
    streams = Connections(store=store, now=clock, slots=20, timing=Timing(heartbeat_seconds=0.02))
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
    def test_is_notified_at_once_of_a_player_who_joins(self, client, open_table, ana, ben, cem):
        game = open_table(ana, seats=2, visibility="public", spectators="public", spectator_delay_ms=DELAY)
        path = f"/v1/games/{game['id']}"
        with client.get(f"{path}/stream", headers=cem) as answer:
            frames = Frames(answer.response)
            next(frames)
            client.post(f"{path}/seats", headers=ben)

            assert frames.until("seat.joined")

    def test_is_sent_the_cards_after_the_delay(self, client, clock, path, watch, ana):
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

    def test_learns_nothing_from_a_cursor_in_the_future(self, client, path, watch, ana):
        client.post(f"{path}/start", headers=ana)

        for after in ("3-0", "4-0", "99-0"):
            with watch(f"?after={after}") as frames:
                assert next(frames).data["version"] == 2

    def test_gets_the_same_events_as_the_log(self, client, clock, path, watch, ana, ben, cem):
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


class TestAStoreThatIsAway:
    """It costs a late spectator no event, whichever it was about."""

    @pytest.fixture
    def path(self, client, open_table, ana, ben, dan):
        """A game of three, dealt, that is watched a minute late."""
        game = open_table(ana, seats=3, visibility="public", spectators="public", spectator_delay_ms=DELAY)
        path = f"/v1/games/{game['id']}"
        for headers in (ben, dan):
            client.post(f"{path}/seats", headers=headers)
        client.post(f"{path}/start", headers=ana)
        return path

    @pytest.fixture
    def dan(self, settle):
        return settle("Dan")

    @pytest.fixture
    def away(self, store, monkeypatch):
        """Have the next so many looks at a game fail: `away(1)`."""
        left = 0

        def load(game_id):
            nonlocal left
            if left:
                left -= 1
                raise StoreUnavailable("away")
            return MemoryStore.load(store, game_id)

        def away(times):
            nonlocal left
            left = times

        monkeypatch.setattr(store, "load", load)
        return away

    def test_when_seats_change(self, client, clock, path, watch, dan, away):
        clock.on(DELAY)
        with watch() as frames:
            next(frames)
            client.post(f"{path}/resignation", headers=dan)
            away(1)
            assert [next(frames).id for _ in range(4)] == [None] * 4
            clock.on(DELAY)
            told = [*islice(frames, 6)]

        assert [frame.type for frame in told if frame.id] == ["seat.replaced"]

    def test_when_they_are_notified(self, client, clock, path, watch, ben, dan, away):
        clock.on(DELAY)
        with watch() as frames:
            next(frames)
            client.post(f"{path}/resignation", headers=dan)
            assert [next(frames).id for _ in range(4)] == [None] * 4
            clock.on(1_000)
            client.post(f"{path}/resignation", headers=ben)
            assert [next(frames).id for _ in range(4)] == [None] * 4
            clock.on(DELAY - 1_000)
            away(1)
            told = [*islice(frames, 6)]
            clock.on(1_000)
            told += islice(frames, 6)

        assert [frame.data["seat"] for frame in told if frame.id] == [2, 1]


class TestAPlayerWhoResigns:
    """From then on he is a spectator, and his open stream must not know more than one."""

    @pytest.fixture
    def path(self, client, open_table, ana, ben, cem):
        """A game of three in which it is Ana's turn, and Cem looks on late once he has resigned."""
        game = open_table(
            ana,
            seats=3,
            visibility="public",
            spectators="public",
            spectator_delay_ms=DELAY,
            variant={"preset": "classic", "overrides": {"first_dealer": 2}},
        )
        path = f"/v1/games/{game['id']}"
        for headers in (ben, cem):
            client.post(f"{path}/seats", headers=headers)
        client.post(f"{path}/start", headers=ana)
        return path

    def test_gets_no_more_of_it_on_the_stream(self, client, clock, path, watch, ana, cem):
        clock.on(DELAY)
        with watch() as frames:
            next(frames)
            client.post(f"{path}/resignation", headers=cem)
            # Both wait for him when he reads on.
            client.post(f"{path}/draw-stock", headers=ana)
            told = [*islice(frames, 6)]

        assert [frame.id for frame in told if frame.id] == []
        assert (told[-1].type, told[-1].data["reason"]) == ("stream.closing", "rotate")

    def test_is_sent_what_came_before(self, client, clock, path, watch, ana, cem):
        clock.on(DELAY)
        with watch() as frames:
            next(frames)
            client.post(f"{path}/draw-stock", headers=ana)
            client.post(f"{path}/resignation", headers=cem)

            told = [*islice(frames, 6)]

        assert [frame.type for frame in told if frame != SILENCE] == ["stock.drawn", "stream.closing"]

    def test_comes_back_as_a_spectator(self, client, clock, path, watch, ana, cem):
        clock.on(DELAY)
        client.post(f"{path}/resignation", headers=cem)
        with watch("?after=4-2") as frames:
            client.post(f"{path}/draw-stock", headers=ana)
            assert [frame.id for frame in (next(frames) for _ in range(4))] == [None] * 4
            clock.on(DELAY)

            assert [frame.type for frame in frames.log(2)] == ["seat.replaced", "stock.drawn"]
