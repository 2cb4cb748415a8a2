"""What went wrong in other card programs, as positions of ours; each with others of its kind.

Numbers are those of the collection of public bug reports. What only a client or a
restart can bring about (twice the same request, lost answers, races) is tested there.
"""

import pytest

from service.rummy.dealing import choose_dealer
from service.rummy.errors import ChoiceRequired
from service.rummy.events import StockDrawn, StockRenewed
from service.rummy.evolve import replay
from service.rummy.forced_turn import forced_turn
from service.rummy.legal_moves import legal_moves
from service.rummy.moves import LayMeld, LayOff, PlayerMove
from service.rummy.play import play
from service.rummy.presets import PRESETS, resolve
from service.rummy.state import Phase, Stage
from service.rummy.views import redact, view_for
from tests.support.tables import (
    KEY,
    call,
    cards,
    dealt,
    discard,
    draw_stock,
    hand,
    keep,
    lay,
    lay_off,
    next_deal,
    pass_,
    table,
    take_discard,
)

FLOATING = {"going_out": "discard_required", "floating": True}


class TestLowAceScoredAsHigh:
    """Case 1"""

    @pytest.mark.parametrize(
        "options, worth", [({}, 6), ({"card_values": "five_point"}, 15), ({"ace_value": "always_15"}, 20)]
    )
    def test_the_run_counts_its_ace_by_place(self, options, worth):
        deal = table(hands=["AC 2C 3C KD"], phase="meld", **options)

        assert deal.move(lay("AC 2C 3C")).points(0) == worth

    @pytest.mark.parametrize("options, worth", [({}, 1), ({"card_values": "five_point"}, 5)])
    def test_so_does_an_ace_laid_off_below_a_two(self, options, worth):
        deal = table(hands=["AC KD"], melds=["2C 3C 4C"], phase="meld", **options)

        assert deal.move(lay_off("AC", "m1")).points(0) == worth

    def test_an_ace_stays_low_when_the_run_grows(self):
        deal = table(hands=["AC 2C 3C 4C 5C KD"], phase="meld").move(lay("AC 2C 3C"))

        assert deal.move(lay_off("4C", "m1"), lay_off("5C", "m1")).points(0) == 15

    def test_the_score_of_the_deal_says_the_same(self):
        deal = table(hands=["AC 2C 3C KD", "9S"], phase="meld").move(lay("AC 2C 3C"), discard("KD"))

        assert deal.scores == (6, -9)


class TestLayOffTargetGuessed:
    """Case 2"""

    @staticmethod
    def deal():
        return table(hands=["TH 4C 2C", "JH 2D", "3S"], melds=["TS TD TC", "2: 7H 8H 9H"], phase="meld")

    def test_without_a_target_the_choices_are_told(self):
        refusal = self.deal().refusal(lay_off("TH"))

        assert isinstance(refusal, ChoiceRequired)
        assert refusal.code == "choice_required"
        assert list(refusal.choices) == [{"meld_id": "m1"}, {"meld_id": "m2"}]
        assert refusal.details == {"choices": [{"meld_id": "m1"}, {"meld_id": "m2"}]}

    def test_with_a_target_the_card_goes_there_and_stays(self):
        laid = self.deal().move(lay_off("TH", "m2"))
        assert laid.points(0) == 10

        next_turn = laid.move(discard("4C"), draw_stock(), lay_off("JH", "m2"))

        assert next_turn.melds["m2"] == "7H 8H 9H TH JH"

    def test_two_runs_that_take_the_same_card(self):
        deal = table(hands=["6H 4C"], melds=["3H 4H 5H", "7H 8H 9H"], phase="meld")

        assert deal.refusal(lay_off("6H")).details["choices"] == [{"meld_id": "m1"}, {"meld_id": "m2"}]

    def test_the_ace_that_fits_both_ends_of_one_run(self):
        deal = table(hands=["AH 4C"], melds=["2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH"], phase="meld")

        assert deal.refusal(lay_off("AH", "m1")).details["choices"] == [{"end": "low"}, {"end": "high"}]


class TestGameDecidedByTurn:
    """Case 4"""

    @staticmethod
    def end(**options):
        # Seat 0 goes out with 34 points, seat 1 scores 41.
        deal = table(
            hands=["4H 2C", "2H 2D"],
            melds=["0: 4S 4C 4D", "0: 6S 6C 6D", "1: 5S 5D 5C", "1: KS KD KC"],
            phase="meld",
            totals=[470, 488],
            **options,
        )
        return deal.move(lay_off("4H", "m1"), discard("2C"))

    def test_the_higher_total_wins_whoever_went_out(self):
        after = self.end()

        assert after.result.went_out == 0
        assert after.scores == (34, 41)
        assert after.result.totals == (504, 529)
        assert after.game.winners == (1,)

    def test_where_going_out_decides_it_wins(self):
        assert self.end(go_out_breaks_tie=True).game.winners == (0,)

    def test_where_only_going_out_wins_it_wins(self):
        assert self.end(must_go_out_to_win=True).game.winners == (0,)


class TestAceInASetOfKings:
    """Case 5"""

    deal = table(hands=["KC KD AD QD 3S"], phase="meld")

    def test_an_ace_is_no_king(self):
        assert self.deal.refused(lay("KC KD AD")) == "not_a_set"

    def test_it_follows_the_king_in_a_run(self):
        assert self.deal.move(lay("QD KD AD")).points(0) == 35

    def test_no_such_set_is_offered(self):
        offered = [move.cards for move in self.deal.lawful() if isinstance(move, LayMeld)]

        assert [hand(" ".join(cards)) for cards in offered] == [hand("QD KD AD")]

    def test_nor_is_a_two_an_ace(self):
        assert table(hands=["AC AD 2D 3D"], phase="meld").refused(lay("AC AD 2D")) == "not_a_set"


class TestOneCardInTwoMelds:
    """Case 7"""

    deal = table(hands=["JC JS JD 9D TD 4H"], phase="meld")

    def test_a_card_on_the_table_is_used_up(self):
        laid = self.deal.move(lay("JC JS JD"))
        assert laid.points(0) == 30

        assert laid.refused(lay("9D TD JD")) == "meld_is_fixed"
        assert [move for move in laid.lawful() if isinstance(move, LayMeld)] == []

    def test_either_meld_may_have_it(self):
        assert self.deal.move(lay("9D TD JD")).refused(lay("JC JS JD")) == "meld_is_fixed"

    def test_nor_can_it_be_thrown(self):
        assert self.deal.move(lay("JC JS JD")).refused(discard("JD")) == "meld_is_fixed"


class TestTiedWinners:
    """Case 8"""

    @staticmethod
    def end(preset):
        deal = table(preset=preset, hands=["2C", "KD"], phase="meld", totals=[517, 527])
        return deal.move(discard("2C"))

    def test_cardcouch_draws(self):
        after = self.end("cardcouch")

        assert after.result.totals == (517, 517)
        assert (after.game.status, after.game.winners, after.game.reason) == (Stage.FINISHED, (), "tie")

    def test_the_others_play_on(self):
        for preset in ("classic", "ace-low", "jokers", "kitchen-table"):
            after = self.end(preset)
            assert (after.game.status, after.game.winners) == (Stage.DEAL_OVER, None)
            assert after.move(next_deal()).game.deal.number == 2

    def test_three_may_tie_as_well(self):
        deal = table(hands=["2C", "KD", "KH"], phase="meld", totals=[517, 527, 527])

        assert deal.move(discard("2C")).game.status is Stage.DEAL_OVER

    def test_a_tie_below_the_best_is_none(self):
        deal = table(hands=["2C", "KD", "KH"], phase="meld", totals=[530, 527, 527])

        assert deal.move(discard("2C")).game.winners == (0,)


class TestPlacingSpoilsABetterLayOff:
    """Case 10"""

    deal = table(hands=["TS 9S 4D"], melds=["JS QS KS", "TD TC TH"], phase="meld")

    def test_the_named_meld_is_obeyed(self):
        assert self.deal.move(lay_off("TS", "m1"), lay_off("9S", "m1")).points(0) == 19

    def test_both_places_are_offered(self):
        places = {move.meld_id for move in self.deal.lawful() if isinstance(move, LayOff)}

        assert places == {"m1", "m2"}

    def test_the_other_place_shuts_the_run(self):
        spoiled = self.deal.move(lay_off("TS", "m2"))

        assert spoiled.refused(lay_off("9S", "m1")) == "not_adjacent"


class TestTwinsConfuseRuns:
    """Case 11"""

    deal = table(hands=["JD QD QD KD 3C"], seats=5, phase="meld")

    def test_one_of_the_twins_goes_down(self):
        after = self.deal.move(lay("JD QD KD"))

        assert after.points(0) == 30
        assert after.hand(0) == hand("QD 3C")

    def test_both_in_one_run_are_refused(self):
        assert self.deal.refused(lay("JD QD QD KD")) == "not_a_run"

    def test_the_run_is_offered_once(self):
        offered = [move.cards for move in self.deal.lawful() if isinstance(move, LayMeld)]

        assert offered == [cards("JD QD KD")]

    def test_each_twin_may_have_its_own_run(self):
        deal = table(hands=["JD QD QD KD TD AD 3C"], seats=5, phase="meld")

        after = deal.move(lay("TD JD QD"), lay("QD KD AD"))

        assert after.points(0) == 65


class TestJokerPlayedSeveralTimes:
    """Case 13"""

    def test_it_can_be_laid_once(self):
        deal = table(hands=["X1 QC KD"], melds=["5S 6S 7S"], phase="meld", jokers_per_pack=2)

        laid = deal.move(lay_off("X1=8S", "m1"))

        assert laid.refused(lay_off("X1=9S", "m1")) == "meld_is_fixed"
        assert laid.melds == {"m1": "5S 6S 7S 8S"}

    def test_it_is_named_once_in_a_meld(self):
        deal = table(hands=["X1 QC KD"], phase="meld", jokers_per_pack=2)

        assert deal.refused(lay("QC X1=QD X1=QH")) == "repeated_card"


class TestJokersPlaceNotFixed:
    """Case 14"""

    def test_its_place_is_taken_and_the_run_goes_on(self):
        deal = table(hands=["4C X1 6C 9D KH", "5C 7C 2S"], phase="meld", jokers_per_pack=2)
        laid = deal.move(lay("4C X1=5C 6C"))
        assert laid.points(0) == 25

        next_turn = laid.move(discard("9D"), draw_stock())

        assert next_turn.refused(lay_off("5C", "m1")) == "joker_fixed"
        assert next_turn.move(lay_off("7C", "m1")).points(1) == 7

    def test_a_set_holds_its_place_too(self):
        deal = table(hands=["7D 4C"], melds=["7S 7H X1=7D"], phase="meld", jokers_per_pack=2)

        assert deal.refused(lay_off("7D", "m1")) == "joker_fixed"
        assert deal.melds == {"m1": "7S 7H 7D"}


class TestTurnOwnerNotChecked:
    """Case 16"""

    @pytest.mark.parametrize(
        "move",
        [
            draw_stock(),
            take_discard("8C"),
            lay("8H 8D 8S"),
            lay_off("8S", "m1"),
            discard("8H"),
            pass_(),
            # Held by others, or by nobody: the answer is the same.
            discard("2C"),
            lay("KC KD KH"),
            lay_off("9S", "m9"),
        ],
    )
    @pytest.mark.parametrize("phase", ["draw", "meld"])
    def test_every_move_out_of_turn_gets_the_same_answer(self, move, phase):
        deal = table(
            hands=["2C 3D", "KC KD KH", "8H 8D 8S"], pile="8C", melds=["0: 5S 6S 7S"], phase=phase, turn=1
        )

        refusal = deal.refusal(move, by=2)

        assert (refusal.code, refusal.message, refusal.details) == (
            "not_your_turn",
            "It is not your turn. Wait until it is.",
            {},
        )


class TestLowRunRefused:
    """Case 17"""

    @pytest.mark.parametrize("preset", ["classic", "ace-low", "kitchen-table", "cardcouch", "jokers"])
    def test_ace_two_three_is_a_run(self, preset):
        deal = table(preset=preset, hands=["AH 2H 3H 9C"], phase="meld")

        assert deal.move(lay("AH 2H 3H")).points(0) == 6

    def test_in_whatever_order_the_cards_are_named(self):
        deal = table(hands=["AH 2H 3H 9C"], phase="meld")

        assert deal.move(lay("3H AH 2H")).melds == {"m1": "AH 2H 3H"}


class TestTwinsAfterATake:
    """Case 19"""

    def test_one_twin_is_melded_and_the_other_stays(self):
        deal = table(hands=["7H 7D 7C 2S"], seats=6, pile="7H")

        after = deal.move(take_discard("7H"), lay("7D 7C 7H"), discard("2S"))

        assert after.points(0) == 21
        assert after.hand(0) == hand("7H")

    def test_either_twin_settles_the_debt(self):
        deal = table(hands=["7H 7D 7C 2S"], seats=6, pile="7H").move(take_discard("7H"))
        assert deal.turn.must_use == "7H"

        assert deal.move(lay("7D 7C 7H")).turn.must_use is None


class TestARunOutOfOneTake:
    """Case 20"""

    def test_cards_that_came_along_may_make_the_meld(self):
        deal = table(preset="cardcouch", hands=["2S 4H QC"], pile="KC 8D TD 9D")

        after = deal.move(take_discard("8D"), lay("8D 9D TD"), discard("QC"))

        assert after.points(0) == 27
        assert after.pile == cards("KC QC")

    def test_the_take_is_offered(self):
        assert table(preset="cardcouch", hands=["2S 4H QC"], pile="KC 8D TD 9D").takes() == ["8D"]

    def test_a_card_of_the_take_may_be_laid_off_to_make_room(self):
        deal = table(hands=["KS 2D"], pile="9S 4D 8S", melds=["5S 6S 7S"])

        after = deal.move(take_discard("9S"), lay_off("8S", "m1"), lay_off("9S", "m1"), discard("4D"))

        assert after.points(0) == 17


class TestJokerValueLeftOut:
    """Case 25"""

    def test_it_counts_fifteen_on_the_table(self):
        deal = table(preset="jokers", hands=["4C", "9D"], melds=["0: KH KD X1=KS"], phase="meld")

        assert deal.move(discard("4C")).scores == (35, -9)

    def test_and_in_the_hand(self):
        deal = table(preset="jokers", hands=["4C", "X1 X2"], phase="meld")

        assert deal.move(discard("4C")).scores == (0, -30)


class TestJokerHidesADuplicate:
    """Case 26"""

    deal = table(hands=["4D 4D X1 4H 9C"], seats=5, phase="meld", jokers_per_pack=2)

    def test_twins_in_a_set_are_refused_with_a_joker_too(self):
        assert self.deal.refused(lay("4D 4D X1=4S")) == "duplicate_suit"

    def test_a_joker_may_not_double_a_suit_itself(self):
        assert self.deal.refused(lay("4D 4H X1=4H")) == "duplicate_suit"

    def test_the_set_that_is_one_may_be_laid(self):
        assert self.deal.move(lay("4D X1=4S 4H")).points(0) == 23

    def test_nor_may_a_joker_double_a_rank_of_a_run(self):
        deal = table(hands=["4D 5D 6D X1 9C"], seats=5, phase="meld", jokers_per_pack=2)

        assert deal.refused(lay("4D 5D 6D X1=5D")) == "not_a_run"


class TestReshuffleDiffers:
    """Case 28"""

    @pytest.mark.parametrize("way", ["reshuffle", "flip"])
    def test_the_same_game_and_its_replay_draw_the_same_cards(self, way):
        def position():
            return table(hands=["KC", "KD 9S"], pile="2C 7S QH 4D", stock=0, stock_empty=way)

        deal, events = position(), list(position().events)
        for move in (draw_stock(), discard("KC"), draw_stock()):
            deal = deal.move(move)
            events += deal.events

        again = position().move(draw_stock(), discard("KC"), draw_stock())
        assert again.game == deal.game
        assert replay(KEY, events) == deal.game

    def test_the_order_stands_in_the_record(self):
        deal = table(hands=["KC", "KD"], pile="2C 7S QH 4D", stock=0, stock_empty="reshuffle")

        after = deal.move(draw_stock())

        (renewed,) = [event for event in after.events if isinstance(event, StockRenewed)]
        assert renewed.order is not None
        assert renewed.order[1:] == after.stock


class TestStockBelowNothing:
    """Case 29"""

    def test_nobody_draws_past_the_end(self):
        deal = table(hands=["KC 9S", "9D 9C"], pile="4H", stock="3S")

        last = deal.move(draw_stock(), discard("9S"))

        assert last.stock == ()
        assert last.refused(draw_stock()) == "stock_empty"
        assert len(last.stock) == 0
        assert last.to_move == (1, Phase.DRAW)
        assert last.move(take_discard("9S"), lay("9S 9D 9C")).over
        assert last.move(pass_()).over


class TestFailedDrawBlocksTheTurn:
    """Case 31"""

    deal = table(preset="cardcouch", hands=["QS QH 3D"], pile="5C QD", stock=0)

    def test_a_refusal_changes_nothing(self):
        before = self.deal.game

        assert self.deal.refused(draw_stock()) == "stock_empty"

        assert self.deal.game == before
        after = self.deal.move(take_discard("QD"), lay("QS QH QD"), discard("3D"))
        assert (after.points(0), after.result.went_out) == (30, 0)

    def test_nor_does_a_take_that_is_refused(self):
        assert self.deal.refused(take_discard("5C")) == "deepest_card_unusable"

        assert self.deal.move(take_discard("QD")).hand(0) == hand("QS QH QD 3D")

    def test_nor_a_meld(self):
        taken = self.deal.move(take_discard("QD"))
        assert taken.refused(lay("QS QH 3D")) == "not_a_set"

        assert taken.move(lay("QS QH QD")).points(0) == 30


class TestRenewalDoublesCards:
    """Case 32"""

    @pytest.mark.parametrize("way", ["reshuffle", "flip"])
    def test_only_the_pile_becomes_the_stock(self, way):
        # Seat 2 has left; its hand stays with the seat.
        deal = table(
            hands=["KC 2D", "9D 3S", "4S TH"],
            pile="5C 6H 7D",
            melds=["2: 8S 8H 8D"],
            stock=0,
            stock_empty=way,
        )

        after = deal.move(draw_stock())

        assert after.hand(2) == hand("4S TH")
        assert after.melds == {"m1": "8S 8H 8D"}
        assert sorted((*after.stock, *after.hand(0))) == sorted(cards("KC 2D 5C 6H 7D"))


class TestHandsOfTheSecondDeal:
    """Case 34"""

    def test_the_first_deals_hands_are_open_and_the_seconds_are_not(self):
        first = table(hands=["2C", "KD QD"], phase="meld").move(discard("2C"))
        assert first.result.seats[1].hand == hand("KD QD")

        second = first.move(next_deal())

        view = view_for(second.game, 0)
        assert view.hand == second.hand(0)
        assert view.deals[0].seats[1].hand == hand("KD QD")
        shown = repr(view) + "".join(repr(redact(event, 0)) for event in second.events)
        seen = {*second.hand(0), *second.pile, *hand("2C KD QD")}
        assert not [card for card in second.hand(1) if card not in seen and repr(card) in shown]


class TestLastDrawnCardLeaked:
    """Case 35"""

    after = table(hands=["KC", "KD"], stock="6D 7S").move(draw_stock())

    def test_the_others_learn_that_a_card_was_drawn(self):
        (drawn,) = self.after.events

        assert redact(drawn, 1) == StockDrawn(seat=0, card=None, stock_count=1)
        assert redact(drawn, None) == StockDrawn(seat=0, card=None, stock_count=1)

    def test_the_seat_learns_which(self):
        (drawn,) = self.after.events

        assert redact(drawn, 0) == StockDrawn(seat=0, card=cards("6D")[0], stock_count=1)

    @pytest.mark.parametrize("viewer", [1, None])
    def test_no_view_of_another_holds_it(self, viewer):
        assert "'6D'" not in repr(view_for(self.after.game, viewer))

    def test_a_take_is_public(self):
        deal = table(preset="kitchen-table", hands=["KC", "KD"], pile="6D").move(take_discard("6D"))

        assert [redact(event, 1) for event in deal.events] == list(deal.events)
        assert view_for(deal.game, 1).seats[0].known_cards == cards("6D")


class TestSpectators:
    """Case 37"""

    def test_they_see_what_lies_open_and_no_hand(self):
        deal = table(hands=["KC QC", "KD QD"], pile="2C 3C", melds=["7H 8H 9H"], stock="4S")

        view = view_for(deal.game, None)

        assert view.hand is None
        assert (view.discard_pile, view.melds) == (deal.pile, deal.game.deal.melds)
        assert not [code for code in ("KC", "QC", "KD", "QD", "4S") if repr(code) in repr(view)]

    def test_they_have_no_moves(self):
        deal = table(hands=["KC QC", "KD QD"])

        assert legal_moves(deal.game, 5).moves == ()
        assert forced_turn(deal.game, 5) == ()


class TestCardsTracedByPosition:
    """Case 38"""

    def test_a_hand_tells_nothing_of_when_a_card_came(self):
        first = table(hands=["5C 9D KH", "2S"], stock="7D 4S").move(draw_stock())
        second = table(hands=["5C 7D KH", "2S"], stock="9D 4S").move(draw_stock())

        assert first.hand(0) == second.hand(0)

    def test_cards_taken_are_known_until_they_are_played(self):
        deal = table(preset="kitchen-table", hands=["5C 5D 5S KH"], pile="2C 5H JD").move(take_discard("5H"))
        assert view_for(deal.game, 1).seats[0].known_cards == hand("5H JD")

        after = deal.move(lay("5C 5H 5D"), discard("KH"))

        assert view_for(after.game, 1).seats[0].known_cards == hand("JD")

    def test_of_twins_the_known_one_goes_first(self):
        deal = table(preset="kitchen-table", seats=5, hands=["JD 2C"], pile="JD").move(take_discard("JD"))

        thrown = deal.move(discard("JD"))

        assert thrown.hand(0) == hand("2C JD")
        assert view_for(thrown.game, 1).seats[0].known_cards == ()

    def test_two_games_that_differ_in_hidden_cards_look_alike(self):
        one = table(hands=["KC QC", "KD QD"], pile="2C", stock="4S 5S 6S").move(draw_stock())
        other = table(hands=["JC TC", "KD QD"], pile="2C", stock="9S 8S 7S").move(draw_stock())

        assert view_for(one.game, 1) == view_for(other.game, 1)
        assert [redact(event, 1) for event in one.events] == [redact(event, 1) for event in other.events]


class TestAnyCardCanBePlayed:
    """Case 40"""

    @pytest.mark.parametrize(
        "stock, others",
        [("7S 2C", "8S 9S"), ("2C 3C 7S", "8S 9S"), ("2C 3C", "8S 9S"), ("2C 3C", "7S 9S")],
        ids=["next in the stock", "last in the stock", "out of play", "in another hand"],
    )
    def test_the_refusal_does_not_tell_where_the_card_is(self, stock, others):
        deal = table(hands=["7C 7D 4H", others], phase="meld", stock=stock)

        refusals = [deal.refusal(move) for move in (lay("7C 7D 7S"), discard("7S"), lay_off("7S"))]

        assert [(one.code, one.message, one.details) for one in refusals] == [
            ("card_not_in_hand", "You do not hold the seven of spades.", {})
        ] * 3

    def test_a_card_of_the_pile_is_not_in_the_hand(self):
        deal = table(hands=["7C 7D 4H", "KD"], pile="7S", phase="meld")

        assert deal.refused(lay("7C 7D 7S")) == "card_not_in_hand"


class TestOneCardNamedTwice:
    """Case 41"""

    @pytest.mark.parametrize("preset", ["classic", "kitchen-table"])
    def test_a_single_card_makes_no_pair(self, preset):
        deal = table(preset=preset, seats=5, hands=["8C 8H KD"], phase="meld")

        assert deal.refused(lay("8C 8C 8H")) == "repeated_card"

    def test_two_copies_do_where_suits_are_free(self):
        deal = table(preset="kitchen-table", seats=5, hands=["8C 8C 8H KD"], phase="meld")

        assert deal.move(lay("8C 8C 8H")).hand(0) == hand("KD")

    def test_a_third_is_not_there(self):
        deal = table(preset="kitchen-table", seats=5, hands=["8C 8C 8H KD"], phase="meld")

        assert deal.refused(lay("8C 8C 8C")) == "repeated_card"


class TestRepeatedEndOfTurn:
    """Case 43"""

    def test_only_the_first_discard_counts(self):
        deal = table(hands=["3C 4D", "3D", "3H", "3S"], phase="meld").move(discard("3C"))

        assert deal.to_move == (1, Phase.DRAW)
        assert [deal.refused(discard("3C"), by=0) for _ in range(4)] == ["not_your_turn"] * 4
        assert deal.refused(discard("3D")) == "draw_first"


class TestPendingDuty:
    """Case 44"""

    deal = table(hands=["6S 6H KC"], pile="6C 2D").move(take_discard("6C"))

    def test_the_discard_waits_for_the_debt(self):
        assert self.deal.refused(discard("KC")) == "must_use_taken_card"
        assert self.deal.discards() == []

        paid = self.deal.move(lay("6S 6H 6C"))

        assert paid.move(discard("KC")).pile == cards("KC")

    def test_nor_can_the_turn_end_otherwise(self):
        assert self.deal.refused(pass_()) == "already_drawn"
        assert self.deal.refused(draw_stock()) == "already_drawn"
        assert self.deal.refused(take_discard("6C")) == "already_drawn"
        assert self.deal.refused(keep()) == "option_off"


class TestActionsAfterTheEnd:
    """Case 46"""

    finished = table(hands=["2C", "KD"], phase="meld", totals=[500, 0]).move(discard("2C"))
    between = table(hands=["2C", "KD"], phase="meld").move(discard("2C"))
    moves = (draw_stock(), lay("KD KH KC"), lay_off("KD"), discard("KD"), pass_(), keep(), take_discard("2C"))

    @pytest.mark.parametrize("move", moves)
    @pytest.mark.parametrize("seat", [0, 1])
    def test_a_finished_game_takes_no_move(self, move, seat):
        assert self.finished.game.winners == (0,)
        assert self.finished.refused(move, by=seat) == "game_over"

    @pytest.mark.parametrize("move", moves)
    def test_nor_does_a_finished_deal(self, move):
        assert self.between.refused(move, by=1) == "deal_over"

    def test_nothing_is_offered(self):
        for over in (self.finished, self.between):
            assert legal_moves(over.game, 0).moves == legal_moves(over.game, 1).moves == ()
            assert view_for(over.game, 0).turn is None


class TestStaleSelection:
    """Case 49"""

    def test_a_card_thrown_before_cannot_be_thrown_again(self):
        deal = table(hands=["9S QD"], pile="4H", phase="meld")

        assert deal.refused(discard("4H")) == "card_not_in_hand"
        assert deal.to_move == (0, Phase.MELD)


class TestUndo:
    """Case 53"""

    def test_no_move_takes_anything_back(self):
        names = {kind.__name__ for kind in PlayerMove.__args__}

        assert names == {
            "DrawStock",
            "TakeDiscard",
            "LayMeld",
            "LayOff",
            "Discard",
            "Pass",
            "KeepCard",
            "CallRummy",
        }


class TestPredictableShuffle:
    """Case 56"""

    def test_every_key_shuffles_differently(self):
        deals = {dealt(key=number.to_bytes(32, "big")).game.deal.hands for number in range(200)}

        assert len(deals) == 200

    def test_one_deals_seed_tells_nothing_of_the_next(self):
        deal = dealt()
        while not deal.over:
            deal = deal.move(draw_stock() if deal.stock else pass_())
            if not deal.over:
                deal = deal.move(discard(deal.discards()[0]))

        second = deal.move(next_deal())

        assert set(second.hand(0)) != set(dealt().hand(0))

    @pytest.mark.parametrize("preset", PRESETS)
    def test_the_dealer_is_drawn_from_the_same_key(self, preset):
        seats = PRESETS[preset].players[0]
        variant = resolve(preset, {}, seats=seats)

        assert choose_dealer(variant, seats, KEY) == choose_dealer(variant, seats, KEY)

    def test_the_key_is_in_no_view_and_no_event(self):
        deal = dealt()

        shown = repr(view_for(deal.game, 0)) + "".join(repr(redact(event, 0)) for event in deal.events)

        assert repr(KEY) not in shown
        assert KEY.hex() not in shown


class TestDealsThatNeverEnd:
    """Case 58"""

    def test_taking_and_throwing_in_a_circle_ends(self):
        deal = table(preset="kitchen-table", hands=["2C 9H", "3S JD"], pile="KD", stock=0)

        turns = 0
        while not deal.over and turns < 100:
            top = deal.pile[-1]
            deal = deal.move(take_discard(top))
            deal = deal.move(discard(next(code for code in deal.discards() if code != top)))
            turns += 1

        assert turns <= 3
        assert deal.result.reason == "stock_end"
        assert deal.result.went_out is None
        assert deal.scores == tuple(-seat.hand_points for seat in deal.result.seats)

    def test_without_a_draw_hands_shrink_until_somebody_is_out(self):
        deal = table(preset="kitchen-table", hands=["2C 9H", "3S JD"], pile="KD", stock=0)

        deal = deal.move(pass_(), discard("9H"), pass_(), discard("JD"), pass_(), discard("2C"))

        assert deal.result.went_out == 0


class TestTheComputersFallback:
    """Case 59"""

    def test_out_of_turn_there_is_nothing_to_do(self):
        deal = table(hands=["2C", "KD", "9H"], phase="meld", call_rummy="any_meld")

        assert forced_turn(deal.game, 2) == ()

    def test_asked_for_a_call_it_passes(self):
        deal = table(
            hands=["2C 4D", "KD", "9H 9S 9D"],
            pile="9C",
            phase="rummy_call",
            turn=1,
            discarder=0,
            call_rummy="any_meld",
        )

        (move,) = forced_turn(deal.game, 2)

        assert move in legal_moves(deal.game, 2).moves
        assert move == pass_()(2)

    def test_with_a_debt_it_pays_and_ends_its_turn(self):
        deal = table(hands=["6S 6H KC 2S"], pile="6C 2D").move(take_discard("6C"))

        game = deal.game
        for move in forced_turn(game, 0):
            assert move in legal_moves(game, 0).moves
            _, game = play(game, move)

        assert game.deal.turn.seat == 1


class TestPickedCardNotUsed:
    """Case 61"""

    deal = table(hands=["QS QD QC 7H 7D"], pile="2S QH").move(take_discard("QH"))

    def test_a_meld_beside_it_leaves_the_debt(self):
        beside = self.deal.move(lay("QS QD QC"))

        assert beside.turn.must_use == "QH"
        assert beside.refused(discard("7H")) == "must_use_taken_card"
        paid = beside.move(lay_off("QH", "m1"))
        assert paid.points(0) == 40
        assert paid.move(discard("7H")).to_move == (1, Phase.DRAW)

    def test_where_only_a_new_meld_counts_that_would_strand_it(self):
        deal = table(hands=["QS QD QC 7H 7D"], pile="2S QH", deepest_card_use="new_meld_only")

        assert deal.move(take_discard("QH")).refused(lay("QS QD QC")) == "would_strand_taken_card"


class TestTwoCardsOntoARun:
    """Case 62"""

    deal = table(preset="cardcouch", hands=["5D 6D KC"], melds=["7D 8D 9D"], phase="meld")

    def test_in_order_they_fit(self):
        assert self.deal.move(lay_off("6D", "m1"), lay_off("5D", "m1")).points(0) == 11

    def test_out_of_order_the_first_does_not(self):
        assert self.deal.refused(lay_off("5D", "m1")) == "not_adjacent"


class TestWhoMayCall:
    """Case 64"""

    deal = table(
        hands=["9C 9D", "KC KD", "QC JH"],
        pile="5D",
        melds=["2D 3D 4D"],
        phase="rummy_call",
        turn=1,
        discarder=0,
        call_rummy="table_or_pile",
    )

    def test_not_the_discarder(self):
        assert self.deal.refused(call("5D", lay_off("5D", "m1")), by=0) == "discarder_cannot_call"

    def test_not_the_player_who_draws_next(self):
        assert self.deal.refused(call("5D", lay_off("5D", "m1")), by=1) == "not_your_turn"

    def test_the_others_may_and_play_goes_on_at_the_callers_left(self):
        called = self.deal.move(call("5D", lay_off("5D", "m1")), by=2)
        assert called.points(2) == 5

        assert called.move(discard("QC")).turn.seat == 0


class TestRoundTheCorner:
    """Case 65"""

    @pytest.mark.parametrize("preset", PRESETS)
    def test_in_no_preset(self, preset):
        deal = table(preset=preset, seats=PRESETS[preset].players[0], hands=["QC KC AC 2C 3C"], phase="meld")

        for codes in ("QC KC AC 2C 3C", "KC AC 2C", "QC KC AC 2C", "KC AC 2C 3C"):
            assert deal.refused(lay(codes)) == "round_the_corner"

    def test_one_of_the_two_runs_may_be_laid(self):
        deal = table(hands=["QC KC AC 2C 3C"], phase="meld")

        assert deal.move(lay("QC KC AC")).points(0) == 35
        assert deal.move(lay("AC 2C 3C")).points(0) == 6
        assert deal.move(lay("AC 2C 3C")).refused(lay("QC KC AC")) == "meld_is_fixed"


class TestFloating:
    """Case 67"""

    def test_float_float_again_and_go_out(self):
        deal = table(hands=["5H 6H 7H", "KD QS"], stock="JC 8H 4C TC 2S", phase="meld", **FLOATING)

        floating = deal.move(lay("5H 6H 7H"))
        assert (floating.points(0), floating.hand(0), floating.over) == (18, (), False)
        again = floating.move(draw_stock(), discard("JC"), draw_stock(), lay_off("8H", "m1"))
        assert (again.points(0), again.hand(0), again.over) == (26, (), False)
        out = again.move(draw_stock(), discard("4C"), draw_stock(), discard("TC"))

        assert out.result.went_out == 0
        assert out.scores == (26, -20)

    def test_what_is_no_meld_is_none(self):
        deal = table(hands=["3H 5H 7H", "KD"], phase="meld", **FLOATING)

        assert deal.refused(lay("3H 5H 7H")) == "not_consecutive"


class TestLayOffWithoutAMeldOfOnesOwn:
    """Case 68"""

    @pytest.mark.parametrize("preset", ["classic", "ace-low", "jokers", "basic-rummy", "kitchen-table"])
    def test_it_is_lawful(self, preset):
        deal = table(preset=preset, hands=["JC 4D"], melds=["JS JD JH"], phase="meld")

        assert deal.move(lay_off("JC", "m1")).points(0) == 10


class TestJokerWorthItsCard:
    """Case 70"""

    def test_it_counts_fifteen_whatever_it_stands_for(self):
        deal = table(hands=["3C 4C X1 KD"], phase="meld", jokers_per_pack=2)

        assert deal.move(lay("3C 4C X1=5C")).points(0) == 22

    def test_as_a_low_ace_too(self):
        deal = table(hands=["2C 3C X1 KD"], phase="meld", jokers_per_pack=2)

        assert deal.move(lay("X1=AC 2C 3C")).points(0) == 20


class TestGoingOutWithAPlayableCard:
    """Case 73"""

    def test_the_deal_is_over_and_nobody_calls(self):
        deal = table(
            hands=["JS", "KD", "KC"],
            melds=["8S 9S TS"],
            phase="meld",
            call_rummy="any_meld",
        ).move(discard("JS"))

        assert deal.result.went_out == 0
        assert "call_window.opened" not in deal.happened
        assert deal.refused(call("JS", lay_off("JS", "m1")), by=2) == "deal_over"


class TestTheWinningMoveSentTwice:
    """Case 74"""

    def test_the_deal_ends_once(self):
        deal = table(hands=["6C", "9D"], melds=["3C 4C 5C"], phase="meld").move(lay_off("6C", "m1"))

        assert deal.result.went_out == 0
        assert deal.scores == (6, 12 - 9)
        assert deal.happened == ["card.laid_off", "player.went_out", "deal.ended"]
        assert deal.refused(lay_off("6C", "m1"), by=0) == "deal_over"
        assert len(deal.game.deals) == 1


class TestSeveralMovesOfOneKind:
    """Case 76"""

    deal = table(preset="basic-rummy", hands=["2H 3H 4H 9S 9D 9C KD 5H"], phase="meld")

    def test_one_meld_a_turn(self):
        laid = self.deal.move(lay("2H 3H 4H"))

        assert laid.refused(lay("9S 9D 9C")) == "one_meld_a_turn"
        assert [move for move in laid.lawful() if isinstance(move, LayMeld)] == []

    def test_lay_offs_are_not_limited(self):
        laid = self.deal.move(lay("2H 3H 4H"), lay_off("5H", "m1"))

        assert laid.points(0) == 14

    def test_one_draw_a_turn(self):
        deal = table(hands=["2H 3H"], pile="4C").move(draw_stock())

        assert deal.refused(draw_stock()) == "already_drawn"
        assert deal.refused(take_discard("4C")) == "already_drawn"
