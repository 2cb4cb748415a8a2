"""The stories of `bug_cases` over HTTP, and what only a client can meet of them."""

import pytest

from tests.stories.bug_cases import *  # noqa: F403 - pytest collects the stories here
from tests.support.tables import discard, draw_stock, hand, lay, next_deal, take_discard


@pytest.fixture
def people(client, open_table, settle):
    """Open a game with people in all seats, and return its path and the headers of each."""

    def people(*names, preset="classic", **body):
        headers = [settle(name) for name in names]
        game = open_table(
            headers[0], seats=len(names), visibility="public", variant={"preset": preset}, **body
        )
        path = f"/v1/games/{game['id']}"
        for one in headers[1:]:
            assert client.post(f"{path}/seats", headers=one).status_code == 201
        assert client.post(f"{path}/start", headers=headers[0]).status_code == 200
        return path, headers

    return people


class TestTheSameMoveSentTwice:
    @pytest.fixture
    def joker(self, at):
        return at(hands=["X1 QC KD"], melds=["5S 6S 7S"], phase="meld", jokers_per_pack=2)

    BODY = {"card": "X1", "meld_id": "m1", "stands_for": "8S"}  # noqa: RUF012 - never changed

    def test_under_one_key_gets_the_same_answer(self, room, joker):
        first, second, third = (
            room.post(f"{joker.path}/lay-offs", self.BODY, **{"Idempotency-Key": "lay"}) for _ in range(3)
        )

        assert first == second == third
        (meld,) = room.get(joker.path)["melds"]
        assert [laid["card"] for laid in meld["cards"]] == ["5S", "6S", "7S", "X1"]

    def test_under_another_key_is_refused(self, room, joker):
        room.post(f"{joker.path}/lay-offs", self.BODY, **{"Idempotency-Key": "one", "If-Match": '"1"'})

        stale = {"Idempotency-Key": "two", "If-Match": '"1"'}
        assert room.post(f"{joker.path}/lay-offs", self.BODY, status=412, **stale)["current_version"] == 2
        late = room.post(f"{joker.path}/lay-offs", self.BODY, status=409, **{"Idempotency-Key": "three"})
        assert late["code"] == "meld_is_fixed"

    def test_a_draw_draws_once(self, room, at):
        deal = at(hands=["KC 9S"], stock=12)
        key = {"Idempotency-Key": "draw-1", "If-Match": '"1"'}

        first, second = (room.post(f"{deal.path}/draw-stock", **key) for _ in range(2))

        assert first == second
        view = room.get(deal.path)
        assert (view["stock_count"], view["phase"], len(view["you"]["hand"])) == (11, "meld", 3)

    def test_a_discard_ends_one_turn(self, room, at):
        deal = at(hands=["3C 4D", "3D", "3H", "3S"], phase="meld")
        path = f"{deal.path}/discard?as_seat=0"

        room.post(path, {"card": "3C"})

        for number in range(4):
            late = room.post(path, {"card": "3C"}, status=409, **{"Idempotency-Key": f"click-{number}"})
            assert late["code"] == "not_your_turn"
        view = room.get(deal.path)
        assert (view["turn"]["seat"], view["version"]) == (1, 2)

    def test_a_winning_move_ends_one_deal(self, room, at):
        deal = at(hands=["6C", "9D"], melds=["3C 4C 5C"], phase="meld")
        key = {"Idempotency-Key": "win", "If-Match": '"1"'}

        first, again = (
            room.post(f"{deal.path}/lay-offs", {"card": "6C", "meld_id": "m1"}, **key) for _ in range(2)
        )

        assert first == again
        assert [event["type"] for event in first["events"]] == [
            "card.laid_off",
            "player.went_out",
            "deal.ended",
        ]
        (result,) = room.get(deal.path)["deals"]
        assert (result["went_out"], [seat["score"] for seat in result["seats"]]) == (0, [6, 3])


class TestMovesForOtherPlayers:
    def test_only_the_player_whose_turn_it_is_moves(self, client, people):
        path, headers = people("Ana", "Ben", "Cem")
        seat = client.get(path, headers=headers[0]).json["turn"]["seat"]

        for number, other in enumerate(headers):
            answer = client.post(f"{path}/draw-stock", headers=other)
            if number != seat:
                assert (answer.status_code, answer.json["code"]) == (409, "not_your_turn")
            else:
                assert answer.status_code == 201
                seat = None

    def test_no_player_moves_for_another(self, client, people):
        path, headers = people("Ana", "Ben")

        answer = client.post(f"{path}/draw-stock?as_seat=1", headers=headers[0])

        assert (answer.status_code, answer.json["code"]) == (403, "not_seated")

    def test_there_is_no_move_while_the_table_waits_for_players(self, client, open_table, ana):
        game = open_table(ana, seats=2)

        for operation in ("draw-stock", "pass", "keep", "next-deal"):
            answer = client.post(f"/v1/games/{game['id']}/{operation}", headers=ana)
            assert (answer.status_code, answer.json["code"]) == (409, "wrong_phase")


class TestWhatAnAnswerShows:
    def test_the_card_a_joker_stands_for(self, at):
        laid = at(hands=["4C X1 6C 9D"], phase="meld", jokers_per_pack=2).move(lay("4C X1=5C 6C"))

        assert laid.view["melds"][0]["cards"][1] == {"card": "X1", "laid_by": 0, "stands_for": "5C"}

    def test_no_turn_after_the_end(self, at):
        over = at(hands=["2C", "KD"], phase="meld", totals=[500, 0]).move(discard("2C"))

        assert (over.view["turn"], over.view["phase"]) == (None, None)
        assert over.refused(next_deal()) == "game_over"

    @pytest.mark.parametrize("way", ["reshuffle", "flip"])
    def test_not_the_order_of_a_renewed_stock(self, at, way):
        deal = at(hands=["KC", "KD 9S"], pile="2C 7S QH 4D", stock=0, stock_empty=way).move(draw_stock())

        assert deal.told("stock.renewed", "order") == [None]

    def test_the_hands_of_the_first_deal_and_not_those_of_the_second(self, room, at):
        first = at(hands=["2C", "KD QD"], phase="meld").move(discard("2C"))
        assert first.result.seats[1].hand == hand("KD QD")

        second = first.move(next_deal())

        hidden = set(second.hand(1)) - {*second.hand(0), *second.pile, *hand("2C KD QD")}
        for outlet in ("?as_seat=0", "/events?as_seat=0", "/replay?as_seat=0", "/legal-moves?as_seat=0"):
            answer = room.get(f"{second.path}{outlet}")
            shown = str(answer["deals"][1] if outlet.startswith("/replay") else answer)
            assert not [card for card in hidden if f"'{card}'" in shown], outlet
        # A proof lists the whole pack, in an order that no card is dealt in.
        proof = str({**room.get(f"{second.path}/deals/2/proof"), "pack": []})
        assert not [card for card in hidden if f"'{card}'" in proof]

    def test_the_drawn_card_only_to_the_seat_that_drew(self, room, at):
        deal = at(hands=["KC", "KD"], stock="6D 7S").move(draw_stock())
        assert deal.told("stock.drawn", "card") == ["6D"]

        for outlet in ("", "/events", "/replay"):
            mine = room.client.get(f"{deal.path}{outlet}?as_seat=0", headers=room.headers).text
            theirs = room.client.get(f"{deal.path}{outlet}?as_seat=1", headers=room.headers).text
            assert ('"6D"' in mine, '"6D"' in theirs) == (True, False)

    def test_a_take_to_every_seat(self, room, at):
        deal = at(preset="kitchen-table", hands=["KC", "KD"], pile="6D").move(take_discard("6D"))

        assert room.get(f"{deal.path}/events?as_seat=1")["events"][-1] == deal.events[-1]

    def test_two_games_that_differ_in_hidden_cards_alike(self, at):
        one = at(hands=["KC QC", "KD QD"], pile="2C", stock="4S 5S 6S").move(draw_stock())
        other = at(hands=["JC TC", "KD QD"], pile="2C", stock="9S 8S 7S").move(draw_stock())

        apart = {"id": "", "invite_code": ""}
        assert {**one.seen_by(1), **apart} == {**other.seen_by(1), **apart}


class TestSpectators:
    def test_they_read_and_make_no_move(self, client, people, settle):
        path, headers = people("Ana", "Ben", spectators="public")
        watcher = settle("Eve")

        view = client.get(path, headers=watcher).json

        assert (view["viewer"]["role"], view["you"]) == ("spectator", None)
        for operation in ("draw-stock", "pass", "keep", "next-deal", "resignation"):
            for query in ("", "?as_seat=0", "?dry_run=true"):
                answer = client.post(f"{path}/{operation}{query}", headers=watcher)
                assert (answer.status_code, answer.json["code"]) == (403, "not_seated")
        for query in ("", "?as_seat=0"):
            assert client.get(f"{path}/legal-moves{query}", headers=watcher).status_code == 403
        assert client.get(path, headers=headers[0]).json["version"] == view["version"]

    def test_a_player_cannot_read_as_another_seat(self, client, people):
        path, headers = people("Ana", "Ben", spectators="public")

        for seat, mine in enumerate(headers):
            other = client.get(f"{path}?as_seat={1 - seat}", headers=mine)
            assert (other.status_code, other.json["code"]) == (403, "not_seated")
            assert (
                client.get(path, headers=mine).json["viewer"]["role"],
                client.get(path, headers=mine).json["viewer"]["seat"],
            ) == ("player", seat)

    @pytest.mark.parametrize("outlet", ["", "/events", "/replay", "/rules", "/legal-moves", "/deals/1/proof"])
    def test_a_private_game_does_not_exist_for_strangers(self, client, open_table, ana, ben, outlet):
        game = open_table(ana, opponents=[{}])

        hidden = client.get(f"/v1/games/{game['id']}{outlet}", headers=ben)
        none = client.get(f"/v1/games/{'g00' + 'A' * 26}{outlet}", headers=ben)

        assert hidden.status_code == none.status_code == 404
        assert hidden.json["detail"] == none.json["detail"]


class TestReloadingThrowsThePlayerOut:
    def test_with_the_token_everything_is_as_before(self, app, contract, room, at):
        deal = at(hands=["6S 6H KC 2S", "9D"], pile="6C 2D", melds=["0: TS TD TC"], totals=[265, -35]).move(
            take_discard("6C")
        )
        before = deal.seen_by(0)

        fresh = app.test_client()
        fresh.contract = contract
        reloaded = fresh.get(deal.path, headers=room.headers).json

        assert {**reloaded, "server_time": ""} == {**before, "server_time": ""}
        assert (reloaded["seats"][0]["total"], reloaded["seats"][0]["table_points"]) == (265, 30)
        assert reloaded["turn"]["must_use"] == "6C"

    def test_the_name_alone_gives_no_access(self, client, people, settle):
        path, headers = people("Ana", "Ben")
        namesake = settle("Ben")

        assert client.post(f"{path}/seats", headers=namesake).json["code"] == "already_started"
        assert client.get(path, headers=namesake).json["code"] == "not_seated"
        assert client.get(path, headers=headers[1]).json["viewer"]["seat"] == 1

    def test_no_player_gets_two_seats(self, client, open_table, ana, ben):
        path = f"/v1/games/{open_table(ana, seats=3, visibility='public')['id']}"
        client.post(f"{path}/seats", headers=ben)

        client.post(f"{path}/seats", headers=ben)

        seated = [seat["kind"] for seat in client.get(path, headers=ana).json["seats"]]
        assert seated == ["human", "human", None]


class TestGameWaitsForAPlayerWhoLeft:
    def test_a_computer_plays_on(self, client, people, turns):
        path, headers = people("Ana", "Ben", "Cem", "Dan")
        seat = client.get(path, headers=headers[0]).json["turn"]["seat"]

        answer = client.post(f"{path}/resignation", headers=headers[seat])

        assert answer.status_code == 201
        after = client.get(path, headers=headers[(seat + 1) % 4]).json
        assert (after["seats"][seat]["kind"], after["status"]) == ("computer", "playing")
        assert turns.asked[-1][1] == after["version"]


class TestUndo:
    def test_no_operation_takes_anything_back(self, contract):
        moves = [name for name, one in contract.operations.items() if one["tags"] == ["moves"]]

        assert sorted(moves) == [
            "callRummy",
            "discardCard",
            "drawStock",
            "keepCard",
            "layMeld",
            "layOff",
            "passDraw",
            "playTurn",
            "readyForNextDeal",
            "resignGame",
            "takeDiscard",
        ]


class TestSeatLimit:
    def test_a_full_table_refuses_more_players(self, client, open_table, settle, ana):
        path = f"/v1/games/{open_table(ana, seats=4, visibility='public')['id']}"

        answers = [client.post(f"{path}/seats", headers=settle(f"P{number}")) for number in range(6)]

        assert [answer.status_code for answer in answers] == [201, 201, 201, 409, 409, 409]
        assert {answer.json["code"] for answer in answers[3:]} == {"game_full"}
        view = client.post(f"{path}/start", headers=ana).json
        assert sum(seat["hand_count"] for seat in view["seats"]) + view["stock_count"] + 1 == 52


class TestPredictableShuffle:
    def test_the_seed_of_a_running_deal_is_not_published(self, client, open_table, ana):
        path = f"/v1/games/{open_table(ana, opponents=[{}])['id']}"

        proof = client.get(f"{path}/deals/1/proof", headers=ana).json

        assert proof["seed"] is None
        assert len(proof["commitment"]) == 64

    def test_no_player_chooses_the_seed_of_a_real_game(self, client, ana):
        answer = client.post("/v1/games", json={"opponents": [{}], "seed": "1"}, headers=ana)

        assert (answer.status_code, answer.json["code"]) == (422, "sandbox_only")

    def test_no_two_games_are_dealt_alike(self, open_table, ana):
        dealt = {tuple(open_table(ana, opponents=[{}])["you"]["hand"]) for _ in range(20)}

        assert len(dealt) == 20
