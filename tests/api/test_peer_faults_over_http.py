"""What other Rummy 500 programs do wrong, as a client would meet it here; each with others of its kind.

Numbers are those of the collection of faults, which `tests/rules` plays through the rules. What
takes several processes or a stream to go wrong stands in `ELSEWHERE`.
"""

import re
import sys

import pytest

from tests.support.http_tables import OverHttp
from tests.support.tables import (
    call,
    cards,
    discard,
    draw_stock,
    hand,
    lay,
    lay_off,
    next_deal,
    pass_,
    take_discard,
)

FAULTS = frozenset({1, 2, 3, 4, 5, 7, 8, 10, 11, 12, 14, 15, 16, 17, 19, 20, 21, 22, 24, 25, 27, 28, 29})
FAULTS |= {31, 32, 33, 35, 36, 37, 39}
ELSEWHERE = {
    32: "a reader that stops reading takes a server with sockets: tests/e2e",
    37: "two requests at the same moment take two processes: tests/e2e",
}
DISCARD_REQUIRED = {"going_out": "discard_required"}


def test_every_fault_is_here_or_elsewhere():
    told = " ".join(
        one.__doc__ or "" for one in vars(sys.modules[__name__]).values() if isinstance(one, type)
    )
    here = {int(number) for number in re.findall(r"Fault (\d+)", told)}

    assert here | set(ELSEWHERE) == FAULTS
    assert not here & set(ELSEWHERE)


@pytest.fixture
def room(client, ana):
    return OverHttp(client, ana)


@pytest.fixture
def at(room):
    """Set a table in a position."""
    return room.table


class TestTheDeepestCardIsOwed:
    """Fault 1, Fault 2, Fault 3, Fault 7, Fault 8"""

    def test_the_deepest_is_owed_not_the_top(self, at):
        taken = at(hands=["5H 5D KS 2C"], pile="5C 9D JC").move(take_discard("5C"))
        assert taken.must_use == "5C"
        assert taken.refused(discard("KS")) == "must_use_taken_card"

        after = taken.move(lay("5H 5D 5C"), discard("KS"))

        assert (after.pile, after.hand(0)) == (cards("KS"), hand("2C 9D JC"))

    def test_a_deepest_card_without_use_is_not_taken(self, at):
        deal = at(hands=["JH JD KS 2C"], pile="4C 9D JC")

        assert deal.refused(take_discard("4C")) == "deepest_card_unusable"
        assert deal.takes() == ["JC"]

    def test_another_meld_does_not_pay_for_it(self, at):
        deal = at(hands=["5H 5D KS 9C 9S"], pile="5C 9D JC").move(take_discard("5C"), lay("9C 9S 9D"))

        assert deal.must_use == "5C"
        assert deal.refused(discard("KS")) == "must_use_taken_card"

    def test_one_rule_for_every_way_to_the_card(self, at):
        deal = at(hands=["3H 4H 5H KD"], pile="2S 9C")

        for code, place in [("9C", None), ("9C", 1), ("2S", None), ("2S", 0)]:
            assert deal.refused(take_discard(code, place)) == "deepest_card_unusable"
        assert deal.takes() == []


class TestTheLastCardsAreOwed:
    """Fault 4"""

    def test_out_with_the_card_just_taken(self, at):
        deal = at(hands=["7H 7D"], pile="7C").move(take_discard("7C"), lay("7H 7D 7C"))

        assert deal.result.went_out == 0

    @pytest.mark.parametrize(
        "hands, pile, melds", [("7H 7D", "7C", []), ("8S", "9S", ["5S 6S 7S"]), ("6S 7S", "8S 9S", [])]
    )
    def test_where_a_discard_is_demanded_the_take_is_refused(self, at, hands, pile, melds):
        deal = at(hands=[hands], pile=pile, melds=melds, **DISCARD_REQUIRED)

        code = pile.split()[-1]
        assert deal.refused(take_discard(code)) in {"must_keep_a_discard", "deepest_card_unusable"}
        assert code not in deal.takes()

    @pytest.mark.parametrize("hands, pile, left", [("7H 7D KS", "7C", "KS"), ("7H 7D", "7C 2S", "2S")])
    def test_one_card_more_makes_it_lawful(self, at, hands, pile, left):
        deal = at(hands=[hands], pile=pile, **DISCARD_REQUIRED)

        after = deal.move(take_discard("7C"), lay("7H 7D 7C"), discard(left))

        assert after.result.went_out == 0


class TestSpendingThePartner:
    """Fault 4b"""

    def test_the_meld_that_would_strand_the_card_is_refused(self, at):
        deal = at(hands=["5H 5D 6H 7H KS"], pile="5C").move(take_discard("5C"))

        assert deal.refused(lay("5H 6H 7H")) == "would_strand_taken_card"
        assert deal.move(lay("5H 5D 5C")).discards() == ["6H", "7H", "KS"]

    def test_so_is_a_lay_off(self, at):
        deal = at(hands=["5H 5D KS"], pile="5C", melds=["6H 7H 8H"]).move(take_discard("5C"))

        assert deal.refused(lay_off("5H", "m1")) == "would_strand_taken_card"

    def test_so_is_a_joker_in_its_place(self, at):
        deal = at(hands=["X1 KS 2D"], pile="9S", melds=["6S 7S 8S"], jokers_per_pack=2).move(
            take_discard("9S")
        )

        assert deal.refused(lay_off("X1=9S", "m1")) == "would_strand_taken_card"
        assert deal.move(lay_off("9S", "m1"), lay_off("X1=TS", "m1")).points(0) == 24


class TestALargeHand:
    """Fault 5"""

    def test_a_hand_above_the_deal_draws_as_usual(self, at):
        deal = at(hands=["5H 5D KS QD JH 2C 3C", "4H", "9S"], pile="5C 9D JC 8D 2D 3H")
        after = deal.move(take_discard("5C"), lay("5H 5D 5C"), discard("KS"))
        assert len(after.hand(0)) == 9
        second = after.hand(1)[0]

        again = after.move(draw_stock(), discard(second), draw_stock(), discard("9S"), draw_stock())

        assert len(again.hand(0)) == 10


class TestSetsAreNoRuns:
    """Fault 10"""

    def test_a_neighbour_does_not_fit_onto_a_set(self, at):
        deal = at(hands=["6H 8S KD"], melds=["7H 7C 7S"], phase="meld")

        assert {deal.refused(lay_off(code, "m1")) for code in ("6H", "8S")} == {"not_adjacent"}
        assert not [move for move in deal.lawful() if move["type"] == "lay_off"]

    def test_nor_is_a_run_a_set(self, at):
        assert at(hands=["7D KD"], melds=["6H 7H 8H"], phase="meld").refused(lay_off("7D", "m1")) == (
            "mixed_suits"
        )


class TestRoundTheCorner:
    """Fault 11"""

    @pytest.mark.parametrize("preset", ["classic", "cardcouch", "kitchen-table", "jokers"])
    def test_the_high_ace_ends_the_run(self, at, preset):
        deal = at(preset=preset, hands=["AS 2S KD"], melds=["JS QS KS"], phase="meld")

        assert deal.move(lay_off("AS", "m1")).refused(lay_off("2S", "m1")) == "round_the_corner"

    @pytest.mark.parametrize("preset", ["classic", "cardcouch", "ace-low", "basic-rummy"])
    def test_the_low_ace_begins_it(self, at, preset):
        deal = at(preset=preset, hands=["KS 9D"], melds=["AS 2S 3S"], phase="meld")

        assert deal.refused(lay_off("KS", "m1")) == "round_the_corner"


class TestAcesAtBothEnds:
    """Fault 12"""

    @pytest.mark.parametrize("codes, worth", [("QS KS AS", 35), ("AS 2S 3S", 6)])
    @pytest.mark.parametrize("preset", ["classic", "cardcouch", "jokers", "kitchen-table"])
    def test_either_run_is_one(self, at, preset, codes, worth):
        assert at(preset=preset, hands=[f"{codes} 9D"], phase="meld").move(lay(codes)).points(0) == worth


class TestTheTargetIsNotGuessed:
    """Fault 14"""

    def test_each_choice_merged_into_the_body_is_lawful(self, room, at):
        for number in range(2):
            deal = at(hands=["TH 2C"], melds=["TS TD TC", "7H 8H 9H"], phase="meld")
            choices = deal.refusal(lay_off("TH")).details["choices"]
            assert choices == [{"meld_id": "m1"}, {"meld_id": "m2"}]

            made = room.post(f"{deal.path}/lay-offs", {"card": "TH", **choices[number]})

            assert made["game"]["seats"][0]["table_points"] == 10


class TestTheLayerScores:
    """Fault 15"""

    def test_whoever_lays_off_gets_the_points(self, at):
        deal = at(hands=["7S"], melds=["7H 7D 7C"], phase="meld").move(lay_off("7S", "m1"))

        assert [seat.table_points for seat in deal.result.seats] == [7, 21]
        assert [seat.table for seat in deal.result.seats] == [cards("7S"), cards("7H 7D 7C")]

    def test_also_at_the_low_end_of_a_run(self, at):
        deal = at(hands=["6S KD"], melds=["7S 8S 9S"], phase="meld").move(lay_off("6S", "m1"))

        assert (deal.points(0), deal.points(1)) == (6, 24)


class TestTheLowAce:
    """Fault 16"""

    def test_it_counts_one_at_the_end_of_the_deal(self, at):
        deal = at(hands=["9D"], melds=["0: AC 2C 3C"], phase="meld").move(discard("9D"))

        assert deal.scores[0] == 6


class TestOneJokerThreeTimes:
    """Fault 17"""

    @pytest.mark.parametrize("codes", ["X1=7S X1=7H X1=7D", "7C X1=7S X1=7H", "7C 7C 7C", "7C 7D 7D"])
    def test_no_card_counts_twice(self, at, codes):
        deal = at(preset="jokers", hands=["X1 7C 7D KD"], phase="meld")

        assert deal.refused(lay(codes)) == "repeated_card"


class TestTwinsInASet:
    """Fault 19"""

    def test_as_the_game_has_it(self, at):
        position = {"seats": 5, "hands": ["7H 7H 7C KD"], "phase": "meld"}

        assert at(**position).refused(lay("7H 7H 7C")) == "duplicate_suit"
        assert at(preset="kitchen-table", **position).move(lay("7H 7H 7C")).points(0) == 21

    def test_any_suits_but_four_at_most(self, at):
        deal = at(seats=5, hands=["7H 7H 7C 7D 7S KD"], phase="meld", set_distinct_suits=False)

        assert deal.refused(lay("7H 7H 7C 7D 7S")) == "set_too_large"
        assert deal.move(lay("7H 7H 7C 7D")).points(0) == 28


class TestDrawFirst:
    """Fault 20"""

    def test_nothing_comes_before_the_draw(self, at):
        deal = at(hands=["7H 7D 7C 2S"], pile="9D", melds=["3S 4S 5S"])

        for move in (discard("2S"), lay("7H 7D 7C"), lay_off("2S", "m1")):
            assert deal.refused(move) == "draw_first"


class TestOutOfTurn:
    """Fault 21"""

    def test_the_turn_stays_where_it_was(self, at):
        deal = at(hands=["7H 7D", "9S", "KC"], phase="meld")

        assert deal.refused(discard("KC"), by=2) == "not_your_turn"
        assert deal.refused(discard("9S"), by=1) == "not_your_turn"


class TestTheStockIsGone:
    """Fault 22"""

    @pytest.mark.parametrize("way", ["take_or_end", "end_at_once"])
    def test_the_service_ends_the_deal_after_the_last_draw(self, at, way):
        deal = at(hands=["KC 2D", "9D 9C"], pile="4H", stock="3S", stock_empty=way)

        after = deal.move(draw_stock(), discard("KC"))

        assert (after.result.reason, after.scores) == ("stock_end", (-5, -18))

    @pytest.mark.parametrize("way", ["reshuffle", "flip"])
    def test_a_pile_of_one_card_is_stock_enough(self, at, way):
        deal = at(hands=["KC 2D", "9D 9C"], pile="4H", stock=0, stock_empty=way)

        after = deal.move(draw_stock())

        assert after.hand(0) == hand("2D 4H KC")
        assert (after.stock_count, after.pile) == (0, ())

    def test_play_goes_on_from_the_hand(self, at):
        deal = at(preset="kitchen-table", hands=["KC 2D", "9D 9C"], pile="4H", stock=0)

        assert deal.refused(draw_stock()) == "stock_empty"
        assert deal.move(pass_(), discard("KC")).to_move == (1, "draw")

    @pytest.mark.parametrize("way", ["take_or_end", "reshuffle", "flip", "end_at_once", "play_on"])
    def test_with_both_piles_gone_a_pass_ends_the_deal(self, at, way):
        deal = at(hands=["KC 2D", "9D 9C"], pile="", stock=0, stock_empty=way)

        assert [move["type"] for move in deal.lawful()] == ["pass"]
        assert deal.move(pass_()).result.reason == "stock_end"


class TestOutWithoutADiscard:
    """Fault 24"""

    def test_the_deal_ends_with_the_last_card(self, at):
        deal = at(hands=["7H 7D 7C", "KD"], phase="meld").move(lay("7H 7D 7C"))

        assert (deal.result.went_out, deal.scores) == (0, (21, -10))

    def test_where_a_discard_is_demanded_the_meld_is_refused(self, at):
        deal = at(hands=["7H 7D 7C", "KD"], phase="meld", **DISCARD_REQUIRED)

        assert deal.refused(lay("7H 7D 7C")) == "must_keep_a_discard"
        assert deal.discards() == ["7C", "7D", "7H"]


class TestWhoWins:
    """Fault 25"""

    @pytest.mark.parametrize(
        "totals, options, winners",
        [
            ([505, 522], {}, (1,)),
            ([510, 512], {}, None),
            ([510, 512], {"tie": "draw"}, ()),
            ([498, 501], {}, None),
            ([498, 502], {}, (1,)),
            ([-40, 502], {"must_go_out_to_win": True}, None),
        ],
    )
    def test_the_totals_decide(self, at, totals, options, winners):
        after = at(hands=["2C", "2D"], phase="meld", totals=totals, **options).move(discard("2C"))

        assert after.winners == winners
        assert after.status == ("deal_over" if winners is None else "finished")


class TestEveryCardOfEveryHandCounts:
    """Fault 27"""

    def test_penalties_go_on_after_a_court_card(self, at):
        deal = at(hands=["9S", "KH 4C", "9D"], phase="meld", scoring="penalty", target=100)

        assert deal.move(discard("9S")).scores == (0, 14, 9)

    def test_so_they_do_under_the_standard_count(self, at):
        assert at(hands=["9S", "KH 4C", "9D"], phase="meld").move(discard("9S")).scores == (0, -14, -9)


class TestCallsInTheMiddleOfATurn:
    """Fault 28"""

    @pytest.mark.parametrize("phase", ["draw", "meld"])
    def test_a_discard_is_called_before_the_next_draw_only(self, at, phase):
        deal = at(
            hands=["9C 9D", "KC KD", "QC JH"],
            pile="4C 5D",
            melds=["2D 3D 4D"],
            phase=phase,
            call_rummy="any_meld",
        )

        assert deal.refused(call("5D", lay_off("5D", "m1")), by=2) == "call_window_closed"

    def test_the_next_player_waits_for_the_window(self, at):
        deal = at(
            hands=["5D 9D", "KC KD", "QC JH"],
            pile="4C",
            melds=["2D 3D 4D"],
            phase="meld",
            call_rummy="table_or_pile",
        ).move(discard("5D"))

        assert deal.to_move == (1, "rummy_call")
        assert deal.refused(draw_stock(), by=1) == "call_window_open"
        assert deal.move(pass_()).move(draw_stock()).to_move == (1, "meld")

    def test_the_called_card_is_laid_and_the_turn_order_kept(self, at):
        called = at(
            hands=["9D", "KC KD", "QC JH"],
            pile="4C 5D",
            melds=["2D 3D 4D"],
            phase="rummy_call",
            turn=1,
            discarder=0,
            call_rummy="table_or_pile",
        ).move(call("5D", lay_off("5D", "m1")), by=2)

        assert (called.hand(2), called.pile) == (hand("QC JH"), cards("4C"))
        assert called.happened == ["rummy.called", "card.laid_off"]
        assert called.move(discard("QC")).to_move[0] == 0


class TestSecrecy:
    """Fault 29"""

    def test_no_view_shows_another_hand_or_the_stock(self, room):
        deal = room.dealt("kitchen-table", seats=3)
        hands = [deal.hand(seat) for seat in range(3)]

        for seat in range(3):
            open_cards = {*hands[seat], *deal.pile}
            for outlet in ("", "/events", "/replay", "/legal-moves"):
                shown = room.client.get(f"{deal.path}{outlet}?as_seat={seat}", headers=room.headers).text
                told = set(re.findall(r'"([A2-9TJQK][CDHS])"', shown))
                assert told <= open_cards, outlet

    @pytest.mark.parametrize("token", [None, "Bearer x", "Bearer p0.aaaaaaaaaaaaaaaaaaaaaaaa", "Basic YTpi"])
    def test_without_a_token_there_is_nothing(self, client, room, token):
        deal = room.dealt()

        answer = client.get(deal.path, headers={"Authorization": token} if token else {})

        assert answer.status_code == 401
        assert "WWW-Authenticate" in answer.headers

    def test_another_ones_token_is_no_use(self, client, room, ben):
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
    """Fault 31"""

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
    """Fault 33"""

    @pytest.mark.parametrize("level", ["genius", "", None, 3, "STEADY"])
    def test_no_seat_is_taken(self, client, open_table, ana, level):
        path = f"/v1/games/{open_table(ana, seats=2)['id']}"

        answer = client.put(f"{path}/seats/1/computer", json={"level": level}, headers=ana)

        assert (answer.status_code, answer.json["code"]) == (422, "validation_failed")
        assert client.get(path, headers=ana).json["seats"][1]["kind"] is None
        opened = client.post("/v1/games", json={"opponents": [{"level": level}]}, headers=ana)
        assert opened.status_code == 422


class TestSeatNought:
    """Fault 35"""

    def test_nought_and_nothing_are_said(self, at):
        view = at(hands=["7H 7D", "9S"], phase="meld", totals=[0, 0]).view

        assert view["viewer"] == {"role": "player", "seat": 0}
        assert (view["turn"]["seat"], view["turn"]["may_act"]) == (0, [0])
        assert view["dealer"] == 0
        assert [seat["seat"] for seat in view["seats"]] == [0, 1]
        assert [(seat["table_points"], seat["total"]) for seat in view["seats"]] == [(0, 0), (0, 0)]
        assert view["melds"] == view["deals"] == []

    def test_a_seat_nought_that_wins_is_named(self, at):
        after = at(hands=["2C", "KD"], phase="meld", totals=[500, 0]).move(discard("2C"))

        assert (after.view["winners"], after.view["deals"][0]["went_out"]) == ([0], 0)


class TestStatusOfARefusal:
    """Fault 36"""

    def test_it_is_409_with_code_and_rule(self, room, at):
        deal = at(hands=["7H 7D", "9S"], phase="meld")

        problem = room.post(f"{deal.path}/melds", {"cards": ["7H", "7D"]}, status=409)

        assert (problem["code"], problem["rule"], problem["kind"]) == ("too_few_cards", "3.1", "illegal_move")
        assert problem["type"] == "/problems/too_few_cards"


class TestTheNextDealInMidDeal:
    """Fault 39"""

    def test_it_is_refused_and_nothing_is_wiped(self, at):
        deal = at(hands=["7H 7D", "9S"], phase="meld")

        for seat in (0, 1):
            assert deal.refused(next_deal(), by=seat) == "wrong_phase"
        assert deal.hand(0) == hand("7H 7D")

    def test_one_is_ready_for_oneself_only(self, client, open_table, ana, ben, table):
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
    """Draw and throw until the stock has run out, then pass and throw until somebody is out."""
    while (view := client.get(path, headers=players[0]).json)["status"] == "playing":
        mine = players[view["turn"]["seat"]]
        listed = client.get(f"{path}/legal-moves", headers=mine).json["moves"]
        ways = {"draw_stock": "draw-stock", "pass": "pass", "discard": "discard"}
        move = next(move for way in ways for move in listed if move["type"] == way)
        assert client.post(f"{path}/{ways[move['type']]}", json=move["body"], headers=mine).status_code == 201
