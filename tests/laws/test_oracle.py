"""The rules against a second opinion that was written from RULES.md alone (tests/support/oracle.py)."""

from collections import Counter

import pytest

from service.rummy.presets import PRESETS
from tests.support import oracle
from tests.support.agreement import disagreements

SEEDS = 900
PIECES = 6


def rules(preset="classic", **overrides):
    options = {**PRESETS[preset].options, "packs": 1, "hand_size": 7, **overrides}
    assert set(overrides) <= set(options)
    return options


def position(hand, *, pile=(), melds=(), phase="meld", must_use=None, stock=("2D",), **overrides):
    """The first of three seats is to act; melds are ids, owners and lines of cards."""
    turn = {"seat": 0, "phase": phase, "must_use": must_use, "may_not_discard": None, "melds_laid": 0}
    turn |= {"tabled": False, "tabled_before": False, "floating": False, "quiet": False, "asked": [1]}
    return {
        "options": rules(**overrides),
        "seats": 3,
        "hands": [hand.split(), ["KH", "KD"], ["QC"]],
        "pile": [*pile],
        "stock": [*stock],
        "melds": [
            {
                "id": name,
                "owner": owner,
                "cards": [(card, owner, None) for card in cards.split()],
                "at_once": 3,
            }
            for name, owner, cards in melds
        ],
        "turn": turn,
    }


class TestTheRulesAgreeWithTheOracle:
    """RULES 2 to 10"""

    @pytest.mark.parametrize("piece", range(PIECES))
    def test_on_moves_refusals_results_and_scores(self, piece):
        counts = Counter()

        found = [sentence for seed in range(piece, SEEDS, PIECES) for sentence in disagreements(seed, counts)]

        assert found == []
        assert counts["positions"] > 2 * SEEDS / PIECES
        assert all(counts[f"positions of {preset}"] for preset in PRESETS)

    def test_on_positions_of_which_hardly_any_is_too_large_to_try(self):
        counts = Counter()

        for seed in range(100):
            disagreements(seed, counts)

        assert counts["too large for brute force"] <= 1


class TestTheOracleKnowsTheBook:
    """A second opinion is worth what it knows: single cases of the rule book, without the rules' own code."""

    @pytest.mark.parametrize("cards, lawful", [
        ("8S 8H 8D", True),
        ("AC 2C 3C", True),
        ("QH KH AH", True),
        ("KS AS 2S", False),
        ("4D 5D 6C", False),
        ("4H 6H 7H", False),
        ("8S 8H", False),
        ("KC KD AD", False),
    ])  # fmt: skip
    def test_rules_3_what_is_a_meld(self, cards, lawful):
        made = oracle.as_meld(cards.split(), {}, None, rules())

        assert (made is not None) == lawful

    def test_rules_2_6_a_chain_of_lay_offs_makes_a_take_possible(self):
        before = position(
            "8S 4D QC",
            pile=["KD", "9S", "2C"],
            melds=[("m1", 1, "5S 6S 7S")],
            phase="draw",
            preset="cardcouch",
        )

        assert [oracle.may_take(before, 0, place) for place in range(3)] == [False, True, False]

    def test_rules_2_7_the_partner_of_an_owed_card_may_not_be_spent(self):
        owing = position("5H 5D 5C 6H 7H KS", must_use="5C")

        assert {move for move in oracle.legal_moves(owing, 0) if move[0] == "meld"} == {
            ("meld", ("5C", "5D", "5H"), (), None)
        }

    def test_rules_6_3_the_last_card_is_kept_to_discard(self):
        last = position("4D 5D 6D", going_out="discard_required")

        assert oracle.legal_moves(last, 0) == {("discard", card) for card in ("4D", "5D", "6D")}

    def test_rules_4_3_an_ace_that_fits_both_ends_names_one(self):
        ace = position("AS 9D", melds=[("m1", 1, "2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS")])

        assert {move for move in oracle.legal_moves(ace, 0) if move[0] == "lay_off"} == {
            ("lay_off", "AS", "m1", "low", None),
            ("lay_off", "AS", "m1", "high", None),
        }

    def test_rules_8_2_hand_cards_join_a_call_only_under_any_meld(self):
        pile = ["4C", "KS"]
        called = ("call_rummy", 1, ("meld", ("KD", "KH", "KS"), (), None))

        public = position("2C", pile=pile, phase="rummy_call", call_rummy="table_or_pile")
        private = position("2C", pile=pile, phase="rummy_call", call_rummy="any_meld")

        assert oracle.legal_moves(public, 1) == {("pass",)}
        assert called in oracle.legal_moves(private, 1)

    def test_rules_9_an_ace_counts_by_its_place(self):
        ended = position("AH", melds=[("m1", 0, "AC 2C 3C"), ("m2", 0, "QD KD AD")])

        assert oracle.deal_scores(ended, None)[0] == {"table": 41, "hand": 15, "bonus": 0, "score": 26}

    @pytest.mark.parametrize("totals, out, overrides, winners", [
        ([512, 530], 0, {}, [1]),
        ([505, 505], 0, {}, None),
        ([505, 505], 0, {"tie": "draw"}, []),
        ([505, 520], 0, {"must_go_out_to_win": True}, [0]),
        ([480, 520], 0, {"must_go_out_to_win": True}, None),
        ([505, 560], 0, {"go_out_breaks_tie": True}, [0]),
        ([142, 105], 0, {"scoring": "penalty", "target": 100}, [1]),
    ])  # fmt: skip
    def test_rules_10_who_wins(self, totals, out, overrides, winners):
        assert oracle.end_of_game(rules(**overrides), totals, out, 3) == winners

    @pytest.mark.parametrize("tie, winners", [("until_ahead", [1]), ("play_on", None)])
    def test_rules_10_after_a_tie_at_the_target(self, tie, winners):
        before = ([505, 505], [490, 490])

        assert oracle.end_of_game(rules(tie=tie), [480, 498], 0, 3, before) == winners
        assert oracle.end_of_game(rules(tie=tie), [480, 498], 0, 3, before[1:]) is None
