"""What is wrong with an entry is said in a sentence, for the member at fault."""

import re

import pytest

from service.games.refusals import Refusal
from service.scorekeeping.deal_entry import DealEntry, EnteredLayOff, EnteredMeld, PlayersCards, check_entry
from service.scorekeeping.deal_score import score_entry
from tests.scorekeeping.entries import by_cards, by_points, held, variant_of


def refused(entry, players=2, preset="classic", **overrides):
    variant = variant_of(players, preset, **overrides)
    with pytest.raises(Refusal) as refusal:
        check_entry(entry, variant, players=players)
    assert refusal.value.code == "invalid_deal"
    (error,) = refusal.value.details["errors"]
    assert error["message"] == refusal.value.message
    return error["field"], error["message"]


class TestWhoWentOut:
    def test_is_read_from_the_hands(self):
        variant = variant_of(2)

        out = check_entry(by_cards(held("7H 8H 9H"), held(hand="KD")), variant, players=2)
        stock = check_entry(by_cards(held("7H 8H 9H", hand="2C"), held(hand="KD")), variant, players=2)

        assert (out.went_out, out.reason) == (0, "went_out")
        assert (stock.went_out, stock.reason) == (None, "stock_end")

    @pytest.mark.parametrize(
        "rules",
        [
            {"must_go_out_to_win": True},
            {"go_out_breaks_tie": True},
            {"going_out_bonus": 25},
            {"going_rummy": "double"},
        ],
    )
    def test_is_asked_for_where_it_decides_or_counts(self, rules):
        assert refused(by_points(1, 2), **rules)[0] == "went_out"
        assert refused(by_points(1, 2, reason="went_out"), **rules)[0] == "went_out"
        check_entry(by_points(1, 2, reason="stock_end"), variant_of(2, **rules), players=2)
        check_entry(by_points(1, 2, went_out=1), variant_of(2, **rules), players=2)

    def test_is_not_asked_for_elsewhere(self):
        check_entry(by_points(1, 2), variant_of(2), players=2)
        check_entry(by_points(1, 2), variant_of(2, "basic-rummy", scoring="penalty"), players=2)

    def test_has_no_cards_left(self):
        field, message = refused(by_cards(held(hand="2C"), held(hand="KD"), went_out=1))

        assert field == "cards.1.hand"
        assert "correct went_out" in message

    def test_is_one_player(self):
        assert refused(by_cards(held("7H 8H 9H"), held("7C 8C 9C")))[0] == "cards.1.hand"
        assert refused(by_cards(held(), held(hand="KD"), reason="stock_end"))[0] == "cards.0.hand"

    def test_is_named_where_players_float(self):
        rules = {"going_out": "discard_required", "floating": True}
        both = by_cards(held("7H 8H 9H"), held("7C 8C 9C"))

        assert refused(both, **rules)[0] == "went_out"
        assert refused(by_cards(held("7H 8H 9H"), held(hand="KD")), **rules)[0] == "went_out"
        named = DealEntry(cards=both.cards, went_out=1, reason="went_out")
        assert check_entry(named, variant_of(2, **rules), players=2) == named
        ended = DealEntry(cards=both.cards, reason="stock_end")
        assert check_entry(ended, variant_of(2, **rules), players=2) == ended

    def test_is_a_player_of_the_sheet_or_the_stock_ended(self):
        assert refused(by_points(1, 2, went_out=2)) == ("went_out", "The players count from 0 to 1.")
        assert refused(by_points(1, 2, went_out=1, reason="stock_end"))[0] == "reason"

    def test_is_not_derived_against_what_was_sent(self):
        neither = by_cards(held(hand="2C"), held(hand="KD"), reason="went_out")

        assert refused(neither)[0] == "went_out"

    def test_no_player_did_if_the_target_ended_the_deal(self):
        at_the_target = by_cards(held("7H 8H 9H"), held("7C 8C 9C", hand="KD"), reason="target")
        variant = variant_of(2, target_reached="at_once", target=20)

        assert refused(at_the_target)[0] == "reason"
        assert check_entry(at_the_target, variant, players=2) == at_the_target
        assert [player.score for player in score_entry(at_the_target, variant, players=2).players] == [24, 24]

    def test_in_one_turn_needs_a_rule_a_player_and_a_laid_card(self):
        assert refused(by_points(1, 2, went_out=0, in_one_turn=True))[0] == "in_one_turn"
        assert (
            refused(by_points(1, 2, reason="stock_end", in_one_turn=True), going_rummy="double")[0]
            == "in_one_turn"
        )
        nothing_laid = by_cards(held(), held(hand="KD"), in_one_turn=True)
        assert refused(nothing_laid, going_rummy="double")[0] == "in_one_turn"
        assert (
            refused(by_points(1, 2, 3, went_out=0, in_one_turn=True), 3, "basic-rummy", scoring="penalty")[0]
            == "in_one_turn"
        )


class TestTheCounts:
    @pytest.mark.parametrize("points", [(), (1,), (1, 2, 3)])
    def test_one_number_for_each_player(self, points):
        assert refused(by_points(*points)) == ("points", "Send 2 numbers, one for each player.")

    def test_or_for_each_team(self):
        _, message = refused(by_points(1, 2, 3), 4, "partnership")

        assert message == "Send 4 numbers, one for each player, or 2, one for each team."

    def test_what_is_doubled_is_the_players_own(self):
        entry = by_points(10, 20, went_out=0, in_one_turn=True)

        assert refused(entry, 4, "partnership", going_rummy="double")[0] == "points"

    def test_the_cards_of_each_player(self):
        assert refused(by_cards(held(hand="2C")))[0] == "cards"

    def test_points_or_cards(self):
        assert refused(DealEntry()) == ("", "Send either points or cards.")
        assert refused(DealEntry(points=(1, 2), cards=(held(), held())))[0] == ""


class TestTheCards:
    @pytest.mark.parametrize(
        "one, other, overrides, message",
        [
            ("7H 8H 9H", "7H", {}, "seven of hearts is given 2 times; the game has 1."),
            (
                "7H 8H 9H, 7H 8H 9H",
                "7H",
                {"packs": 2},
                "seven of hearts is given 3 times; the game has 2.",
            ),
            ("7H X1 9H", "2C", {}, "joker X1 is given 1 times; the game has 0."),
            ("7H X1 9H", "X1", {"jokers_per_pack": 2}, "joker X1 is given 2 times; the game has 1."),
            ("7H X1 9H", "X3", {"jokers_per_pack": 2}, "joker X3 is given 1 times; the game has 0."),
        ],
    )
    def test_no_more_copies_than_the_packs_hold(self, one, other, overrides, message):
        assert refused(by_cards(held(one), held(hand=other)), **overrides) == ("cards", f"The {message}")

    def test_two_packs_hold_every_card_twice(self):
        variant = variant_of(2, packs=2)

        check_entry(by_cards(held("7H 8H 9H, 7H 8H 9H"), held(hand="2C")), variant, players=2)

    @pytest.mark.parametrize(
        "meld, overrides, words",
        [
            ("7H 8H TH", {}, "follow one another"),
            ("7H 7C 8S", {}, "one rank"),
            ("KS AS 2S", {}, "round the corner"),
            ("7H 7H 7C", {"packs": 2}, "different suits"),
            ("QS KS AS", {"ace_in_run": "low"}, "low"),
            ("X1 X2 X3", {"packs": 2, "jokers_per_pack": 2}, "neither a set nor a run"),
            ("7H X1 KD", {"jokers_per_pack": 2}, "neither a set nor a run"),
        ],
    )
    def test_a_meld_is_a_meld_of_the_game(self, meld, overrides, words):
        field, message = refused(by_cards(held(hand="2C"), held(f"4C 5C 6C, {meld}")), **overrides)

        assert field == "cards.1.melds.1"
        assert re.search(words, message), message

    def test_a_meld_has_three_cards(self):
        pair = PlayersCards(melds=(EnteredMeld(cards=("7H", "8H"), stands_for={}),))

        assert refused(by_cards(pair, held(hand="2C"))) == (
            "cards.0.melds.0",
            "A meld needs three cards or more.",
        )

    def test_a_joker_may_be_declared_and_only_a_joker(self):
        variant = variant_of(2, jokers_per_pack=2)
        declared = EnteredMeld(cards=("7H", "X1", "7S"), stands_for={"X1": "7C"})
        wrong = EnteredMeld(cards=("7H", "X1", "7S"), stands_for={"X1": "8C"})
        natural = EnteredMeld(cards=("7H", "7D", "7S"), stands_for={"7D": "7C"})

        check_entry(by_cards(PlayersCards(melds=(declared,)), held(hand="2C")), variant, players=2)
        for meld in (wrong, natural):
            entry = by_cards(PlayersCards(melds=(meld,)), held(hand="2C"))
            assert refused(entry, jokers_per_pack=2)[0] == "cards.0.melds.0"

    @pytest.mark.parametrize(
        "card, ace, overrides, accepted",
        [
            ("AS", None, {}, False),
            ("AS", "low", {}, True),
            ("AS", "high", {}, True),
            ("AS", None, {"ace_value": "always_15"}, True),
            ("AS", None, {"ace_in_run": "high"}, True),
            ("AS", "low", {"ace_in_run": "high"}, False),
            ("AS", None, {"ace_in_run": "low"}, False),
            ("KS", None, {}, True),
            ("KS", "high", {}, False),
        ],
    )
    def test_a_laid_off_ace_says_where_it_lies_if_that_counts(self, card, ace, overrides, accepted):
        entry = by_cards(PlayersCards(lay_offs=(EnteredLayOff(card=card, ace=ace),)), held(hand="2C"))

        if accepted:
            check_entry(entry, variant_of(2, **overrides), players=2)
        else:
            assert refused(entry, **overrides)[0] == "cards.0.lay_offs.0"
