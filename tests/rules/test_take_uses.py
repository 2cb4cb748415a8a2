"""RULES 2.4 to 2.7: what a take from the discard pile is for."""

from typing import ClassVar

import pytest

from service.rummy.moves import LayMeld
from service.rummy.take_uses import MAX_USES, lawful_takes, take_of
from tests.support.tables import table


def takes(deal):
    """Return the takes of a table by their deepest card."""
    return {take.cards[0]: take for take in lawful_takes(deal.game, deal.turn.seat)}


def words(move):
    """Return a meld or lay-off as words: `meld 7H 7C 7S`, `lay off 8H on m1 high`."""
    if isinstance(move, LayMeld):
        said = [f"{card}={move.stands_for[card]}" if card in move.stands_for else card for card in move.cards]
        return f"meld {' '.join(said)}"
    card = move.card if move.stands_for is None else f"{move.card}={move.stands_for}"
    return f"lay off {card} on {move.meld_id}" + (f" {move.end}" if move.end else "")


def uses(deal, card):
    """Return the uses of a take as words, the moves before each use first."""
    return [", ".join(map(words, (*use.first, use.move))) for use in takes(deal)[card].uses]


class TestTheCardsThatComeAlong:
    """RULES 2.4"""

    deal = table(hands=["7S 7C KD", "4C"], pile="2C 7H 9D")

    def test_are_all_above_the_chosen_one(self):
        assert takes(self.deal)["7H"].cards == ("7H", "9D")

    def test_may_be_part_of_the_use(self):
        deal = table(hands=["7H KD", "4C"], pile="5H 2C 6H")

        assert uses(deal, "5H") == ["meld 5H 6H 7H"]


class TestTheUses:
    """RULES 2.5"""

    def test_are_every_meld_of_three_and_every_lay_off(self):
        deal = table(hands=["7S 7C 7D 8H KD", "4C"], pile="2C 7H 9H", melds=["4H 5H 6H"])

        assert uses(deal, "7H") == [
            "lay off 7H on m1 high",
            "meld 7H 8H 9H",
            "meld 7H 7C 7D",
            "meld 7H 7C 7S",
            "meld 7H 7D 7S",
        ]

    def test_a_joker_stands_only_for_a_card_that_the_hand_lacks(self):
        deal = table(hands=["6H X1 7C 2D", "4C"], pile="7H", jokers_per_pack=1)

        assert uses(deal, "7H") == ["meld X1=5H 6H 7H", "meld 6H 7H X1=8H", "meld 7H 7C X1=7D"]

    def test_a_joker_that_is_taken_is_used_with_two_cards(self):
        deal = table(hands=["6H 7H KD", "4C"], pile="X1", jokers_per_pack=1)

        assert uses(deal, "X1") == ["meld X1=5H 6H 7H", "meld 6H 7H X1=8H"]

    def test_a_joker_that_is_taken_is_used_with_another_joker_where_no_two_cards_fit(self):
        deal = table(hands=["X2 7C KD", "4C"], pile="X1", jokers_per_pack=2)

        assert uses(deal, "X1") == ["meld 7C X1=7D X2=7H", "meld KD X1=KC X2=KH"]

    def test_a_joker_that_is_taken_is_laid_off_on_every_meld(self):
        deal = table(hands=["KD QC", "4C"], pile="X1", melds=["5H 6H 7H", "9C 9D 9H"], jokers_per_pack=1)

        assert uses(deal, "X1") == [
            "lay off X1=4H on m1 low",
            "lay off X1=8H on m1 high",
            "lay off X1=9S on m2",
        ]

    def test_a_fourth_card_is_laid_off_on_a_set(self):
        deal = table(hands=["KD QC", "4C"], pile="9S", melds=["9C 9D 9H"])

        assert uses(deal, "9S") == ["lay off 9S on m1"]

    def test_no_lay_off_is_one_where_the_card_does_not_fit(self):
        deal = table(hands=["9C 9D KD", "4C"], pile="9S", melds=["5S 6S 7S", "2C 2D 2H"])

        assert uses(deal, "9S") == ["meld 9S 9C 9D"]

    def test_of_a_take_that_the_rules_refuse_are_none(self):
        refused = take_of(table(hands=["KD QC", "4C"], pile="7H").game, 0, 0)

        assert (refused.must_use, refused.uses, refused.uses_complete) == ("7H", (), True)

    def test_of_a_joker_are_cut_off_in_a_large_hand(self):
        low = "AH 2H 3H 4H 5H 6H 7H 8H 9H AS 2S 3S 4S 5S 6S 7S 8S 9S"
        deal = table(hands=[low, "4D"], pile="X1", jokers_per_pack=1)

        take = takes(deal)["X1"]

        assert (len(take.uses), take.uses_complete) == (MAX_USES, False)

    def test_are_none_that_would_leave_no_card_to_discard(self):
        deal = table(
            hands=["7S 7C", "4C"], pile="7H", melds=["7D 8D 9D", "4H 5H 6H"], going_out="discard_required"
        )

        assert uses(deal, "7H") == ["lay off 7H on m2 high"]


class TestLongerUses:
    """RULES 2.6"""

    def test_lay_offs_make_room_for_the_card(self):
        deal = table(hands=["8S KD", "4C"], pile="9S", melds=["5S 6S 7S"])

        assert uses(deal, "9S") == ["lay off 8S on m1 high, lay off 9S on m1 high"]

    def test_a_joker_makes_room_where_the_hand_lacks_the_card(self):
        deal = table(hands=["X1 KD", "4C"], pile="3S", melds=["5S 6S 7S"], jokers_per_pack=1)

        assert uses(deal, "3S") == ["lay off X1=4S on m1 low, lay off 3S on m1 low"]

    def test_no_other_card_comes_first_where_the_taken_card_does(self):
        """RULES 2.13"""
        deal = table(
            hands=["8S KD", "4C"],
            pile="9S",
            melds=["5S 6S 7S"],
            taken_card_first=True,
            top_discard="must_use",
        )

        assert takes(deal) == {}

    def test_a_meld_comes_first_where_lay_offs_need_one(self):
        """RULES 4.6"""
        deal = table(hands=["2C 2D 2H KD", "4C"], pile="8S", melds=["1: 5S 6S 7S"], lay_off_after_meld=True)

        assert uses(deal, "8S") == ["meld 2C 2D 2H, lay off 8S on m1 high"]

    def test_no_meld_comes_first_that_would_leave_no_card_to_discard(self):
        deal = table(
            hands=["2C 2D 2H", "4C"],
            pile="8S",
            melds=["1: 5S 6S 7S"],
            lay_off_after_meld=True,
            going_out="discard_required",
        )

        assert take_of(deal.game, 0, 0).uses == ()


class TestWhatMustBeUsed:
    """RULES 2.8 and 2.10"""

    deal: ClassVar = {"hands": ["7S 7C KD", "4C"], "pile": "7H 9D"}

    def test_is_the_deepest_card(self):
        assert takes(table(**self.deal))["7H"].must_use == "7H"

    def test_is_none_for_a_top_discard_that_may_be_kept(self):
        kept = takes(table(**self.deal, top_discard="may_keep"))

        assert (kept["9D"].must_use, kept["9D"].uses) == (None, ())
        assert kept["7H"].must_use == "7H"

    def test_is_none_where_takes_are_free_and_the_uses_are_those_possible(self):
        deal = table(**self.deal, deepest_card_use="free")

        assert takes(deal)["7H"].must_use is None
        assert uses(deal, "7H") == ["meld 7H 7C 7S"]

    @pytest.mark.parametrize(
        "rule, expected",
        [
            ("meld_or_lay_off", ["lay off 7H on m1 high", "meld 7H 7C 7S"]),
            ("new_meld_only", ["meld 7H 7C 7S"]),
        ],
    )
    def test_a_lay_off_is_no_use_where_a_new_meld_is_needed(self, rule, expected):
        deal = table(**self.deal, melds=["4H 5H 6H"], deepest_card_use=rule)

        assert uses(deal, "7H") == expected
