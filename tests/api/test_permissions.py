"""`viewer.may`: what a viewer may do with a game is what the service then allows."""

import pytest

from service.games.seating import abort_idle, expire_turn

REQUESTS = {
    "leaveGame": ("DELETE", "seats/me", None),
    "startGame": ("POST", "start", {}),
    "abortGame": ("POST", "abort", {}),
    "renewInviteCodes": ("POST", "invite-codes", {}),
    "setAutoPass": ("PUT", "seats/me/auto-pass", {"auto_pass": True}),
    "resignGame": ("POST", "resignation", {}),
    "requestHint": ("POST", "hints", {}),
    "requestReview": ("POST", "review", {}),
    "rematchGame": ("POST", "rematch", {}),
    "seatComputer": ("PUT", "seats/{free}/computer", {}),
    "sendReaction": ("POST", "reactions", {"key": "hello"}),
}


@pytest.fixture
def at(client, open_table, ana, ben):
    """Return a function that brings a table to a stage; its path."""

    def at(stage):
        full = stage not in {"waiting", "called off"}
        game = open_table(ana, seats=2 if full else 3, rated=stage == "rated", visibility="public")
        path = f"/v1/games/{game['id']}"
        client.post(f"{path}/seats", headers=ben)
        if full and stage != "full":
            client.post(f"{path}/start", headers=ana)
        if stage == "called off":
            client.post(f"{path}/abort", headers=ana)
        if stage in {"one is left", "over"}:
            client.post(f"{path}/resignation", headers=ben)
        if stage == "over":
            client.post(f"{path}/resignation", headers=ana)
        return path

    return at


STAGES = ("waiting", "full", "called off", "playing", "rated", "one is left", "over")


@pytest.mark.parametrize("operation", REQUESTS)
@pytest.mark.parametrize("stage", STAGES)
def test_tells_what_the_service_allows(client, at, ana, ben, stage, operation):
    method, what, body = REQUESTS[operation]
    for headers in (ana, ben):
        path = at(stage)
        seen = client.get(path, headers=headers)
        if seen.status_code != 200:
            continue
        may = operation in seen.json["viewer"]["may"]

        free = [seat["seat"] for seat in seen.json["seats"] if seat["player"] is None]
        answer = client.open(
            f"{path}/{what.format(free=free[0] if free else 0)}", method=method, json=body, headers=headers
        )

        if seen.json["viewer"]["role"] == "player":
            assert (answer.status_code < 400) == may, (stage, operation, answer.text)


def test_a_stranger_may_join_while_a_seat_is_free(client, at, settle):
    cem = settle("Cem")

    assert client.get(at("waiting"), headers=cem).json["viewer"]["may"] == ["joinGame"]
    assert client.get(at("full"), headers=cem).json["viewer"]["may"] == []


class TestAViewerWithoutASeat:
    """A seat may be reserved for them, and a player who resigned may want to play again."""

    @pytest.fixture
    def rematch(self, client, table, at, ana):
        """Return the path of a rematch that Ana opened."""
        path = at("playing")
        table.change(path.rpartition("/")[2], abort_idle)
        return f"/v1/games/{client.post(f'{path}/rematch', headers=ana).json['id']}"

    @pytest.mark.parametrize("operation", ["joinGame", "leaveGame"])
    def test_may_take_or_decline_a_reserved_seat(self, client, rematch, ben, operation):
        assert client.get(rematch, headers=ben).json["viewer"]["may"] == ["joinGame", "leaveGame"]

        method, what = {"joinGame": ("POST", "seats"), "leaveGame": ("DELETE", "seats/me")}[operation]
        assert client.open(f"{rematch}/{what}", method=method, headers=ben).status_code < 300

    def test_may_not_take_a_seat_reserved_for_another(self, client, rematch, settle):
        cem = settle("Cem")

        assert client.get(rematch, headers=cem).json["viewer"]["may"] == []
        assert client.post(f"{rematch}/seats", headers=cem).json["code"] == "game_full"

    def test_may_ask_for_a_rematch_after_resigning(self, client, at, ben):
        path = at("over")

        assert client.get(path, headers=ben).json["viewer"]["may"] == ["rematchGame"]
        assert client.post(f"{path}/rematch", headers=ben).status_code == 201


@pytest.mark.parametrize("seats, allowed", [(2, False), (3, True)])
def test_a_rated_table_keeps_two_seats_for_players(client, open_table, ana, seats, allowed):
    path = f"/v1/games/{open_table(ana, seats=seats, rated=True)['id']}"

    may = client.get(path, headers=ana).json["viewer"]["may"]
    answer = client.put(f"{path}/seats/1/computer", headers=ana)

    assert ("seatComputer" in may, answer.status_code) == (allowed, 200 if allowed else 403)


class TestExpiredTurns:
    def test_are_counted_at_the_seat_until_its_player_moves(self, client, clock, table, open_table, ana, ben):
        game = open_table(ana, seats=2, visibility="public")
        path = f"/v1/games/{game['id']}"
        client.post(f"{path}/seats", headers=ben)
        client.post(f"{path}/start", headers=ana)
        late = client.get(path, headers=ana).json["turn"]["seat"]
        clock.on(120_001)
        table.expire(table.get(game["id"]))

        assert client.get(path, headers=ana).json["seats"][late]["expiries"] == 1
        assert client.get("/v1/meta").json["limits"]["expired_turns"] == 3


def test_events_of_a_seat_say_why_it_changed(client, table, open_table, ana, ben):
    game = open_table(ana, seats=3, visibility="public")
    path = f"/v1/games/{game['id']}"
    client.post(f"{path}/seats", headers=ben)
    client.put(f"{path}/seats/2/computer", headers=ana)
    client.post(f"{path}/start", headers=ana)
    for _ in range(3):
        table.change(game["id"], lambda record: expire_turn(record, 0))
    client.post(f"{path}/seats", headers=ana)
    client.post(f"{path}/resignation", headers=ben)

    events = client.get(f"{path}/events", headers=ana).json["events"]
    told = [
        (event["seat"], event.get("reason", event.get("returned")))
        for event in events
        if event["type"] in {"seat.joined", "seat.replaced"}
    ]
    assert told == [
        *((0, False), (1, False), (2, "requested")),
        *((0, "time_ran_out"), (0, True), (1, "resigned")),
    ]
