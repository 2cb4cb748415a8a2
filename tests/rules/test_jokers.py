"""RULES 5: jokers."""

import pytest

from service.rummy.cards import cards
from service.rummy.moves import LayMeld, LayOff
from service.rummy.possible_melds import possible_melds
from service.rummy.presets import resolve
from tests.support.tables import lay, lay_off, table


def with_jokers(**position):
    return table(phase="meld", jokers_per_pack=2, **position)


class TestSayWhatItStandsFor:
    """RULES 5.1"""

    deal = with_jokers(hands=["7S 7H 8H X1 X2 KD"], melds=["4C 5C 6C"])

    @pytest.mark.parametrize("codes", ["7S 7H X1", "7S 7H X1=X2", "7S 7H X1=X1"])
    def test_unsaid_it_is_no_card(self, codes):
        assert self.deal.refused(lay(codes)) == "joker_not_declared"

    @pytest.mark.parametrize("asked", [lay("7S 7H X1=X2"), lay_off("X1=X2", "m1")])
    def test_a_joker_cannot_stand_for_a_joker(self, asked):
        assert self.deal.refusal(asked).message == (
            "A joker cannot stand for a joker: say which other card X1 stands for."
        )

    @pytest.mark.parametrize("code", ["X1", "X1=X2"])
    def test_so_when_laid_off(self, code):
        assert self.deal.refused(lay_off(code, "m1")) == "joker_not_declared"

    @pytest.mark.parametrize(
        "codes, lies",
        [
            ("7S 7H X1=7D", "7S 7H 7D"),
            ("7H 8H X1=9H", "7H 8H 9H"),
            ("7H 8H X1=6H", "6H 7H 8H"),
            ("X2=6H 7H X1=5H", "5H 6H 7H"),
        ],
    )
    def test_it_counts_as_that_card(self, codes, lies):
        assert self.deal.move(lay(codes)).melds["m2"] == lies

    @pytest.mark.parametrize(
        "codes, refusal",
        [
            ("7S 7H X1=8D", "not_a_set"),
            ("7S 7H X1=7S", "duplicate_suit"),
            ("7H 8H X1=9S", "mixed_suits"),
            ("7H 8H X1=TH", "not_consecutive"),
            ("7H 8H X1=8H", "not_a_run"),
        ],
    )
    def test_as_that_card_it_must_fit(self, codes, refusal):
        assert self.deal.refused(lay(codes)) == refusal

    def test_laid_off_as_well(self):
        assert self.deal.move(lay_off("X1=7C", "m1")).melds["m1"] == "4C 5C 6C 7C"
        assert self.deal.refused(lay_off("X1=8C", "m1")) == "not_adjacent"
        assert self.deal.refused(lay_off("X1=7D", "m1")) == "mixed_suits"

    def test_the_same_card_may_lie_elsewhere(self):
        deal = with_jokers(hands=["7S 7H X1 KD"], melds=["7D 8D 9D"])

        assert deal.move(lay("7S 7H X1=7D")).melds == {"m1": "7D 8D 9D", "m2": "7S 7H 7D"}

    def test_a_card_that_is_no_joker_stands_for_itself_alone(self):
        assert self.deal.refused(lay("7S 7H 8H=7D")) == "not_a_joker"
        assert self.deal.refused(lay_off("8H=9H", "m1")) == "not_a_joker"

    def test_only_a_joker_of_the_meld_is_said_to_stand_for_a_card(self):
        move = LayMeld(seat=0, cards=cards("7S 7H 8H"), stands_for={cards("X2")[0]: cards("7D")[0]})

        assert self.deal.refused(lambda _: move) == "not_a_joker"

    def test_an_ace_it_stands_for_is_low_or_high_by_place(self):
        deal = with_jokers(hands=["QS KS X1 2H 3H X2 KD"])

        assert deal.move(lay("QS KS X1=AS")).melds == {"m1": "QS KS AS"}
        assert deal.move(lay("X2=AH 2H 3H")).melds == {"m1": "AH 2H 3H"}


class TestANaturalCardInEveryMeld:
    """RULES 5.2"""

    def test_jokers_alone_are_no_meld(self):
        deal = table(seats=5, hands=["X1 X2 X3 X4 7S KD"], phase="meld", jokers_per_pack=2)

        assert deal.refused(lay("X1=7S X2=7H X3=7D")) == "joker_needs_a_natural"
        assert deal.refused(lay("X1=4S X2=5S X3=6S X4=7S")) == "joker_needs_a_natural"

    def test_beside_one_natural_card_any_number_may_lie(self):
        deal = table(seats=5, hands=["X1 X2 X3 X4 7S KD"], phase="meld", jokers_per_pack=2)

        assert deal.move(lay("7S X1=7H X2=7D X3=7C")).points(0) == 7 + 45
        assert deal.move(lay("7S X1=8S X2=9S X3=6S X4=5S")).melds == {"m1": "5S 6S 7S 8S 9S"}

    def test_so_by_lay_offs(self):
        deal = with_jokers(hands=["X1 X2 KD"], melds=["4C 5C 6C"])

        assert deal.move(lay_off("X1=7C", "m1"), lay_off("X2=8C", "m1")).melds == {"m1": "4C 5C 6C 7C 8C"}


class TestFixed:
    """RULES 5.3"""

    deal = with_jokers(hands=["5C 7C 7D X2 KD"], melds=["4C X1=5C 6C", "8S 8H 8D"])

    def test_no_joker_is_exchanged_for_the_card(self):
        assert self.deal.refused(lay_off("5C", "m1")) == "joker_fixed"
        assert (
            with_jokers(hands=["7D KD"], melds=["7S 7H X1=7D"]).refused(lay_off("7D", "m1")) == "joker_fixed"
        )

    def test_nor_for_another_joker(self):
        assert self.deal.refused(lay_off("X2=5C", "m1")) == "joker_fixed"

    def test_it_cannot_be_laid_again(self):
        assert self.deal.refused(lay_off("X1=7C", "m1")) == "meld_is_fixed"
        assert self.deal.refused(lay("7C 7D X1=7S")) == "meld_is_fixed"

    def test_the_run_goes_on_beyond_it(self):
        assert self.deal.move(lay_off("7C", "m1")).melds["m1"] == "4C 5C 6C 7C"


class TestEveryMeldWithJokers:
    """RULES 5.1 and 5.2, counted"""

    @staticmethod
    def found(codes: str, **options):
        variant = resolve("jokers", options, seats=5)
        melds = list(possible_melds(cards(codes), variant))
        marks = [(frozenset(meld.cards), frozenset(meld.stands_for.items()), meld.ace) for meld in melds]
        assert len(marks) == len(set(marks))
        return melds

    def test_a_pair_and_a_joker(self):
        assert [meld.stands_for for meld in self.found("7S 7H X1")] == [{"X1": "7C"}, {"X1": "7D"}]

    def test_two_neighbours_and_a_joker(self):
        assert {*(meld.stands_for["X1"] for meld in self.found("7S 8S X1"))} == {"6S", "9S"}

    def test_a_gap_and_a_joker(self):
        assert [meld.stands_for for meld in self.found("7S 9S X1")] == [{"X1": "8S"}]

    def test_one_card_and_two_jokers(self):
        # Sets: 3 x 2 ways. Runs with the 7 at either end or in the middle: 3 spans, 2 ways each.
        assert len(self.found("7S X1 X2")) == 6 + 6

    def test_a_joker_may_take_the_place_of_a_card_held(self):
        melds = self.found("7S 8S 9S X1")

        assert {tuple(meld.cards) for meld in melds if len(meld.cards) == 3} == {
            cards("7S 8S 9S"),
            cards("7S 8S X1"),
            cards("7S X1 9S"),
            cards("X1 8S 9S"),
            cards("X1 7S 8S"),
            cards("8S 9S X1"),
        }

    def test_any_suits(self):
        melds = self.found("7S 7H X1", set_distinct_suits=False)

        assert {meld.stands_for["X1"] for meld in melds} == {"7C", "7D", "7H", "7S"}

    def test_jokers_alone_make_none(self):
        assert self.found("X1 X2 X3") == []

    def test_every_one_found_is_legal(self):
        deal = table(preset="jokers", hands=["7S 8S 8H X1 X2 KD 2C"], phase="meld")
        melds = [move for move in deal.legal_moves() if isinstance(move, LayMeld | LayOff)]

        assert len(melds) > 50
        for move in melds:
            deal.move(lambda _, move=move: move)

    def test_melds_with_a_joker(self):
        variant = resolve("jokers", {}, seats=2)
        pool = cards("7S 8S 8H X1 X2")

        found = [meld.cards for meld in possible_melds(pool, variant, with_card=cards("X1")[0])]

        assert found == [meld.cards for meld in possible_melds(pool, variant) if "X1" in meld.cards]
