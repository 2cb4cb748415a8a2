"""Every code of a refusal is given for something, and its rule stands in the rule book."""

import re
from pathlib import Path

import pytest

import service.rummy
from service.rummy.errors import RULE_OF_CODE, IllegalMove
from tests.support.tables import (
    call,
    discard,
    draw_stock,
    end_game,
    keep,
    lay,
    lay_off,
    next_deal,
    pass_,
    table,
    take_discard,
)

RULE_BOOK = (Path(service.rummy.__file__).parent / "RULES.md").read_text("utf-8")
HEADINGS = set(re.findall(r"^##+ ([0-9]+(?:\.[0-9]+)?) ", RULE_BOOK, re.MULTILINE))

DRAW = table(hands=["7H 7D 7C KC 9D", "9S"], pile="2C 9C", melds=["8H 9H TH"])
MELD = table(hands=["7H 7D 7C KC 9D AS 2S KS 4C 4D", "9S"], pile="2C", melds=["8H 9H TH"], phase="meld")
OVER = table(hands=["7H", "9S"], phase="meld").move(discard("7H"))
CALL = table(
    hands=["7H 7D", "9S", "4C 4S", "5C"],
    pile="2C JH",
    melds=["8H 9H TH"],
    phase="rummy_call",
    turn=1,
    discarder=0,
    call_rummy="any_meld",
)
RUMMY = call("JH", lay_off("JH", "m1"))


def given(cards: str, melds=(), **options):
    return table(hands=[cards, "9S"], melds=melds, phase="meld", **options)


REFUSED = {
    "not_your_turn": (DRAW, draw_stock(), 1),
    "wrong_phase": (DRAW, next_deal(), 0),
    "draw_first": (DRAW, discard("7H"), 0),
    "already_drawn": (MELD, draw_stock(), 0),
    "card_not_in_hand": (MELD, discard("3C"), 0),
    "card_not_in_pile": (DRAW, take_discard("3C"), 0),
    "repeated_card": (MELD, lay("7H 7H 7D"), 0),
    "choice_required": (MELD, lay_off("7H"), 0),
    "too_few_cards": (MELD, lay("7H 7D"), 0),
    "not_a_set": (MELD, lay("7H 7D KC"), 0),
    "not_a_run": (given("4D 4D 5D 6D", seats=5), lay("4D 4D 5D 6D"), 0),
    "mixed_suits": (MELD, lay("2S 4C KC"), 0),
    "not_consecutive": (MELD, lay("7D 9D 4D"), 0),
    "round_the_corner": (MELD, lay("KS AS 2S"), 0),
    "ace_low_only": (given("QS KS AS 2D", preset="ace-low"), lay("QS KS AS"), 0),
    "ace_high_only": (given("AS 2S 3S 2D", ace_in_run="high"), lay("AS 2S 3S"), 0),
    "ace_two_king": (
        given("KH 2D", ["AH 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH"], preset="cardcouch"),
        lay_off("KH", "m1"),
        0,
    ),
    "duplicate_suit": (given("7H 7H 7D 2D", seats=5), lay("7H 7H 7D"), 0),
    "set_too_large": (given("7H 7H 7D 7C 7S 2D", seats=5), lay("7H 7H 7D 7C 7S"), 0),
    "set_complete": (given("7H 2D", ["7H 7D 7C 7S"], seats=5), lay_off("7H", "m1"), 0),
    "not_adjacent": (given("6H 2D", ["8H 9H TH"]), lay_off("6H", "m1"), 0),
    "no_such_meld": (MELD, lay_off("7H", "m7"), 0),
    "meld_is_fixed": (MELD, lay_off("8H", "m1"), 0),
    "not_your_side": (given("7H 2D", ["8H 9H TH"], lay_off_targets="own_side"), lay_off("7H", "m1"), 0),
    "meld_first": (given("7H 2D", ["1: 8H 9H TH"], lay_off_after_meld=True), lay_off("7H", "m1"), 0),
    "one_meld_a_turn": (
        given("7H 7D 7C 2D", ["0: 8H 9H TH"], melds_per_turn=1, melds_laid=1),
        lay("7H 7D 7C"),
        0,
    ),
    "deepest_card_unusable": (DRAW, take_discard("2C"), 0),
    "top_card_only": (
        table(hands=["7H", "9S"], pile="2C 9C", preset="basic-rummy"),
        take_discard("2C"),
        0,
    ),
    "must_start_new_meld": (
        table(hands=["2D 3S", "9S"], pile="7H", melds=["8H 9H TH"], deepest_card_use="new_meld_only"),
        take_discard("7H"),
        0,
    ),
    "would_strand_taken_card": (given("7H 7D 7C 8C 9C", must_use="7H"), lay("7C 8C 9C"), 0),
    "must_use_taken_card": (given("7H 7D 7C 8C 9C", must_use="7H"), discard("9C"), 0),
    "same_card_back": (given("7H 7D", may_not_discard="7H", top_discard="may_keep"), discard("7H"), 0),
    "must_keep_a_discard": (given("7H 7D 7C", going_out="discard_required"), lay("7H 7D 7C"), 0),
    "stock_empty": (table(hands=["7H", "9S"], pile="2C", stock=0), draw_stock(), 0),
    "stock_not_empty": (DRAW, pass_(), 0),
    "joker_not_declared": (given("7H 7D X1 2D", jokers_per_pack=1), lay("7H 7D X1"), 0),
    "not_a_joker": (given("7H 7D 7C 2D"), lay("7H 7D 7C=7S"), 0),
    "joker_needs_a_natural": (
        given("X1 X2 X3 2D", seats=5, jokers_per_pack=2),
        lay("X1=7H X2=7D X3=7C"),
        0,
    ),
    "joker_fixed": (given("TH 2D", ["8H 9H X1=TH"], jokers_per_pack=1), lay_off("TH", "m1"), 0),
    "option_off": (MELD, keep(), 0),
    "nothing_to_call": (CALL, call("JH", lay("4C 4S 2C")), 2),
    "discarder_cannot_call": (CALL, RUMMY, 0),
    "call_window_closed": (
        table(hands=["7H", "9S", "4C 4S"], pile="JH", melds=["8H 9H TH"], call_rummy="any_meld"),
        RUMMY,
        2,
    ),
    "call_window_open": (CALL, draw_stock(), 1),
    "call_lost": (CALL.move(RUMMY, by=2), RUMMY, 3),
    "not_floating": (given("7H 7D", going_out="discard_required", floating=True), keep(), 0),
    "deal_over": (OVER, draw_stock(), 1),
    "game_over": (OVER.move(end_game(0)), draw_stock(), 1),
}

#: What clients have seen: a code never changes its meaning, and none is taken away.
CODES = {
    "not_your_turn",
    "wrong_phase",
    "draw_first",
    "already_drawn",
    "card_not_in_hand",
    "card_not_in_pile",
    "repeated_card",
    "choice_required",
    "too_few_cards",
    "not_a_set",
    "not_a_run",
    "mixed_suits",
    "not_consecutive",
    "round_the_corner",
    "ace_low_only",
    "ace_high_only",
    "ace_two_king",
    "duplicate_suit",
    "set_too_large",
    "set_complete",
    "not_adjacent",
    "no_such_meld",
    "meld_is_fixed",
    "not_your_side",
    "meld_first",
    "one_meld_a_turn",
    "deepest_card_unusable",
    "top_card_only",
    "must_start_new_meld",
    "would_strand_taken_card",
    "must_use_taken_card",
    "same_card_back",
    "must_keep_a_discard",
    "stock_empty",
    "stock_not_empty",
    "joker_not_declared",
    "not_a_joker",
    "joker_needs_a_natural",
    "joker_fixed",
    "option_off",
    "nothing_to_call",
    "discarder_cannot_call",
    "call_window_closed",
    "call_window_open",
    "call_lost",
    "not_floating",
    "deal_over",
    "game_over",
}


@pytest.mark.parametrize("code", REFUSED)
def test_the_code_is_given(code):
    deal, move, seat = REFUSED[code]

    refusal = deal.refusal(move, by=seat)

    assert isinstance(refusal, IllegalMove)
    assert refusal.code == code
    assert str(refusal) == refusal.message


def test_no_code_is_without_a_refusal():
    assert set(REFUSED) == set(RULE_OF_CODE)


def test_no_code_of_old_is_gone():
    assert set(RULE_OF_CODE) >= CODES


@pytest.mark.parametrize("code, rule", RULE_OF_CODE.items())
def test_its_rule_stands_in_the_rule_book(code, rule):
    assert rule in HEADINGS


def test_a_refusal_changes_nothing():
    for deal, move, seat in REFUSED.values():
        before = deal.game
        deal.refusal(move, by=seat)
        assert deal.game == before


def test_no_refusal_names_a_card_of_another_hand():
    for deal, move, seat in REFUSED.values():
        refusal = deal.refusal(move, by=seat)
        others = {code for other in range(deal.game.seats) if other != seat for code in deal.hand(other)}
        own = {*deal.hand(seat), *deal.pile}
        assert not [code for code in others - own if code in refusal.message.split()]
