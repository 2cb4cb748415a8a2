"""Following a game: what comes first, what follows, who may, and how it ends."""

import json
from contextlib import contextmanager

import pytest

from service.api.services import Services
from service.store.contract import StoreUnavailable
from service.streams.connections import Connections, Timing
from tests.support.frames import SILENCE, Frames


@pytest.fixture
def timing() -> Timing:
    return Timing()


@pytest.fixture
def streams(clock, store, timing):
    streams = Connections(store=store, now=clock, slots=20, timing=timing)
    yield streams
    assert streams.count == 0, "a test left a stream open"
    streams.close()


@pytest.fixture
def follow(client):
    """Follow a game: `with follow(path, headers) as frames`."""

    @contextmanager
    def follow(path, headers, query="", **more):
        answer = client.get(f"{path}/stream{query}", headers={**headers, **more})
        assert answer.status_code == 200, answer.json
        try:
            yield Frames(answer.response)
        finally:
            answer.close()

    return follow


@pytest.fixture
def refusal(client):
    """Be refused a stream, and return the problem's status and code."""

    def refusal(path, headers, query=""):
        answer = client.get(f"{path}/stream{query}", headers=headers)
        told = answer.status_code, answer.json and answer.json["code"]
        answer.close()
        return told

    return refusal


@pytest.fixture
def dealt(client, open_table, ana, ben):
    """A game of two people that anybody may watch, dealt."""
    game = open_table(ana, seats=2, visibility="public", spectators="public")
    path = f"/v1/games/{game['id']}"
    client.post(f"{path}/seats", headers=ben)
    client.post(f"{path}/start", headers=ana)
    return path


@pytest.fixture
def in_turn(client, dealt, ana, ben):
    """The player whose turn it is, and the other."""
    return (ana, ben) if client.get(f"{dealt}/legal-moves", headers=ana).json["moves"] else (ben, ana)


def log_of(client, path, headers, after=""):
    return client.get(f"{path}/events?limit=100{after}", headers=headers).json["events"]


def types(frames):
    return [frame.type for frame in frames]


class TestTheFirstFrame:
    def test_is_a_snapshot_as_the_viewer_may_see_it(self, client, dealt, ana, follow):
        view = client.get(dealt, headers=ana).json

        with follow(dealt, ana) as frames:
            first = next(frames)

        assert first.type == "snapshot"
        assert first.data["game"] == view
        assert first.id == first.data["id"] == log_of(client, dealt, ana)[-1]["id"]
        assert (first.data["version"], first.data["game_id"]) == (view["version"], view["id"])
        assert frames.retry_ms == 2000

    def test_is_the_next_event_where_a_cursor_is_given(self, client, dealt, ana, follow):
        events = log_of(client, dealt, ana)

        with follow(dealt, ana, "?after=1-0") as frames:
            assert [frame.data for frame in frames.log(len(events) - 1)] == events[1:]

    def test_goes_by_the_header_of_an_event_source_first(self, client, dealt, ana, follow):
        events = log_of(client, dealt, ana)

        with follow(dealt, ana, "?after=1-0", **{"Last-Event-ID": events[2]["id"]}) as frames:
            assert frames.log(1)[0].data == events[3]

    def test_is_a_snapshot_where_the_cursor_is_of_a_future_that_was_lost(self, dealt, ana, follow):
        """A failover may take moves back that somebody was told of."""
        with follow(dealt, ana, "?after=99-0") as frames:
            assert next(frames).type == "snapshot"

    @pytest.mark.parametrize("after", ["17", "a-b", "-1-0", ""])
    def test_is_none_for_what_is_no_cursor(self, dealt, ana, refusal, after):
        assert refusal(dealt, ana, f"?after={after}") == (422, "validation_failed")


class TestWhatFollows:
    def test_is_the_log_as_it_grows(self, client, dealt, in_turn, follow):
        mover, _ = in_turn
        with follow(dealt, mover) as frames:
            snapshot = next(frames)
            client.post(f"{dealt}/draw-stock", headers=mover)
            drawn = next(frames)
            card = drawn.data["card"]
            client.post(f"{dealt}/discard", json={"card": card}, headers=mover)
            rest = frames.until("turn.started")

        told = [frame.data for frame in (drawn, *rest)]
        assert told == log_of(client, dealt, mover, f"&after={snapshot.id}")
        assert [frame.id for frame in (drawn, *rest)] == [event["id"] for event in told]
        assert types([drawn, *rest]) == ["stock.drawn", "card.discarded", "turn.started"]

    def test_is_sent_to_each_viewer_as_they_may_see_it(self, client, dealt, in_turn, settle, follow):
        mover, other = in_turn
        with (
            follow(dealt, mover) as movers,
            follow(dealt, other) as others,
            follow(dealt, settle("Cem")) as strangers,
        ):
            for frames in (movers, others, strangers):
                next(frames)
            client.post(f"{dealt}/draw-stock", headers=mover)
            cards = [frames.log(1)[0].data["card"] for frames in (movers, others, strangers)]

        assert cards[0] is not None
        assert cards[1:] == [None, None]

    def test_is_given_to_a_seat_of_a_sandbox_as_that_seat_sees_it(self, client, sandbox, ana, follow):
        game = sandbox(ana, ["7S 7C KD", "4H 9C"])
        path = f"/v1/games/{game['id']}"
        with follow(path, ana, "?as_seat=0") as own, follow(path, ana, "?as_seat=1") as others:
            assert [next(frames).data["game"]["viewer"]["seat"] for frames in (own, others)] == [0, 1]
            client.post(f"{path}/draw-stock?as_seat=0", headers=ana)

            assert own.log(1)[0].data["card"] is not None
            assert others.log(1)[0].data["card"] is None

    def test_keeps_the_seat_that_was_to_act_when_it_began(self, client, sandbox, ana, follow):
        game = sandbox(ana, ["7S 7C KD", "4H 9C 5D"])
        path = f"/v1/games/{game['id']}"
        with follow(path, ana) as frames:
            assert next(frames).data["game"]["viewer"]["seat"] == 0
            client.post(f"{path}/draw-stock", headers=ana)
            client.post(f"{path}/discard", json={"card": "KD"}, headers=ana)
            client.post(f"{path}/draw-stock", headers=ana)

            drawn = [frame.data for frame in frames.log(4) if frame.type == "stock.drawn"]

        assert [(event["seat"], event["card"] is None) for event in drawn] == [(0, False), (1, True)]

    def test_fits_the_document(self, client, contract, dealt, in_turn, follow):
        """Every frame is one of the union that the document names."""
        mover, other = in_turn
        with follow(dealt, mover) as frames, follow(dealt, other, "?after=0-0") as whole:
            client.post(f"{dealt}/draw-stock", headers=mover)
            found = frames.until("stock.drawn") + whole.until("stock.drawn")

        assert {"snapshot", "presence.changed", "deal.started", "stock.drawn"} <= set(types(found))
        for frame in found:
            contract.fits({"$ref": "#/components/schemas/StreamEvent"}, frame.data)


class TestLines:
    def test_hold_what_the_frames_hold(self, client, dealt, ana, follow):
        answer = client.get(f"{dealt}/stream.ndjson?after=0-0", headers=ana)
        lines, told = iter(answer.response), []
        while len([one for one in told if "id" in one]) < 5:
            told += [json.loads(line) for line in next(lines).decode().splitlines()]
        answer.close()

        assert answer.mimetype == "application/x-ndjson"
        with follow(dealt, ana, "?after=0-0") as frames:
            assert [one for one in told if "id" in one] == [frame.data for frame in frames.log(5)]


class TestTheAnswer:
    def test_is_neither_kept_nor_held_back_on_its_way(self, client, dealt, ana):
        with client.get(f"{dealt}/stream", headers=ana) as answer:
            assert answer.content_type == "text/event-stream"
            assert answer.headers["Cache-Control"] == "no-store"
            assert answer.headers["X-Accel-Buffering"] == "no"
            assert "Content-Length" not in answer.headers

    def test_to_head_has_no_stream_behind_it(self, client, streams, dealt, ana):
        with client.head(f"{dealt}/stream", headers=ana) as answer:
            assert (answer.status_code, answer.data) == (200, b"")

        assert streams.count == 0


class TestSilence:
    @pytest.fixture
    def timing(self):
        return Timing(heartbeat_seconds=0.02)

    def test_is_broken_now_and_then(self, dealt, ana, follow):
        with follow(dealt, ana) as frames:
            next(frames)

            assert [next(frames), next(frames)] == [SILENCE, SILENCE]

    def test_shows_the_time_of_the_server(self, client, clock, dealt, ana, contract):
        with client.get(f"{dealt}/stream", headers=ana) as answer:
            chunks = iter(answer.response)
            next(chunks)
            event, data, _, _ = next(chunks).decode().split("\n")

        assert event == "event: ping"
        assert data.startswith('data: {"type":"ping","server_time":"')

    def test_is_an_empty_line_among_lines(self, client, dealt, ana):
        with client.get(f"{dealt}/stream.ndjson", headers=ana) as answer:
            lines = iter(answer.response)
            next(lines)

            assert next(lines) == b"\n"

    def test_ends_with_a_look_into_the_log(self, client, store, dealt, in_turn, follow):
        """If the notification of a change is lost, the stream finds the event by itself."""
        mover, _ = in_turn
        with follow(dealt, mover) as frames:
            next(frames)
            with store.losing_changes():
                client.post(f"{dealt}/draw-stock", headers=mover)

            assert frames.until("stock.drawn")


class TestTheEnd:
    @pytest.fixture
    def timing(self):
        return Timing(life_seconds=0.0)

    def test_comes_when_it_was_open_long_enough(self, dealt, ana, follow):
        with follow(dealt, ana) as frames:
            first, last = list(frames)

        assert first.type == "snapshot"
        assert (last.type, last.id) == ("stream.closing", None)
        assert last.data["reason"] == "rotate"

    def test_fits_the_document(self, contract, dealt, ana, follow):
        with follow(dealt, ana) as frames:
            contract.fits({"$ref": "#/components/schemas/StreamEvent"}, list(frames)[-1].data)

    def test_gives_the_place_back(self, streams, dealt, ana, follow):
        for _ in range(30):
            with follow(dealt, ana) as frames:
                list(frames)

        assert streams.count == 0


class TestAProcessThatEnds:
    def test_says_so_and_takes_no_more(self, client, streams, dealt, ana, ben, follow, refusal):
        with follow(dealt, ana) as frames:
            next(frames)
            streams.stop()
            assert [frame.data["reason"] for frame in frames] == ["shutdown"]

        assert refusal(dealt, ben) == (503, "stream_capacity")
        assert client.get(dealt, headers=ben).status_code == 200

    def test_sends_earlier_events_first(self, client, streams, dealt, in_turn, follow):
        mover, _ = in_turn
        with follow(dealt, mover) as frames:
            next(frames)
            client.post(f"{dealt}/draw-stock", headers=mover)
            streams.stop()

            assert types(frames) == ["stock.drawn", "stream.closing"]


class TestRights:
    @pytest.mark.parametrize("spectators", ["none", "invite", "public"])
    def test_to_a_private_game_are_its_players(self, open_table, ana, ben, refusal, spectators):
        game = open_table(ana, seats=2, spectators=spectators)

        assert refusal(f"/v1/games/{game['id']}", ben) == (404, "not_found")

    def test_may_come_with_an_invitation(self, open_table, ana, ben, follow):
        game = open_table(ana, seats=2, spectators="invite")
        with follow(f"/v1/games/{game['id']}", ben, f"?invite_code={game['invite_code']}") as frames:
            assert next(frames).data["game"]["viewer"]["role"] == "spectator"

    def test_need_a_token(self, dealt, refusal):
        assert refusal(dealt, {}) == (401, "token_missing")
        assert refusal(dealt, {"Authorization": "Bearer pno.body4444444444444444444444"}) == (
            401,
            "token_invalid",
        )

    def test_to_a_seat_are_its_players(self, dealt, ana, settle, refusal):
        assert refusal(dealt, ana, "?as_seat=1") == (403, "not_seated")
        assert refusal(dealt, settle("Cem"), "?as_seat=0") == (403, "not_seated")

    def test_grow_when_a_spectator_sits_down(self, client, open_table, ana, ben, follow):
        game = open_table(ana, seats=2, visibility="public")
        path = f"/v1/games/{game['id']}"
        with follow(path, ben) as frames:
            assert next(frames).data["game"]["viewer"]["role"] == "spectator"
            client.post(f"{path}/seats", headers=ben)
            client.post(f"{path}/start", headers=ana)

            dealt = frames.until("deal.started")[-1].data

        assert [hand is None for hand in dealt["hands"]] == [True, False]

    def test_shrink_when_a_player_gets_up(self, client, open_table, ana, ben, settle, follow):
        """Whoever takes the seat next is not looked over the shoulder."""
        game = open_table(ana, seats=2, visibility="public", spectators="public")
        path = f"/v1/games/{game['id']}"
        client.post(f"{path}/seats", headers=ben)
        with follow(path, ben) as frames:
            client.delete(f"{path}/seats/me", headers=ben)
            client.post(f"{path}/seats", headers=settle("Cem"))
            client.post(f"{path}/start", headers=ana)

            dealt = frames.until("deal.started")[-1].data

        assert dealt["hands"] == [None, None]

    def test_end_when_a_player_gets_up_from_a_private_game(self, client, open_table, ana, ben, follow):
        game = open_table(ana, seats=2)
        path = f"/v1/games/{game['id']}"
        client.post(f"{path}/seats", json={"invite_code": game["invite_code"]}, headers=ben)
        with follow(path, ben) as frames:
            next(frames)
            client.delete(f"{path}/seats/me", headers=ben)

            assert [frame.data.get("reason") for frame in frames if frame.id is None] == ["access_lost"]


class TestRightsAskedForAgain:
    @pytest.fixture
    def timing(self):
        return Timing(check_seconds=0.01, heartbeat_seconds=0.01)

    def test_end_with_the_token(self, client, dealt, ana, follow):
        token = client.get("/v1/tokens", headers=ana).json["tokens"][0]["id"]
        with follow(dealt, ana) as frames:
            next(frames)
            assert client.delete(f"/v1/tokens/{token}", headers=ana).status_code == 204

            assert frames.until("stream.closing")[-1].data["reason"] == "token_revoked"

    def test_end_with_the_game(self, clock, dealt, ana, follow):
        with follow(dealt, ana) as frames:
            next(frames)
            clock.on(120 * 24 * 60 * 60 * 1000)

            assert frames.until("stream.closing")[-1].data["reason"] == "access_lost"

    def test_go_on_while_they_hold(self, dealt, ana, follow):
        with follow(dealt, ana) as frames:
            next(frames)

            assert [next(frames) for _ in range(5)] == [SILENCE] * 5


class TestCapacity:
    @pytest.fixture
    def streams(self, clock, store):
        streams = Connections(store=store, now=clock, slots=2)
        yield streams
        streams.close()

    def test_is_refused_beyond_while_polling_goes_on(self, client, dealt, ana, ben, follow):
        etag = client.get(dealt, headers=ana).headers["ETag"]
        with follow(dealt, ana), follow(dealt, ben):
            refused = client.get(f"{dealt}/stream", headers=ana)
            waiting = client.get(f"{dealt}?wait_ms=1000", headers={**ana, "If-None-Match": etag})
            polling = client.get(dealt, headers={**ana, "If-None-Match": etag})

        assert (refused.status_code, refused.json["code"]) == (503, "stream_capacity")
        assert refused.headers["Retry-After"] == "5"
        assert (waiting.status_code, polling.status_code) == (503, 304)

    def test_is_there_again_when_one_has_ended(self, dealt, ana, ben, follow):
        with follow(dealt, ana):
            with follow(dealt, ben):
                pass
            with follow(dealt, ben) as frames:
                assert next(frames).type == "snapshot"


class TestTooManyStreams:
    def test_of_one_token_are_refused(self, client, dealt, ana, ben, follow):
        open_ones = [client.get(f"{dealt}/stream", headers=ana) for _ in range(16)]

        refused = client.get(f"{dealt}/stream", headers=ana)
        with follow(dealt, ben) as frames:
            assert next(frames).type == "snapshot"
        open_ones.pop().close()
        with follow(dealt, ana) as frames:
            assert next(frames).type == "snapshot"
        for answer in open_ones:
            answer.close()

        assert (refused.status_code, refused.json["code"]) == (429, "too_many_streams")
        assert refused.headers["Retry-After"]


class TestASlowReader:
    def test_is_asked_to_reconnect_with_the_cursor(self, store, given: Services, dealt, ana, follow):
        """The broker never waits for a reader, and queues a limited number of events."""
        game_id = dealt.rsplit("/", 1)[-1]
        with follow(dealt, ana) as frames:
            cursor = next(frames).id
            (subscription,) = given.streams.broker.subscriptions
            last = log_of_store(store, game_id)[-1]
            for version in range(last.version + 1, last.version + 300):
                subscription.put(entry_like(last, version))

            told = frames.until("stream.closing")

        assert told[-1].data["reason"] == "slow_consumer"
        assert len(told) - 1 == 256
        assert told[0].cursor > tuple(map(int, cursor.split("-")))


def log_of_store(store, game_id):
    return store.events(game_id, limit=1000)


def entry_like(event, version):
    from service.streams.subscription import LogEntry

    return LogEntry((version, 0), event.body)


class TestAStoreThatIsAway:
    @pytest.fixture
    def timing(self):
        return Timing(heartbeat_seconds=0.02, check_seconds=0.01)

    def test_ends_no_stream_and_costs_no_event(self, client, store, dealt, in_turn, follow, monkeypatch):
        monkeypatch.setattr("service.api.sse.event_stream.RETRY_READ_SECONDS", 0.01)
        mover, _ = in_turn

        def away(*_, **__):
            raise StoreUnavailable("away")

        with follow(dealt, mover) as frames:
            next(frames)
            client.post(f"{dealt}/draw-stock", headers=mover)
            with monkeypatch.context() as patched:
                for method in ("events", "player_by_token", "load", "online"):
                    patched.setattr(store, method, away)
                assert [next(frames) for _ in range(5)] == [SILENCE] * 5

            assert frames.until("stock.drawn")

    def test_is_reported_as_such_to_new_subscribers(self, store, streams, dealt, ana, refusal, monkeypatch):
        def away(*_, **__):
            raise StoreUnavailable("away")

        with monkeypatch.context() as patched:
            patched.setattr(store, "events", away)
            assert refusal(dealt, ana) == (503, "store_unavailable")

        assert (streams.count, streams.broker.is_idle) == (0, True)
