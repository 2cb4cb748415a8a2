"""Tickets: what a browser opens a stream with."""

import pytest

from service.streams.connections import Connections, Timing
from tests.support.frames import Frames


@pytest.fixture
def streams(clock, store):
    # Many may ask at once with one ticket.
    streams = Connections(store=store, now=clock, slots=20)
    yield streams
    assert streams.count == 0, "a test left a stream open"
    streams.close()


@pytest.fixture
def ticket(client):
    """Get a ticket."""

    def ticket(headers, asked=None, **more):
        answer = client.post("/v1/stream-tickets", json=asked or {}, headers={**headers, **more})
        assert answer.status_code == 201, answer.json
        return answer.json["ticket"]

    return ticket


@pytest.fixture
def try_it(client):
    """Open a stream with what stands in the address; return the status, and what came first or the code."""

    def try_it(path, query, headers=None):
        with client.get(f"{path}/stream?{query}", headers=headers or {}) as answer:
            if answer.status_code != 200:
                return answer.status_code, answer.json["code"]
            return answer.status_code, next(Frames(answer.response)).type

    return try_it


@pytest.fixture
def path(open_table, ana):
    return f"/v1/games/{open_table(ana, seats=2)['id']}"


class TestATicket:
    def test_opens_a_stream_again_for_a_minute_after_it_closed(self, clock, path, ana, ticket, try_it):
        asked = f"ticket={ticket(ana)}"

        for _ in range(3):
            assert try_it(path, asked) == (200, "snapshot")
            clock.on(59_999)
        assert try_it(path, asked) == (200, "snapshot")
        clock.on(60_000)
        assert try_it(path, asked) == (401, "token_invalid")

    def test_comes_back_where_the_last_event_was(self, path, ana, ticket, try_it):
        asked = f"ticket={ticket(ana)}"
        try_it(path, asked)

        assert try_it(path, asked, {"Last-Event-ID": "0-0"}) == (200, "seat.joined")

    def test_goes_on_with_a_cursor(self, path, ana, ticket, try_it):
        assert try_it(path, f"after=0-0&ticket={ticket(ana)}") == (200, "seat.joined")

    def test_is_not_spent_on_a_stream_that_is_refused(self, path, ana, ticket, try_it):
        asked = f"ticket={ticket(ana)}"

        assert try_it(path, f"after=yesterday&{asked}") == (422, "validation_failed")
        assert try_it("/v1/games/g00nowhere", asked) == (404, "not_found")
        assert try_it(path, asked) == (200, "snapshot")

    def test_is_not_spent_while_there_is_no_place(self, streams, path, ana, ticket, try_it):
        asked = f"ticket={ticket(ana)}"
        while streams.slots.acquire(blocking=False):
            pass

        assert try_it(path, asked) == (503, "stream_capacity")
        streams.slots.release()
        assert try_it(path, asked) == (200, "snapshot")

    def test_lives_for_a_minute(self, client, clock, path, ana, ticket, try_it):
        in_time, too_late = ticket(ana), ticket(ana)
        clock.on(59_999)
        assert try_it(path, f"ticket={in_time}") == (200, "snapshot")
        clock.on(1)
        assert try_it(path, f"ticket={too_late}") == (401, "token_invalid")

    @pytest.mark.parametrize("made_up", ["", "x", "p1.2", "%00", "é" * 300])
    def test_cannot_be_made_up(self, path, try_it, made_up):
        assert try_it(path, f"ticket={made_up}") == (401, "token_invalid")

    def test_shows_no_more_than_its_player_may_see(self, path, ben, ticket, try_it):
        assert try_it(path, f"ticket={ticket(ben)}") == (404, "not_found")

    def test_is_worth_no_more_than_its_token(self, client, path, ana, ticket, try_it):
        made = client.post("/v1/tokens", json={"name": "short"}, headers=ana).json
        asked = ticket({"Authorization": f"Bearer {made['token']}"})
        client.delete(f"/v1/tokens/{made['token_info']['id']}", headers=ana)

        assert try_it(path, f"ticket={asked}") == (401, "token_invalid")

    def test_is_of_a_token_that_may_read(self, client, ana):
        body = {"name": "no reader", "scopes": ["games:play"]}
        made = client.post("/v1/tokens", json=body, headers=ana).json

        answer = client.post("/v1/stream-tickets", headers={"Authorization": f"Bearer {made['token']}"})

        assert (answer.status_code, answer.json["code"]) == (403, "insufficient_scope")

    def test_opens_nothing_but_streams(self, client, path, ana, ticket):
        answer = client.get(f"{path}?ticket={ticket(ana)}")

        assert (answer.status_code, answer.json["code"]) == (401, "token_missing")

    def test_stays_whole_where_a_token_came_too(self, path, ana, ticket, try_it):
        asked = f"ticket={ticket(ana)}"

        assert try_it(path, asked, ana) == (200, "snapshot")
        assert try_it(path, asked) == (200, "snapshot")

    def test_is_the_same_for_the_same_request(self, ana, ticket):
        key = {"Idempotency-Key": "once"}

        assert ticket(ana, **key) == ticket(ana, **key)
        assert ticket(ana) != ticket(ana)

    def test_may_appear_only_once_in_the_address(self, path, ana, ticket, try_it):
        asked = f"ticket={ticket(ana)}&ticket={ticket(ana)}"

        assert try_it(path, asked) == (422, "validation_failed")

    def test_is_known_to_the_store_by_its_hash_only(self, store, ana, ticket):
        told = ticket(ana)

        assert told not in repr(store._secrets)


class TestATicketForAGame:
    def test_has_what_the_stream_is_asked_for(self, client, open_table, ana, ben):
        game = open_table(ana, seats=2)
        path, code = f"/v1/games/{game['id']}", game["invite_code"]
        url = client.post(
            "/v1/stream-tickets",
            json={"game_id": game["id"], "invite_code": code, "after": "0-0"},
            headers=ben,
        ).json["url"]

        assert url.startswith(f"{path}/stream?ticket=")
        assert code not in url
        with client.get(url) as answer:
            frames = Frames(answer.response)
            assert next(frame.type for frame in frames if frame.id) == "seat.joined"

    def test_opens_no_other_game_and_no_account(self, path, open_table, ana, ticket, try_it):
        other = f"/v1/games/{open_table(ana, seats=2)['id']}"
        asked = f"ticket={ticket(ana, {'game_id': path.rsplit('/', 1)[1]})}"

        assert try_it(other, asked) == (401, "token_invalid")
        assert try_it("/v1/me", asked) == (401, "token_invalid")
        assert try_it(path, asked) == (200, "snapshot")

    def test_of_an_account_has_its_cursor(self, client, ana, try_it):
        url = client.post("/v1/stream-tickets", json={"after": "1-0"}, headers=ana).json["url"]

        assert try_it("/v1/me", url.split("?")[1]) == (200, "snapshot")

    @pytest.mark.parametrize(
        "asked, status, code",
        [
            ({"game_id": "g00nowhere"}, 404, "not_found"),
            ({"game_id": "{hers}"}, 404, "not_found"),
            ({"game_id": "{hers}", "invite_code": "wrong"}, 404, "not_found"),
            ({"game_id": "{his}", "as_seat": 1}, 403, "not_seated"),
            ({"game_id": "{his}", "as_seat": 8}, 422, "validation_failed"),
            ({"game_id": "{his}", "after": "yesterday"}, 422, "validation_failed"),
        ],
    )
    def test_is_refused_with_the_reason_that_the_stream_would_hide(
        self, client, open_table, ana, ben, asked, status, code
    ):
        games = {"{hers}": open_table(ana, seats=2)["id"], "{his}": open_table(ben, seats=2)["id"]}
        body = asked | {"game_id": games.get(asked["game_id"], asked["game_id"])}
        answer = client.post("/v1/stream-tickets", json=body, headers=ben)

        assert (answer.status_code, answer.json["code"]) == (status, code)


class TestATicketInUse:
    @pytest.fixture
    def streams(self, clock, store):
        streams = Connections(
            store=store, now=clock, slots=20, timing=Timing(heartbeat_seconds=0.02, check_seconds=0.01)
        )
        yield streams
        streams.close()

    def test_goes_to_the_newest_stream(self, client, path, ana, ticket):
        asked = f"{path}/stream?ticket={ticket(ana)}"
        with client.get(asked) as older:
            first = Frames(older.response)
            assert next(first).type == "snapshot"
            with client.get(asked) as newer:
                second = Frames(newer.response)
                assert next(second).type == "snapshot"
                closing = next(frame for frame in first if frame.type == "stream.closing")
                assert closing.data["reason"] == "replaced"
                assert next(second).type == "ping"

    def test_lives_as_long_as_its_stream(self, client, clock, path, ana, ticket):
        asked = f"{path}/stream?ticket={ticket(ana)}"
        with client.get(asked) as answer:
            frames = Frames(answer.response)
            for _ in range(5):
                clock.on(50_000)
                for _ in range(3):
                    next(frames)
        with client.get(asked) as again:
            assert again.status_code == 200
