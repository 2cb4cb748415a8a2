"""What other Rummy 500 programs do wrong, as positions of ours; each with others of its kind.

Numbers are those of the collection of faults. Those of servers (streams, joining,
status numbers, locks) are tested where there is a server.
"""

import pytest

from service.rummy.cards import in_order
from service.rummy.errors import ChoiceRequired
from service.rummy.forced_turn import forced_turn
from service.rummy.legal_moves import legal_moves, seats_to_act
from service.rummy.moves import LayOff, TakeDiscard
from service.rummy.play import play
from service.rummy.state import Phase, Stage
from service.rummy.views import view_for
from tests.support.tables import (
    call,
    cards,
    dealt,
    discard,
    draw_stock,
    hand,
    lay,
    lay_off,
    next_deal,
    pass_,
    table,
    take_discard,
)

DISCARD_REQUIRED = {"going_out": "discard_required"}


class TestTheDeepestCardIsOwed:
    """Faults 1 to 3, 7 and 8"""

    deal = table(hands=["5H 5D KS 2C"], pile="5C 9D JC")

    def test_the_deepest_is_owed_not_the_top(self):
        taken = self.deal.move(take_discard("5C"))
        assert taken.turn.must_use == "5C"

        after = taken.move(lay("5H 5D 5C"), discard("KS"))

        assert after.pile == cards("KS")
        assert after.hand(0) == hand("2C 9D JC")

    def test_a_deepest_card_without_use_is_not_taken(self):
        deal = table(hands=["JH JD KS 2C"], pile="4C 9D JC")

        assert deal.refused(take_discard("4C")) == "deepest_card_unusable"
        assert deal.takes() == ["JC"]

    def test_it_is_still_owed_after_a_refused_discard(self):
        taken = self.deal.move(take_discard("5C"))

        assert taken.refused(discard("KS")) == "must_use_taken_card"
        assert taken.turn.must_use == "5C"
        assert taken.to_move == (0, Phase.MELD)

    def test_another_meld_does_not_pay_for_it(self):
        deal = table(hands=["5H 5D KS 9C 9S"], pile="5C 9D JC").move(take_discard("5C"), lay("9C 9S 9D"))

        assert deal.turn.must_use == "5C"
        assert deal.refused(discard("KS")) == "must_use_taken_card"

    def test_a_ready_meld_elsewhere_makes_no_card_usable(self):
        deal = table(hands=["3H 4H 5H KD"], pile="9C")

        assert deal.refused(take_discard("9C")) == "deepest_card_unusable"
        assert deal.takes() == []

    def test_one_rule_for_every_way_to_the_card(self):
        """With a position or without, on top or below, the same question is asked."""
        deal = table(hands=["3H 4H 5H KD"], pile="2S 9C")

        for position in (None, 1):
            assert deal.refused(take_discard("9C", position)) == "deepest_card_unusable"
        for position in (None, 0):
            assert deal.refused(take_discard("2S", position)) == "deepest_card_unusable"
        assert not [move for move in deal.lawful() if isinstance(move, TakeDiscard)]


class TestTheLastCardsAreOwed:
    """Fault 4"""

    def test_out_with_the_card_just_taken(self):
        deal = table(hands=["7H 7D"], pile="7C").move(take_discard("7C"), lay("7H 7D 7C"))

        assert deal.result.went_out == 0

    def test_where_a_discard_is_demanded_the_take_is_refused(self):
        deal = table(hands=["7H 7D"], pile="7C", **DISCARD_REQUIRED)

        assert deal.refused(take_discard("7C")) == "must_keep_a_discard"
        assert deal.takes() == []

    def test_one_card_more_makes_it_lawful(self):
        deal = table(hands=["7H 7D KS"], pile="7C", **DISCARD_REQUIRED)

        after = deal.move(take_discard("7C"), lay("7H 7D 7C"), discard("KS"))

        assert after.result.went_out == 0

    def test_so_does_a_card_that_comes_along(self):
        deal = table(hands=["7H 7D"], pile="7C 2S", **DISCARD_REQUIRED)

        assert deal.move(take_discard("7C"), lay("7H 7D 7C"), discard("2S")).result.went_out == 0

    def test_a_chain_counts_every_card_it_spends(self):
        deal = table(hands=["8S"], pile="9S", melds=["5S 6S 7S"], **DISCARD_REQUIRED)

        assert deal.refused(take_discard("9S")) == "must_keep_a_discard"

    def test_floating_needs_no_card_to_throw(self):
        deal = table(hands=["7H 7D"], pile="7C", floating=True, **DISCARD_REQUIRED)

        after = deal.move(take_discard("7C"), lay("7H 7D 7C"))

        assert after.hand(0) == ()
        assert after.to_move == (1, Phase.DRAW)


class TestSpendingThePartner:
    """Fault 4b"""

    deal = table(hands=["5H 5D 6H 7H KS"], pile="5C").move(take_discard("5C"))

    def test_the_meld_that_would_strand_the_card_is_refused(self):
        assert self.deal.refused(lay("5H 6H 7H")) == "would_strand_taken_card"

    def test_once_it_is_paid_the_rest_is_free(self):
        after = self.deal.move(lay("5H 5D 5C"))

        assert after.turn.must_use is None
        assert after.discards() == ["6H", "7H", "KS"]

    def test_a_lay_off_that_would_strand_it_is_refused_too(self):
        deal = table(hands=["5H 5D KS"], pile="5C", melds=["6H 7H 8H"]).move(take_discard("5C"))

        assert deal.refused(lay_off("5H", "m1")) == "would_strand_taken_card"

    def test_a_lay_off_that_shuts_the_only_place_is_refused(self):
        # The joker as 9S takes the place that the owed 9S needs.
        deal = table(hands=["X1 KS 2D"], pile="9S", melds=["6S 7S 8S"], jokers_per_pack=2)
        taken = deal.move(take_discard("9S"))

        assert taken.refused(lay_off("X1=9S", "m1")) == "would_strand_taken_card"
        assert taken.move(lay_off("9S", "m1"), lay_off("X1=TS", "m1")).points(0) == 24


class TestALargeHand:
    """Fault 5"""

    def test_a_hand_above_the_deal_draws_as_usual(self):
        deal = table(hands=["5H 5D KS QD JH 2C 3C", "4H", "9S"], pile="5C 9D JC 8D 2D 3H")
        after = deal.move(take_discard("5C"), lay("5H 5D 5C"), discard("KS"))
        assert len(after.hand(0)) == 9

        again = after.move(draw_stock(), discard(after.hand(1)[0]), draw_stock(), discard("9S"), draw_stock())

        assert len(again.hand(0)) == 10


class TestSetsAreNoRuns:
    """Fault 10"""

    deal = table(hands=["6H 8S KD"], melds=["7H 7C 7S"], phase="meld")

    @pytest.mark.parametrize("code", ["6H", "8S"])
    def test_a_neighbour_does_not_fit_onto_a_set(self, code):
        assert self.deal.refused(lay_off(code, "m1")) == "not_adjacent"

    def test_none_is_offered(self):
        assert not [move for move in self.deal.lawful() if isinstance(move, LayOff)]

    def test_nor_is_a_run_a_set(self):
        deal = table(hands=["7D KD"], melds=["6H 7H 8H"], phase="meld")

        assert deal.refused(lay_off("7D", "m1")) == "mixed_suits"


class TestRoundTheCorner:
    """Fault 11"""

    @pytest.mark.parametrize("preset", ["classic", "cardcouch", "kitchen-table", "jokers"])
    def test_the_high_ace_ends_the_run(self, preset):
        deal = table(preset=preset, hands=["AS 2S KD"], melds=["JS QS KS"], phase="meld")

        assert deal.move(lay_off("AS", "m1")).refused(lay_off("2S", "m1")) == "round_the_corner"

    @pytest.mark.parametrize("preset", ["classic", "cardcouch", "ace-low", "basic-rummy"])
    def test_the_low_ace_begins_it(self, preset):
        deal = table(preset=preset, hands=["KS 9D"], melds=["AS 2S 3S"], phase="meld")

        assert deal.refused(lay_off("KS", "m1")) == "round_the_corner"

    def test_a_joker_does_not_go_round_either(self):
        deal = table(hands=["X1 9D"], melds=["QS KS AS"], phase="meld", jokers_per_pack=2)

        assert deal.refused(lay_off("X1=2S", "m1")) == "round_the_corner"


class TestAcesAtBothEnds:
    """Fault 12"""

    @pytest.mark.parametrize("codes, worth", [("QS KS AS", 35), ("AS 2S 3S", 6)])
    @pytest.mark.parametrize("preset", ["classic", "cardcouch", "jokers", "kitchen-table"])
    def test_either_run_is_one(self, preset, codes, worth):
        deal = table(preset=preset, hands=[f"{codes} 9D"], phase="meld")

        assert deal.move(lay(codes)).points(0) == worth


class TestTheTargetIsNotGuessed:
    """Fault 14"""

    def test_both_places_are_told(self):
        deal = table(hands=["TH 2C"], melds=["TS TD TC", "7H 8H 9H"], phase="meld")

        refusal = deal.refusal(lay_off("TH"))

        assert isinstance(refusal, ChoiceRequired)
        assert [choice["meld_id"] for choice in refusal.choices] == ["m1", "m2"]

    def test_each_choice_merged_into_the_move_is_lawful(self):
        deal = table(hands=["TH 2C"], melds=["TS TD TC", "7H 8H 9H"], phase="meld")

        refusal = deal.refusal(lay_off("TH"))

        assert isinstance(refusal, ChoiceRequired)
        for choice in refusal.choices:
            assert deal.move(lay_off("TH", choice["meld_id"])).points(0) == 10


class TestTheLayerScores:
    """Fault 15"""

    def test_whoever_lays_off_gets_the_points(self):
        deal = table(hands=["7S"], melds=["7H 7D 7C"], phase="meld").move(lay_off("7S", "m1"))

        assert [seat.table_points for seat in deal.result.seats] == [7, 21]
        assert [seat.table for seat in deal.result.seats] == [cards("7S"), cards("7H 7D 7C")]

    def test_also_at_the_low_end_of_a_run(self):
        deal = table(hands=["6S KD"], melds=["7S 8S 9S"], phase="meld").move(lay_off("6S", "m1"))

        assert (deal.points(0), deal.points(1)) == (6, 24)


class TestTheLowAce:
    """Fault 16"""

    def test_it_counts_one_at_the_end_of_the_deal(self):
        deal = table(hands=["9D"], melds=["0: AC 2C 3C"], phase="meld").move(discard("9D"))

        assert deal.scores[0] == 6


class TestOneJokerThreeTimes:
    """Fault 17"""

    @pytest.mark.parametrize("codes", ["X1=7S X1=7H X1=7D", "7C X1=7S X1=7H", "7C 7C 7C", "7C 7D 7D"])
    def test_no_card_counts_twice(self, codes):
        deal = table(preset="jokers", hands=["X1 7C 7D KD"], phase="meld")

        assert deal.refused(lay(codes)) == "repeated_card"
        assert deal.hand(0) == hand("7C 7D KD X1")


class TestTwinsInASet:
    """Fault 19"""

    def test_two_packs_and_different_suits(self):
        deal = table(seats=5, hands=["7H 7H 7C KD"], phase="meld")

        assert deal.refused(lay("7H 7H 7C")) == "duplicate_suit"

    def test_two_packs_and_any_suits(self):
        deal = table(preset="kitchen-table", seats=5, hands=["7H 7H 7C KD"], phase="meld")

        assert deal.move(lay("7H 7H 7C")).points(0) == 21

    def test_any_suits_but_four_at_most(self):
        deal = table(seats=5, hands=["7H 7H 7C 7D 7S KD"], phase="meld", set_distinct_suits=False)

        assert deal.move(lay("7H 7H 7C 7D")).points(0) == 28
        assert deal.refused(lay("7H 7H 7C 7D 7S")) == "set_too_large"


class TestDrawFirst:
    """Fault 20"""

    deal = table(hands=["7H 7D 7C 2S"], pile="9D", melds=["3S 4S 5S"])

    @pytest.mark.parametrize("move", [discard("2S"), lay("7H 7D 7C"), lay_off("2S", "m1")])
    def test_nothing_comes_before_the_draw(self, move):
        assert self.deal.refused(move) == "draw_first"


class TestOutOfTurn:
    """Fault 21"""

    def test_the_turn_stays_where_it_was(self):
        deal = table(hands=["7H 7D", "9S", "KC"], phase="meld")

        assert deal.refused(discard("KC"), by=2) == "not_your_turn"
        assert deal.refused(discard("9S"), by=1) == "not_your_turn"
        assert deal.to_move == (0, Phase.MELD)


class TestTheStockIsGone:
    """Fault 22"""

    @pytest.mark.parametrize("way", ["take_or_end", "end_at_once"])
    def test_the_service_ends_the_deal_after_the_last_draw(self, way):
        deal = table(hands=["KC 2D", "9D 9C"], pile="4H", stock="3S", stock_empty=way)

        after = deal.move(draw_stock(), discard("KC"))

        assert after.result.reason == "stock_end"
        assert after.scores == (-5, -18)

    def test_a_given_position_waits_for_a_pass(self):
        deal = table(hands=["KC 2D", "9D 9C"], pile="4H", stock=0)

        assert deal.refused(draw_stock()) == "stock_empty"
        assert deal.move(pass_()).over

    @pytest.mark.parametrize("way", ["reshuffle", "flip"])
    def test_a_pile_of_one_card_is_stock_enough(self, way):
        deal = table(hands=["KC 2D", "9D 9C"], pile="4H", stock=0, stock_empty=way)

        after = deal.move(draw_stock())

        assert after.hand(0) == hand("2D 4H KC")
        assert (after.stock, after.pile) == ((), ())

    def test_play_goes_on_from_the_hand(self):
        deal = table(preset="kitchen-table", hands=["KC 2D", "9D 9C"], pile="4H", stock=0)

        assert deal.move(pass_(), discard("KC")).to_move == (1, Phase.DRAW)


class TestOutWithoutADiscard:
    """Fault 24"""

    def test_the_deal_ends_with_the_last_card(self):
        deal = table(hands=["7H 7D 7C", "KD"], phase="meld").move(lay("7H 7D 7C"))

        assert deal.result.went_out == 0
        assert deal.scores == (21, -10)

    def test_where_a_discard_is_demanded_the_meld_is_refused(self):
        deal = table(hands=["7H 7D 7C", "KD"], phase="meld", **DISCARD_REQUIRED)

        assert deal.refused(lay("7H 7D 7C")) == "must_keep_a_discard"
        assert deal.discards() == ["7C", "7D", "7H"]


class TestWhoWins:
    """Fault 25"""

    @staticmethod
    def end(totals, **options):
        return table(hands=["2C", "2D"], phase="meld", totals=totals, **options).move(discard("2C")).game

    def test_the_higher_total_wins(self):
        assert self.end([505, 522]).winners == (1,)

    def test_a_tie_is_played_on(self):
        game = self.end([510, 512])

        assert (game.totals, game.status) == ((510, 510), Stage.DEAL_OVER)

    def test_or_drawn(self):
        assert self.end([510, 512], tie="draw").winners == ()


class TestEveryCardOfEveryHandCounts:
    """Fault 27"""

    def test_penalties_go_on_after_a_court_card(self):
        deal = table(
            preset="classic",
            hands=["9S", "KH 4C", "9D"],
            phase="meld",
            scoring="penalty",
            target=100,
        ).move(discard("9S"))

        assert deal.scores == (0, 14, 9)

    def test_so_they_do_under_the_standard_count(self):
        assert table(hands=["9S", "KH 4C", "9D"], phase="meld").move(discard("9S")).scores == (0, -14, -9)


class TestCallsInTheMiddleOfATurn:
    """Fault 28"""

    @pytest.mark.parametrize("phase", ["draw", "meld"])
    def test_a_discard_is_called_before_the_next_draw_only(self, phase):
        deal = table(
            hands=["9C 9D", "KC KD", "QC JH"],
            pile="4C 5D",
            melds=["2D 3D 4D"],
            phase=phase,
            call_rummy="any_meld",
        )

        assert deal.refused(call("5D", lay_off("5D", "m1")), by=2) == "call_window_closed"

    def test_three_discards_make_a_meld_only_for_a_caller(self):
        deal = table(hands=["9C 9D", "KC KD", "QC JH"], pile="4C 5C 6C", turn=1, call_rummy="table_or_pile")

        assert deal.refused(lay("4C 5C 6C"), by=2) == "not_your_turn"
        assert deal.refused(call("4C", lay("4C 5C 6C")), by=2) == "call_window_closed"

    def test_the_called_card_is_laid_and_the_turn_order_kept(self):
        deal = table(
            hands=["5D 9D", "KC KD", "QC JH"],
            pile="4C",
            melds=["2D 3D 4D"],
            phase="meld",
            call_rummy="table_or_pile",
        ).move(discard("5D"))
        assert deal.to_move == (1, Phase.RUMMY_CALL)

        called = deal.move(call("5D", lay_off("5D", "m1")), by=2)

        assert called.hand(2) == hand("QC JH")
        assert called.pile == cards("4C")
        assert called.happened == ["rummy.called", "card.laid_off"]
        assert called.move(discard("QC")).to_move == (0, Phase.DRAW)


class TestSecrecy:
    """Fault 29"""

    def test_no_view_shows_another_hand_or_the_stock(self):
        deal = dealt(seats=3)

        for viewer in (0, 1, 2, None):
            shown = repr(view_for(deal.game, viewer))
            hidden = [*deal.stock]
            for seat in range(3):
                hidden += deal.hand(seat) if seat != viewer else ()
            assert not [code for code in hidden if repr(code) in shown]


class TestTheNextDealInMidDeal:
    """Fault 39"""

    def test_it_is_refused_and_nothing_is_wiped(self):
        deal = table(hands=["7H 7D", "9S"], phase="meld")

        assert deal.refused(next_deal()) == "wrong_phase"
        assert deal.hand(0) == hand("7H 7D")

    def test_after_the_game_there_is_none(self):
        deal = table(hands=["2C", "KD"], phase="meld", totals=[500, 0]).move(discard("2C"))

        assert deal.refused(next_deal()) == "game_over"


class TestNobodyIsLocked:
    """Faults 4 to 8 in one: wherever a turn leads, there is a way on."""

    @pytest.mark.parametrize(
        "deal",
        [
            table(hands=["7H 7D"], pile="7C", **DISCARD_REQUIRED),
            table(hands=["5H 5D 6H 7H KS"], pile="5C"),
            table(hands=["8S"], pile="9S", melds=["5S 6S 7S"], **DISCARD_REQUIRED),
            table(preset="basic-rummy", hands=["4H"], pile="9C", melds=["4C 4D 4S"]),
            table(preset="jokers", hands=["4H"], pile="9C", melds=["4C 4D 4S"]),
            table(hands=["-", "9C"], pile="4C", floating=True, top_discard="may_keep", **DISCARD_REQUIRED),
        ],
    )
    def test_every_line_of_moves_ends_in_a_turn_that_is_over(self, deal):
        seat = deal.turn.seat
        open_games = [deal.game]
        seen = set()
        while open_games:
            game = open_games.pop()
            if seat not in seats_to_act(game):
                continue
            moves = legal_moves(game, seat).moves
            assert moves, "nothing to do"
            assert forced_turn(game, seat)
            for move in moves:
                _, after = play(game, move)
                mark = (in_order(after.deal.hands[seat]), after.deal.melds, after.deal.turn)
                if after.status is Stage.PLAYING and mark not in seen:
                    seen.add(mark)
                    open_games.append(after)
