"""RULES 7: the stock runs out."""

import pytest

from service.rummy.events import StockRenewed
from service.rummy.forced_turn import forced_turn
from service.rummy.moves import DrawStock, Pass, TakeDiscard
from service.rummy.state import Phase
from service.rummy.views import view_for
from tests.support.tables import (
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
WAYS = ["take_or_end", "reshuffle", "flip", "end_at_once", "play_on"]


class TestTheLastCard:
    """RULES 7"""

    @pytest.mark.parametrize("way", WAYS)
    def test_the_player_who_draws_it_finishes_the_turn(self, way):
        deal = table(hands=["7H 7D KC", "9D"], pile="4S", stock="7C", stock_empty=way)

        after = deal.move(draw_stock(), lay("7H 7D 7C"), discard("KC"))

        assert after.points(0) == 21
        assert after.result.went_out == 0

    @pytest.mark.parametrize("way", ["take_or_end", "end_at_once"])
    def test_a_stock_end_is_scored_as_it_lies(self, way):
        deal = table(
            hands=["KC 2D", "9D"], melds=["0: 7H 7D 7C"], pile="4S", stock="5C", stock_empty=way
        ).move(draw_stock(), discard("KC"))

        assert (deal.result.reason, deal.result.went_out) == ("stock_end", None)
        assert deal.scores == (21 - 7, -9)


class TestTakeOrEnd:
    """RULES 7.1"""

    def test_the_next_player_may_take_and_play_goes_on(self):
        deal = table(hands=["9C KC", "9D 9H QS", "4D 4H"], pile="4S", stock="5C").move(
            draw_stock(), discard("9C")
        )
        assert [type(move) for move in deal.legal_moves()] == [Pass, TakeDiscard]

        after = deal.move(take_discard("9C"), lay("9C 9D 9H"))

        assert after.discards() == ["QS"]

    def test_so_may_each_later_player(self):
        deal = table(hands=["9C KC", "9D 9H QS 4H", "QD QH 2C"], pile="4S", stock="5C").move(
            draw_stock(), discard("9C"), take_discard("9C"), lay("9C 9D 9H"), discard("QS")
        )

        assert deal.to_move == (2, Phase.DRAW)
        assert deal.takes() == ["QS"]

    def test_who_will_not_take_ends_the_deal(self):
        deal = table(hands=["9C KC", "9D 9H QS"], pile="4S", stock="5C").move(draw_stock(), discard("9C"))

        assert deal.move(pass_()).result.reason == "stock_end"

    def test_who_cannot_is_not_asked(self):
        deal = table(hands=["9C KC", "9D 8H QS"], pile="4S", stock="5C")

        after = deal.move(draw_stock(), discard("9C"))

        assert after.result.reason == "stock_end"
        assert after.happened == ["card.discarded", "deal.ended"]

    def test_the_discards_are_not_used_again(self):
        deal = table(hands=["9C KC", "9D 9H QS"], pile="4S", stock="5C").move(draw_stock(), discard("9C"))

        assert deal.refused(draw_stock()) == "stock_empty"

    def test_where_the_top_may_be_kept_it_can_always_be_taken(self):
        deal = table(hands=["9C KC", "8D 7H QS"], pile="4S", stock="5C", top_discard="may_keep").move(
            draw_stock(), discard("9C")
        )

        assert deal.takes() == ["9C"]


class TestReshuffle:
    """RULES 7.2"""

    def test_asked_for_a_card_the_pile_is_shuffled_into_a_stock(self):
        deal = table(hands=["KC 2D", "9D"], pile="4S 5S 6S 7S 8S", stock=0, stock_empty="reshuffle")

        after = deal.move(draw_stock())

        assert after.pile == ()
        assert len(after.stock) == 4
        assert {*after.stock, *after.hand(0)} == {*cards("KC 2D 4S 5S 6S 7S 8S")}
        (renewed, drawn) = after.events
        assert isinstance(renewed, StockRenewed)
        assert (renewed.shuffled, renewed.stock_count) == (True, 5)
        assert drawn.card == renewed.order[0]

    def test_the_order_depends_on_the_key(self):
        orders = set()
        for number in range(20):
            deal = table(
                hands=["KC 2D", "9D"],
                pile="4S 5S 6S 7S 8S",
                stock=0,
                stock_empty="reshuffle",
                key=number.to_bytes(32, "big"),
            ).move(draw_stock())
            orders.add(deal.events[0].order)

        assert len(orders) > 15

    def test_taking_comes_first(self):
        deal = table(hands=["9C 9H 2D", "KD"], pile="4S 9D", stock=0, stock_empty="reshuffle")

        assert [type(move) for move in deal.legal_moves()] == [DrawStock, TakeDiscard]
        assert deal.move(take_discard("9D")).pile == cards("4S")

    def test_the_next_draw_goes_on_with_it(self):
        deal = table(hands=["KC 2D", "9D 3H"], pile="4S 5S 6S", stock=0, stock_empty="reshuffle")

        after = deal.move(draw_stock(), discard("KC"), draw_stock())

        assert after.pile == cards("KC")
        assert len(after.stock) == 1
        assert after.game.deal.renewals == 1


class TestFlip:
    """RULES 7.3"""

    def test_the_oldest_discard_is_drawn_first(self):
        deal = table(hands=["KC 2D", "9D"], pile="4S 5S 6S 7S 8S", stock=0, stock_empty="flip")

        after = deal.move(draw_stock())

        assert after.hand(0) == hand("2D KC 4S")
        assert after.stock == cards("5S 6S 7S 8S")
        assert after.pile == ()
        assert after.events[0] == StockRenewed(shuffled=False, order=cards("4S 5S 6S 7S 8S"), stock_count=5)


class TestTheUpcardStays:
    """RULES 7.8"""

    @pytest.mark.parametrize("way", ["flip", "reshuffle"])
    def test_only_the_cards_below_it_become_the_stock(self, way):
        deal = table(
            hands=["KC 2D", "9D"], pile="4S 5S 6S 7S 8S", stock=0, stock_empty=way, upcard_stays=True
        )

        after = deal.move(draw_stock())

        assert after.pile == cards("8S")
        assert after.events[0].stock_count == 4
        assert sorted((*after.stock, *after.hand(0))) == sorted(cards("4S 5S 6S 7S KC 2D"))
        assert after.move(discard("KC")).pile == cards("8S KC")

    def test_the_oldest_discard_is_drawn_first(self):
        deal = table(hands=["KC 2D", "9D"], pile="4S 5S 6S", stock=0, stock_empty="flip", upcard_stays=True)

        after = deal.move(draw_stock())

        assert after.hand(0) == hand("2D KC 4S")
        assert after.stock == cards("5S")

    def test_a_lone_upcard_is_taken_or_passed(self):
        deal = table(
            hands=["KC 2D", "9D QS"],
            pile="4S",
            stock=0,
            stock_empty="flip",
            upcard_stays=True,
            top_discard="may_keep",
        )

        assert deal.refused(draw_stock()) == "stock_empty"
        assert {type(move) for move in deal.legal_moves()} == {Pass, TakeDiscard}
        assert deal.move(take_discard("4S"), discard("KC")).to_move == (1, Phase.DRAW)
        assert deal.move(pass_()).result.reason == "stock_end"

    def test_the_deal_ends_where_a_lone_upcard_cannot_be_taken(self):
        options = {"stock": 0, "stock_empty": "flip", "upcard_stays": True}
        deal = table(hands=["4D 4H KC", "9D QS"], pile="4S", **options)
        keeps = table(hands=["4D 4H 4C KC", "9D QS"], pile="4S", top_discard="may_keep", **options)

        assert deal.move(take_discard("4S"), lay("4D 4H 4S"), discard("KC")).result.went_out == 0
        three = table(hands=["4D 4H KC 2S", "9D QS"], pile="4S", **options)
        assert three.move(take_discard("4S"), lay("4D 4H 4S"), discard("KC")).result.reason == "stock_end"
        assert keeps.move(take_discard("4S"), discard("KC")).to_move == (1, Phase.DRAW)

    def test_the_clock_passes_a_lone_upcard(self):
        deal = table(
            hands=["KC 2D", "9D QS"],
            pile="4S",
            stock=0,
            stock_empty="reshuffle",
            upcard_stays=True,
            top_discard="may_keep",
        )

        assert [type(move) for move in forced_turn(deal.game, 0)] == [Pass]

    def test_a_call_is_answered_before_the_deal_ends(self):
        deal = table(
            hands=["KC 2D", "9D QS", "KD KH"],
            pile="",
            stock=0,
            phase="meld",
            stock_empty="flip",
            upcard_stays=True,
            call_rummy="any_meld",
        ).move(discard("KC"))

        assert deal.to_move == (1, Phase.RUMMY_CALL)
        assert deal.move(call("KC", lay("KC KD KH")), by=2).result.went_out == 2
        assert deal.move(pass_(), by=1).move(pass_(), by=2).result.reason == "stock_end"

    def test_else_the_whole_pile_becomes_the_stock(self):
        deal = table(hands=["KC 2D", "9D"], pile="4S", stock=0, stock_empty="flip", upcard_stays=False)

        assert deal.move(draw_stock()).pile == ()


class TestEndAtOnce:
    """RULES 7.4"""

    def test_the_deal_ends_with_the_turn_that_drew_the_last_card(self):
        deal = table(hands=["9C KC", "9D 9H QS"], pile="4S", stock="5C", stock_empty="end_at_once")

        after = deal.move(draw_stock(), discard("9C"))

        assert after.result.reason == "stock_end"

    def test_nothing_is_taken_after_that(self):
        deal = table(hands=["9D 9H QS", "KC"], pile="9C", stock=0, stock_empty="end_at_once")

        assert deal.refused(take_discard("9C")) == "stock_empty"
        assert deal.refused(draw_stock()) == "stock_empty"
        assert [type(move) for move in deal.legal_moves()] == [Pass]
        assert deal.move(pass_()).result.reason == "stock_end"

    def test_a_deeper_take_is_refused_alike(self):
        deal = table(hands=["9D 9H QS", "KC"], pile="9C 2C", stock=0, stock_empty="end_at_once")

        assert deal.refused(take_discard("9C")) == "stock_empty"

    def test_before_that_takes_are_legal(self):
        deal = table(hands=["9D 9H QS", "KC"], pile="9C", stock="2C", stock_empty="end_at_once")

        assert deal.takes() == ["9C"]

    def test_a_floating_player_ends_it_as_well(self):
        deal = table(hands=["7H 7D", "KC"], pile="4S", stock="7C", stock_empty="end_at_once", **FLOATING)

        assert deal.move(draw_stock(), lay("7H 7D 7C")).result.reason == "stock_end"


class TestPlayOn:
    """RULES 7.5"""

    deal = table(preset="kitchen-table", hands=["9D 9H QS", "KC 3D"], pile="2S 9C", stock=0)

    def test_a_player_may_take(self):
        assert self.deal.takes() == ["9C"]
        assert self.deal.move(take_discard("9C"), lay("9C 9D 9H")).points(0) == 27

    def test_or_pass_the_draw_and_play_from_the_hand(self):
        passed = self.deal.move(pass_())

        assert passed.to_move == (0, Phase.MELD)
        assert passed.happened == ["turn.passed"]
        assert passed.move(discard("QS")).to_move == (1, Phase.DRAW)

    def test_the_player_may_lay_cards_after_passing(self):
        deal = table(preset="kitchen-table", hands=["9D 9H 9S QS", "KC"], pile="2S", stock=0).move(pass_())

        assert deal.move(lay("9D 9H 9S"), discard("QS")).result.went_out == 0

    def test_the_stock_stays_empty(self):
        assert self.deal.refused(draw_stock()) == "stock_empty"

    def test_a_player_goes_out_in_the_end(self):
        deal = self.deal
        for code in ("QS", "KC", "9D", "3D"):
            deal = deal.move(pass_(), discard(code))

        assert deal.result.went_out == 1

    def test_a_floating_player_who_passes_ends_their_turn(self):
        deal = table(preset="kitchen-table", hands=["-", "KC 3D"], pile="2S 9C", stock=0, **FLOATING).move(
            pass_()
        )

        assert deal.to_move == (1, Phase.DRAW)
        assert deal.hand(0) == ()


class TestPassingTheDraw:
    """RULES 7.6"""

    @pytest.mark.parametrize("way", WAYS)
    def test_not_while_there_is_a_stock(self, way):
        deal = table(hands=["KC 2D", "9D"], pile="4S", stock="5C", stock_empty=way)

        assert deal.refused(pass_()) == "stock_not_empty"

    @pytest.mark.parametrize("way", ["reshuffle", "flip"])
    def test_nor_while_one_can_be_made(self, way):
        deal = table(hands=["KC 2D", "9D"], pile="4S", stock=0, stock_empty=way)

        assert deal.refused(pass_()) == "stock_not_empty"

    @pytest.mark.parametrize("way", WAYS)
    def test_with_both_piles_gone_a_given_position_waits_for_a_pass(self, way):
        deal = table(hands=["KC 2D", "9D"], stock=0, stock_empty=way)

        assert deal.refused(draw_stock()) == "stock_empty"
        assert [type(move) for move in deal.legal_moves()] == [Pass]
        assert deal.move(pass_()).result.reason == "stock_end"

    @pytest.mark.parametrize("way", WAYS)
    def test_with_both_piles_gone_the_service_ends_the_deal(self, way):
        deal = table(hands=["7H 7D", "KC"], stock="7C", stock_empty=way, **FLOATING)

        after = deal.move(draw_stock(), lay("7H 7D 7C"))

        assert (after.pile, after.stock) == ((), ())
        assert after.result.reason == "stock_end"

    @pytest.mark.parametrize("way", ["end_at_once", "take_or_end"])
    def test_a_pass_ends_the_deal(self, way):
        deal = table(hands=["KC 2D", "9D"], pile="4S", stock=0, stock_empty=way)

        assert deal.move(pass_()).happened == ["turn.passed", "deal.ended"]


def circle(deal: Table) -> Table:
    """Take the upcard, keep it and discard another card."""
    top = deal.pile[-1]
    deal = deal.move(take_discard(top))
    return deal.move(discard(next(code for code in deal.discards() if code != top)))


def turns_until_over(deal: Table) -> int:
    turns = 0
    while not deal.over:
        deal, turns = circle(deal), turns + 1
    return turns


def draw_and_discard(deal: Table) -> Table:
    """Draw from the stock and discard a card."""
    drawn = deal.move(draw_stock())
    return drawn.move(discard(drawn.discards()[-1]))


class TestDealsWithoutProgress:
    """RULES 7.7: three times the cards of the game."""

    @pytest.mark.parametrize("way", ["reshuffle", "flip"])
    @pytest.mark.parametrize("preset", ["basic-rummy", "jokers"])
    def test_the_stock_is_renewed_again_though_no_card_was_laid(self, preset, way):
        deal = table(preset=preset, hands=["2C QS", "7D KS"], pile="5H", stock=0, stock_empty=way)

        once = deal.move(draw_stock(), discard("QS"))
        twice = once.move(draw_stock())

        assert not twice.over
        assert twice.game.deal.renewals == 2
        assert twice.move(discard("KS"), draw_stock()).game.deal.renewals == 3

    @pytest.mark.parametrize("way", ["reshuffle", "flip"])
    @pytest.mark.parametrize("seats", [2, 5, 8])
    def test_renewals_without_a_laid_card_end_in_the_end(self, seats, way):
        hands = ["9D", "8C", "4H", "QS", "2S", "KC", "JD", "5C"][:seats]
        deal = table(preset="jokers", seats=seats, hands=hands, stock="7D", stock_empty=way, call_rummy="off")
        cards_of_the_game = 54 if seats < 5 else 108

        turns = 0
        while not deal.over:
            deal, turns = draw_and_discard(deal), turns + 1

        assert turns == 3 * cards_of_the_game
        assert deal.result.reason == "stock_end"

    def test_a_player_may_use_the_upcard_after_a_circle_without_a_stock(self):
        deal = table(preset="kitchen-table", hands=["5S 2C KC", "KD 5D"], pile="5H", stock=0)

        deal = deal.move(take_discard("5H"), discard("KC"), take_discard("KC"), discard("5D"))

        assert not deal.over
        assert not deal.move(take_discard("5D"), lay("5S 5H 5D"), discard("2C")).known(0)

    @pytest.mark.parametrize("seats", [2, 3, 6])
    def test_upcards_that_go_round_without_a_stock_end_it(self, seats):
        hands = ["9D 9H QS", "KC 3D", "4C 5H", "JD 8H", "TC 6D", "AC 2H"][:seats]
        deal = table(preset="kitchen-table", seats=seats, hands=hands, pile="2S", stock=0)

        assert turns_until_over(deal) == 3 * (52 if seats < 5 else 104)

    def test_the_same_where_a_pass_would_end_it(self):
        deal = table(
            hands=["9D 9H QS", "KC 3D"], pile="2S", stock=0, top_discard="may_keep", stock_empty="take_or_end"
        )

        assert turns_until_over(deal) == 156

    def test_a_turn_that_leaves_a_card_less_restarts_the_count(self):
        deal = table(preset="kitchen-table", hands=["9D 9H QS", "KC 3D 8C", "4C 5H 8D"], pile="2S", stock=0)

        # A pass and a discard leave fewer cards in the hands: that turn is not quiet.
        deal = circle(circle(deal)).move(pass_(), discard("8D"))

        assert turns_until_over(deal) == 156

    def test_so_does_a_lay_off(self):
        deal = table(
            preset="kitchen-table", hands=["9D QS 7S", "KC 3D 8C"], pile="2S", stock=0, melds=["KS KD KH"]
        )
        deal = circle(deal)

        tabled = deal.move(take_discard(deal.pile[-1]), lay_off("KC", "m1"), discard("3D"))

        assert turns_until_over(tabled) == 156

    def test_and_a_meld(self):
        deal = table(preset="jokers", hands=["9D 9H 9C QS 2C", "KC 3D 8C"], pile="2S")
        for _ in range(2):
            deal = draw_and_discard(deal)

        tabled = deal.move(draw_stock(), lay("9D 9H 9C"))

        assert turns_until_over(tabled.move(discard(tabled.discards()[0]))) == 162

    def test_and_a_card_drawn_from_a_stock_that_is_never_renewed(self):
        deal = table(preset="kitchen-table", hands=["9D 9H QS", "KC 3D"], pile="2S")
        for _ in range(155):
            deal = circle(deal)

        assert turns_until_over(draw_and_discard(deal)) == 156

    def test_but_not_from_one_that_is(self):
        deal = table(preset="jokers", hands=["9D 9H QS", "KC 3D"], pile="2S")
        for _ in range(161):
            deal = circle(deal)

        assert draw_and_discard(deal).over

    def test_a_floating_player_who_keeps_the_top_card_is_quiet(self):
        deal = table(preset="kitchen-table", hands=["-", "KC 3D 4S"], pile="5S 2S", stock=0, **FLOATING)

        deal = deal.move(take_discard("2S"), keep())

        assert deal.game.deal.quiet_turns == 1

    def test_a_table_sees_how_many_turns_are_left(self):
        deal = circle(table(preset="kitchen-table", hands=["9D 9H QS", "KC 3D"], pile="2S"))

        view = view_for(deal.game, 1)

        assert (view.quiet_turns, view.quiet_turn_limit) == (1, 156)
