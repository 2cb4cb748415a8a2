"""RULES 6: discard and going out."""

import pytest

from service.rummy.moves import KeepCard, LayMeld
from service.rummy.state import Phase
from tests.support.tables import (
    call,
    cards,
    discard,
    draw_stock,
    hand,
    keep,
    lay,
    lay_off,
    pass_,
    table,
    take_discard,
)

DISCARD_REQUIRED = {"going_out": "discard_required"}
FLOATING = {"going_out": "discard_required", "floating": True}


class TestTheDiscard:
    """RULES 6.1"""

    def test_it_goes_on_top_and_ends_the_turn(self):
        after = table(hands=["7S 2C"], pile="9D", phase="meld").move(discard("7S"))

        assert after.pile == cards("9D 7S")
        assert after.to_move == (1, Phase.DRAW)

    def test_it_may_be_the_card_just_drawn(self):
        after = table(hands=["7S 2C"], pile="9D", stock="KD 4H").move(draw_stock(), discard("KD"))

        assert after.pile == cards("9D KD")

    def test_every_card_held_may_go(self):
        deal = table(hands=["7S 2C KD"], pile="9D", phase="meld")

        assert deal.discards() == ["2C", "KD", "7S"]

    def test_a_card_not_held_may_not(self):
        deal = table(hands=["7S 2C", "KH"], pile="9D", phase="meld")

        assert deal.refused(discard("KH")) == "card_not_in_hand"
        assert deal.refused(discard("9D")) == "card_not_in_hand"

    def test_a_joker_may_be_discarded(self):
        after = table(hands=["X1 2C"], phase="meld", jokers_per_pack=1).move(discard("X1"))

        assert after.pile == cards("X1")


class TestGoingOut:
    """RULES 6.2"""

    @pytest.mark.parametrize(
        "held, melds, move",
        [
            ("7H 7D 7C", [], lay("7H 7D 7C")),
            ("7H", ["7S 7D 7C"], lay_off("7H", "m1")),
            ("7H", [], discard("7H")),
        ],
        ids=["by meld", "by lay-off", "by discard"],
    )
    def test_with_the_last_card_the_deal_is_over(self, held, melds, move):
        after = table(hands=[held, "KD"], melds=melds, phase="meld").move(move)

        assert (after.result.reason, after.result.went_out) == ("went_out", 0)
        assert after.happened[-2:] == ["player.went_out", "deal.ended"]

    def test_nothing_more_is_asked(self):
        after = table(hands=["7H 7D 7C", "KD"], phase="meld").move(lay("7H 7D 7C"))

        assert after.refused(discard("7H"), by=0) == "deal_over"


class TestADiscardToGoOut:
    """RULES 6.3"""

    def test_the_last_card_is_not_melded(self):
        deal = table(hands=["7H 7D 7C", "KD"], phase="meld", **DISCARD_REQUIRED)

        assert deal.refused(lay("7H 7D 7C")) == "must_keep_a_discard"
        assert not [move for move in deal.legal_moves() if isinstance(move, LayMeld)]

    def test_nor_laid_off(self):
        deal = table(hands=["7H", "KD"], melds=["7S 7D 7C"], phase="meld", **DISCARD_REQUIRED)

        assert deal.refused(lay_off("7H", "m1")) == "must_keep_a_discard"
        assert deal.discards() == ["7H"]

    def test_but_may_be_discarded(self):
        deal = table(hands=["7H 7D 7C 2S", "KD"], phase="meld", **DISCARD_REQUIRED)

        assert deal.move(lay("7H 7D 7C"), discard("2S")).result.went_out == 0

    def test_a_take_must_leave_a_card_to_discard(self):
        deal = table(hands=["7H 7D", "KD"], pile="7C", **DISCARD_REQUIRED)

        assert deal.refused(take_discard("7C")) == "must_keep_a_discard"
        assert table(hands=["7H 7D"], pile="7C").takes() == ["7C"]

    def test_so_must_a_lay_off_of_the_card_taken(self):
        deal = table(hands=["8S"], pile="9S", melds=["5S 6S 7S"], **DISCARD_REQUIRED)

        assert deal.refused(take_discard("9S")) == "must_keep_a_discard"

    def test_a_larger_meld_may_be_too_large(self):
        deal = table(hands=["7H 7D 7S"], pile="7C", **DISCARD_REQUIRED).move(take_discard("7C"))

        assert deal.refused(lay("7H 7D 7S 7C")) == "must_keep_a_discard"
        assert deal.move(lay("7H 7D 7C"), discard("7S")).over

    def test_a_call_must_leave_one_too(self):
        deal = table(
            hands=["9C 9D", "KC KD", "TH TS"],
            pile="4C TD",
            phase="rummy_call",
            turn=1,
            discarder=0,
            call_rummy="any_meld",
            **DISCARD_REQUIRED,
        )

        assert deal.refused(call("TD", lay("TD TH TS")), by=2) == "must_keep_a_discard"
        assert deal.legal_moves(2) == [pass_()(2)]


class TestFloating:
    """RULES 6.4"""

    def test_the_last_card_may_be_laid_and_the_deal_goes_on(self):
        after = table(hands=["7H 7D 7C", "KD QD"], phase="meld", **FLOATING).move(lay("7H 7D 7C"))

        assert after.hand(0) == ()
        assert after.to_move == (1, Phase.DRAW)
        assert after.happened == ["meld.laid", "turn.started"]

    def test_on_the_next_turn_the_player_draws_and_may_go_out(self):
        deal = table(hands=["-", "KD QD"], stock="3C 4C", **FLOATING)

        assert deal.turn.floating
        assert deal.move(draw_stock(), discard("3C")).result.went_out == 0

    def test_or_tables_it_and_floats_again(self):
        deal = table(hands=["-", "KD QD"], melds=["3H 3D 3S"], stock="3C 4C", **FLOATING)

        after = deal.move(draw_stock(), lay_off("3C", "m1"))

        assert after.hand(0) == ()
        assert after.to_move == (1, Phase.DRAW)

    def test_or_takes_from_the_pile(self):
        deal = table(hands=["-", "KD QD"], pile="3H 3D 3S 4C", **FLOATING)
        assert deal.takes() == ["3H"]

        after = deal.move(take_discard("3H"), lay("3H 3D 3S"))

        assert after.move(discard("4C")).result.went_out == 0
        assert after.move(keep()).hand(0) == hand("4C")

    def test_a_floating_player_loses_nothing_when_another_goes_out(self):
        deal = table(hands=["-", "KD"], melds=["0: 7H 7D 7C"], phase="meld", turn=1, **FLOATING)

        assert deal.move(discard("KD")).scores == (21, 0)

    def test_without_it_no_player_floats(self):
        deal = table(hands=["7H 7D 7C", "KD"], phase="meld", **DISCARD_REQUIRED)

        assert deal.refused(lay("7H 7D 7C")) == "must_keep_a_discard"


class TestKeepingACard:
    """RULES 6.5"""

    def test_a_floating_player_may_keep_the_card_they_drew(self):
        deal = table(hands=["-", "KD QD"], stock="3C 4C", **FLOATING).move(draw_stock())
        assert KeepCard(seat=0) in deal.legal_moves()

        after = deal.move(keep())

        assert after.hand(0) == hand("3C")
        assert after.happened == ["card.kept", "turn.started"]
        assert after.to_move == (1, Phase.DRAW)

    def test_then_the_player_floats_no_more(self):
        deal = table(hands=["-", "KD QD"], stock="3C 4C 5C 6C", **FLOATING)
        deal = deal.move(draw_stock(), keep(), draw_stock(), discard("4C"))
        assert not deal.turn.floating

        assert deal.move(draw_stock()).refused(keep()) == "not_floating"

    def test_with_two_cards_a_discard_is_due(self):
        deal = table(hands=["-", "KD QD"], pile="3H 3D 3S 4C 5D", **FLOATING)

        laid = deal.move(take_discard("3H"), lay("3H 3D 3S"))

        assert laid.refused(keep()) == "not_floating"
        assert laid.discards() == ["4C", "5D"]

    def test_while_a_card_must_be_used_nothing_is_kept(self):
        deal = table(hands=["-", "KD QD"], pile="3S", melds=["3H 3D 3C"], **FLOATING)

        assert deal.move(take_discard("3S")).refused(keep()) == "not_floating"

    def test_a_player_with_one_card_left_keeps_nothing(self):
        deal = table(hands=["7H 7D 7C 2S", "KD"], phase="meld", **FLOATING).move(lay("7H 7D 7C"))

        assert deal.refused(keep()) == "not_floating"

    def test_without_floating_there_is_no_such_move(self):
        deal = table(hands=["7H", "KD"], phase="meld")

        assert deal.refused(keep()) == "option_off"

    def test_not_before_the_draw(self):
        assert table(hands=["-", "KD QD"], **FLOATING).refused(keep()) == "draw_first"

    def test_no_window_opens_after_a_kept_card(self):
        deal = table(
            hands=["-", "KD QD", "9C 9D"], pile="8S", stock="3C 4C", call_rummy="any_meld", **FLOATING
        )

        assert deal.move(draw_stock(), keep()).to_move == (1, Phase.DRAW)
