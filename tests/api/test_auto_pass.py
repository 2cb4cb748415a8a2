"""setAutoPass over HTTP: who may set it, who sees it, and what the others see."""

import pytest

PATH = "/v1/games/{}/seats/me/auto-pass"


@pytest.fixture
def three(client, open_table, ana, ben, settle):
    """Ana, Ben and Cem at a table where every discard asks the two others; the headers by seat."""
    game = open_table(ana, seats=3, visibility="public", variant={"preset": "ace-low"}, spectators="public")
    cem = settle("Cem")
    for player in (ben, cem):
        client.post(f"/v1/games/{game['id']}/seats", headers=player)
    client.post(f"/v1/games/{game['id']}/start", headers=ana)
    return game["id"], (ana, ben, cem)


@pytest.fixture
def put(client, three):
    def put(headers, *, auto_pass=True, **more):
        return client.put(PATH.format(three[0]), json={"auto_pass": auto_pass}, headers={**headers, **more})

    return put


def read(client, three, seat):
    headers = three[1][seat] if seat is not None else {}
    return client.get(f"/v1/games/{three[0]}", headers=headers).json


def discard(client, three):
    """Draw and discard for the seat whose turn it is; return its seat and the answer."""
    seat = read(client, three, 0)["turn"]["seat"]
    headers = three[1][seat]
    client.post(f"/v1/games/{three[0]}/draw-stock", headers=headers)
    card = read(client, three, seat)["you"]["hand"][0]
    return seat, client.post(f"/v1/games/{three[0]}/discard", json={"card": card}, headers=headers).json


class TestSettingIt:
    def test_shows_it_to_the_player_alone(self, client, three, put, settle):
        answer = put(three[1][1])

        assert answer.status_code == 200
        assert (answer.json["viewer"]["role"], answer.json["viewer"]["seat"]) == ("player", 1)
        assert answer.json["auto_pass"] is True
        assert answer.headers["ETag"] == f'"{answer.json["version"]}"'
        assert [read(client, three, seat)["auto_pass"] for seat in range(3)] == [False, True, False]
        watching = client.get(f"/v1/games/{three[0]}", headers=settle("Dan")).json
        assert (watching["viewer"]["seat"], watching["auto_pass"]) == (None, None)
        for shown in (read(client, three, 0), watching):
            assert "auto_pass" not in str(shown["seats"])

    def test_leaves_what_others_see_as_it_is(self, client, three, put):
        before = read(client, three, 0)
        events = client.get(f"/v1/games/{three[0]}/events", headers=three[1][0]).json

        put(three[1][1])

        after = read(client, three, 0)
        changing = ("version", "updated_at", "server_time")
        assert {name: after[name] for name in after if name not in changing} == {
            name: before[name] for name in before if name not in changing
        }
        assert client.get(f"/v1/games/{three[0]}/events", headers=three[1][0]).json == events

    def test_twice_changes_nothing_the_second_time(self, three, put):
        first = put(three[1][1]).json

        assert put(three[1][1]).json["version"] == first["version"]
        assert put(three[1][1], auto_pass=False).json["version"] == first["version"] + 1

    def test_overtakes_no_move_of_others(self, client, three, put):
        game = read(client, three, 0)
        seat, version = game["turn"]["seat"], game["version"]
        put(three[1][(seat + 1) % 3])

        answer = client.post(
            f"/v1/games/{three[0]}/draw-stock", headers={**three[1][seat], "If-Match": f'"{version}"'}
        )

        assert answer.status_code == 201

    def test_checks_the_version_it_is_for(self, client, three, put):
        discard(client, three)

        assert put(three[1][1], **{"If-Match": '"1"'}).json["code"] == "version_conflict"

    def test_needs_a_seat(self, three, put, settle):
        assert put(settle("Dan")).json["code"] == "not_seated"

    def test_ends_with_the_game(self, client, three, put):
        for seat in range(3):
            client.post(f"/v1/games/{three[0]}/resignation", json={}, headers=three[1][seat])

        assert put(three[1][2]).json["code"] == "game_over"

    @pytest.mark.parametrize("body", [{}, {"auto_pass": None}, {"auto_pass": "yes"}, {"auto_pass": 1}])
    def test_is_a_boolean(self, client, three, body):
        answer = client.put(PATH.format(three[0]), json=body, headers=three[1][1])

        assert (answer.status_code, answer.json["code"]) == (422, "validation_failed")


class TestACallWindow:
    def test_is_passed_in_the_version_in_which_it_opens(self, client, three, put):
        seat = read(client, three, 0)["turn"]["seat"]
        following, last = (seat + 1) % 3, (seat + 2) % 3
        put(three[1][last])

        _, answer = discard(client, three)

        assert [event["type"] for event in answer["events"]] == [
            "card.discarded",
            "call_window.opened",
            "turn.passed",
        ]
        assert answer["events"][1]["asked"] == [following, last]
        assert answer["game"]["turn"]["may_act"] == [following]

    def test_never_stays_open_for_players_who_all_let_it_pass(self, client, three, put):
        for headers in three[1]:
            put(headers)

        seat, answer = discard(client, three)

        assert answer["game"]["phase"] == "draw"
        assert answer["game"]["turn"]["seat"] == (seat + 1) % 3

    def test_asks_again_once_it_is_off(self, client, three, put):
        for headers in three[1]:
            put(headers)
            put(headers, auto_pass=False)

        seat, answer = discard(client, three)

        assert answer["game"]["turn"]["may_act"] == [(seat + 1) % 3, (seat + 2) % 3]
