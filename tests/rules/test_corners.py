"""Corners where a wrong sign or a wrong bound in the rules would show nowhere else."""

from collections import Counter
from dataclasses import replace

import pytest

from service.rummy.cards import full_pack
from service.rummy.dealing import _below
from service.rummy.errors import ImpossiblePosition, VariantContradiction
from service.rummy.positions import GivenTurn, Position
from service.rummy.presets import resolve
from service.rummy.state import Phase
from service.rummy.variants import check
from tests.support.tables import discard, lay, lay_off, table, take_discard

KEEP_ONE = {"going_out": "discard_required"}


class TestATakeMustBePossible:
    """RULES 2.6"""

    def test_the_shortest_of_two_chains_decides_whether_a_card_is_left_to_discard(self):
        deal = table(hands=["5S 6S"], pile="7S", melds=["2S 3S 4S", "8S 9S TS"], **KEEP_ONE)

        assert deal.takes() == ["7S"]

    def test_whichever_meld_was_laid_first(self):
        deal = table(hands=["5S 6S"], pile="7S", melds=["8S 9S TS", "2S 3S 4S"], **KEEP_ONE)

        assert deal.takes() == ["7S"]

    def test_a_card_at_the_low_end_needs_no_other(self):
        deal = table(hands=["2C"], pile="6H", melds=["7H 8H 9H"], **KEEP_ONE)

        assert deal.takes() == ["6H"]

    def test_an_ace_that_is_only_high_joins_no_two_three_four(self):
        deal = table(hands=["2S 3S 4S"], pile="AS", ace_in_run="high")

        assert deal.refused(take_discard("AS")) == "deepest_card_unusable"

    @pytest.mark.parametrize("pair", ["AC AD", "2C 2D", "KC KD"])
    def test_a_joker_makes_a_set_with_two_of_any_rank(self, pair):
        deal = table(hands=[f"{pair} 7H"], pile="X1", jokers_per_pack=1)

        assert deal.takes() == ["X1"]

    def test_a_joker_is_no_queen_between_a_king_and_a_low_ace(self):
        deal = table(hands=["KS AS 7H"], pile="X1", jokers_per_pack=1, ace_in_run="low")

        assert deal.refused(take_discard("X1")) == "deepest_card_unusable"

    def test_a_joker_that_is_laid_off_needs_a_card_beside_it_to_discard(self):
        deal = table(hands=["-"], pile="X1", melds=["7H 8H 9H"], jokers_per_pack=1, **KEEP_ONE)

        assert deal.refused(take_discard("X1")) == "must_keep_a_discard"


class TestTheCardStaysUsable:
    """RULES 2.7"""

    def test_a_meld_that_leaves_only_a_joker_to_use_is_refused_where_a_discard_is_required(self):
        deal = table(hands=["4C 4D 4H"], pile="X1", melds=["7H 8H 9H"], jokers_per_pack=1, **KEEP_ONE)

        after = deal.move(take_discard("X1"))

        assert after.refused(lay("4C 4D 4H")) == "would_strand_taken_card"


class TestWhatRefusalsSay:
    def test_that_a_run_already_has_the_card(self):
        """RULES 4.1"""
        deal = table(hands=["8H 2C"], melds=["7H 8H 9H TH"], packs=2, phase="meld")

        assert "already has the eight of hearts" in deal.refusal(lay_off("8H", on="m1")).message

    def test_that_a_card_fits_neither_end(self):
        """RULES 4.1"""
        deal = table(hands=["2H 2C"], melds=["7H 8H 9H TH"], phase="meld")

        assert "does not fit either end" in deal.refusal(lay_off("2H", on="m1")).message

    @pytest.mark.parametrize(
        "preset,seats,players", [("cardcouch", 3, "for 2 players"), ("basic-rummy", 7, "for 2 to 6 players")]
    )
    def test_how_many_may_play(self, preset, seats, players):
        """RULES 1.1"""
        with pytest.raises(VariantContradiction) as refusal:
            resolve(preset, {}, seats=seats)
        assert players in refusal.value.message


class TestVariants:
    """A variant is checked as a whole, however it was made (RULES 12)."""

    @pytest.mark.parametrize("seats", [1, 9])
    def test_two_to_eight_play(self, seats):
        with pytest.raises(VariantContradiction) as refusal:
            check(resolve("classic", {}, seats=2), seats=seats)
        assert refusal.value.option == "seats"

    def test_floating_needs_a_discard_to_go_out_also_in_a_preset(self):
        with pytest.raises(VariantContradiction) as refusal:
            check(replace(resolve("classic", {}, seats=2), floating=True), seats=2)
        assert refusal.value.option == "floating"

    @pytest.mark.parametrize(
        "option,value,other",
        [
            ("going_out_bonus", 25, "penalty"),
            ("no_minus_at_stock_end", True, "penalty"),
            ("no_minus_at_stock_end", True, "winner_takes_hands"),
            ("four_aces", 100, "winner_takes_hands"),
        ],
    )
    def test_a_value_of_the_preset_may_have_no_effect_beside_the_scoring(self, option, value, other):
        variant = replace(resolve("classic", {option: value}, seats=2), scoring=other)

        check(variant, seats=2)
        with pytest.raises(VariantContradiction) as refusal:
            check(variant, seats=2, chosen=frozenset({option}))
        assert refusal.value.option == option


class TestGivenPositions:
    """A position names some cards; the rest of the packs is the stock."""

    def test_of_a_card_named_once_the_second_copy_is_in_the_stock(self):
        deal = table(hands=["7H 2C", "9S"], pile="KC", packs=2)

        assert Counter(deal.whole_pack()) == Counter(full_pack(packs=2, jokers_per_pack=0))

    def test_of_a_card_named_twice_no_third_is_and_the_others_are(self):
        deal = table(hands=["7H 7H 2C", "9S"], pile="KC KC", packs=2)

        assert Counter(deal.whole_pack()) == Counter(full_pack(packs=2, jokers_per_pack=0))

    def test_it_is_the_first_deal_and_seat_0_deals_unless_said(self):
        turn = GivenTurn(seat=0, phase=Phase.DRAW)

        position = Position(hands=((), ()), discard_pile=(), turn=turn)

        assert (position.dealer, position.deal) == (0, 1)

    def test_melds_belong_to_seats_of_the_table(self):
        for owner in (-1, 2):
            with pytest.raises(ImpossiblePosition) as refusal:
                table(hands=["7H 2C", "9S"], melds=[f"{owner}: 4C 5C 6C"])
            assert refusal.value.where == "melds.0.owner"

    def test_cards_of_melds_were_laid_by_seats_of_the_table(self):
        for layer in (-1, 2):
            with pytest.raises(ImpossiblePosition) as refusal:
                table(hands=["7H 2C", "9S"], melds=[f"1: 4C 5C 6C 7C@{layer}"])
            assert refusal.value.where == "melds.0.cards"

    def test_a_meld_laid_in_this_turn_counts_for_going_rummy(self):
        """RULES 9.10"""
        bonus = {"going_out_bonus": 25, "going_rummy": "double_bonus"}
        deal = table(
            hands=["2C", "9S"],
            melds=["0: 4C 5C 6C"],
            phase="meld",
            melds_laid=1,
            tabled_before=False,
            **bonus,
        )

        assert deal.move(discard("2C")).result.seats[0].bonus == 50


class TestTheShuffle:
    """RULES 11.2"""

    @pytest.mark.parametrize("bound", [52, 51, 3])
    def test_a_word_beyond_the_last_whole_multiple_is_skipped(self, bound):
        beyond = 2**32 - 2**32 % bound

        assert _below(bound, iter([2**32 - 1, beyond, 5])) == 5 % bound
        assert _below(bound, iter([beyond - 1, 5])) == bound - 1
