"""Reactions: short greetings between the players of a table, live and by key."""

from contextlib import contextmanager

import pytest

from service.api.auth import decode_account
from service.streams.connections import Connections
from tests.support.frames import Frames

SECOND = 1000


@pytest.fixture
def streams(clock, store):
    streams = Connections(store=store, now=clock, slots=20)
    yield streams
    streams.close()


@pytest.fixture
def path(client, open_table, ana, ben):
    """A game of Ana and Ben that anyone may watch."""
    game = open_table(ana, seats=2, visibility="public", spectators="public")
    path = f"/v1/games/{game['id']}"
    client.post(f"{path}/seats", headers=ben)
    client.post(f"{path}/start", headers=ana)
    return path


@pytest.fixture
def react(client, path):
    def react(headers, key="well_played"):
        return client.post(f"{path}/reactions", json={"key": key}, headers=headers)

    return react


@pytest.fixture
def follow(client, path):
    @contextmanager
    def follow(headers):
        with client.get(f"{path}/stream", headers=headers) as answer:
            frames = Frames(answer.response)
            next(frames)
            yield frames

    return follow


@pytest.fixture
def all_left(streams):
    """All types of frames that a stream still has, as the service stops."""

    def all_left(frames):
        streams.broker.close()
        return [frame.type for frame in frames.until("stream.closing")]

    return all_left


class TestAReaction:
    def test_reaches_the_streams_of_both_players(self, client, path, react, follow, ana, ben):
        with follow(ana) as hers, follow(ben) as his:
            assert react(ben).status_code == 204

            for frames in (hers, his):
                (frame,) = frames.until("reaction.sent")
                assert frame.id is None
                assert (frame.data["seat"], frame.data["key"]) == (1, "well_played")
                assert frame.data["version"] == client.get(path, headers=ana).json["version"]

    def test_is_a_line_too(self, client, path, react, ana):
        with client.get(f"{path}/stream.ndjson", headers=ana) as answer:
            lines = iter(answer.response)
            next(lines)
            react(ana, "oops")

            assert b'"type":"reaction.sent"' in next(lines)

    def test_is_sent_once_by_a_request_that_is_retried(self, client, path, follow, all_left, ana, ben):
        key = {"Idempotency-Key": "reaction-1"}
        with follow(ben) as frames:
            first, again = (
                client.post(f"{path}/reactions", json={"key": "oops"}, headers={**ana, **key})
                for _ in range(2)
            )

            assert (first.status_code, again.status_code) == (204, 204)
            assert "Content-Type" not in again.headers
            assert all_left(frames).count("reaction.sent") == 1

    def test_changes_neither_version_nor_log(self, client, path, react, ana):
        before = client.get(path, headers=ana).json
        log = client.get(f"{path}/events", headers=ana).json

        react(ana)

        after = client.get(path, headers=ana).json
        assert {**after, "server_time": ""} == {**before, "server_time": ""}
        assert client.get(f"{path}/events", headers=ana).json == log

    def test_does_not_reach_spectators(self, settle, react, follow, all_left, ana):
        with follow(settle("Cal")) as frames:
            react(ana)

            assert "reaction.sent" not in all_left(frames)

    def test_is_possible_before_and_after_the_game(self, client, path, react, open_table, ana, ben):
        waiting = open_table(ana, seats=2)
        early = client.post(f"/v1/games/{waiting['id']}/reactions", json={"key": "hello"}, headers=ana)
        for player in (ana, ben):
            client.post(f"{path}/resignation", json={}, headers=player)
        assert client.get(path, headers=ben).json["status"] == "finished"

        assert (early.status_code, react(ben, "good_game").status_code) == (204, 204)

    def test_is_one_of_those_that_getmeta_lists(self, client, react, ana):
        listed = client.get("/v1/meta").json["reactions"]

        assert {"hello", "good_game", "well_played", "oops", "thanks", "hurry"} <= {
            reaction["key"] for reaction in listed
        }
        assert react(ana, listed[0]["key"]).status_code == 204
        for key in ("anything", "", None, 1):
            assert react(ana, key).json["code"] == "validation_failed"

    def test_that_is_late_is_dropped(self, store, clock, react, follow, all_left, ana, ben):
        late = []
        with follow(ana) as frames:
            store._message_listeners, listeners = [late.extend], store._message_listeners
            react(ben)
            clock.on(11 * SECOND)
            for on_message in listeners:
                on_message(late)

            assert "reaction.sent" not in all_left(frames)


class TestWhoTurnsReactionsOff:
    @pytest.fixture
    def turn(self, client):
        def turn(headers, *, on):
            return client.patch("/v1/me", json={"reactions": on}, headers=headers)

        return turn

    def test_sees_the_setting(self, client, turn, ana):
        assert client.get("/v1/me", headers=ana).json["reactions"] is True

        assert turn(ana, on=False).json["reactions"] is False
        assert client.patch("/v1/me", json={"name": "Anna"}, headers=ana).json["reactions"] is False
        assert turn(ana, on=True).json == client.get("/v1/me", headers=ana).json

    def test_gets_none(self, turn, react, follow, all_left, ana, ben):
        turn(ben, on=False)
        with follow(ben) as frames:
            react(ana)

            assert "reaction.sent" not in all_left(frames)

    def test_sends_none(self, turn, react, ana):
        turn(ana, on=False)

        assert (react(ana).status_code, react(ana).json["code"]) == (409, "reactions_off")

    def test_of_an_older_release_gets_them(self):
        stored = b'{"id":"pAna","name":"Ana","kind":"human","created_at":1,"seen_at":1}'

        assert decode_account(stored).reactions


class TestAChangeOfThePlayer:
    def test_needs_something_to_change(self, client, ana):
        assert client.patch("/v1/me", json={}, headers=ana).json["code"] == "validation_failed"
