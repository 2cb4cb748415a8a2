"""Faults of other Rummy 500 programs as stories: what must happen here instead, each with its variants.

The fixture `at` sets up the table, as for `bug_cases`; what both lists have stands there.
"""

import pytest

from service.rummy.state import Phase, Stage
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

DISCARD_REQUIRED = {"going_out": "discard_required"}


class TestTheDeepestCardMustBeUsed:
    def test_the_deepest_card_not_the_upcard(self, at):
        taken = at(hands=["5H 5D KS 2C"], pile="5C 9D JC").move(take_discard("5C"))
        assert taken.must_use == "5C"
        assert taken.refused(discard("KS")) == "must_use_taken_card"
        assert (taken.must_use, taken.to_move) == ("5C", (0, Phase.MELD))

        after = taken.move(lay("5H 5D 5C"), discard("KS"))

        assert (after.pile, after.hand(0)) == (cards("KS"), hand("2C 9D JC"))

    def test_a_deepest_card_without_use_is_not_taken(self, at):
        deal = at(hands=["JH JD KS 2C"], pile="4C 9D JC")

        assert deal.refused(take_discard("4C")) == "deepest_card_unusable"
        assert deal.takes() == ["JC"]

    def test_another_meld_does_not_use_it(self, at):
        deal = at(hands=["5H 5D KS 9C 9S"], pile="5C 9D JC").move(take_discard("5C"), lay("9C 9S 9D"))

        assert deal.must_use == "5C"
        assert deal.refused(discard("KS")) == "must_use_taken_card"

    def test_another_meld_in_hand_does_not_make_it_usable(self, at):
        """With or without a position, the upcard or a deeper card: one rule for all of them."""
        deal = at(hands=["3H 4H 5H KD"], pile="2S 9C")

        for code, position in [("9C", None), ("9C", 1), ("2S", None), ("2S", 0)]:
            assert deal.refused(take_discard(code, position)) == "deepest_card_unusable"
        assert deal.takes() == []


class TestTheLastCardsMustBeUsed:
    def test_out_with_the_card_just_taken(self, at):
        deal = at(hands=["7H 7D"], pile="7C").move(take_discard("7C"), lay("7H 7D 7C"))

        assert deal.result.went_out == 0

    @pytest.mark.parametrize(
        "held, pile, melds, code",
        [
            ("7H 7D", "7C", [], "must_keep_a_discard"),
            # A chain counts every card it needs.
            ("8S", "9S", ["5S 6S 7S"], "must_keep_a_discard"),
            ("6S 7S", "8S 9S", [], "deepest_card_unusable"),
        ],
    )
    def test_where_a_discard_is_required_the_take_is_refused(self, at, held, pile, melds, code):
        deal = at(hands=[held], pile=pile, melds=melds, **DISCARD_REQUIRED)

        upcard = pile.split()[-1]
        assert deal.refused(take_discard(upcard)) == code
        assert upcard not in deal.takes()

    @pytest.mark.parametrize("held, pile, left", [("7H 7D KS", "7C", "KS"), ("7H 7D", "7C 2S", "2S")])
    def test_one_card_more_makes_it_legal(self, at, held, pile, left):
        deal = at(hands=[held], pile=pile, **DISCARD_REQUIRED)

        after = deal.move(take_discard("7C"), lay("7H 7D 7C"), discard(left))

        assert after.result.went_out == 0

    def test_floating_needs_no_card_to_discard(self, at):
        deal = at(hands=["7H 7D"], pile="7C", floating=True, **DISCARD_REQUIRED)

        after = deal.move(take_discard("7C"), lay("7H 7D 7C"))

        assert (after.hand(0), after.to_move) == ((), (1, Phase.DRAW))


class TestSpendingACardThatTheTakenOneNeeds:
    def test_the_meld_is_refused(self, at):
        deal = at(hands=["5H 5D 6H 7H KS"], pile="5C").move(take_discard("5C"))
        assert deal.refused(lay("5H 6H 7H")) == "would_strand_taken_card"

        after = deal.move(lay("5H 5D 5C"))

        assert (after.must_use, after.discards()) == (None, ["6H", "7H", "KS"])

    def test_so_is_a_lay_off(self, at):
        deal = at(hands=["5H 5D KS"], pile="5C", melds=["6H 7H 8H"]).move(take_discard("5C"))

        assert deal.refused(lay_off("5H", "m1")) == "would_strand_taken_card"

    def test_so_is_a_joker_in_its_only_place(self, at):
        deal = at(hands=["X1 KS 2D"], pile="9S", melds=["6S 7S 8S"], jokers_per_pack=2)
        taken = deal.move(take_discard("9S"))

        assert taken.refused(lay_off("X1=9S", "m1")) == "would_strand_taken_card"
        assert taken.move(lay_off("9S", "m1"), lay_off("X1=TS", "m1")).points(0) == 24


class TestALargeHand:
    def test_a_hand_larger_than_dealt_draws_as_usual(self, at):
        deal = at(hands=["5H 5D KS QD JH 2C 3C", "4H", "9S"], pile="5C 9D JC 8D 2D 3H")
        after = deal.move(take_discard("5C"), lay("5H 5D 5C"), discard("KS"))
        assert len(after.hand(0)) == 9

        second = after.hand(1)[0]
        again = after.move(draw_stock(), discard(second), draw_stock(), discard("9S"), draw_stock())

        assert len(again.hand(0)) == 10


class TestSetsAreNotRuns:
    def test_a_neighbour_does_not_fit_onto_a_set(self, at):
        deal = at(hands=["6H 8S KD"], melds=["7H 7C 7S"], phase="meld")

        assert [deal.refused(lay_off(code, "m1")) for code in ("6H", "8S")] == ["not_adjacent"] * 2
        assert deal.offered("lay_off") == []

    def test_nor_is_a_run_a_set(self, at):
        deal = at(hands=["7D KD"], melds=["6H 7H 8H"], phase="meld")

        assert deal.refused(lay_off("7D", "m1")) == "mixed_suits"


class TestAcesAtBothEnds:
    @pytest.mark.parametrize("codes, worth", [("QS KS AS", 35), ("AS 2S 3S", 6)])
    @pytest.mark.parametrize("preset", ["classic", "cardcouch", "jokers", "kitchen-table"])
    def test_either_run_is_one(self, at, preset, codes, worth):
        assert at(preset=preset, hands=[f"{codes} 9D"], phase="meld").move(lay(codes)).points(0) == worth


class TestTheTargetIsNotGuessed:
    @pytest.mark.parametrize("choice", [0, 1])
    def test_each_choice_is_legal(self, at, choice):
        deal = at(hands=["TH 2C"], melds=["TS TD TC", "7H 8H 9H"], phase="meld")
        choices = deal.refusal(lay_off("TH")).details["choices"]
        assert [one["meld_id"] for one in choices] == ["m1", "m2"]

        assert deal.move(lay_off("TH", choices[choice]["meld_id"])).points(0) == 10


class TestWhoScoresALayOff:
    def test_the_player_who_lays_off_gets_the_points(self, at):
        deal = at(hands=["7S"], melds=["7H 7D 7C"], phase="meld").move(lay_off("7S", "m1"))

        assert [seat.table_points for seat in deal.result.seats] == [7, 21]
        assert [seat.table for seat in deal.result.seats] == [cards("7S"), cards("7H 7D 7C")]

    def test_also_at_the_low_end_of_a_run(self, at):
        deal = at(hands=["6S KD"], melds=["7S 8S 9S"], phase="meld").move(lay_off("6S", "m1"))

        assert (deal.points(0), deal.points(1)) == (6, 24)


class TestTheLowAce:
    def test_it_counts_one_at_the_end_of_the_deal(self, at):
        deal = at(hands=["9D"], melds=["0: AC 2C 3C"], phase="meld").move(discard("9D"))

        assert deal.scores[0] == 6


class TestOneJokerThreeTimes:
    @pytest.mark.parametrize("codes", ["X1=7S X1=7H X1=7D", "7C X1=7S X1=7H", "7C 7C 7C", "7C 7D 7D"])
    def test_no_card_counts_twice(self, at, codes):
        deal = at(preset="jokers", hands=["X1 7C 7D KD"], phase="meld")

        assert deal.refused(lay(codes)) == "repeated_card"
        assert deal.hand(0) == hand("7C 7D KD X1")


class TestTwoCopiesInASet:
    def test_different_suits_or_any(self, at):
        position = {"seats": 5, "hands": ["7H 7H 7C KD"], "phase": "meld"}

        assert at(**position).refused(lay("7H 7H 7C")) == "duplicate_suit"
        assert at(preset="kitchen-table", **position).move(lay("7H 7H 7C")).points(0) == 21

    def test_any_suits_but_at_most_four_cards(self, at):
        deal = at(seats=5, hands=["7H 7H 7C 7D 7S KD"], phase="meld", set_distinct_suits=False)

        assert deal.refused(lay("7H 7H 7C 7D 7S")) == "set_too_large"
        assert deal.move(lay("7H 7H 7C 7D")).points(0) == 28


class TestDrawFirst:
    def test_nothing_comes_before_the_draw(self, at):
        deal = at(hands=["7H 7D 7C 2S"], pile="9D", melds=["3S 4S 5S"])

        for move in (discard("2S"), lay("7H 7D 7C"), lay_off("2S", "m1")):
            assert deal.refused(move) == "draw_first"


class TestOutOfTurn:
    def test_the_turn_stays_where_it_was(self, at):
        deal = at(hands=["7H 7D", "9S", "KC"], phase="meld")

        assert deal.refused(discard("KC"), by=2) == "not_your_turn"
        assert deal.refused(discard("9S"), by=1) == "not_your_turn"
        assert deal.to_move == (0, Phase.MELD)


class TestTheStockIsEmpty:
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
        assert deal.move(pass_(), discard("KC")).to_move == (1, Phase.DRAW)

    def test_a_given_position_waits_for_a_pass(self, at):
        deal = at(hands=["KC 2D", "9D 9C"], pile="4H", stock=0)

        assert deal.refused(draw_stock()) == "stock_empty"
        assert deal.move(pass_()).over

    @pytest.mark.parametrize("way", ["take_or_end", "reshuffle", "flip", "end_at_once", "play_on"])
    def test_with_both_piles_empty_a_pass_ends_the_deal(self, at, way):
        deal = at(hands=["KC 2D", "9D 9C"], pile="", stock=0, stock_empty=way)

        assert (len(deal.legal_moves()), deal.offered("pass")) == (1, [{}])
        assert deal.move(pass_()).result.reason == "stock_end"


class TestOutWithoutADiscard:
    def test_the_deal_ends_with_the_last_card(self, at):
        deal = at(hands=["7H 7D 7C", "KD"], phase="meld").move(lay("7H 7D 7C"))

        assert (deal.result.went_out, deal.scores) == (0, (21, -10))

    def test_where_a_discard_is_required_the_meld_is_refused(self, at):
        deal = at(hands=["7H 7D 7C", "KD"], phase="meld", **DISCARD_REQUIRED)

        assert deal.refused(lay("7H 7D 7C")) == "must_keep_a_discard"
        assert deal.discards() == ["7C", "7D", "7H"]


class TestWhoWins:
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

        assert after.result.totals == (totals[0], totals[1] - 2)
        assert after.winners == winners
        assert after.status is (Stage.DEAL_OVER if winners is None else Stage.FINISHED)


class TestEveryCardOfEveryHandCounts:
    @pytest.mark.parametrize(
        "options, scores", [({}, (0, -14, -9)), ({"scoring": "penalty", "target": 100}, (0, 14, 9))]
    )
    def test_counting_does_not_stop_at_a_court_card(self, at, options, scores):
        deal = at(hands=["9S", "KH 4C", "9D"], phase="meld", **options)

        assert deal.move(discard("9S")).scores == scores


class TestCallsInTheMiddleOfATurn:
    @pytest.mark.parametrize("phase", ["draw", "meld"])
    def test_a_discard_is_called_only_before_the_next_draw(self, at, phase):
        deal = at(
            hands=["9C 9D", "KC KD", "QC JH"],
            pile="4C 5D",
            melds=["2D 3D 4D"],
            phase=phase,
            call_rummy="any_meld",
        )

        assert deal.refused(call("5D", lay_off("5D", "m1")), by=2) == "call_window_closed"

    def test_three_discards_make_a_meld_only_for_a_caller(self, at):
        deal = at(hands=["9C 9D", "KC KD", "QC JH"], pile="4C 5C 6C", turn=1, call_rummy="table_or_pile")

        assert deal.refused(lay("4C 5C 6C"), by=2) == "not_your_turn"
        assert deal.refused(call("4C", lay("4C 5C 6C")), by=2) == "call_window_closed"

    @pytest.fixture
    def window(self, at):
        return at(
            hands=["5D 9D", "KC KD", "QC JH"],
            pile="4C",
            melds=["2D 3D 4D"],
            phase="meld",
            call_rummy="table_or_pile",
        ).move(discard("5D"))

    def test_the_next_player_waits_for_the_window(self, window):
        assert window.to_move == (1, Phase.RUMMY_CALL)
        assert window.refused(draw_stock(), by=1) == "call_window_open"
        once = window.move(pass_(), by=1)
        assert once.refused(draw_stock(), by=1) == "call_window_open"
        assert once.move(pass_(), by=2).move(draw_stock()).to_move == (1, Phase.MELD)

    def test_the_called_card_is_laid_and_the_turn_order_kept(self, window):
        called = window.move(call("5D", lay_off("5D", "m1")), by=2)

        assert (called.hand(2), called.pile) == (hand("QC JH"), cards("4C"))
        assert called.happened == ["rummy.called", "card.laid_off"]
        assert called.move(discard("QC")).to_move == (0, Phase.DRAW)


class TestTheNextDealInTheMiddleOfADeal:
    def test_it_is_refused_and_nothing_is_lost(self, at):
        deal = at(hands=["7H 7D", "9S"], phase="meld")

        assert [deal.refused(next_deal(), by=seat) for seat in (0, 1)] == ["wrong_phase"] * 2
        assert deal.hand(0) == hand("7H 7D")

    def test_after_the_game_there_is_none(self, at):
        deal = at(hands=["2C", "KD"], phase="meld", totals=[500, 0]).move(discard("2C"))

        assert deal.refused(next_deal()) == "game_over"
