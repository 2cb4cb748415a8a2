"""RULES 4: lay-offs."""

import pytest

from service.rummy.moves import LayOff
from tests.support.tables import call, discard, hand, lay, lay_off, table, take_discard

TWO_TO_KING = "2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS"


class TestAddingToAMeld:
    """RULES 4.1"""

    deal = table(
        hands=["7C 4S 8S 9S 6H 2D KD"], melds=["7H 7D X1=7S", "5S 6S 7S"], phase="meld", jokers_per_pack=1
    )

    def test_a_further_card_of_the_rank_joins_a_set(self):
        assert self.deal.move(lay_off("7C", "m1")).melds["m1"] == "7H 7D 7S 7C"

    def test_the_next_card_joins_either_end_of_a_run(self):
        assert self.deal.move(lay_off("4S", "m2")).melds["m2"] == "4S 5S 6S 7S"
        assert self.deal.move(lay_off("8S", "m2")).melds["m2"] == "5S 6S 7S 8S"

    @pytest.mark.parametrize(
        "code, on, refusal",
        [
            ("6H", "m1", "not_adjacent"),
            ("8S", "m1", "not_adjacent"),
            ("9S", "m2", "not_adjacent"),
            ("6H", "m2", "mixed_suits"),
            ("KD", "m2", "mixed_suits"),
        ],
    )
    def test_others_do_not_fit(self, code, on, refusal):
        assert self.deal.refused(lay_off(code, on)) == refusal

    def test_a_second_copy_of_a_card_of_the_run_does_not_fit(self):
        deal = table(seats=5, hands=["6S KD"], melds=["5S 6S 7S"], phase="meld")

        assert deal.refused(lay_off("6S", "m1")) == "not_adjacent"

    def test_a_second_copy_of_a_card_of_the_set_does_not_fit(self):
        deal = table(seats=5, hands=["7S KD"], melds=["7S 7H 7D"], phase="meld")

        assert deal.refused(lay_off("7S", "m1")) == "duplicate_suit"

    def test_no_own_meld_is_needed(self):
        assert self.deal.points(0) == 0
        assert self.deal.move(lay_off("7C", "m1")).points(0) == 7

    def test_lay_offs_may_be_chained(self):
        after = self.deal.move(lay_off("8S", "m2"), lay_off("9S", "m2"), lay_off("4S", "m2"))

        assert after.melds["m2"] == "4S 5S 6S 7S 8S 9S"

    def test_each_must_be_legal_when_it_is_made(self):
        assert self.deal.refused(lay_off("9S", "m2")) == "not_adjacent"

    def test_a_card_not_held_is_not_laid_off(self):
        assert self.deal.refused(lay_off("3S", "m2")) == "card_not_in_hand"

    def test_onto_a_meld_just_laid(self):
        deal = table(hands=["7C 7D 7H 7S KD"], phase="meld")

        assert deal.move(lay("7C 7D 7H"), lay_off("7S", "m1")).points(0) == 28


class TestNamingTheMeld:
    """RULES 4.2"""

    def test_unsaid_the_service_asks(self):
        deal = table(hands=["7H KD"], melds=["7S 7D 7C", "4H 5H 6H"], phase="meld")

        assert deal.refusal(lay_off("7H")).details == {"choices": [{"meld_id": "m1"}, {"meld_id": "m2"}]}

    def test_also_where_one_meld_only_takes_it(self):
        deal = table(hands=["7H KD"], melds=["7S 7D 7C"], phase="meld")

        assert deal.refusal(lay_off("7H")).details == {"choices": [{"meld_id": "m1"}]}

    def test_the_choice_is_final(self):
        deal = table(hands=["7H 8H KD"], melds=["7S 7D 7C", "4H 5H 6H"], phase="meld")

        after = deal.move(lay_off("7H", "m1"))

        assert after.refused(lay_off("7H", "m2")) == "meld_is_fixed"
        assert after.refused(lay_off("8H", "m2")) == "not_adjacent"

    def test_a_meld_that_is_not_there(self):
        deal = table(hands=["7H KD"], melds=["7S 7D 7C"], phase="meld")

        assert deal.refused(lay_off("7H", "m2")) == "no_such_meld"

    def test_unsaid_and_nowhere_to_go(self):
        assert table(hands=["7H KD"], phase="meld").refused(lay_off("7H")) == "no_such_meld"
        deal = table(hands=["7H KD"], melds=["8S 8D 8C"], phase="meld")
        assert deal.refused(lay_off("7H")) == "no_such_meld"

    def test_every_meld_that_takes_it_is_offered(self):
        deal = table(hands=["7H KD"], melds=["7S 7D 7C", "4H 5H 6H"], phase="meld")

        assert [move.meld_id for move in deal.legal_moves() if isinstance(move, LayOff)] == ["m1", "m2"]


class TestTheEndOfAnAce:
    """RULES 4.3"""

    deal = table(hands=["AS X1 KD"], melds=[TWO_TO_KING], phase="meld", jokers_per_pack=1)

    def test_the_player_says_which(self):
        assert self.deal.refusal(lay_off("AS", "m1")).details == {
            "choices": [{"end": "low"}, {"end": "high"}]
        }
        assert self.deal.move(lay_off("AS", "m1", end="low")).points(0) == 1
        assert self.deal.move(lay_off("AS", "m1", end="high")).points(0) == 15

    def test_so_for_a_joker_that_stands_for_it(self):
        assert self.deal.refused(lay_off("X1=AS", "m1")) == "choice_required"
        low = self.deal.move(lay_off("X1=AS", "m1", end="low"))

        assert low.melds == {"m1": f"AS {TWO_TO_KING}"}
        assert low.points(0) == 15

    def test_both_ends_are_offered(self):
        moves = {
            (move.card, move.stands_for, move.end)
            for move in self.deal.legal_moves()
            if isinstance(move, LayOff)
        }

        assert moves == {
            ("AS", None, "low"),
            ("AS", None, "high"),
            ("X1", "AS", "low"),
            ("X1", "AS", "high"),
        }

    def test_elsewhere_the_card_names_the_end(self):
        deal = table(hands=["AS KD"], melds=["2S 3S 4S"], phase="meld")

        assert deal.move(lay_off("AS", "m1")).points(0) == 1
        assert deal.move(lay_off("AS", "m1", end="low")).points(0) == 1
        assert deal.refused(lay_off("AS", "m1", end="high")) == "not_adjacent"

    def test_a_set_has_no_ends(self):
        deal = table(hands=["AS KD"], melds=["AC AD AH"], phase="meld")

        assert deal.move(lay_off("AS", "m1", end="low")).melds == {"m1": "AC AD AH AS"}

    @pytest.mark.parametrize("ace", ["low", "high"])
    def test_where_aces_stand_at_one_end_there_is_nothing_to_say(self, ace):
        deal = table(hands=["AS KD"], melds=[TWO_TO_KING], phase="meld", ace_in_run=ace)

        assert deal.move(lay_off("AS", "m1")).points(0) == {"low": 1, "high": 15}[ace]


class TestTheLayerGetsThePoints:
    """RULES 4.4"""

    def test_not_the_owner(self):
        deal = table(hands=["8H KD", "2C"], melds=["5H 6H 7H"], phase="meld").move(lay_off("8H", "m1"))

        assert (deal.points(0), deal.points(1)) == (8, 18)

    def test_what_follows_is_judged_by_the_whole_meld(self):
        deal = table(hands=["8H 9H KD"], melds=["5H 6H 7H"], phase="meld")

        after = deal.move(lay_off("8H", "m1"), lay_off("9H", "m1"), discard("KD"))

        assert after.result.seats[0].table == ("8H", "9H")
        assert after.scores[0] == 17


class TestWhoseMelds:
    """RULES 4.5"""

    melds = ("0: 4H 5H 6H", "1: 4S 5S 6S", "2: 4D 5D 6D")

    def test_any(self):
        deal = table(seats=4, hands=["7H 7S 7D KD"], melds=self.melds, phase="meld")

        after = deal.move(lay_off("7H", "m1"), lay_off("7S", "m2"), lay_off("7D", "m3"))

        assert after.hand(0) == hand("KD")

    def test_or_only_on_melds_of_the_own_side(self):
        deal = table(preset="persian", hands=["7H 7S 7D KD"], melds=self.melds, phase="meld")

        assert deal.refused(lay_off("7S", "m2")) == "not_your_side"
        assert deal.move(lay_off("7H", "m1"), lay_off("7D", "m3")).hand(0) == hand("7S KD")
        assert {move.meld_id for move in deal.legal_moves() if isinstance(move, LayOff)} == {"m1", "m3"}

    def test_without_partners_that_is_the_own_seat(self):
        deal = table(
            hands=["7H 7S 7D KD"], seats=3, melds=self.melds, phase="meld", lay_off_targets="own_side"
        )

        assert deal.refused(lay_off("7D", "m3")) == "not_your_side"
        assert [move.meld_id for move in deal.legal_moves() if isinstance(move, LayOff)] == ["m1"]

    def test_unsaid_only_those_are_choices(self):
        deal = table(preset="persian", hands=["7S KD"], melds=self.melds, phase="meld")

        assert deal.refused(lay_off("7S")) == "no_such_meld"

    def test_a_take_counts_on_those_only(self):
        deal = table(preset="persian", hands=["KD 2C"], pile="7S", melds=self.melds)

        assert deal.refused(take_discard("7S")) == "deepest_card_unusable"


class TestAfterAMeldOfYourOwn:
    """RULES 4.6"""

    @staticmethod
    def deal(*hands, **options):
        return table(hands=hands, lay_off_after_meld=True, **options)

    def test_no_lay_off_comes_before_it(self):
        deal = self.deal("7H 2D", "KC", melds=["1: 8H 9H TH"], phase="meld")

        assert deal.refused(lay_off("7H", "m1")) == "meld_first"
        assert deal.offered("lay_off") == []

    def test_a_meld_of_the_same_turn_is_enough(self):
        deal = self.deal("7H 2D 4S 4C 4D", "KC", melds=["1: 8H 9H TH"], phase="meld")

        assert deal.move(lay("4S 4C 4D"), lay_off("7H", "m1")).points(0) == 12 + 7

    def test_a_meld_of_the_partner_is_one_of_the_side(self):
        pairs = {"seats": 4, "teams": "pairs", "phase": "meld"}
        theirs = self.deal("7H 2D", melds=["1: 8H 9H TH"], **pairs)
        ours = self.deal("7H 2D", melds=["2: 8H 9H TH"], **pairs)

        assert theirs.refused(lay_off("7H", "m1")) == "meld_first"
        assert ours.move(lay_off("7H", "m1")).points(0) == 7

    def test_a_take_that_only_a_lay_off_would_use_is_refused(self):
        deal = self.deal("2D 3S", "KC", pile="7H 9C", melds=["1: 8H 9H TH"])

        assert deal.refused(take_discard("7H")) == "deepest_card_unusable"
        assert deal.takes() == []

    def test_unless_a_meld_can_be_laid_before_it(self):
        deal = self.deal("4S 4C 4D 3S", "KC", pile="7H 9C", melds=["1: 8H 9H TH"])
        taken = deal.move(take_discard("7H"))

        assert taken.refused(lay_off("7H", "m1")) == "meld_first"
        assert taken.move(lay("4S 4C 4D"), lay_off("7H", "m1")).turn.must_use is None

    def test_that_meld_must_spare_the_cards_of_the_lay_offs(self):
        """The 7H is needed both for the meld and for the way from the 8H to the 6H."""
        deal = self.deal("7H 7C 7D 3S", "KC", pile="6H 9C", melds=["1: 8H 9H TH"])
        spare = self.deal("7H 7C 7D 7S 3S", "KC", pile="6H 9C", melds=["1: 8H 9H TH"])

        assert deal.refused(take_discard("6H")) == "deepest_card_unusable"
        assert spare.takes() == ["6H"]
        taken = spare.move(take_discard("6H"))
        assert taken.refused(lay("7H 7C 7D")) == "would_strand_taken_card"
        assert taken.move(lay("7C 7D 7S"), lay_off("7H", "m1"), lay_off("6H", "m1")).turn.must_use is None

    def test_a_new_meld_only_cannot_be_replaced_by_it(self):
        deal = self.deal(
            "4S 4C 4D 3S", "KC", pile="7H", melds=["1: 8H 9H TH"], deepest_card_use="new_meld_only"
        )

        assert deal.refused(take_discard("7H")) == "must_start_new_meld"

    def test_a_discard_must_be_left_after_both(self):
        deal = self.deal("4S 4C 4D", "KC", pile="7H", melds=["1: 8H 9H TH"], going_out="discard_required")

        assert deal.refused(take_discard("7H")) == "must_keep_a_discard"

    def test_calls_that_lay_off_need_it_too(self):
        deal = self.deal(
            "2D 3S",
            "KC",
            "9C",
            melds=["1: 8H 9H TH"],
            pile="7H",
            call_rummy="any_meld",
            phase="rummy_call",
            turn=1,
            discarder=0,
        )

        assert deal.refused(call("7H", lay_off("7H", "m1")), by=2) == "meld_first"
        assert deal.move(call("7H", lay_off("7H", "m1")), by=1).points(1) == 34
