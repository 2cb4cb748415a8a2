"""RULES 9: scoring."""

import pytest

from service.rummy.cards import Card, cards
from service.rummy.presets import resolve
from service.rummy.scoring import points, score_deal
from tests.support.tables import discard, draw_stock, lay, lay_off, pass_, table


def values(codes: str, **options) -> list[int]:
    variant = resolve("classic", {"jokers_per_pack": 2, **options}, seats=2)
    return [points(one, variant) for one in cards(codes)]


def low_ace(**options) -> int:
    return points(Card("AS"), resolve("classic", options, seats=2), low_ace=True)


EVERY_RANK = "AC 2D 3H 4S 5C 6D 7H 8S 9C TD JH QS KC"


class TestCardValues:
    """RULES 9.1"""

    def test_number_cards_count_their_number_and_court_cards_ten(self):
        assert values(EVERY_RANK) == [15, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10]


class TestAces:
    """RULES 9.2"""

    @pytest.mark.parametrize(
        "ace_value, low, other", [("by_place", 1, 15), ("always_15", 15, 15), ("always_1", 1, 1)]
    )
    def test_by_place_or_the_same_everywhere(self, ace_value, low, other):
        deal = table(hands=["AS 2S 3S QH KH AH AC", "KD"], phase="meld", ace_value=ace_value)

        assert deal.move(lay("AS 2S 3S")).points(0) == low + 5
        assert deal.move(lay("QH KH AH")).points(0) == other + 20
        assert deal.move(lay("AS AH AC")).points(0) == 3 * other
        held = deal.move(lay("QH KH AH"), lay("AS 2S 3S"), discard("AC"))
        assert held.scores == (low + 5 + other + 20, -10)
        ace_in_hand = table(hands=["2C", "AS"], phase="meld", ace_value=ace_value).move(discard("2C"))
        assert ace_in_hand.scores == (0, -other)

    @pytest.mark.parametrize(
        "ace_value, low, other", [("by_place", 1, 15), ("always_15", 15, 15), ("always_1", 1, 1)]
    )
    def test_so_when_laid_off(self, ace_value, low, other):
        deal = table(
            hands=["AS AH AC KD"],
            melds=["2S 3S 4S", "JH QH KH", "AD X1=AS X2=AH"],
            phase="meld",
            ace_value=ace_value,
            jokers_per_pack=2,
        )

        assert deal.move(lay_off("AS", "m1")).points(0) == low
        assert deal.move(lay_off("AH", "m2")).points(0) == other
        assert deal.move(lay_off("AC", "m3")).points(0) == other


class TestFivePointCards:
    """RULES 9.3"""

    def test_two_to_nine_count_five(self):
        assert values(EVERY_RANK, card_values="five_point") == [15, *[5] * 8, 10, 10, 10, 10]

    @pytest.mark.parametrize("ace_value, low", [("by_place", 5), ("always_15", 15), ("always_1", 1)])
    def test_a_low_ace_counts_five_unless_overruled(self, ace_value, low):
        assert low_ace(card_values="five_point", ace_value=ace_value) == low

    def test_always_1_overrules_the_other_places_too(self):
        assert values("AS", card_values="five_point", ace_value="always_1") == [1]


class TestJokers:
    """RULES 9.4"""

    @pytest.mark.parametrize("options", [{}, {"card_values": "five_point"}, {"ace_value": "always_1"}])
    def test_they_count_fifteen_whatever_they_stand_for(self, options):
        deal = table(hands=["2S 3S X1 KD", "X2"], phase="meld", jokers_per_pack=2, **options)
        two_and_three = 10 if options.get("card_values") else 5

        assert deal.move(lay("X1=AS 2S 3S")).points(0) == 15 + two_and_three
        assert deal.move(lay("2S 3S X1=4S"), discard("KD")).scores == (15 + two_and_three, -15)


class TestTheQueenOfSpades:
    """RULES 9.12"""

    @pytest.mark.parametrize("options", [{}, {"card_values": "five_point"}, {"ace_value": "always_1"}])
    def test_counts_forty_on_the_table_and_in_a_hand(self, options):
        deal = table(hands=["QS QH QD KD", "QS QC"], phase="meld", packs=2, queen_of_spades=40, **options)

        assert deal.move(lay("QS QH QD")).points(0) == 60
        assert deal.move(lay("QS QH QD"), discard("KD")).scores == (60, -50)

    def test_counts_as_other_queens_by_default(self):
        assert values("QS QH") == [10, 10]

    @pytest.mark.parametrize("scoring, scores", [("winner_takes_hands", (50, 0)), ("penalty", (0, 50))])
    def test_counts_forty_in_every_scoring(self, scoring, scores):
        deal = table(hands=["KD", "QS QC"], phase="meld", queen_of_spades=40, scoring=scoring)

        assert deal.move(discard("KD")).scores == scores

    def test_a_joker_that_stands_for_it_keeps_its_points(self):
        deal = table(hands=["JS X1 KS KD", "2C"], phase="meld", jokers_per_pack=2, queen_of_spades=40)

        assert deal.move(lay("JS X1=QS KS")).points(0) == 35


class TestFourAces:
    """RULES 9.5"""

    def test_laid_at_once_they_count_a_hundred(self):
        deal = table(preset="persian", hands=["AS AH AD AC KD"], phase="meld")

        assert deal.move(lay("AS AH AD AC")).points(0) == 100

    def test_built_up_each_counts_by_itself(self):
        deal = table(preset="persian", hands=["AS AH AD AC KD"], phase="meld")

        assert deal.move(lay("AS AH AD"), lay_off("AC", "m1")).points(0) == 60

    @pytest.mark.parametrize("aces_laid, points", [("at_once", 60), ("over_time", 100)])
    def test_one_after_the_other_by_one_player(self, aces_laid, points):
        deal = table(preset="persian", hands=["AS AH AD AC KD"], phase="meld", four_aces_laid=aces_laid).move(
            lay("AS AH AD")
        )
        assert deal.points(0) == 45

        assert deal.move(lay_off("AC", "m1")).points(0) == points

    def test_over_time_those_laid_at_once_count_as_before(self):
        deal = table(preset="persian", hands=["AS AH AD AC KD"], phase="meld", four_aces_laid="over_time")

        assert deal.move(lay("AS AH AD AC")).points(0) == 100

    @pytest.mark.parametrize(
        "meld, points",
        [
            ("0: AS AH AD AC@2", (45, 15)),
            ("0: AS AH AD@2 AC@2", (30, 30)),
            ("2: AS AH AD AC@0", (15, 45)),
            ("0: AS AH AD X1=AC", (60, 0)),
        ],
    )
    def test_over_time_neither_aces_of_two_players_nor_a_joker_make_four(self, meld, points):
        deal = table(preset="persian", hands=["2C"], melds=[meld], phase="meld", four_aces_laid="over_time")

        assert (deal.points(0), deal.points(2)) == points

    def test_over_time_four_aces_laid_off_on_another_set_count_for_who_laid_them(self):
        deal = table(
            preset="kitchen-table",
            seats=5,
            hands=["AS AH AD AC KD"],
            melds=["1: AS AH AD"],
            phase="meld",
            four_aces=100,
            four_aces_laid="over_time",
        ).move(*(lay_off(ace, "m1") for ace in ("AS", "AH", "AD")))
        assert (deal.points(0), deal.points(1)) == (45, 45)

        deal = deal.move(lay_off("AC", "m1"))

        assert (deal.points(0), deal.points(1)) == (100, 45)

    def test_with_a_joker_too(self):
        deal = table(preset="persian", hands=["AS AH AD X1 KD"], phase="meld")

        assert deal.move(lay("AS AH AD X1=AC")).points(0) == 60

    def test_elsewhere_never(self):
        assert table(hands=["AS AH AD AC KD"], phase="meld").move(lay("AS AH AD AC")).points(0) == 60

    def test_other_sets_are_not_aces(self):
        deal = table(preset="persian", hands=["KS KH KD KC 2D"], phase="meld")

        assert deal.move(lay("KS KH KD KC")).points(0) == 40

    def test_a_run_of_four_is_no_set(self):
        deal = table(preset="persian", hands=["AS 2S 3S 4S 2D"], phase="meld")

        assert deal.move(lay("AS 2S 3S 4S")).points(0) == 10

    def test_a_given_set_of_one_seat_counts_as_laid_at_once(self):
        deal = table(preset="persian", hands=["2C"], melds=["0: AS AH AD AC"], phase="meld")
        assert deal.move(discard("2C")).scores[0] == 100

        deal = table(preset="persian", hands=["2C"], melds=["0: AS AH AD AC@2"], phase="meld")
        assert deal.move(discard("2C")).result.seats[0].table_points == 45

    def test_a_fifth_ace_counts_by_itself(self):
        deal = table(
            preset="kitchen-table", seats=5, hands=["AS AH AD AC AS KD"], phase="meld", four_aces=100
        )

        assert deal.move(lay("AS AH AD AC"), lay_off("AS", "m1")).points(0) == 115
        assert deal.move(lay("AS AH AD AC AS")).points(0) == 115

    def test_a_fifth_card_scores_for_the_player_who_laid_it_off(self):
        deal = table(
            preset="kitchen-table",
            seats=5,
            hands=["AS KD"],
            melds=["1: AS AH AD AC"],
            phase="meld",
            four_aces=100,
        ).move(lay_off("AS", "m1"))

        assert (deal.points(0), deal.points(1)) == (15, 100)

    def test_with_aces_that_count_one(self):
        deal = table(preset="persian", hands=["AS AH AD AC KD"], phase="meld", ace_value="always_1")

        assert deal.move(lay("AS AH AD AC")).points(0) == 100
        assert deal.move(lay("AS AH AD")).points(0) == 3


class TestTableMinusHand:
    """RULES 9.6"""

    def test_cards_laid_minus_cards_held(self):
        deal = table(
            hands=["KD", "AS QD 9S 2D", "4D 4S 6S 3H"],
            melds=["0: AC 2C 3C", "0: KS KH KC", "1: 5H 6H 7H 8H@0", "2: JC QC X1=KC"],
            phase="meld",
            jokers_per_pack=1,
        )

        after = deal.move(discard("KD"))

        assert after.scores == (6 + 30 + 8, 18 - 36, 35 - 17)
        assert [seat.table_points for seat in after.result.seats] == [44, 18, 35]
        assert [seat.hand_points for seat in after.result.seats] == [0, 36, 17]

    def test_melds_not_laid_count_against_their_holder(self):
        deal = table(hands=["2C", "9S 9H 9D"], phase="meld").move(discard("2C"))

        assert deal.scores == (0, -27)

    def test_a_total_may_fall_below_zero(self):
        deal = table(hands=["2C", "9S 9H 9D"], phase="meld", totals=[0, 5]).move(discard("2C"))

        assert deal.result.totals == (0, -22)

    def test_the_result_names_every_card(self):
        deal = table(hands=["2C 8H", "9S"], melds=["5H 6H 7H"], phase="meld").move(
            lay_off("8H", "m1"), discard("2C")
        )

        mine, other = deal.result.seats
        assert (mine.table, mine.hand, mine.bonus) == (cards("8H"), (), 0)
        assert (other.table, other.hand, other.score) == (cards("5H 6H 7H"), cards("9S"), 9)

    def test_a_deal_can_be_counted_before_it_ends(self):
        deal = table(hands=["2C 8H", "9S"], melds=["5H 6H 7H"], phase="meld")

        assert [seat.score for seat in score_deal(deal.game, went_out=None).seats] == [-10, 9]


class TestTheWinnerTakesTheHands:
    """RULES 9.7"""

    def test_who_goes_out_scores_all_other_hands(self):
        deal = table(
            preset="basic-rummy",
            hands=["2C", "KD 4C AS", "9H 9D 9C"],
            melds=["1: 5H 6H 7H", "0: 3S 3H 3D"],
            phase="meld",
        ).move(discard("2C"))

        assert deal.scores == (42, 0, 0)

    def test_with_pairs_those_of_the_other_side_only(self):
        deal = table(
            preset="partnership",
            hands=["2C", "KD", "QD", "9H"],
            phase="meld",
            scoring="winner_takes_hands",
        ).move(discard("2C"))

        assert deal.scores == (19, 0, 0, 0)
        assert deal.result.totals == (19, 0)

    def test_at_a_stock_end_no_player_scores(self):
        deal = table(hands=["2C KC", "KD 4C AS"], pile="9S", stock=0, scoring="winner_takes_hands").move(
            pass_()
        )

        assert deal.scores == (0, 0)

    def test_or_everyone_counts_their_cards(self):
        deal = table(
            preset="basic-rummy",
            hands=["2C KC", "KD 4C AS", "QD"],
            melds=["0: 5H 6H 7H"],
            pile="9S",
            stock=0,
            totals=[30, 5, 0],
            stock_empty="take_or_end",
            stock_end_score="minus_hand",
        ).move(pass_())

        assert deal.scores == (-12, -15, -10)
        assert deal.result.totals == (18, -10, -10)

    def test_and_so_do_partners(self):
        deal = table(
            preset="partnership",
            hands=["2C", "KD", "QD", "9H"],
            pile="9S",
            stock=0,
            scoring="winner_takes_hands",
            stock_end_score="minus_hand",
        ).move(pass_())

        assert deal.result.totals == (-12, -19)

    @pytest.mark.parametrize(
        "hands, scores",
        [
            (["2C KC", "KD 4C AS", "QD"], (0, 0, 7)),
            (["2C KC", "KD 2S", "QD 9D"], (7, 7, 0)),
            (["QC", "KD", "QD"], (0, 0, 0)),
        ],
    )
    def test_or_the_lowest_hand_scores_what_the_others_have_more(self, hands, scores):
        deal = table(preset="block-rummy", hands=hands, pile="9S", stock=0, stock_empty="take_or_end").move(
            pass_()
        )

        assert deal.scores == scores

    def test_with_pairs_than_the_hands_of_the_other_side(self):
        deal = table(
            preset="partnership",
            hands=["2C", "KD", "QD", "9H"],
            pile="9S",
            stock=0,
            scoring="winner_takes_hands",
            stock_end_score="lowest_hand",
        ).move(pass_())

        assert (deal.scores, deal.result.totals) == ((15, 0, 0, 0), (15, 0))

    def test_but_not_when_a_player_goes_out(self):
        deal = table(
            preset="basic-rummy", hands=["2C", "KD 4C", "9H"], phase="meld", stock_end_score="minus_hand"
        ).move(discard("2C"))

        assert deal.scores == (23, 0, 0)


class TestPenaltyPoints:
    """RULES 9.8"""

    def test_each_adds_their_own_hand(self):
        deal = table(
            hands=["2C", "KD 4C", "9H"], melds=["1: 5H 6H 7H"], phase="meld", scoring="penalty", target=100
        ).move(discard("2C"))

        assert deal.scores == (0, 14, 9)

    def test_at_a_stock_end_all_do(self):
        deal = table(hands=["2C KC", "KD 4C"], pile="9S", stock=0, scoring="penalty", target=100).move(
            pass_()
        )

        assert deal.scores == (12, 14)

    def test_no_bonus_is_added(self):
        # Basic Rummy doubles who goes rummy; under penalties there is nothing to double.
        deal = table(preset="basic-rummy", hands=["7H 7D 7C", "KD"], phase="meld", scoring="penalty").move(
            lay("7H 7D 7C")
        )

        assert deal.scores == (0, 10)
        assert deal.result.seats[0].bonus == 0


class TestBonusForGoingOut:
    """RULES 9.9"""

    @pytest.mark.parametrize("bonus", [0, 25])
    def test_for_the_player_who_goes_out(self, bonus):
        deal = table(hands=["2C", "9S"], melds=["0: 7H 7D 7C"], phase="meld", going_out_bonus=bonus).move(
            discard("2C")
        )

        assert deal.scores == (21 + bonus, -9)
        assert [seat.bonus for seat in deal.result.seats] == [bonus, 0]

    def test_no_player_gets_it_at_a_stock_end(self):
        deal = table(hands=["2C", "9S"], pile="KD", stock=0, going_out_bonus=25).move(pass_())

        assert deal.scores == (-2, -9)

    def test_also_where_the_winner_takes_the_hands(self):
        deal = table(hands=["2C", "9S"], phase="meld", scoring="winner_takes_hands", going_out_bonus=25).move(
            discard("2C")
        )

        assert deal.scores == (34, 0)


class TestGoingRummy:
    """RULES 9.10"""

    @pytest.mark.parametrize(
        "going_rummy, bonus, score",
        [
            ("none", 0, 21),
            ("none", 25, 46),
            ("double", 0, 42),
            ("double", 25, 92),
            ("bonus_10", 0, 31),
            ("bonus_10", 25, 56),
            ("double_bonus", 25, 71),
        ],
    )
    def test_out_in_one_turn_with_nothing_laid_before(self, going_rummy, bonus, score):
        deal = table(
            hands=["7H 7D 7C 2S", "9S"], phase="meld", going_rummy=going_rummy, going_out_bonus=bonus
        ).move(lay("7H 7D 7C"), discard("2S"))

        assert deal.scores == (score, -9)
        assert deal.result.seats[0].bonus == score - 21

    @pytest.mark.parametrize("before", ["0: 3S 3H 3D", "3S 3H 3D 3C@0"])
    def test_a_card_laid_before_undoes_it(self, before):
        deal = table(hands=["7H 7D 7C", "9S"], melds=[before], phase="meld", going_rummy="double")

        after = deal.move(lay("7H 7D 7C"))

        assert after.result.seats[0].bonus == 0

    def test_so_in_the_course_of_play(self):
        deal = table(hands=["7H 7D 7C 7S 2S 3C", "9S KD"], stock="4C 5C 2C 6C", going_rummy="double")
        deal = deal.move(draw_stock(), lay("7H 7D 7C"), discard("2S"), draw_stock(), discard("5C"))

        out = deal.move(draw_stock(), lay_off("7S", "m1"), lay("2C 3C 4C"))

        assert out.result.went_out == 0
        assert out.scores[0] == 28 + 9

    def test_a_lay_off_in_the_turn_counts_as_tabling(self):
        deal = table(hands=["7S 2C", "9S"], melds=["7H 7D 7C"], phase="meld", going_rummy="double")

        assert deal.move(lay_off("7S", "m1"), discard("2C")).scores == (14, 21 - 9)

    def test_discarding_the_last_card_alone_is_not_going_rummy(self):
        deal = table(hands=["7S", "9S"], phase="meld", going_rummy="bonus_10")

        assert deal.move(discard("7S")).scores == (0, -9)

    def test_another_players_cards_do_not_undo_it(self):
        deal = table(hands=["7H 7D 7C", "9S"], melds=["1: 3S 3H 3D"], phase="meld", going_rummy="double")

        assert deal.move(lay("7H 7D 7C")).scores[0] == 42

    def test_the_winner_of_the_hands_has_them_twice(self):
        deal = table(preset="basic-rummy", hands=["7H 7D 7C", "KD 4C AS"], phase="meld")

        assert deal.move(lay("7H 7D 7C")).scores == (30, 0)

    def test_with_pairs_only_the_players_own_score_changes(self):
        deal = table(
            preset="partnership",
            hands=["7H 7D 7C", "KD", "QD", "9C"],
            melds=["2: 3S 3H 3D"],
            phase="meld",
            going_rummy="double",
        ).move(lay("7H 7D 7C"))

        assert deal.scores == (42, -10, -1, -9)
        assert deal.result.totals == (41, -19)


class TestNoMinusAtAStockEnd:
    """RULES 9.11"""

    @pytest.mark.parametrize("spared, scores", [(True, (21, 0)), (False, (21 - 2, -9))])
    def test_cards_in_hand_are_not_subtracted(self, spared, scores):
        deal = table(
            hands=["2C", "9S"],
            melds=["0: 7H 7D 7C"],
            pile="KD",
            stock=0,
            no_minus_at_stock_end=spared,
        )

        assert deal.move(pass_()).scores == scores

    def test_when_a_player_goes_out_they_are(self):
        deal = table(hands=["2C", "9S"], phase="meld", no_minus_at_stock_end=True).move(discard("2C"))

        assert deal.scores == (0, -9)

    @pytest.mark.parametrize("way", ["take_or_end", "end_at_once"])
    def test_any_stock_end_is_one(self, way):
        deal = table(
            hands=["2C KC", "9S"], pile="4S", stock="5C", stock_empty=way, no_minus_at_stock_end=True
        ).move(draw_stock(), discard("KC"))

        assert deal.scores == (0, 0)
