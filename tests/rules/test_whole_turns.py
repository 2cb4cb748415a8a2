"""RULES 2.12: a whole turn said at once."""

import pytest

from service.rummy.errors import IllegalMove
from service.rummy.state import Phase, Stage
from service.rummy.whole_turns import DiscardDrawn, WholeTurn, play_turn
from tests.support.tables import (
    Asked,
    Table,
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

FLOATING = {"going_out": "discard_required", "floating": True}
ACE_LOW = {"preset": "ace-low", "seats": 3}


def discard_drawn() -> Asked:
    return lambda seat: DiscardDrawn(seat=seat)


def turn(deal: Table, *asked: Asked, by: int = 0) -> Table:
    events, game = play_turn(deal.game, WholeTurn(seat=by, moves=tuple(one(by) for one in asked)))
    return Table(game=game, events=events)


def refusal(deal: Table, *asked: Asked, by: int = 0) -> tuple[str, int]:
    """The code of a turn's refusal, and the place of the move that met it."""
    with pytest.raises(IllegalMove) as refused:
        turn(deal, *asked, by=by)
    assert refused.value.message.endswith(".")
    return refused.value.code, refused.value.details["move"]


class TestAllMovesInOneBreath:
    deal = table(hands=["7H 7D 7C 2S KD", "9H 9C"], pile="4D TC", melds=["3S 4S 5S"], stock="8D 8C")

    def test_a_turn_is_draw_table_discard(self):
        asked = draw_stock(), lay("7H 7D 7C"), lay_off("2S", "m1"), discard("KD")

        assert turn(self.deal, *asked).game == self.deal.move(*asked).game

    def test_its_events_are_those_of_its_moves(self):
        assert turn(self.deal, draw_stock(), lay("7H 7D 7C"), discard("2S")).happened == [
            "stock.drawn",
            "meld.laid",
            "card.discarded",
            "turn.started",
        ]

    def test_it_may_stop_before_the_discard(self):
        after = turn(self.deal, draw_stock(), lay("7H 7D 7C"))

        assert after.to_move == (0, Phase.MELD)
        assert after.hand(0) == hand("2S KD 8D")

    def test_it_may_go_on_from_the_middle_of_a_turn(self):
        after = turn(self.deal.move(draw_stock()), lay("7H 7D 7C"), discard("8D"))

        assert after.pile == cards("4D TC 8D")

    def test_cards_taken_from_the_pile_are_seen_and_may_be_used(self):
        deal = table(hands=["7H 7D KD", "9H 9C"], pile="4D 7C TC")

        after = turn(deal, take_discard("7C"), lay("7H 7D 7C"), discard("TC"))

        assert after.hand(0) == hand("KD")

    def test_a_call_and_the_turn_behind_it_are_one(self):
        deal = table(
            hands=["9C", "2H 3H", "KD QS"], melds=["0: 3S 4S 5S"], pile="6S", phase="rummy_call", turn=1,
            discarder=0, **ACE_LOW,
        )  # fmt: skip

        after = turn(deal, call("6S", lay_off("6S", "m1")), discard("QS"), by=2)

        assert after.pile == cards("QS")

    def test_a_pass_in_a_call_window_is_all_there_is_to_say(self):
        deal = table(
            hands=["9C", "2H 3H", "KD QS"], melds=["0: 3S 4S 5S"], pile="6S", phase="rummy_call", turn=1,
            discarder=0, **ACE_LOW,
        )  # fmt: skip

        once = turn(deal, pass_(), by=2)
        assert once.turn.asked == (1,)
        assert turn(once, pass_(), by=1).to_move == (1, Phase.DRAW)
        assert refusal(deal, pass_(), discard("KD"), by=2) == ("not_your_turn", 1)


class TestNoneWhereOneIsRefused:
    deal = table(hands=["7H 7D 7C 2S KD", "9H 9C"], pile="4D TC", melds=["3S 4S 5S"], stock="8D 8C")

    @pytest.mark.parametrize(
        "asked, code, place",
        [
            ([lay("7H 7D 7C")], "draw_first", 0),
            ([draw_stock(), draw_stock()], "already_drawn", 1),
            ([draw_stock(), lay("7H 7D"), discard("KD")], "too_few_cards", 1),
            ([draw_stock(), lay("7H 7D 7C"), lay_off("7H", "m1")], "meld_is_fixed", 2),
            ([draw_stock(), lay("7H 7D 7C"), discard("9H")], "card_not_in_hand", 2),
            ([take_discard("4D")], "deepest_card_unusable", 0),
        ],
    )
    def test_the_refusal_names_the_first_move_refused(self, asked, code, place):
        assert refusal(self.deal, *asked) == (code, place)

    def test_the_game_is_as_it_was(self):
        before = self.deal.game

        refusal(self.deal, draw_stock(), lay("7H 7D 7C"), discard("9H"))

        assert self.deal.game is before

    def test_choices_are_listed_as_for_a_single_move(self):
        deal = table(hands=["AH 9C", "9D"], melds=["2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH"])

        with pytest.raises(IllegalMove) as refused:
            turn(deal, draw_stock(), lay_off("AH", "m1"))

        assert refused.value.details == {"choices": [{"end": "low"}, {"end": "high"}], "move": 1}

    def test_no_player_plays_out_of_turn(self):
        assert refusal(self.deal, draw_stock(), discard("9H"), by=1) == ("not_your_turn", 0)


class TestTheDrawnCardIsAsGoodAsUnseen:
    deal = table(hands=["7H 7D KD", "9H 9C"], pile="4D", melds=["3S 4S 5S"], stock="7C 8C")

    def test_it_cannot_be_melded(self):
        assert refusal(self.deal, draw_stock(), lay("7H 7D 7C")) == ("card_not_in_hand", 1)

    @pytest.mark.parametrize("stock", ["6S 8C", "8C 6S"])
    def test_it_cannot_be_laid_off(self, stock):
        deal = table(hands=["7H 7D KD", "9H 9C"], pile="4D", melds=["3S 4S 5S"], stock=stock)

        assert refusal(deal, draw_stock(), lay_off("6S", "m1")) == ("card_not_in_hand", 1)

    def test_it_cannot_be_named_as_the_discard(self):
        assert refusal(self.deal, draw_stock(), discard("7C")) == ("card_not_in_hand", 1)

    def test_it_is_discarded_unseen(self):
        after = turn(self.deal, draw_stock(), discard_drawn())

        assert after.pile == cards("4D 7C")
        assert after.hand(0) == hand("7H 7D KD")

    def test_nor_is_its_second_copy_lent_to_it(self):
        """Who holds one seven of hearts may not name two, whichever card comes."""
        for stock in ("7H 2C", "2C 7H"):
            deal = table(
                hands=["7H 7D KD", "9H 9C", "QC", "QH", "QS"],
                seats=5, preset="classic", packs=2, stock=stock, set_distinct_suits=False, set_max=None,
            )  # fmt: skip

            assert refusal(deal, draw_stock(), lay("7H 7H 7D")) == ("repeated_card", 1)
            assert refusal(deal, draw_stock(), discard("7H"), discard("7H")) == ("not_your_turn", 2)

    def test_a_card_spent_is_not_held_again_because_its_second_copy_was_drawn(self):
        deal = table(
            hands=["7H 7D 7C 8H KD", "9H 9C", "QC", "QH", "QS"], seats=5, packs=2, stock="7H 2C"
        )  # fmt: skip

        assert refusal(deal, draw_stock(), lay("7H 7D 7C"), discard("7H")) == ("meld_is_fixed", 2)

    def test_discarded_it_may_open_the_window_for_a_call(self):
        deal = table(
            hands=["KD 9C", "2H 3H", "KH QS"], melds=["0: 3S 4S 5S"], pile="TC", stock="6S 2D", **ACE_LOW
        )

        assert turn(deal, draw_stock(), discard_drawn()).to_move == (1, Phase.RUMMY_CALL)
        assert refusal(deal, draw_stock(), discard_drawn(), pass_()) == ("not_your_turn", 2)
        assert refusal(deal, draw_stock(), discard("KD"), pass_()) == ("not_your_turn", 2)

    def test_what_was_drawn_before_is_seen_and_named(self):
        deal = self.deal.move(draw_stock())

        assert refusal(deal, discard_drawn()) == ("card_not_in_hand", 0)
        assert turn(deal, lay("7H 7D 7C"), discard("KD")).over

    def test_only_what_came_from_the_stock_is_drawn(self):
        deal = table(hands=["7H 7D KD", "9H 9C"], pile="4D 7C TC")

        assert refusal(deal, take_discard("7C"), discard_drawn()) == ("card_not_in_hand", 1)

    def test_out_of_turn_it_is_refused_as_any_discard(self):
        assert refusal(self.deal, discard_drawn()) == ("draw_first", 0)
        assert refusal(self.deal, discard_drawn(), by=1) == ("not_your_turn", 0)
        over = turn(table(hands=["-", "9H"], stock="7C 8C"), draw_stock(), discard_drawn())
        assert refusal(over, discard_drawn()) == ("deal_over", 0)


class TestGoingOut:
    def test_all_cards_of_the_hand_may_be_laid_for_the_drawn_one_is_left(self):
        deal = table(hands=["7H 7D 7C", "9H 9C"], stock="KC 8C")

        after = turn(deal, draw_stock(), lay("7H 7D 7C"))

        assert after.to_move == (0, Phase.MELD)
        assert after.hand(0) == hand("KC")

    def test_and_then_discarded(self):
        deal = table(hands=["7H 7D 7C", "9H 9C"], stock="KC 8C")

        after = turn(deal, draw_stock(), lay("7H 7D 7C"), discard_drawn())

        assert after.result.went_out == 0

    def test_nothing_follows_it(self):
        deal = table(hands=["7H 7D", "9H 9C"], pile="7C", totals=[490, 0])

        assert turn(deal, take_discard("7C"), lay("7H 7D 7C")).status is Stage.FINISHED
        assert refusal(deal, take_discard("7C"), lay("7H 7D 7C"), discard("7H")) == ("not_your_turn", 2)

    def test_a_floating_player_may_keep_the_drawn_card(self):
        deal = table(hands=["-", "9H 9C"], stock="KC 8C", **FLOATING)

        after = turn(deal, draw_stock(), keep())

        assert after.to_move == (1, Phase.DRAW)
        assert after.hand(0) == hand("KC")


class TestTheSecondCopyOfAKeptCard:
    """RULES 2.9"""

    deal = table(seats=5, hands=["9D 9S 9H 2C", "4C"], pile="3H 9D", preset="jokers")

    def test_may_be_discarded_in_one_turn_with_the_meld(self):
        assert turn(self.deal, take_discard("9D"), lay("9D 9S 9H"), discard("9D")).hand(0) == hand("2C")

    def test_while_the_only_copy_may_not(self):
        deal = table(seats=5, hands=["8D 8S 8H 2C", "4C"], pile="3H 9D", preset="jokers")

        assert refusal(deal, take_discard("9D"), lay("8D 8S 8H"), discard("9D")) == ("same_card_back", 2)


class TestWithoutAStock:
    def test_a_turn_goes_on_from_a_pass_where_play_goes_on(self):
        deal = table(preset="kitchen-table", hands=["2C 3C", "9S"], pile="KD", stock=0)

        assert turn(deal, pass_(), discard("3C")).pile == cards("KD 3C")

    def test_it_ends_with_a_pass_that_ends_the_deal(self):
        deal = table(hands=["2C 3C", "9S"], pile="KD", stock=0)

        assert refusal(deal, pass_(), discard("3C")) == ("not_your_turn", 1)
        assert refusal(deal, draw_stock(), discard_drawn()) == ("stock_empty", 0)

    def test_a_renewed_stock_is_drawn_from_as_any_other(self):
        deal = table(hands=["2C 3C", "9S"], pile="KD 4S", stock=0, stock_empty="flip")

        assert turn(deal, draw_stock(), discard_drawn()).pile == cards("KD")
        assert refusal(deal, draw_stock(), discard("KD")) == ("card_not_in_hand", 1)
