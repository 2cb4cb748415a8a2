"""Who is here: in the view, and as players come and go."""

from contextlib import contextmanager

import pytest

from service.streams.connections import Connections, Timing
from tests.support.frames import Frames

SECOND = 1000


@pytest.fixture
def streams(clock, store):
    streams = Connections(store=store, now=clock, slots=20, timing=Timing(renew_seconds=0.0))
    yield streams
    streams.close()


@pytest.fixture
def path(client, open_table, ana, ben):
    """A game of Ana, Ben, and a computer."""
    game = open_table(ana, seats=3, visibility="public", opponents=[{"level": "steady"}])
    path = f"/v1/games/{game['id']}"
    client.post(f"{path}/seats", headers=ben)
    return path


@pytest.fixture
def presence(client, path):
    def presence(headers):
        return [seat["presence"] for seat in client.get(path, headers=headers).json["seats"]]

    return presence


@pytest.fixture
def follow(client, path):
    @contextmanager
    def follow(headers):
        with client.get(f"{path}/stream", headers=headers) as answer:
            frames = Frames(answer.response)
            next(frames)
            yield frames

    return follow


class TestPresence:
    def test_is_known_of_players_alone(self, open_table, ana):
        game = open_table(ana, seats=3, opponents=[{"level": "steady"}])

        assert [(seat["kind"], seat["presence"]) for seat in game["seats"]] == [
            ("human", "online"),
            ("computer", None),
            (None, None),
        ]

    def test_is_that_of_every_player_with_a_recent_request(self, clock, presence, ana, ben):
        assert presence(ana) == ["online", None, "online"]

        clock.on(45 * SECOND)

        assert presence(ana) == ["online", None, "offline"]

    def test_lasts_while_a_stream_is_open(self, clock, streams, presence, follow, ana, ben):
        with follow(ben):
            clock.on(29 * SECOND)
            streams.maintain()
            clock.on(29 * SECOND)
            assert presence(ana) == ["online", None, "online"]

    def test_ends_a_moment_after_the_stream(self, clock, streams, presence, follow, ana, ben):
        clock.on(3600 * SECOND)
        with follow(ben):
            clock.on(29 * SECOND)
            streams.maintain()
        clock.on(16 * SECOND)  # The request that opened it counts no more.

        assert presence(ana) == ["online", None, "offline"]

    def test_changes_no_version(self, client, clock, path, ana, ben):
        before = client.get(path, headers=ana)
        clock.on(60 * SECOND)
        after = client.get(path, headers={**ana, "If-None-Match": before.headers["ETag"]})

        assert after.status_code == 304


class TestWhoFollows:
    def test_is_notified_of_a_player_who_comes(self, client, clock, path, follow, ana, ben):
        clock.on(60 * SECOND)
        with follow(ana) as frames:
            client.get(path, headers=ben)
            told = next(frames)

        assert (told.type, told.id) == ("presence.changed", None)
        assert (told.data["seat"], told.data["presence"]) == (2, "online")

    def test_is_notified_of_a_player_who_goes(self, clock, streams, follow, ana, ben):
        with follow(ana) as frames:
            clock.on(60 * SECOND)
            streams.broker.publish_presence()
            told = next(frames)

        assert (told.data["seat"], told.data["presence"]) == (2, "offline")

    def test_is_sent_once(self, clock, streams, follow, ana, ben):
        with follow(ana):
            clock.on(60 * SECOND)
            for _ in range(3):
                streams.broker.publish_presence()

            (subscription,) = streams.broker.subscriptions
            assert [item.is_online for item in subscription.take(0)] == [False]

    def test_is_sent_the_current_state_after_a_reconnect(self, client, clock, path, ana, ben):
        clock.on(60 * SECOND)
        with client.get(f"{path}/stream?after=2-0", headers=ana) as answer:
            told = next(Frames(answer.response))

        assert (told.type, told.data["seat"], told.data["presence"]) == ("presence.changed", 2, "offline")

    def test_is_not_notified_of_strangers(self, client, clock, settle, streams, follow, ana, ben):
        cem = settle("Cem")
        clock.on(3600 * SECOND)
        with follow(ana):
            client.get("/v1/me", headers=cem)

            (subscription,) = streams.broker.subscriptions
            assert subscription.take(0) == []
