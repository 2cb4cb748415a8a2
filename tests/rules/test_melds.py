"""RULES 3: melds."""

from collections import Counter
from itertools import combinations
from typing import ClassVar

import pytest

from service.rummy.cards import PACK, cards, full_pack
from service.rummy.errors import IllegalMove
from service.rummy.melds import read_meld
from service.rummy.moves import LayMeld
from service.rummy.possible_melds import possible_melds
from service.rummy.presets import resolve
from service.rummy.state import MeldKind
from tests.support.tables import discard, draw_stock, hand, lay, lay_off, table, take_discard

CLUBS = "AC 2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC"


def reading(codes: str, *, ace=None, **options) -> str:
    """What the cards make: "set" or "run" with the cards in order, or the code of the refusal."""
    try:
        kind, laid = read_meld(
            cards(codes), stands_for={}, ace=ace, seat=0, variant=resolve("classic", options, seats=5)
        )
    except IllegalMove as refusal:
        return refusal.code
    return f"{kind}: {' '.join(one.face for one in laid)}"


class TestWhatMayBeLaid:
    """RULES 3.1"""

    deal = table(seats=5, hands=["7H 7D 7C 7C KD 2S"], phase="meld")

    @pytest.mark.parametrize("codes", ["7H", "7H 7D", ""])
    def test_three_cards_at_least(self, codes):
        assert self.deal.refused(lay(codes)) == "too_few_cards"

    def test_each_card_must_be_held(self):
        assert self.deal.refused(lay("7H 7D 7S")) == "card_not_in_hand"

    def test_each_is_named_once(self):
        assert self.deal.refused(lay("7H 7H 7D")) == "repeated_card"
        # Both copies are held: naming them is no repetition, but they are no set here either.
        assert self.deal.refused(lay("7C 7C 7D")) == "duplicate_suit"

    def test_a_meld_leaves_the_hand(self):
        after = self.deal.move(lay("7H 7D 7C"))

        assert after.hand(0) == hand("7C KD 2S")
        assert after.melds == {"m1": "7H 7D 7C"}
        assert (after.meld("m1").owner, after.meld("m1").kind) == (0, MeldKind.SET)

    def test_a_card_on_the_table_belongs_to_no_hand(self):
        after = self.deal.move(lay("7H 7D 7C"))

        assert after.refused(discard("7H")) == "meld_is_fixed"
        assert after.refused(lay_off("7D", "m1")) == "meld_is_fixed"
        assert after.refused(lay("7D 7C KD")) == "meld_is_fixed"

    def test_melds_are_numbered_in_the_order_laid(self):
        deal = table(hands=["7H 7D 7C 2S 3S 4S KD"], melds=["9H 9D 9C"], phase="meld")

        after = deal.move(lay("2S 3S 4S"), lay("7H 7D 7C"))

        assert after.melds == {"m1": "9H 9D 9C", "m2": "2S 3S 4S", "m3": "7H 7D 7C"}


class TestSets:
    """RULES 3.2"""

    @pytest.mark.parametrize("codes", ["7S 7H 7D", "AS AH AC", "KC KD KH KS", "TC TD TS"])
    def test_cards_of_one_rank(self, codes):
        assert reading(codes) == f"set: {codes}"

    @pytest.mark.parametrize("codes", ["KC KD AD", "AC AD KD", "7S 7H 8D", "7S 7H 7D 8D", "QC QD KC"])
    def test_another_rank_spoils_it(self, codes):
        assert reading(codes) == "not_a_set"


class TestSuitsInASet:
    """RULES 3.3"""

    @pytest.mark.parametrize("codes", ["7S 7S 7H", "7S 7S 7S", "7S 7H 7D 7D", "7S 7S 7H 7H"])
    def test_all_different(self, codes):
        assert reading(codes) == "duplicate_suit"

    @pytest.mark.parametrize("codes", ["7S 7S 7H", "7S 7H 7D 7D", "7S 7S 7H 7H"])
    def test_or_any(self, codes):
        assert reading(codes, set_distinct_suits=False) == f"set: {codes}"


class TestSizeOfASet:
    """RULES 3.4"""

    def test_four_at_most(self):
        assert reading("7S 7H 7D 7C") == "set: 7S 7H 7D 7C"
        assert reading("7S 7H 7D 7C 7C") == "set_too_large"
        assert reading("7S 7H 7D 7C 7C", set_distinct_suits=False) == "set_too_large"

    def test_or_any_number(self):
        options = {"set_distinct_suits": False, "set_max": None}

        assert reading("7S 7S 7H 7H 7D 7D 7C 7C", **options) == "set: 7S 7S 7H 7H 7D 7D 7C 7C"

    def test_a_set_of_four_is_complete(self):
        four = table(seats=5, hands=["7H KD"], melds=["7S 7H 7D 7C"], phase="meld")
        assert four.refused(lay_off("7H", "m1")) == "set_complete"

        any_suits = {"set_distinct_suits": False}
        four = table(seats=5, hands=["7H KD"], melds=["7S 7H 7D 7C"], phase="meld", **any_suits)
        assert four.refused(lay_off("7H", "m1")) == "set_complete"

    def test_where_there_is_no_limit_it_grows_on(self):
        deal = table(preset="kitchen-table", seats=5, hands=["7H 7S KD"], melds=["7S 7H 7D 7C"], phase="meld")

        assert deal.move(lay_off("7H", "m1"), lay_off("7S", "m1")).melds == {"m1": "7S 7H 7D 7C 7H 7S"}


class TestRuns:
    """RULES 3.5"""

    @pytest.mark.parametrize(
        "codes", ["4C 5C 6C", "AC 2C 3C", "TC JC QC KC", "QC KC AC", "2C 3C 4C 5C 6C 7C 8C"]
    )
    def test_one_suit_and_no_gap(self, codes):
        assert reading(codes) == f"run: {codes}"

    def test_the_order_named_does_not_matter(self):
        assert reading("6C 4C 5C") == "run: 4C 5C 6C"
        assert reading("AC KC QC") == "run: QC KC AC"

    @pytest.mark.parametrize(
        "codes, code",
        [
            ("4D 5D 6C", "mixed_suits"),
            ("4D 5C 6H", "mixed_suits"),
            ("4H 6H 7H", "not_consecutive"),
            ("4H 5H 7H", "not_consecutive"),
            ("AH 3H 4H", "not_consecutive"),
            ("JH QH AH", "not_consecutive"),
            ("2H 7H KH", "not_consecutive"),
            ("AH 5H 9H", "not_consecutive"),
            ("4H 4H 5H", "not_a_run"),
            ("4H 5H 5H 6H", "not_a_run"),
        ],
    )
    def test_these_are_none(self, codes, code):
        assert reading(codes) == code

    def test_thirteen_cards_at_most(self):
        assert reading(CLUBS).startswith("run: 2C")
        assert reading(f"{CLUBS} AC") == "not_a_run"


class TestAcesInRuns:
    """RULES 3.6"""

    @pytest.mark.parametrize(
        "ace_in_run, low, high",
        [
            ("both", "run: AS 2S 3S", "run: QS KS AS"),
            ("low", "run: AS 2S 3S", "ace_low_only"),
            ("high", "ace_high_only", "run: QS KS AS"),
        ],
    )
    def test_below_the_two_or_above_the_king(self, ace_in_run, low, high):
        assert reading("AS 2S 3S", ace_in_run=ace_in_run) == low
        assert reading("QS KS AS", ace_in_run=ace_in_run) == high

    @pytest.mark.parametrize(
        "ace_in_run, low, high",
        [("both", None, None), ("low", None, "ace_low_only"), ("high", "ace_high_only", None)],
    )
    def test_so_in_lay_offs(self, ace_in_run, low, high):
        deal = table(hands=["AS AH KD"], melds=["2S 3S 4S", "JH QH KH"], phase="meld", ace_in_run=ace_in_run)

        for code, on, refusal in (("AS", "m1", low), ("AH", "m2", high)):
            if refusal:
                assert deal.refused(lay_off(code, on)) == refusal
            else:
                assert code in deal.move(lay_off(code, on)).melds[on]


class TestNotRoundTheCorner:
    """RULES 3.7"""

    @pytest.mark.parametrize("ace_in_run", ["both", "low", "high"])
    @pytest.mark.parametrize(
        "codes", ["KS AS 2S", "QS KS AS 2S", "KS AS 2S 3S", "QS KS AS 2S 3S", "JS QS KS AS 2S 3S 4S"]
    )
    def test_no_run_passes_through_the_ace(self, codes, ace_in_run):
        assert reading(codes, ace_in_run=ace_in_run) == "round_the_corner"

    def test_nothing_follows_a_high_ace(self):
        deal = table(hands=["2S KD"], melds=["QS KS AS"], phase="meld")

        assert deal.refused(lay_off("2S", "m1")) == "round_the_corner"

    def test_nothing_comes_before_a_low_one(self):
        deal = table(hands=["KS KD"], melds=["AS 2S 3S"], phase="meld")

        assert deal.refused(lay_off("KS", "m1")) == "round_the_corner"

    @pytest.mark.parametrize(
        "code, run",
        [
            ("9S", "AS 2S 3S"),
            ("KS", "5S 6S 7S"),
            ("9S", "QS KS AS"),
            ("2S", "5S 6S 7S"),
            ("AS", "5S 6S 7S"),
            ("TS", "QS KS AS"),
        ],
    )
    def test_a_card_that_is_merely_far_off_is_not_adjacent(self, code, run):
        deal = table(hands=[f"{code} KD"], melds=[run], phase="meld")

        assert deal.refused(lay_off(code, "m1")) == "not_adjacent"

    def test_a_run_holds_one_ace(self):
        low = table(seats=5, hands=["AS KD"], melds=[CLUBS.replace("C", "S")], phase="meld")
        assert low.refused(lay_off("AS", "m1")) == "round_the_corner"
        high = CLUBS.replace("C", "S").removeprefix("AS ") + " AS"
        assert (
            table(seats=5, hands=["AS KD"], melds=[high], phase="meld").refused(lay_off("AS", "m1"))
            == "round_the_corner"
        )

    def test_cards_that_would_be_apart_anyway_are_called_so(self):
        assert reading("KS AS 3S") == "not_consecutive"
        assert reading("KS AS 2S 5S") == "not_consecutive"


class TestRoundTheCorner:
    """RULES 3.7, `ace_in_run`: `around`"""

    AROUND: ClassVar = {"ace_in_run": "around"}

    @pytest.mark.parametrize(
        "codes",
        [
            "KS AS 2S",
            "QS KS AS 2S 3S",
            "AS 2S 3S",
            "QS KS AS",
            "4S 5S 6S",
            "2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS AS",
            "4S 5S 6S 7S 8S 9S TS JS QS KS AS 2S",
        ],
    )
    def test_a_run_goes_on_past_the_ace(self, codes):
        assert reading(codes, **self.AROUND) == f"run: {codes}"

    @pytest.mark.parametrize("codes", ["KS AS 3S", "QS AS 2S", "KS 2S 3S", "JS KS AS 2S"])
    def test_without_a_gap(self, codes):
        assert reading(codes, **self.AROUND) == "not_consecutive"

    def test_the_order_named_does_not_matter(self):
        assert reading("2S AS QS KS", **self.AROUND) == "run: QS KS AS 2S"

    @pytest.mark.parametrize(
        "codes, ace, read",
        [
            ("AS 2S 3S", "low", "run: AS 2S 3S"),
            ("AS 2S 3S", "high", "not_consecutive"),
            ("KS AS 2S", "high", "run: KS AS 2S"),
            ("KS AS 2S", "low", "not_consecutive"),
        ],
    )
    def test_the_ace_is_low_only_where_it_comes_first(self, codes, ace, read):
        assert reading(codes, ace=ace, **self.AROUND) == read

    def test_a_whole_suit_begins_with_the_ace_or_the_two(self):
        suit = "AS 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS"

        assert reading(suit, ace="low", **self.AROUND) == f"run: {suit}"
        assert reading(suit, **self.AROUND) == f"run: {suit[3:]} AS"

    def test_all_are_offered_once(self):
        for held, runs in (("KS AS 2S KD", 1), ("QS KS AS 2S KD", 3), ("QS KS AS 2S 3S", 6)):
            melds = table(hands=[held], phase="meld", **self.AROUND).offered("meld")
            assert len(melds) == runs

    def test_a_pack_has_thirteen_runs_of_every_length_in_each_suit(self):
        variant = resolve("classic", self.AROUND, seats=2)
        sizes = Counter(len(meld.cards) for meld in possible_melds(PACK[:13], variant))

        assert sizes == {**dict.fromkeys(range(3, 13), 13), 13: 2}

    def test_jokers_fill_it(self):
        deal = table(preset="jokers", hands=["KS 2S X1 4D"], phase="meld", **self.AROUND)

        assert deal.move(lay("KS X1=AS 2S")).melds == {"m1": "KS AS 2S"}

    @pytest.mark.parametrize(
        "run, low, high",
        [
            ("AS 2S 3S", "KS", "4S"),
            ("KS AS 2S", "QS", "3S"),
            ("QS KS AS", "JS", "2S"),
            ("2S 3S 4S", "AS", "5S"),
        ],
    )
    def test_lay_offs_go_on_past_the_ace(self, run, low, high):
        deal = table(hands=[f"{low} {high} 9D"], melds=[run], phase="meld", **self.AROUND)

        assert deal.move(lay_off(low, "m1"), lay_off(high, "m1")).melds == {"m1": f"{low} {run} {high}"}

    @pytest.mark.parametrize(
        "run, last",
        [
            ("2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS", "AS"),
            ("AS 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS", "KS"),
            ("6S 7S 8S 9S TS JS QS KS AS 2S 3S 4S", "5S"),
        ],
    )
    def test_the_thirteenth_card_fits_both_ends(self, run, last):
        deal = table(hands=[f"{last} 9D"], melds=[run], phase="meld", **self.AROUND)

        assert deal.refusal(lay_off(last, "m1")).details["choices"] == [{"end": "low"}, {"end": "high"}]
        assert deal.move(lay_off(last, "m1", end="low")).melds == {"m1": f"{last} {run}"}
        assert deal.move(lay_off(last, "m1", end="high")).melds == {"m1": f"{run} {last}"}

    @pytest.mark.parametrize("first", ["AS", "2S", "7S"])
    def test_a_whole_suit_takes_no_more(self, first):
        suit = "AS 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS"
        run = f"{suit[suit.index(first) :]} {suit[: suit.index(first)]}".strip()
        deal = table(seats=5, hands=["AS 2S KS 6S 9D"], melds=[run], phase="meld", **self.AROUND)

        for code in ("AS", "2S", "KS", "6S"):
            assert deal.refused(lay_off(code, "m1")) == "not_adjacent"

    def test_a_card_that_is_not_next_to_it_does_not_fit(self):
        deal = table(hands=["2S 6S KS"], melds=["3S 4S 5S"], phase="meld", **self.AROUND)

        assert deal.refused(lay_off("KS", "m1")) == "not_adjacent"

    @pytest.mark.parametrize(
        "pile, hands, run",
        [("AS 9D", "KS 2S 4D", None), ("KS 9D", "AS 4D", "2S 3S 4S"), ("3S", "2S 9D", "QS KS AS")],
    )
    def test_a_card_may_be_taken_for_it(self, pile, hands, run):
        deal = table(hands=[hands], pile=pile, melds=[run] if run else [], **self.AROUND)
        straight = table(hands=[hands], pile=pile, melds=[run] if run else [])

        assert pile.split()[0] in deal.takes()
        assert pile.split()[0] not in straight.takes()

    def test_a_taken_card_is_reached_by_lay_offs_round_the_corner(self):
        deal = table(hands=["AS KS 9D"], pile="QS", melds=["2S 3S 4S"], **self.AROUND)

        after = deal.move(take_discard("QS"), lay_off("AS", "m1"), lay_off("KS", "m1"), lay_off("QS", "m1"))

        assert after.melds == {"m1": "QS KS AS 2S 3S 4S"}

    def test_but_not_over_a_gap(self):
        assert table(hands=["AS 9D"], pile="QS", melds=["2S 3S 4S"], **self.AROUND).takes() == []

    def test_an_ace_counts_by_its_place_when_the_deal_is_scored(self):
        deal = table(hands=["KS 9D", "2D"], melds=["1: AS 2S 3S"], phase="meld", **self.AROUND)
        assert deal.points(1) == 6

        after = deal.move(lay_off("KS", "m1"))

        assert (after.points(0), after.points(1)) == (10, 20)

    @pytest.mark.parametrize("preset, seats", [("cardcouch", 2), ("cardcouch-table", 3), ("persian", 4)])
    def test_it_goes_before_the_rule_of_000_on_ace_two_and_king(self, preset, seats):
        deal = table(preset=preset, seats=seats, hands=["KS AS 2S 9D"], phase="meld", **self.AROUND)

        assert deal.move(lay("KS AS 2S")).melds == {"m1": "KS AS 2S"}


class TestAceTwoAndKing:
    """RULES 3.8"""

    @staticmethod
    def thirteen(**options):
        return table(hands=[f"{CLUBS} 2D"], phase="meld", **options)

    def test_all_thirteen_with_the_ace_high_unless_low_is_asked_for(self):
        assert self.thirteen().move(lay(CLUBS)).points(0) == 99
        assert self.thirteen().move(lay(CLUBS, ace="high")).points(0) == 99
        assert self.thirteen().move(lay(CLUBS, ace="low")).points(0) == 85

    @pytest.mark.parametrize("ace, lawful, unlawful", [("low", "low", "high"), ("high", "high", "low")])
    def test_where_one_end_is_played_there_it_stands(self, ace, lawful, unlawful):
        deal = self.thirteen(ace_in_run=ace)

        assert deal.move(lay(CLUBS)).points(0) == deal.move(lay(CLUBS, ace=lawful)).points(0)
        assert deal.refused(lay(CLUBS, ace=unlawful)) == f"ace_{lawful}_only"

    def test_both_ends_are_offered(self):
        thirteens = [
            move.ace
            for move in self.thirteen().legal_moves()
            if isinstance(move, LayMeld) and len(move.cards) == 13
        ]

        assert sorted(thirteens) == ["high", "low"]

    def test_where_they_never_meet_twelve_are_the_most(self):
        deal = self.thirteen(preset="cardcouch")

        assert deal.refused(lay(CLUBS)) == "ace_two_king"
        assert deal.refused(lay(CLUBS, ace="low")) == "ace_two_king"
        assert deal.move(lay(CLUBS.removesuffix(" KC"))).points(0) == 75
        assert deal.move(lay(CLUBS.removeprefix("AC 2C ") + " AC")).points(0) == 97
        assert deal.move(lay(CLUBS.removeprefix("AC "))).points(0) == 84

    @pytest.mark.parametrize(
        "code, run",
        [
            ("KC", CLUBS.removesuffix(" KC")),
            ("2C", CLUBS.removeprefix("AC 2C ") + " AC"),
            ("AC", CLUBS.removeprefix("AC ")),
        ],
    )
    def test_nor_do_they_by_a_lay_off(self, code, run):
        deal = table(preset="cardcouch", hands=[f"{code} 2D"], melds=[run], phase="meld")

        assert deal.refused(lay_off(code, "m1")) == "ace_two_king"
        assert table(hands=[f"{code} 2D"], melds=[run], phase="meld").move(
            lay_off(code, "m1", end="low" if code == "AC" else None)
        )

    @pytest.mark.parametrize("ace", ["low", "high"])
    def test_an_ace_that_fits_one_end_only_takes_no_other(self, ace):
        wrong = {"low": "high", "high": "low"}[ace]
        codes = {"low": "AC 2C 3C", "high": "QC KC AC"}[ace]

        assert self.thirteen().move(lay(codes, ace=ace)).melds == {"m1": codes}
        assert self.thirteen().refused(lay(codes, ace=wrong)) == "not_consecutive"


class TestMeldsATurn:
    """RULES 3.9"""

    held = "7H 7D 7C 2S 3S 4S 5S KD"

    def test_as_many_as_you_like(self):
        after = table(hands=[self.held], phase="meld").move(lay("7H 7D 7C"), lay("2S 3S 4S"))

        assert set(after.melds) == {"m1", "m2"}

    def test_or_one(self):
        after = table(hands=[self.held], phase="meld", melds_per_turn=1).move(lay("7H 7D 7C"))

        assert after.refused(lay("2S 3S 4S")) == "one_meld_a_turn"
        assert not [move for move in after.legal_moves() if isinstance(move, LayMeld)]

    def test_lay_offs_are_never_limited(self):
        deal = table(hands=["7H 7D 7C 5S 6S KD"], melds=["2S 3S 4S"], phase="meld", melds_per_turn=1).move(
            lay("7H 7D 7C"), lay_off("5S", "m1"), lay_off("6S", "m1")
        )

        assert deal.points(0) == 32

    def test_the_next_turn_allows_one_again(self):
        deal = table(hands=[self.held, "9H 9D"], phase="meld", stock="2C 3C 4C", melds_per_turn=1).move(
            lay("7H 7D 7C"), discard("KD"), draw_stock(), discard("2C"), draw_stock()
        )

        assert deal.move(lay("2S 3S 4S")).points(0) == 30


class TestMeldsStayAsTheyAre:
    """RULES 3.10"""

    def test_a_meld_only_grows(self):
        deal = table(hands=["5S 6S KD"], melds=["2S 3S 4S"], phase="meld")

        after = deal.move(lay_off("5S", "m1"))

        assert after.melds == {"m1": "2S 3S 4S 5S"}
        assert after.refused(lay("4S 5S 6S")) == "meld_is_fixed"


class TestEveryMeldOfAPack:
    """RULES 3.2 to 3.8, counted"""

    @staticmethod
    def sizes(**options) -> Counter[int]:
        variant = resolve("classic", options, seats=2)
        return Counter(len(meld.cards) for meld in possible_melds(PACK, variant))

    @pytest.mark.parametrize("ace, most", [("both", 197), ("low", 185), ("high", 185)])
    def test_three_to_five_cards(self, ace, most):
        sizes = self.sizes(ace_in_run=ace)

        assert sizes[3] + sizes[4] + sizes[5] == most

    def test_runs_of_every_length(self):
        # Of n cards in a line of fourteen places 15 - n runs can be laid, in each of four suits.
        sizes = self.sizes()

        assert {size: sizes[size] for size in range(5, 14)} == {n: 4 * (15 - n) for n in range(5, 14)}
        assert (sizes[3], sizes[4]) == (52 + 48, 13 + 44)
        assert sum(sizes.values()) == 373

    def test_without_ace_two_and_king_together(self):
        assert self.sizes(ace_two_king=False)[13] == 0
        assert sum(self.sizes(ace_two_king=False).values()) == 365

    @pytest.mark.parametrize("ace", ["both", "low", "high"])
    def test_what_is_found_is_what_is_read(self, ace):
        variant = resolve("classic", {"ace_in_run": ace}, seats=2)
        lawful = set()
        for three in combinations(PACK, 3):
            try:
                read_meld(three, stands_for={}, ace=None, seat=0, variant=variant)
            except IllegalMove:
                continue
            lawful.add(frozenset(three))

        found = [frozenset(meld.cards) for meld in possible_melds(PACK, variant) if len(meld.cards) == 3]

        assert len(found) == len(set(found))
        assert set(found) == lawful

    def test_two_copies_add_no_melds_where_suits_differ(self):
        variant = resolve("classic", {}, seats=5)

        assert len(list(possible_melds(full_pack(packs=2, jokers_per_pack=0), variant))) == 373

    def test_where_they_do_not_every_choice_of_faces_comes_once(self):
        variant = resolve("kitchen-table", {}, seats=5)

        melds = list(possible_melds(cards("7C 7C 7D 7D 7H 7H 7S 7S"), variant))

        # Each suit none, once or twice: 81 choices; less the empty one, 4 of one card, 6 + 4 of two.
        assert len(melds) == 81 - 1 - 4 - 10
        assert len({meld.cards for meld in melds}) == len(melds)

    @pytest.mark.parametrize("card", ["7H", "AS", "KD", "2C"])
    def test_melds_with_a_card_are_those_that_hold_it(self, card):
        variant = resolve("classic", {}, seats=2)

        with_it = {meld.cards for meld in possible_melds(PACK, variant) if card in meld.cards}

        assert {meld.cards for meld in possible_melds(PACK, variant, with_card=cards(card)[0])} == with_it
