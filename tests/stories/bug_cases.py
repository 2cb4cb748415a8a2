"""Bugs of other card programs as stories: what must happen here instead, each with its variants.

They come from public bug reports. The fixture `at` sets up the table: `tests/rules` plays the
stories on the rules themselves, `tests/api` over HTTP. A game over HTTP cannot go back, so a
story makes its moves in one line, and asks for refusals before the move that follows them.
"""

import pytest

from service.rummy.presets import PRESETS
from service.rummy.state import Phase, Stage
from tests.support.tables import (
    call,
    cards,
    discard,
    draw_stock,
    hand,
    keep,
    lay,
    lay_off,
    next_deal,
    pass_,
    take_discard,
)

FLOATING = {"going_out": "discard_required", "floating": True}


class TestLowAceScoredAsHigh:
    @pytest.mark.parametrize(
        "options, worth, held",
        [({}, 6, -9), ({"card_values": "five_point"}, 15, -5), ({"ace_value": "always_15"}, 20, -9)],
    )
    def test_the_run_counts_its_ace_by_place(self, at, options, worth, held):
        deal = at(hands=["AC 2C 3C KD", "9S"], phase="meld", **options).move(lay("AC 2C 3C"))

        assert deal.points(0) == worth
        assert deal.move(discard("KD")).scores == (worth, held)

    @pytest.mark.parametrize("options, worth", [({}, 1), ({"card_values": "five_point"}, 5)])
    def test_so_does_an_ace_laid_off_below_a_two(self, at, options, worth):
        deal = at(hands=["AC KD"], melds=["2C 3C 4C"], phase="meld", **options)

        assert deal.move(lay_off("AC", "m1")).points(0) == worth

    def test_an_ace_stays_low_when_the_run_grows(self, at):
        deal = at(hands=["AC 2C 3C 4C 5C KD"], phase="meld").move(lay("AC 2C 3C"))

        assert deal.move(lay_off("4C", "m1"), lay_off("5C", "m1")).points(0) == 15


class TestLayOffTargetGuessed:
    def test_the_choices_are_listed_and_the_named_one_is_used(self, at):
        deal = at(hands=["TH 4C 2C", "JH 2D", "3S"], melds=["TS TD TC", "2: 7H 8H 9H"], phase="meld")

        refusal = deal.refusal(lay_off("TH"))
        assert (refusal.code, refusal.rule) == ("choice_required", "4.2")
        assert refusal.details == {"choices": [{"meld_id": "m1"}, {"meld_id": "m2"}]}

        laid = deal.move(lay_off("TH", "m2"))
        assert laid.points(0) == 10
        next_turn = laid.move(discard("4C"), draw_stock(), lay_off("JH", "m2"))
        assert next_turn.melds["m2"] == "7H 8H 9H TH JH"

    def test_two_runs_that_take_the_same_card(self, at):
        deal = at(hands=["6H 4C"], melds=["3H 4H 5H", "7H 8H 9H"], phase="meld")

        assert deal.refusal(lay_off("6H")).details["choices"] == [{"meld_id": "m1"}, {"meld_id": "m2"}]

    def test_the_ace_that_fits_both_ends_of_one_run(self, at):
        deal = at(hands=["AH 4C"], melds=["2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH"], phase="meld")

        assert deal.refusal(lay_off("AH", "m1")).details["choices"] == [{"end": "low"}, {"end": "high"}]
        assert deal.move(lay_off("AH", "m1", end="low")).points(0) == 1


class TestGameDecidedByTurn:
    @pytest.mark.parametrize(
        "options, winners",
        [({}, (1,)), ({"go_out_breaks_tie": True}, (0,)), ({"must_go_out_to_win": True}, (0,))],
    )
    def test_the_total_decides_unless_the_options_say_otherwise(self, at, options, winners):
        # Seat 0 goes out with 34 points, seat 1 scores 41.
        deal = at(
            hands=["4H 2C", "2H 2D"],
            melds=["0: 4S 4C 4D", "0: 6S 6C 6D", "1: 5S 5D 5C", "1: KS KD KC"],
            phase="meld",
            totals=[470, 488],
            **options,
        )

        after = deal.move(lay_off("4H", "m1"), discard("2C"))

        assert (after.scores, after.result.totals) == ((34, 41), (504, 529))
        assert (after.result.went_out, after.winners) == (0, winners)


class TestAceInASetOfKings:
    def test_an_ace_is_not_a_king_but_follows_it(self, at):
        deal = at(hands=["KC KD AD QD 3S"], phase="meld")

        assert deal.refused(lay("KC KD AD")) == "not_a_set"
        assert deal.offered("meld") == [{"cards": ["QD", "KD", "AD"]}]
        assert deal.move(lay("QD KD AD")).points(0) == 35

    def test_nor_is_a_two_an_ace(self, at):
        assert at(hands=["AC AD 2D 3D"], phase="meld").refused(lay("AC AD 2D")) == "not_a_set"


class TestOneCardInTwoMelds:
    @pytest.mark.parametrize("first, second", [("JC JS JD", "9D TD JD"), ("9D TD JD", "JC JS JD")])
    def test_a_laid_card_is_used_up(self, at, first, second):
        laid = at(hands=["JC JS JD 9D TD 4H"], phase="meld").move(lay(first))

        assert laid.points(0) == (30 if first == "JC JS JD" else 29)
        for move in (lay(second), discard("JD"), lay_off("JD", "m1")):
            assert laid.refused(move) == "meld_is_fixed"
        assert laid.offered("meld") == []


class TestTiedWinners:
    def test_cardcouch_ends_in_a_draw(self, at):
        deal = at(preset="cardcouch", hands=["2C", "KD"], phase="meld", totals=[517, 527])

        after = deal.move(discard("2C"))

        assert after.result.totals == (517, 517)
        assert (after.status, after.winners, after.reason) == (Stage.FINISHED, (), "tie")

    @pytest.mark.parametrize("preset", ["classic", "ace-low", "jokers", "kitchen-table"])
    def test_the_others_play_on(self, at, preset):
        after = at(preset=preset, hands=["2C", "KD"], phase="meld", totals=[517, 527]).move(discard("2C"))

        assert (after.status, after.winners, after.reason) == (Stage.DEAL_OVER, None, None)
        assert after.move(next_deal()).deal == 2

    def test_three_may_tie_as_well(self, at):
        deal = at(hands=["2C", "KD", "KH"], phase="meld", totals=[517, 527, 527])

        assert deal.move(discard("2C")).status is Stage.DEAL_OVER

    def test_a_tie_below_the_best_total_does_not_count(self, at):
        deal = at(hands=["2C", "KD", "KH"], phase="meld", totals=[530, 527, 527])

        assert deal.move(discard("2C")).winners == (0,)


class TestPlacingSpoilsABetterLayOff:
    @pytest.fixture
    def deal(self, at):
        return at(hands=["TS 9S 4D"], melds=["JS QS KS", "TD TC TH"], phase="meld")

    def test_both_melds_are_offered_and_the_named_one_is_used(self, deal):
        assert deal.offered("lay_off") == [{"card": "TS", "meld_id": "m1"}, {"card": "TS", "meld_id": "m2"}]

        assert deal.move(lay_off("TS", "m1"), lay_off("9S", "m1")).points(0) == 19

    def test_the_other_meld_closes_the_run(self, deal):
        assert deal.move(lay_off("TS", "m2")).refused(lay_off("9S", "m1")) == "not_adjacent"


class TestTwoCopiesConfuseRuns:
    def test_one_copy_is_laid_and_the_run_is_offered_once(self, at):
        deal = at(hands=["JD QD QD KD 3C"], seats=5, phase="meld")

        assert deal.refused(lay("JD QD QD KD")) == "not_a_run"
        assert deal.offered("meld") == [{"cards": ["JD", "QD", "KD"]}]
        after = deal.move(lay("JD QD KD"))
        assert (after.points(0), after.hand(0)) == (30, hand("QD 3C"))

    def test_each_copy_may_have_its_own_run(self, at):
        deal = at(hands=["JD QD QD KD TD AD 3C"], seats=5, phase="meld")

        assert deal.move(lay("TD JD QD"), lay("QD KD AD")).points(0) == 65


class TestJokerPlayedSeveralTimes:
    @pytest.fixture
    def deal(self, at):
        return at(hands=["X1 QC KD"], melds=["5S 6S 7S"], phase="meld", jokers_per_pack=2)

    def test_it_can_be_laid_once(self, deal):
        laid = deal.move(lay_off("X1=8S", "m1"))

        assert laid.refused(lay_off("X1=9S", "m1")) == "meld_is_fixed"
        assert laid.melds == {"m1": "5S 6S 7S 8S"}

    def test_it_is_named_once_in_a_meld(self, deal):
        assert deal.refused(lay("QC X1=QD X1=QH")) == "repeated_card"


class TestJokersPlaceNotFixed:
    def test_its_place_is_taken_and_the_run_goes_on(self, at):
        deal = at(hands=["4C X1 6C 9D KH", "5C 7C 2S"], phase="meld", jokers_per_pack=2)
        laid = deal.move(lay("4C X1=5C 6C"))
        assert laid.points(0) == 25

        next_turn = laid.move(discard("9D"), draw_stock())

        assert next_turn.refused(lay_off("5C", "m1")) == "joker_fixed"
        assert next_turn.move(lay_off("7C", "m1")).points(1) == 7

    def test_a_set_keeps_its_place_too(self, at):
        deal = at(hands=["7D 4C"], melds=["7S 7H X1=7D"], phase="meld", jokers_per_pack=2)

        assert deal.refused(lay_off("7D", "m1")) == "joker_fixed"
        assert deal.melds == {"m1": "7S 7H 7D"}


class TestTurnOwnerNotChecked:
    MOVES = (
        draw_stock(),
        take_discard("8C"),
        lay("8H 8D 8S"),
        lay_off("8S", "m1"),
        discard("8H"),
        pass_(),
        # Cards in other hands, and cards in no hand: the answer is the same.
        discard("2C"),
        lay("KC KD KH"),
        lay_off("9S", "m9"),
    )

    @pytest.mark.parametrize("phase", ["draw", "meld"])
    def test_every_move_out_of_turn_gets_the_same_answer(self, at, phase):
        deal = at(
            hands=["2C 3D", "KC KD KH", "8H 8D 8S"], pile="8C", melds=["0: 5S 6S 7S"], phase=phase, turn=1
        )

        refusals = [deal.refusal(move, by=2) for move in self.MOVES]

        assert {(one.code, one.rule, one.message) for one in refusals} == {
            ("not_your_turn", "2.2", "It is not your turn. Wait until it is.")
        }
        assert [one.details for one in refusals] == [{}] * len(refusals)


class TestLowRunRefused:
    @pytest.mark.parametrize("preset", ["classic", "ace-low", "kitchen-table", "cardcouch", "jokers"])
    @pytest.mark.parametrize("codes", ["AH 2H 3H", "3H AH 2H"])
    def test_ace_two_three_is_a_run_in_any_order(self, at, preset, codes):
        deal = at(preset=preset, hands=["AH 2H 3H 9C"], phase="meld").move(lay(codes))

        assert (deal.points(0), deal.melds) == (6, {"m1": "AH 2H 3H"})


class TestTwoCopiesAfterATake:
    def test_one_copy_is_melded_and_the_other_stays(self, at):
        deal = at(hands=["7H 7D 7C 2S"], seats=6, pile="7H").move(take_discard("7H"))
        assert deal.must_use == "7H"

        laid = deal.move(lay("7D 7C 7H"))
        assert laid.must_use is None
        after = laid.move(discard("2S"))

        assert (after.points(0), after.hand(0)) == (21, hand("7H"))
        # Players cannot know which copy is left: they all saw a 7H being laid.
        assert after.known(0) == ()

    def test_with_two_copies_in_the_pile_the_position_is_named(self, at):
        deal = at(preset="kitchen-table", hands=["7D 7C 2S"], seats=5, pile="7H 4C 7H 9D")

        assert deal.refusal(take_discard("7H")).details["choices"] == [{"position": 0}, {"position": 2}]
        assert deal.move(take_discard("7H", 2)).pile == cards("7H 4C")


class TestARunOutOfOneTake:
    def test_other_cards_of_the_take_may_make_the_meld(self, at):
        deal = at(preset="cardcouch", hands=["2S 4H QC"], pile="KC 8D TD 9D")
        assert deal.takes() == ["8D"]

        after = deal.move(take_discard("8D"), lay("8D 9D TD"), discard("QC"))

        assert (after.points(0), after.pile) == (27, cards("KC QC"))

    def test_a_card_of_the_take_may_be_laid_off_to_make_room(self, at):
        deal = at(hands=["KS 2D"], pile="9S 4D 8S", melds=["5S 6S 7S"])

        after = deal.move(take_discard("9S"), lay_off("8S", "m1"), lay_off("9S", "m1"), discard("4D"))

        assert after.points(0) == 17


class TestJokerValueLeftOut:
    def test_it_counts_fifteen_on_the_table_and_in_the_hand(self, at):
        deal = at(preset="jokers", hands=["4C", "X2 9D"], melds=["0: KH KD X1=KS"], phase="meld")

        assert deal.move(discard("4C")).scores == (35, -24)


class TestJokerHidesADuplicate:
    def test_a_suit_stays_single_in_a_set(self, at):
        deal = at(hands=["4D 4D X1 4H 9C"], seats=5, phase="meld", jokers_per_pack=2)

        assert deal.refused(lay("4D 4D X1=4S")) == "duplicate_suit"
        assert deal.refused(lay("4D 4H X1=4H")) == "duplicate_suit"
        assert deal.move(lay("4D X1=4S 4H")).points(0) == 23

    def test_a_rank_stays_single_in_a_run(self, at):
        deal = at(hands=["4D 5D 6D X1 9C"], seats=5, phase="meld", jokers_per_pack=2)

        assert deal.refused(lay("4D 5D 6D X1=5D")) == "not_a_run"


class TestReshuffleDiffers:
    @pytest.mark.parametrize("way", ["reshuffle", "flip"])
    def test_the_same_game_draws_the_same_cards(self, at, way):
        def drawn():
            deal = at(hands=["KC", "KD 9S"], pile="2C 7S QH 4D", stock=0, stock_empty=way)
            first = deal.move(draw_stock())
            assert first.told("stock.renewed", "shuffled") == [way == "reshuffle"]
            second = first.move(discard("KC"), draw_stock())
            return first.told("stock.drawn", "card") + second.told("stock.drawn", "card")

        first, again = drawn(), drawn()

        assert first == again
        if way == "flip":
            assert first == ["2C", "7S"]


class TestStockBelowZero:
    @pytest.fixture
    def last(self, at):
        return at(hands=["KC 9S", "9D 9C"], pile="4H", stock="3S").move(draw_stock(), discard("9S"))

    def test_no_player_draws_past_the_end(self, last):
        assert last.refused(draw_stock()) == "stock_empty"
        assert (last.stock_count, last.to_move) == (0, (1, Phase.DRAW))
        assert (last.takes(), last.offered("pass")) == (["9S"], [{}])
        assert last.move(take_discard("9S"), lay("9S 9D 9C")).over

    def test_a_pass_ends_the_deal(self, last):
        assert last.move(pass_()).result.reason == "stock_end"


class TestFailedDrawBlocksTheTurn:
    def test_a_refusal_changes_nothing(self, at):
        deal = at(preset="cardcouch", hands=["QS QH 3D"], pile="5C QD", stock=0)
        assert deal.refused(draw_stock()) == "stock_empty"
        assert deal.refused(take_discard("5C")) == "deepest_card_unusable"

        taken = deal.move(take_discard("QD"))
        assert taken.hand(0) == hand("QS QH QD 3D")
        assert taken.refused(lay("QS QH 3D")) == "not_a_set"
        after = taken.move(lay("QS QH QD"), discard("3D"))

        assert (after.points(0), after.result.went_out) == (30, 0)


class TestRenewalDoublesCards:
    @pytest.mark.parametrize("way", ["reshuffle", "flip"])
    def test_only_the_pile_becomes_the_stock(self, at, way):
        deal = at(
            hands=["KC 2D", "9D 3S", "4S TH"],
            pile="5C 6H 7D",
            melds=["2: 8S 8H 8D"],
            stock=0,
            stock_empty=way,
        )

        after = deal.move(draw_stock())

        assert (after.hand(2), after.melds) == (hand("4S TH"), {"m1": "8S 8H 8D"})
        assert (after.stock_count, after.pile) == (2, ())
        assert set(after.hand(0)) - set(hand("KC 2D")) < {*cards("5C 6H 7D")}


class TestLastDrawnCardLeaked:
    def test_a_take_is_public(self, at):
        deal = at(preset="kitchen-table", hands=["KC", "KD"], pile="6D").move(take_discard("6D"))

        assert deal.known(0) == cards("6D")


class TestCardsTracedByPosition:
    def test_a_hand_does_not_show_when_a_card_came(self, at):
        first = at(hands=["5C 9D KH", "2S"], stock="7D 4S").move(draw_stock())
        second = at(hands=["5C 7D KH", "2S"], stock="9D 4S").move(draw_stock())

        assert first.hand(0) == second.hand(0)

    def test_taken_cards_are_known_until_they_are_played(self, at):
        deal = at(preset="kitchen-table", hands=["5C 5D 5S KH"], pile="2C 5H JD").move(take_discard("5H"))
        assert deal.known(0) == hand("5H JD")

        assert deal.move(lay("5C 5H 5D"), discard("KH")).known(0) == hand("JD")

    def test_of_two_copies_the_known_one_goes_first(self, at):
        deal = at(preset="kitchen-table", seats=5, hands=["JD 2C"], pile="JD").move(take_discard("JD"))

        thrown = deal.move(discard("JD"))

        assert (thrown.hand(0), thrown.known(0)) == (hand("2C JD"), ())


class TestAnyCardCanBePlayed:
    @pytest.mark.parametrize(
        "stock, others",
        [("7S 2C", "8S 9S"), ("2C 3C 7S", "8S 9S"), ("2C 3C", "8S 9S"), ("2C 3C", "7S 9S")],
        ids=["next in the stock", "last in the stock", "out of play", "in another hand"],
    )
    def test_the_refusal_does_not_show_where_the_card_is(self, at, stock, others):
        deal = at(hands=["7C 7D 4H", others], phase="meld", stock=stock)

        refusals = [deal.refusal(move) for move in (lay("7C 7D 7S"), discard("7S"), lay_off("7S"))]

        assert [(one.code, one.rule, one.message, one.details) for one in refusals] == [
            ("card_not_in_hand", "3.1", "You do not hold the seven of spades.", {})
        ] * 3

    def test_a_card_of_the_pile_is_not_in_the_hand(self, at):
        deal = at(hands=["7C 7D 4H", "KD"], pile="7S", phase="meld")

        assert deal.refused(lay("7C 7D 7S")) == "card_not_in_hand"


class TestOneCardNamedTwice:
    @pytest.mark.parametrize("preset", ["classic", "kitchen-table"])
    def test_a_single_card_is_not_a_pair(self, at, preset):
        deal = at(preset=preset, seats=5, hands=["8C 8H KD"], phase="meld")

        assert deal.refused(lay("8C 8C 8H")) == "repeated_card"

    def test_two_copies_are_where_suits_are_free(self, at):
        deal = at(preset="kitchen-table", seats=5, hands=["8C 8C 8H KD"], phase="meld")

        assert deal.refused(lay("8C 8C 8C")) == "repeated_card"
        assert deal.move(lay("8C 8C 8H")).hand(0) == hand("KD")


class TestRepeatedEndOfTurn:
    def test_only_the_first_discard_counts(self, at):
        deal = at(hands=["3C 4D", "3D", "3H", "3S"], phase="meld").move(discard("3C"))

        assert deal.to_move == (1, Phase.DRAW)
        assert [deal.refused(discard("3C"), by=0) for _ in range(4)] == ["not_your_turn"] * 4
        assert deal.refused(discard("3D")) == "draw_first"


class TestTurnEndsBeforeTheCardIsUsed:
    def test_no_move_ends_the_turn_before(self, at):
        deal = at(hands=["6S 6H KC"], pile="6C 2D").move(take_discard("6C"))
        assert deal.must_use == "6C"

        for move, code in [
            (discard("KC"), "must_use_taken_card"),
            (pass_(), "already_drawn"),
            (draw_stock(), "already_drawn"),
            (take_discard("6C"), "already_drawn"),
            (keep(), "option_off"),
        ]:
            assert deal.refused(move) == code
        assert deal.discards() == []

        assert deal.move(lay("6S 6H 6C"), discard("KC")).pile == cards("KC")


class TestMovesAfterTheEnd:
    MOVES = (draw_stock(), lay("KD KH KC"), lay_off("KD"), discard("KD"), pass_(), keep(), take_discard("2C"))

    @pytest.mark.parametrize("totals, code", [([500, 0], "game_over"), (None, "deal_over")])
    def test_no_move_is_offered_or_accepted(self, at, totals, code):
        over = at(hands=["2C", "KD"], phase="meld", totals=totals).move(discard("2C"))
        assert over.winners == ((0,) if totals else None)

        for kind in ("draw_stock", "take_discard", "meld", "lay_off", "discard", "pass"):
            assert over.offered(kind) == []
        for seat in (0, 1):
            assert [over.refused(move, by=seat) for move in self.MOVES] == [code] * len(self.MOVES)


class TestStaleSelection:
    def test_a_discarded_card_cannot_be_discarded_again(self, at):
        deal = at(hands=["9S QD"], pile="4H", phase="meld")

        assert deal.refused(discard("4H")) == "card_not_in_hand"
        assert deal.to_move == (0, Phase.MELD)


class TestDealsThatNeverEnd:
    @pytest.fixture
    def deal(self, at):
        return at(preset="kitchen-table", hands=["2C 9H", "3S JD"], pile="KD", stock=0)

    def test_taking_and_discarding_in_a_circle_ends(self, deal):
        turns = 0
        while not deal.over and turns < 200:
            top = deal.pile[-1]
            deal = deal.move(take_discard(top))
            deal = deal.move(discard(next(code for code in deal.discards() if code != top)))
            turns += 1

        assert turns == 3 * 52
        assert (deal.result.reason, deal.result.went_out) == ("stock_end", None)
        assert deal.scores == tuple(-seat.hand_points for seat in deal.result.seats)

    def test_without_a_draw_hands_shrink_until_a_player_is_out(self, deal):
        deal = deal.move(pass_(), discard("9H"), pass_(), discard("JD"), pass_(), discard("2C"))

        assert deal.result.went_out == 0


class TestTakenCardNotUsed:
    def test_a_meld_beside_it_does_not_use_it(self, at):
        deal = at(hands=["QS QD QC 7H 7D"], pile="2S QH").move(take_discard("QH"))

        beside = deal.move(lay("QS QD QC"))

        assert beside.must_use == "QH"
        assert beside.refused(discard("7H")) == "must_use_taken_card"
        used = beside.move(lay_off("QH", "m1"))
        assert used.points(0) == 40
        assert used.move(discard("7H")).to_move == (1, Phase.DRAW)

    def test_where_only_a_new_meld_counts_that_would_strand_it(self, at):
        deal = at(hands=["QS QD QC 7H 7D"], pile="2S QH", deepest_card_use="new_meld_only")

        assert deal.move(take_discard("QH")).refused(lay("QS QD QC")) == "would_strand_taken_card"


class TestTwoCardsOntoARun:
    def test_they_fit_one_after_the_other_in_order(self, at):
        deal = at(preset="cardcouch", hands=["5D 6D KC"], melds=["7D 8D 9D"], phase="meld")

        assert deal.refused(lay_off("5D", "m1")) == "not_adjacent"
        assert deal.move(lay_off("6D", "m1"), lay_off("5D", "m1")).points(0) == 11


class TestWhoMayCall:
    def test_all_but_the_discarder(self, at):
        deal = at(
            hands=["9C 9D", "KC KD", "QC JH"],
            pile="5D",
            melds=["2D 3D 4D"],
            phase="rummy_call",
            turn=1,
            discarder=0,
            call_rummy="table_or_pile",
        )
        five = call("5D", lay_off("5D", "m1"))

        assert deal.refused(five, by=0) == "discarder_cannot_call"
        assert deal.refused(draw_stock(), by=1) == "call_window_open"
        called = deal.move(five, by=2)
        assert called.points(2) == 5
        # Play goes on to the caller's left.
        assert called.move(discard("QC")).to_move[0] == 0


class TestRoundTheCorner:
    @pytest.mark.parametrize("preset", PRESETS)
    def test_not_in_any_preset(self, at, preset):
        deal = at(preset=preset, seats=PRESETS[preset].players[0], hands=["QC KC AC 2C 3C"], phase="meld")

        for codes in ("QC KC AC 2C 3C", "KC AC 2C", "QC KC AC 2C", "KC AC 2C 3C"):
            assert deal.refused(lay(codes)) == "round_the_corner"

    @pytest.mark.parametrize("one, other, worth", [("QC KC AC", "AC 2C 3C", 35), ("AC 2C 3C", "QC KC AC", 6)])
    def test_one_of_the_two_runs_may_be_laid(self, at, one, other, worth):
        deal = at(hands=["QC KC AC 2C 3C"], phase="meld").move(lay(one))

        assert deal.points(0) == worth
        assert deal.refused(lay(other)) == "meld_is_fixed"

    @pytest.mark.parametrize("preset", ["classic", "cardcouch", "kitchen-table", "jokers"])
    def test_a_high_ace_ends_the_run(self, at, preset):
        deal = at(preset=preset, hands=["AS 2S KD"], melds=["JS QS KS"], phase="meld")

        assert deal.move(lay_off("AS", "m1")).refused(lay_off("2S", "m1")) == "round_the_corner"

    @pytest.mark.parametrize("preset", ["classic", "cardcouch", "ace-low", "basic-rummy"])
    def test_a_low_ace_begins_it(self, at, preset):
        deal = at(preset=preset, hands=["KS 9D"], melds=["AS 2S 3S"], phase="meld")

        assert deal.refused(lay_off("KS", "m1")) == "round_the_corner"

    def test_nor_does_a_joker_go_round(self, at):
        deal = at(hands=["X1 9D"], melds=["QS KS AS"], phase="meld", jokers_per_pack=2)

        assert deal.refused(lay_off("X1=2S", "m1")) == "round_the_corner"


class TestFloating:
    @pytest.fixture
    def floating(self, at):
        deal = at(hands=["5H 6H 7H", "KD QS"], stock="JC 8H 4C TC 2S", phase="meld", **FLOATING)
        return deal.move(lay("5H 6H 7H"))

    def test_float_float_again_and_go_out(self, floating):
        assert (floating.points(0), floating.hand(0), floating.over) == (18, (), False)
        again = floating.move(draw_stock(), discard("JC"), draw_stock(), lay_off("8H", "m1"))
        assert (again.points(0), again.hand(0), again.over) == (26, (), False)
        out = again.move(draw_stock(), discard("4C"), draw_stock(), discard("TC"))

        assert (out.result.went_out, out.scores) == (0, (26, -20))

    def test_or_keep_the_card(self, floating):
        drawn = floating.move(draw_stock(), discard("JC"), draw_stock())
        assert drawn.refused(lay("8H")) == "too_few_cards"

        kept = drawn.move(keep())

        assert (kept.to_move[0], kept.hand(0)) == (1, cards("8H"))

    def test_cards_that_are_not_a_meld_do_not_float(self, at):
        deal = at(hands=["3H 5H 7H", "KD"], phase="meld", **FLOATING)

        assert deal.refused(lay("3H 5H 7H")) == "not_consecutive"


class TestLayOffWithoutAnOwnMeld:
    @pytest.mark.parametrize("preset", ["classic", "ace-low", "jokers", "basic-rummy", "kitchen-table"])
    def test_it_is_legal(self, at, preset):
        deal = at(preset=preset, hands=["JC 4D"], melds=["JS JD JH"], phase="meld")

        assert deal.move(lay_off("JC", "m1")).points(0) == 10


class TestJokerWorthItsCard:
    @pytest.mark.parametrize("codes, worth", [("3C 4C X1=5C", 22), ("X1=2C 3C 4C", 22), ("3C 2C X1=AC", 20)])
    def test_it_counts_fifteen_whatever_it_stands_for(self, at, codes, worth):
        deal = at(hands=["2C 3C 4C X1 KD"], phase="meld", jokers_per_pack=2)

        assert deal.move(lay(codes)).points(0) == worth


class TestGoingOutWithAPlayableCard:
    def test_the_deal_is_over_and_no_player_calls(self, at):
        deal = at(hands=["JS", "KD", "KC"], melds=["8S 9S TS"], phase="meld", call_rummy="any_meld")

        after = deal.move(discard("JS"))

        assert after.result.went_out == 0
        assert "call_window.opened" not in after.happened
        assert after.refused(call("JS", lay_off("JS", "m1")), by=2) == "deal_over"


class TestTheWinningMoveSentTwice:
    def test_the_deal_ends_once(self, at):
        deal = at(hands=["6C", "9D"], melds=["3C 4C 5C"], phase="meld").move(lay_off("6C", "m1"))

        assert (deal.result.went_out, deal.result.deal) == (0, 1)
        assert deal.scores == (6, 12 - 9)
        assert deal.happened == ["card.laid_off", "player.went_out", "deal.ended"]
        assert deal.refused(lay_off("6C", "m1"), by=0) == "deal_over"


class TestSeveralMovesOfOneKind:
    def test_one_meld_a_turn_and_any_number_of_lay_offs(self, at):
        deal = at(preset="basic-rummy", hands=["2H 3H 4H 9S 9D 9C KD 5H"], phase="meld")

        laid = deal.move(lay("2H 3H 4H"))

        assert laid.refused(lay("9S 9D 9C")) == "one_meld_a_turn"
        assert laid.offered("meld") == []
        assert laid.move(lay_off("5H", "m1")).points(0) == 14

    def test_one_draw_a_turn(self, at):
        deal = at(hands=["2H 3H"], pile="4C").move(draw_stock())

        assert deal.refused(draw_stock()) == "already_drawn"
        assert deal.refused(take_discard("4C")) == "already_drawn"
