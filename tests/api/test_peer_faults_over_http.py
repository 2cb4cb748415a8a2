"""The stories of `peer_faults` over HTTP, and what only a client can meet of them."""

import re

import pytest

from tests.stories.peer_faults import *  # noqa: F403 - pytest collects the stories here
from tests.support.tables import discard, lay_off


class TestTheTargetIsAChoice:
    @pytest.mark.parametrize("number", [0, 1])
    def test_that_is_merged_into_the_body(self, room, at, number):
        deal = at(hands=["TH 2C"], melds=["TS TD TC", "7H 8H 9H"], phase="meld")
        choice = deal.refusal(lay_off("TH")).details["choices"][number]

        made = room.post(f"{deal.path}/lay-offs", {"card": "TH", **choice})

        assert made["game"]["seats"][0]["table_points"] == 10


class TestSecrecy:
    def test_no_view_shows_another_hand_or_the_stock(self, room):
        deal = room.dealt("kitchen-table", seats=3)
        hands = [deal.hand(seat) for seat in range(3)]

        for seat in range(3):
            open_cards = {*hands[seat], *deal.pile}
            for outlet in ("", "/events", "/replay", "/legal-moves"):
                shown = room.client.get(f"{deal.path}{outlet}?as_seat={seat}", headers=room.headers).text
                found = set(re.findall(r'"([A2-9TJQK][CDHS])"', shown))
                assert found <= open_cards, outlet

    @pytest.mark.parametrize("token", [None, "Bearer x", "Bearer p0.aaaaaaaaaaaaaaaaaaaaaaaa", "Basic YTpi"])
    def test_without_a_token_there_is_no_access(self, client, room, token):
        deal = room.dealt()

        answer = client.get(deal.path, headers={"Authorization": token} if token else {})

        assert answer.status_code == 401
        assert "WWW-Authenticate" in answer.headers

    def test_the_token_of_another_player_gives_no_access(self, client, room, ben):
        deal = room.dealt()

        for method, outlet in [
            ("GET", ""),
            ("GET", "?as_seat=0"),
            ("POST", "/draw-stock"),
            ("POST", "/pass"),
        ]:
            answer = client.open(f"{deal.path}{outlet}", method=method, headers=ben)
            assert (answer.status_code, answer.json["code"]) == (404, "not_found")


class TestUnknownGames:
    @pytest.mark.parametrize(
        "game", ["g00" + "A" * 26, "nothing", "g", "g" + "0" * 80, "%00", "g00%2e%2e", "-1"]
    )
    def test_a_game_that_is_not_there_is_404_and_nothing_hangs(self, client, room, game):
        for outlet in ("", "/events", "/replay", "/legal-moves", "/rules", "/deals/1/proof"):
            assert client.get(f"/v1/games/{game}{outlet}", headers=room.headers).status_code == 404
        key = {**room.headers, "Idempotency-Key": "k"}
        for operation in ("draw-stock", "seats", "start", "abort", "resignation"):
            answer = client.post(f"/v1/games/{game}/{operation}", headers=key)
            assert answer.status_code == 404
        assert room.dealt().status == "playing"


class TestUnknownLevels:
    @pytest.mark.parametrize("level", ["genius", "", None, 3, "STEADY"])
    def test_no_seat_is_taken(self, client, open_table, ana, level):
        path = f"/v1/games/{open_table(ana, seats=2)['id']}"

        answer = client.put(f"{path}/seats/1/computer", json={"level": level}, headers=ana)

        assert (answer.status_code, answer.json["code"]) == (422, "validation_failed")
        assert client.get(path, headers=ana).json["seats"][1]["kind"] is None
        opened = client.post("/v1/games", json={"opponents": [{"level": level}]}, headers=ana)
        assert opened.status_code == 422


class TestSeatZero:
    def test_zero_and_empty_lists_are_written(self, at):
        view = at(hands=["7H 7D", "9S"], phase="meld", totals=[0, 0]).view

        assert (view["viewer"]["role"], view["viewer"]["seat"]) == ("player", 0)
        assert (view["turn"]["seat"], view["turn"]["may_act"]) == (0, [0])
        assert view["dealer"] == 0
        assert [seat["seat"] for seat in view["seats"]] == [0, 1]
        assert [(seat["table_points"], seat["total"]) for seat in view["seats"]] == [(0, 0), (0, 0)]
        assert view["melds"] == view["deals"] == []

    def test_a_winner_in_seat_zero_is_named(self, at):
        after = at(hands=["2C", "KD"], phase="meld", totals=[500, 0]).move(discard("2C"))

        assert (after.view["winners"], after.view["deals"][0]["went_out"]) == ([0], 0)


class TestStatusOfARefusal:
    def test_it_is_409_with_code_and_rule(self, room, at):
        deal = at(hands=["7H 7D", "9S"], phase="meld")

        problem = room.post(f"{deal.path}/melds", {"cards": ["7H", "7D"]}, status=409)

        assert (problem["code"], problem["rule"], problem["kind"]) == ("too_few_cards", "3.1", "illegal_move")
        assert problem["type"] == "/problems/too_few_cards"


class TestReadyForTheNextDeal:
    def test_players_answer_for_themselves_only(self, client, open_table, ana, ben, table):
        game = open_table(ana, seats=2, visibility="public", variant={"preset": "kitchen-table"})
        path = f"/v1/games/{game['id']}"
        client.post(f"{path}/seats", headers=ben)
        client.post(f"{path}/start", headers=ana)
        end_the_deal(client, path, [ana, ben])

        first = client.post(f"{path}/next-deal", headers=ana).json["game"]
        again = client.post(f"{path}/next-deal", headers=ana)

        assert (first["status"], first["turn"]["may_act"]) == ("deal_over", [1])
        assert again.status_code == 409
        assert client.post(f"{path}/next-deal?as_seat=1", headers=ana).json["code"] == "not_seated"
        assert client.post(f"{path}/next-deal", headers=ben).json["game"]["deal"] == 2


def end_the_deal(client, path, players):
    """Draw and discard until the stock is empty, then pass and discard until a player is out."""
    while (view := client.get(path, headers=players[0]).json)["status"] == "playing":
        mine = players[view["turn"]["seat"]]
        listed = client.get(f"{path}/legal-moves", headers=mine).json["moves"]
        ways = {"draw_stock": "draw-stock", "pass": "pass", "discard": "discard"}
        move = next(move for way in ways for move in listed if move["type"] == way)
        assert client.post(f"{path}/{ways[move['type']]}", json=move["body"], headers=mine).status_code == 201
