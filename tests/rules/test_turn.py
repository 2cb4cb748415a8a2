"""RULES 2: the turn."""

from typing import ClassVar

import pytest

from service.rummy.events import DiscardTaken
from service.rummy.forced_turn import forced_turn
from service.rummy.moves import DrawStock, TakeDiscard
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

MAY_KEEP = {"top_discard": "may_keep"}


class TestDrawTableDiscard:
    """RULES 2.1"""

    deal = table(hands=["7H 7D 7C 2S KD", "9H 9C"], pile="4D", melds=["3S 4S 5S"], stock="8D 8C")

    def test_a_turn_is_draw_table_discard(self):
        after = self.deal.move(draw_stock(), lay("7H 7D 7C"), lay_off("2S", "m1"), discard("KD"))

        assert after.hand(0) == hand("8D")
        assert after.pile == cards("4D KD")
        assert after.to_move == (1, Phase.DRAW)

    @pytest.mark.parametrize("move", [lay("7H 7D 7C"), lay_off("2S", "m1"), discard("KD"), discard("9H")])
    def test_nothing_is_laid_or_discarded_before_the_draw(self, move):
        assert self.deal.refused(move) == "draw_first"

    @pytest.mark.parametrize("move", [draw_stock(), take_discard("4D"), pass_()])
    def test_there_is_one_draw(self, move):
        assert self.deal.move(draw_stock()).refused(move) == "already_drawn"

    def test_tabling_is_never_compulsory(self):
        after = self.deal.move(draw_stock(), discard("KD"))

        assert after.hand(0) == hand("7H 7D 7C 2S 8D")
        assert after.points(0) == 0

    def test_before_the_draw_only_draws_are_offered(self):
        assert {type(move) for move in self.deal.legal_moves()} == {DrawStock}


class TestOnlyTheSeatWhoseTurnItIs:
    """RULES 2.2"""

    @pytest.mark.parametrize("move", [draw_stock(), take_discard("4D"), lay("9H 9C 9S"), discard("9H")])
    @pytest.mark.parametrize("phase", ["draw", "meld"])
    def test_no_player_plays_out_of_turn(self, move, phase):
        deal = table(hands=["7H 7D", "9H 9C 9S"], pile="4D", phase=phase)

        assert deal.refused(move, by=1) == "not_your_turn"
        assert deal.legal_moves(1) == []


class TestDrawingFromTheStock:
    """RULES 2.3"""

    def test_the_top_card_comes_into_the_hand(self):
        after = table(hands=["7H"], stock="8D 8C").move(draw_stock())

        assert after.hand(0) == hand("7H 8D")
        assert after.stock == cards("8C")


class TestTakingFromTheDiscardPile:
    """RULES 2.4"""

    def test_every_card_above_the_chosen_one_comes_too(self):
        deal = table(pile="2C 7H 9D", hands=["7S 7C KD", "4H"])

        after = deal.move(take_discard("7H"))

        assert after.hand(0) == hand("7S 7C KD 7H 9D")
        assert after.pile == cards("2C")

    def test_everybody_sees_what_was_taken(self):
        deal = table(pile="2C 7H 9D", hands=["7S 7C KD", "4H"]).move(take_discard("7H"))

        (taken,) = deal.events
        assert isinstance(taken, DiscardTaken)
        assert (taken.seat, taken.position, taken.cards) == (0, 1, cards("7H 9D"))

    def test_the_whole_pile_may_be_taken(self):
        deal = table(pile="7H 2C 9D", hands=["7S 7C KD", "4H"])

        assert deal.move(take_discard("7H")).pile == ()

    @pytest.mark.parametrize("code", ["7S", "KD", "8D"])
    def test_what_does_not_lie_there_cannot_be_taken(self, code):
        deal = table(pile="2C 7H 9D", hands=["7S 7C KD", "4H"], stock="8D")

        assert deal.refused(take_discard(code)) == "card_not_in_pile"

    def test_with_no_pile_nothing_can_be_taken(self):
        assert table(hands=["7S 7C KD"]).refused(take_discard("7H")) == "card_not_in_pile"

    def test_of_two_copies_the_position_must_be_named(self):
        deal = table(seats=5, pile="7H 2C 7H 9D", hands=["7S 7C KD"])

        refusal = deal.refusal(take_discard("7H"))
        assert refusal.details == {"choices": [{"position": 0}, {"position": 2}]}

        assert deal.move(take_discard("7H", 0)).pile == ()
        assert deal.move(take_discard("7H", 2)).pile == cards("7H 2C")

    @pytest.mark.parametrize("position", [-1, 1, 3, 4])
    def test_another_card_lies_at_that_place(self, position):
        deal = table(seats=5, pile="7H 2C 7H 9D", hands=["7S 7C KD"])

        assert deal.refused(take_discard("7H", position)) == "card_not_in_pile"

    def test_every_place_it_may_be_taken_from_is_offered(self):
        deal = table(seats=5, pile="7H 2C 7H 9D", hands=["7S 7C KD"])

        takes = [(move.card, move.position) for move in deal.legal_moves() if isinstance(move, TakeDiscard)]
        assert takes == [("7H", 2), ("7H", 0)]


class TestTheDeepestCardMustBeUsed:
    """RULES 2.5"""

    deal = table(pile="2C 7H 9D", hands=["7S 7C KD QD"]).move(take_discard("7H"))

    def test_the_turn_cannot_end_before(self):
        assert self.deal.turn.must_use == "7H"
        for code in ("7H", "9D", "KD"):
            assert self.deal.refused(discard(code)) == "must_use_taken_card"

    def test_a_meld_settles_it(self):
        after = self.deal.move(lay("7S 7C 7H"))

        assert after.turn.must_use is None
        assert after.discards() == ["9D", "QD", "KD"]

    def test_a_lay_off_settles_it(self):
        deal = table(pile="2C 8S 9D", hands=["KC KD"], melds=["5S 6S 7S"]).move(take_discard("8S"))

        assert deal.move(lay_off("8S", "m1")).turn.must_use is None

    @pytest.mark.parametrize(
        "held, pile, meld",
        [
            ("7S 7C KD", "7H 2D 9D", "7S 7C 7H"),
            ("2S 4H KD", "7H 8H 9H", "7H 8H 9H"),
            ("7C 2S KD", "7H 9S 7D", "7H 7C 7D"),
        ],
        ids=["from the hand", "from the take", "from both"],
    )
    def test_it_may_be_melded_with_cards(self, held, pile, meld):
        assert table(pile=pile, hands=[held]).move(take_discard("7H"), lay(meld)).turn.must_use is None

    def test_the_other_cards_taken_are_free(self):
        paid = self.deal.move(lay("7S 7C 7H"))

        assert paid.move(discard("9D")).pile == cards("2C 9D")
        assert paid.move(discard("KD")).hand(0) == hand("9D QD")

    def test_either_copy_may_be_used(self):
        deal = table(seats=5, pile="7H", hands=["7H 7S 7C KD QD"]).move(take_discard("7H"))

        after = deal.move(lay("7H 7S 7C"))

        assert after.turn.must_use is None
        assert after.move(discard("7H")).hand(0) == hand("QD KD")


class TestATakeMustBePossible:
    """RULES 2.6"""

    @pytest.mark.parametrize(
        "held, pile, melds, card",
        [
            ("7S 7C KD", "7H", [], "7H"),
            ("8H 9H KD", "7H", [], "7H"),
            ("6H 8H KD", "7H", [], "7H"),
            ("5H 6H KD", "7H", [], "7H"),
            ("2H 3H KD", "AH", [], "AH"),
            ("QH KH 2D", "AH", [], "AH"),
            ("KD", "8S", ["5S 6S 7S"], "8S"),
            ("KD", "4S", ["5S 6S 7S"], "4S"),
            ("KD", "5H", ["5S 5C 5D"], "5H"),
            ("8S KD", "9S", ["5S 6S 7S"], "9S"),
            ("8S 9S KD", "TS", ["5S 6S 7S"], "TS"),
            ("3S 4S KD", "2S", ["5S 6S 7S"], "2S"),
            ("4S KD", "9S 8S", ["5S 6S 7S"], "9S"),
            ("JD QD 2C", "AD KD", ["8D 9D TD"], "AD"),
        ],
    )
    def test_there_is_a_way_to_table_it(self, held, pile, melds, card):
        deal = table(hands=[held], pile=pile, melds=melds)

        assert card in deal.takes()
        assert deal.move(take_discard(card)).turn.must_use == card

    @pytest.mark.parametrize(
        "held, pile, melds",
        [
            ("7S KD", "7H", []),
            ("8H TH KD", "7H", []),
            ("8H 9S KD", "7H", []),
            ("KH 2H QD", "AH", []),
            ("KD", "9S", ["5S 6S 7S"]),
            ("TS KD", "9S", ["5S 6S 7S"]),
            ("KD", "2D", ["TD JD QD"]),
            ("KD", "5S", ["4H 5H 6H"]),
        ],
    )
    def test_there_is_none(self, held, pile, melds):
        deal = table(hands=[held], pile=pile, melds=melds)

        assert deal.refused(take_discard(pile)) == "deepest_card_unusable"
        assert deal.takes() == []

    def test_a_meld_of_the_hand_first_may_open_the_place(self):
        deal = table(hands=["5S 6S 7S KD"], pile="8S")

        after = deal.move(take_discard("8S"), lay("5S 6S 7S"), lay_off("8S", "m1"))

        assert after.turn.must_use is None

    def test_a_joker_may_fill_the_gap(self):
        deal = table(hands=["X1 KD"], pile="9S", melds=["5S 6S 7S"], jokers_per_pack=1)

        after = deal.move(take_discard("9S"), lay_off("X1=8S", "m1"), lay_off("9S", "m1"))

        assert after.points(0) == 24

    def test_a_joker_and_one_card_make_a_meld_with_it(self):
        deal = table(hands=["X1 7C KD"], pile="7H", jokers_per_pack=1)

        assert deal.takes() == ["7H"]

    def test_a_joker_taken_must_be_used_as_well(self):
        deal = table(hands=["7C 7D KD"], pile="X1", jokers_per_pack=1)
        assert deal.move(take_discard("X1"), lay("7C 7D X1=7S")).turn.must_use is None

        useless = table(hands=["7C 4D KS"], pile="X1", jokers_per_pack=1)
        assert useless.refused(take_discard("X1")) == "deepest_card_unusable"

    @pytest.mark.parametrize(
        "held, melds",
        [("KD", ["7S 7H 7D"]), ("KD", ["5S 6S 7S"]), ("7C 8C KD", []), ("7C 9C KD", []), ("X2 9D", [])],
    )
    def test_a_joker_has_a_place(self, held, melds):
        deal = table(hands=[held], pile="X1", melds=melds, jokers_per_pack=2)

        assert deal.takes() == ["X1"]

    @pytest.mark.parametrize(
        "held, melds", [("KD", ["7S 7H 7D 7C"]), ("7C TC KD", []), ("X2", []), ("2D KD", [])]
    )
    def test_a_joker_has_none(self, held, melds):
        deal = table(hands=[held], pile="X1", melds=melds, jokers_per_pack=2)

        assert deal.refused(take_discard("X1")) == "deepest_card_unusable"

    def test_where_any_suits_make_a_set_a_second_copy_counts(self):
        hands = ["7H 7C KD"]

        assert table(preset="kitchen-table", seats=5, hands=hands, pile="7H 2S").takes() == ["2S", "7H"]
        assert table(preset="classic", seats=5, hands=hands, pile="7H 2S").takes() == []


class TestTheCardStaysUsable:
    """RULES 2.7"""

    deal = table(hands=["9H 9C TC JC 2D QH"], pile="9S", preset="cardcouch").move(take_discard("9S"))

    def test_a_meld_that_takes_its_partner_is_refused(self):
        assert self.deal.refused(lay("9C TC JC")) == "would_strand_taken_card"

    def test_after_it_is_laid_the_meld_has_lost_its_card(self):
        paid = self.deal.move(lay("9S 9H 9C"))

        assert paid.refused(lay("9C TC JC")) == "meld_is_fixed"

    def test_with_another_partner_both_are_legal(self):
        deal = table(hands=["9H 9C 9D TC JC 2D"], pile="9S").move(take_discard("9S"))

        after = deal.move(lay("9C TC JC"), lay("9S 9H 9D"))

        assert after.points(0) == 56

    def test_a_lay_off_that_takes_its_partner_is_refused(self):
        deal = table(hands=["9H 9C 2D"], pile="9S", melds=["6C 7C 8C"]).move(take_discard("9S"))

        assert deal.refused(lay_off("9C", "m1")) == "would_strand_taken_card"

    def test_a_lay_off_that_brings_it_nearer_is_legal(self):
        deal = table(hands=["8S 2D"], pile="9S", melds=["5S 6S 7S"]).move(take_discard("9S"))

        assert deal.move(lay_off("8S", "m1")).turn.must_use == "9S"

    def test_the_one_meld_of_the_turn_must_be_for_it(self):
        deal = table(hands=["9H 9C 3D 3S 3H KC"], pile="9S", melds_per_turn=1).move(take_discard("9S"))

        assert deal.refused(lay("3D 3S 3H")) == "would_strand_taken_card"
        assert deal.move(lay("9S 9H 9C")).refused(lay("3D 3S 3H")) == "one_meld_a_turn"

    def test_the_last_card_to_discard_is_kept_for_the_end(self):
        deal = table(hands=["9H 9C 3D"], pile="9S", melds=["3S 3H 3C"], going_out="discard_required").move(
            take_discard("9S")
        )

        assert deal.refused(lay_off("3D", "m1")) == "would_strand_taken_card"
        assert deal.move(lay("9S 9H 9C"), discard("3D")).over


class TestTheLoneTopDiscard:
    """RULES 2.8"""

    def test_it_must_be_used_like_any_other(self):
        deal = table(hands=["7S 7C KD"], pile="9D 7H")

        assert deal.move(take_discard("7H")).turn.must_use == "7H"
        assert table(hands=["7S 2C KD"], pile="9D 7H").refused(take_discard("7H")) == "deepest_card_unusable"

    def test_where_it_may_be_kept_it_is_not(self):
        deal = table(hands=["7S 2C KD"], pile="9D 7H", **MAY_KEEP)

        after = deal.move(take_discard("7H"))

        assert after.turn.must_use is None
        assert after.move(discard("KD")).hand(0) == hand("2C 7S 7H")

    def test_a_deeper_take_still_owes_its_deepest(self):
        deal = table(hands=["9S 9C KD QH"], pile="9D 7H", **MAY_KEEP)

        assert deal.move(take_discard("9D")).turn.must_use == "9D"
        assert table(hands=["9S KD"], pile="9D 7H", **MAY_KEEP).takes() == ["7H"]


class TestNotTheSameCardBack:
    """RULES 2.9"""

    def test_a_kept_top_card_is_not_discarded_in_the_same_turn(self):
        deal = table(hands=["7S 2C KD"], pile="9D 7H", **MAY_KEEP).move(take_discard("7H"))

        assert deal.turn.may_not_discard == "7H"
        assert deal.refused(discard("7H")) == "same_card_back"
        assert deal.discards() == ["2C", "KD", "7S"]

    def test_where_it_is_allowed_it_may(self):
        deal = table(hands=["7S 2C KD"], pile="9D 7H", same_card_back="allowed", **MAY_KEEP)

        assert deal.move(take_discard("7H"), discard("7H")).pile == cards("9D 7H")

    def test_on_the_next_turn_it_may_go(self):
        deal = table(hands=["7S 2C KD"], pile="9D 7H", **MAY_KEEP).move(take_discard("7H"), discard("KD"))
        others = deal.move(draw_stock())
        deal = others.move(discard(others.discards()[0]), draw_stock())

        assert "7H" in deal.discards()

    def test_beside_its_second_copy_either_may_go(self):
        deal = table(seats=5, hands=["7H 2C KD"], pile="9D 7H", **MAY_KEEP).move(take_discard("7H"))

        assert deal.move(discard("7H")).hand(0) == hand("2C KD 7H")

    def test_once_it_is_laid_its_second_copy_may_go(self):
        deal = table(seats=5, hands=["9D 9S 9H 2C"], pile="3H 9D", preset="jokers")

        laid = deal.move(take_discard("9D"), lay("9D 9S 9H"))

        assert laid.known(0) == ()
        assert laid.turn.may_not_discard is None
        assert laid.discards() == ["2C", "9D"]
        assert laid.move(discard("9D")).pile == cards("3H 9D")

    @pytest.mark.parametrize("seats,packs", [(2, 2), (3, 3), (5, 2)])
    @pytest.mark.parametrize("preset", ["jokers", "basic-rummy", "kitchen-table"])
    def test_also_where_the_second_copy_came_from_an_earlier_take(self, preset, seats, packs):
        deal = table(
            preset=preset,
            seats=seats,
            packs=packs,
            hands=["9D 9S 9H 2C"],
            known=["9D"] + [""] * (seats - 1),
            pile="3H 9D",
            same_card_back="forbidden",
            **MAY_KEEP,
        )

        laid = deal.move(take_discard("9D"), lay("9D 9S 9H"))

        assert laid.known(0) == cards("9D")
        assert laid.discards() == ["2C", "9D"]
        assert laid.move(discard("9D")).known(0) == ()

    def test_also_where_it_was_laid_off(self):
        deal = table(
            seats=5, hands=["9D 2C"], pile="3H 9D", melds=["9C 9S 9H"], set_distinct_suits=True, **MAY_KEEP
        )

        laid = deal.move(take_discard("9D"), lay_off("9D", "m1"))

        assert laid.discards() == ["2C", "9D"]

    def test_a_player_goes_out_with_the_second_copy(self):
        deal = table(seats=5, hands=["9D 9S 9H"], pile="3H 9D", preset="jokers")

        laid = deal.move(take_discard("9D"), lay("9D 9S 9H"))

        assert laid.move(discard("9D")).result.went_out == 0

    def test_also_where_the_last_card_must_be_discarded(self):
        deal = table(seats=5, hands=["9D 9S 9H"], pile="3H 9D", going_out="discard_required", **MAY_KEEP)

        laid = deal.move(take_discard("9D"), lay("9D 9S 9H"))

        assert laid.move(discard("9D")).result.went_out == 0

    def test_another_joker_is_not_its_copy(self):
        deal = table(hands=["X2 9S 9H 2C 2D"], pile="3H X1", preset="jokers").move(take_discard("X1"))

        other_laid = deal.move(lay("X2=9D 9S 9H"))
        assert other_laid.refused(discard("X1")) == "same_card_back"

        laid = deal.move(lay("X1=9D 9S 9H"))
        assert laid.discards() == ["2C", "2D", "X2"]

    def test_once_it_is_laid_nothing_is_barred(self):
        deal = table(hands=["7S 7C KD 2D"], pile="9D 7H", **MAY_KEEP)

        laid = deal.move(take_discard("7H"), lay("7H 7S 7C"))

        assert laid.turn.may_not_discard is None

    def test_no_player_is_left_with_only_that_card(self):
        deal = table(hands=["9S 9C 9H"], pile="2D", **MAY_KEEP).move(take_discard("2D"))

        assert deal.refused(lay("9S 9C 9H")) == "same_card_back"
        assert deal.discards() == ["9C", "9H", "9S"]

    def test_nor_by_a_lay_off(self):
        deal = table(hands=["9S"], pile="2D", melds=["9C 9H 9D"], **MAY_KEEP).move(take_discard("2D"))

        assert deal.refused(lay_off("9S", "m1")) == "same_card_back"
        assert deal.discards() == ["9S"]

    def test_unless_it_can_itself_be_laid_off_to_go_out(self):
        deal = table(hands=["8S"], pile="9S", melds=["5S 6S 7S"], **MAY_KEEP).move(take_discard("9S"))

        after = deal.move(lay_off("8S", "m1"), lay_off("9S", "m1"))

        assert after.result.went_out == 0

    def test_also_on_the_meld_that_leaves_it(self):
        deal = table(hands=["6S 7S 8S"], pile="9S", **MAY_KEEP).move(take_discard("9S"))

        laid = deal.move(lay("6S 7S 8S"))
        assert laid.refused(discard("9S")) == "same_card_back"

        assert laid.move(lay_off("9S", "m1")).over

    def test_but_not_where_a_discard_is_demanded(self):
        deal = table(
            hands=["8S"], pile="9S", melds=["5S 6S 7S"], going_out="discard_required", **MAY_KEEP
        ).move(take_discard("9S"))

        assert deal.refused(lay_off("8S", "m1")) == "same_card_back"

    def test_a_floating_player_may_keep_it(self):
        deal = table(hands=["-"], pile="9S", going_out="discard_required", floating=True, **MAY_KEEP).move(
            take_discard("9S")
        )

        assert deal.refused(discard("9S")) == "same_card_back"
        assert deal.move(keep()).hand(0) == hand("9S")

    def test_a_player_without_cards_takes_no_card_they_could_not_part_with(self):
        deal = table(hands=["-"], pile="9S", **MAY_KEEP)
        assert deal.refused(take_discard("9S")) == "same_card_back"
        assert deal.takes() == []

        onto_a_run = table(hands=["-"], pile="9S", melds=["6S 7S 8S"], **MAY_KEEP)
        assert onto_a_run.move(take_discard("9S"), lay_off("9S", "m1")).result.went_out == 0

    def test_a_deeper_take_bars_nothing(self):
        deal = table(hands=["7S 7C 2C KD"], pile="7H 9D", **MAY_KEEP).move(take_discard("7H"))

        assert deal.turn.may_not_discard is None
        assert "9D" in deal.move(lay("7S 7C 7H")).discards()


class TestTheDeepestCardStartsANewMeld:
    """RULES 2.10"""

    def test_a_lay_off_makes_no_take_legal(self):
        deal = table(hands=["5S KC"], pile="QD 8C 3H", melds=["5C 6C 7C"], deepest_card_use="new_meld_only")

        assert deal.refused(take_discard("8C")) == "must_start_new_meld"
        assert deal.takes() == []

    def test_nor_does_laying_off_use_the_card(self):
        deal = table(
            hands=["8S 8D KC 2S"], pile="8C 3H", melds=["5C 6C 7C"], deepest_card_use="new_meld_only"
        ).move(take_discard("8C"))

        assert deal.refused(lay_off("8C", "m1")) == "must_start_new_meld"
        assert deal.move(lay("8S 8D 8C")).turn.must_use is None

    def test_other_cards_may_be_laid_off(self):
        deal = table(
            hands=["8S 8D 4C 2S"], pile="8C 3H", melds=["5C 6C 7C"], deepest_card_use="new_meld_only"
        ).move(take_discard("8C"))

        assert deal.move(lay_off("4C", "m1")).turn.must_use == "8C"

    def test_a_lay_off_that_spends_its_partner_blocks_it(self):
        deal = table(
            hands=["9C TC 2S KD"],
            pile="8C 3H",
            melds=["5C 6C 7C", "9S 9H 9D"],
            deepest_card_use="new_meld_only",
        ).move(take_discard("8C"))

        assert deal.refused(lay_off("9C", "m2")) == "would_strand_taken_card"

    def test_a_second_copy_may_be_laid_off_while_the_other_must_be_used(self):
        deal = table(
            seats=5,
            hands=["2D 9D TD JD"],
            pile="9D",
            melds=["6D 7D 8D"],
            deepest_card_use="new_meld_only",
        ).move(take_discard("9D"))

        laid_off = deal.move(lay_off("9D", "m1"))

        assert laid_off.turn.must_use == "9D"
        assert laid_off.move(lay("9D TD JD")).turn.must_use is None

    def test_a_kept_top_card_owes_nothing(self):
        deal = table(
            hands=["5S KC"], pile="8C", melds=["5C 6C 7C"], deepest_card_use="new_meld_only", **MAY_KEEP
        )

        assert deal.move(take_discard("8C"), lay_off("8C", "m1")).points(0) == 8


class TestNoDutyToUseTheDeepestCard:
    """RULES 2.10, `free`"""

    def test_a_deep_take_owes_and_bars_nothing(self):
        deal = table(hands=["2S KC"], pile="QD 8C 3H", deepest_card_use="free")
        taken = deal.move(take_discard("QD"))

        assert deal.takes() == ["8C", "QD"]
        assert (taken.turn.must_use, taken.turn.may_not_discard) == (None, None)
        assert "QD" in taken.discards()

    def test_a_lone_upcard_keeps_its_own_rule(self):
        must = table(hands=["2S KC"], pile="QD 3H", deepest_card_use="free")
        may = table(hands=["2S KC"], pile="QD 3H", deepest_card_use="free", **MAY_KEEP)

        assert must.refused(take_discard("3H")) == "deepest_card_unusable"
        assert may.takes() == ["3H", "QD"]
        assert may.move(take_discard("3H")).refused(discard("3H")) == "same_card_back"

    def test_a_player_without_cards_may_take_two(self):
        deal = table(
            hands=["", "KC"],
            pile="QD 3H",
            deepest_card_use="free",
            going_out="discard_required",
            floating=True,
        )

        assert deal.move(take_discard("QD")).discards() == ["QD", "3H"]

    def test_a_call_still_uses_its_card(self):
        deal = table(
            preset="ace-low",
            hands=["2S KC", "9H 9D", "8H 8D"],
            pile="QD 8C",
            phase="rummy_call",
            turn=1,
            discarder=0,
            deepest_card_use="free",
        )

        assert deal.refused(call("QD", lay("8H 8D 8C")), by=2) == "nothing_to_call"
        assert deal.move(call("8C", lay("8H 8D 8C")), by=2).turn.must_use is None


class TestTheTakenCardFirst:
    """RULES 2.13"""

    FIRST: ClassVar = {"taken_card_first": True}

    @pytest.mark.parametrize("first, refusal", [(False, None), (True, "must_use_taken_card")])
    def test_other_cards_wait(self, first, refusal):
        deal = table(
            hands=["9D 9S 4C 4D 4H 8C KD"],
            pile="9H 3S",
            melds=["5C 6C 7C"],
            taken_card_first=first,
        ).move(take_discard("9H"))

        for other in (lay("4C 4D 4H"), lay_off("8C", "m1")):
            if refusal is None:
                assert deal.move(other).turn.must_use == "9H"
            else:
                assert deal.refused(other) == refusal
        after = deal.move(lay("9H 9D 9S"))
        assert after.move(lay("4C 4D 4H"), lay_off("8C", "m1")).turn.must_use is None

    def test_what_needs_other_cards_first_may_not_be_taken(self):
        deal = {"hands": ["8C KD 2S"], "pile": "9C 3H", "melds": ["5C 6C 7C"]}

        assert table(**deal).takes() == ["9C"]
        assert table(**deal, **self.FIRST).refused(take_discard("9C")) == "deepest_card_unusable"
        assert table(**deal, **self.FIRST).takes() == []

    def test_a_meld_does_not_open_the_lay_off_of_the_card(self):
        deal = {"hands": ["4D 4H 4S KD 2S"], "pile": "8C 3H", "melds": ["1: 5C 6C 7C"]}

        assert table(**deal, lay_off_after_meld=True).takes() == ["8C"]
        assert table(**deal, lay_off_after_meld=True, **self.FIRST).takes() == []

    def test_the_card_may_be_laid_off_at_once(self):
        deal = table(hands=["9C KD 2S"], pile="8C 3H", melds=["5C 6C 7C"], **self.FIRST)

        after = deal.move(take_discard("8C"))

        assert after.refused(lay_off("9C", "m1")) == "not_adjacent"
        assert after.move(lay_off("8C", "m1"), lay_off("9C", "m1")).turn.must_use is None

    def test_a_second_copy_waits_for_the_new_meld(self):
        deal = table(
            seats=5,
            hands=["2D 9D TD JD"],
            pile="9D",
            melds=["6D 7D 8D"],
            deepest_card_use="new_meld_only",
            **self.FIRST,
        ).move(take_discard("9D"))

        assert deal.refused(lay_off("9D", "m1")) == "must_use_taken_card"
        assert deal.move(lay("9D TD JD")).move(lay_off("9D", "m1")).turn.must_use is None

    def test_one_meld_a_turn_is_the_one_with_the_card(self):
        deal = table(
            hands=["9D 9S 4C 4D 4H 8C KD"], pile="9H 3S", melds=["5C 6C 7C"], melds_per_turn=1, **self.FIRST
        ).move(take_discard("9H"), lay("9H 9D 9S"))

        assert deal.refused(lay("4C 4D 4H")) == "one_meld_a_turn"
        assert deal.move(lay_off("8C", "m1")).turn.must_use is None

    def test_a_kept_upcard_waits_for_nothing(self):
        deal = table(hands=["4C 4D 4H KD 2S"], pile="3S", **self.FIRST, **MAY_KEEP)

        assert deal.move(take_discard("3S"), lay("4C 4D 4H")).points(0) == 12

    def test_the_clock_lays_the_card_first(self):
        deal = table(hands=["9D 9S 8C KD 2S"], pile="9H 3S", melds=["5C 6C 7C"], **self.FIRST)
        taken = deal.move(take_discard("9H")).game

        moves = forced_turn(taken, 0)

        assert sorted(moves[0].cards) == ["9D", "9H", "9S"]
        assert len(moves) == 2

    def test_a_call_uses_its_card_first_anyway(self):
        deal = table(
            preset="ace-low",
            hands=["2S KC", "9H 9D", "8H 8D 4C 4D 4H QS"],
            pile="QD 8C",
            phase="rummy_call",
            turn=1,
            discarder=0,
            **self.FIRST,
        )

        after = deal.move(call("8C", lay("8H 8D 8C")), by=2)

        assert after.move(lay("4C 4D 4H"), by=2).turn.must_use is None


class TestTheTopCardOnly:
    """RULES 2.11"""

    def test_no_deeper_card_may_be_taken(self):
        deal = table(preset="basic-rummy", hands=["9H 9D 7S"], pile="9C KD")

        assert deal.refused(take_discard("9C")) == "top_card_only"
        assert deal.takes() == ["KD"]

    def test_with_a_top_card_that_must_be_used(self):
        deal = table(hands=["9H 9D 7S"], pile="9C KD", deep_draw=False)

        assert deal.refused(take_discard("KD")) == "deepest_card_unusable"
        assert deal.refused(take_discard("9C")) == "top_card_only"
        assert deal.takes() == []
