"""What a player can foresee of a turn before making it; nothing hidden comes in."""

import pytest

from service.rummy.previews import Preview, PreviewEnd, preview_turn
from service.rummy.whole_turns import DiscardDrawn, WholeTurn, play_turn
from tests.support.tables import (
    Asked,
    Table,
    discard,
    draw_stock,
    lay,
    lay_off,
    pass_,
    table,
    take_discard,
)


def foreseen(deal: Table, *asked: Asked, by: int = 0) -> Preview:
    turn = WholeTurn(seat=by, moves=tuple(one(by) for one in asked))
    play_turn(deal.game, turn)
    return preview_turn(deal.game, turn)


def end_of(deal: Table, *asked: Asked) -> tuple[int | None, PreviewEnd | None]:
    """Where and why the preview of a turn of seat 0 ends."""
    preview = foreseen(deal, *asked)
    assert preview.game == deal.move(*asked[: preview.stopped_before]).game
    return preview.stopped_before, preview.reason


TAKE = (take_discard("7C"), lay("7H 7D 7C"), lay_off("6S", "m1"), discard("KD"))


class TestATurnFromTheDiscardPile:
    deal = table(
        hands=["7H 7D KD 6S 2C", "9H 9C", "TH JC"], pile="4D 7C TC", melds=["3S 4S 5S"], call_rummy="any_meld"
    )

    @pytest.mark.parametrize("length", [1, 2, 3, 4])
    def test_is_foreseen_to_the_end_of_any_part_of_it(self, length):
        assert end_of(self.deal, *TAKE[:length]) == (None, None)

    def test_ends_with_the_call_window_that_it_opens(self):
        assert foreseen(self.deal, *TAKE).game.deal.turn.asked == (1, 2)


class TestACardFromTheStock:
    deal = table(hands=["7H 7D 7C KD", "9H 9C"], pile="4D", stock="8D 8C")

    def test_is_not_foreseen_nor_anything_after_it(self):
        moves = draw_stock(), lay("7H 7D 7C"), discard("KD")

        assert end_of(self.deal, *moves) == (0, PreviewEnd.HIDDEN_CARD)
        assert end_of(self.deal, draw_stock()) == (0, PreviewEnd.HIDDEN_CARD)

    def test_is_not_foreseen_where_it_is_discarded_unseen(self):
        thrown = foreseen(self.deal, draw_stock(), lambda seat: DiscardDrawn(seat=seat))

        assert (thrown.game, thrown.stopped_before) == (self.deal.game, 0)

    def test_is_not_foreseen_from_a_stock_that_is_renewed(self):
        deal = table(hands=["7H KD", "9H 9C"], pile="4D 5D 6D", stock="", stock_empty="reshuffle")

        assert end_of(deal, draw_stock(), discard("KD")) == (0, PreviewEnd.HIDDEN_CARD)


class TestTheEndOfADeal:
    def test_is_not_foreseen_where_a_player_goes_out(self):
        deal = table(hands=["7H 7D KD", "9H 9C"], pile="4D 7C")
        moves = take_discard("7C"), lay("7H 7D 7C"), discard("KD")

        assert end_of(deal, *moves) == (2, PreviewEnd.DEAL_MAY_END)

    @pytest.mark.parametrize("next_hand", ["KH KS 9C", "9H TC"])
    def test_is_not_foreseen_where_it_depends_on_the_hand_of_the_next_player(self, next_hand):
        deal = table(hands=["7H 7D KD 2S", next_hand], pile="4D 7C", stock="", stock_empty="take_or_end")
        moves = take_discard("7C"), lay("7H 7D 7C"), discard("KD")

        assert end_of(deal, *moves) == (2, PreviewEnd.DEAL_MAY_END)

    def test_is_not_foreseen_where_a_pass_ends_it(self):
        deal = table(hands=["7H KD", "9H 9C"], pile="4D 5D", stock="", stock_empty="take_or_end")

        assert end_of(deal, pass_()) == (0, PreviewEnd.DEAL_MAY_END)
