"""The list of lawful moves: every one of them and no other."""

import pytest

from service.rummy.legal_moves import legal_moves, seats_to_act
from service.rummy.moves import (
    CallRummy,
    Discard,
    DrawStock,
    KeepCard,
    LayMeld,
    LayOff,
    Pass,
    TakeDiscard,
)
from tests.support.tables import cards, discard, draw_stock, lay, table, take_discard

FLOATING = {"going_out": "discard_required", "floating": True}


class TestWhatIsOffered:
    def test_before_the_draw_the_ways_to_draw(self):
        deal = table(hands=["7H 7D KC"], pile="7C 2S 7S")

        assert deal.legal_moves() == [
            DrawStock(seat=0),
            TakeDiscard(seat=0, card=cards("7S")[0], position=2),
            TakeDiscard(seat=0, card=cards("7C")[0], position=0),
        ]

    def test_after_it_what_may_be_discarded_laid_off_and_laid(self):
        deal = table(hands=["7H 7D 7C 8S"], melds=["9S TS JS"], phase="meld")

        assert deal.legal_moves() == [
            *(Discard(seat=0, card=code) for code in cards("7C 7D 7H 8S")),
            LayOff(seat=0, card=cards("8S")[0], meld_id="m1"),
            LayMeld(seat=0, cards=cards("7C 7D 7H")),
        ]

    def test_two_copies_are_offered_once(self):
        deal = table(seats=5, hands=["7H 7H 8S 8S"], melds=["9S TS JS"], phase="meld")

        assert deal.legal_moves() == [
            *(Discard(seat=0, card=code) for code in cards("7H 8S")),
            LayOff(seat=0, card=cards("8S")[0], meld_id="m1"),
        ]

    def test_while_a_card_must_be_used_only_moves_that_can_use_it(self):
        deal = table(hands=["7H 7D 8D 9D KC"], pile="7C").move(take_discard("7C"))

        assert deal.legal_moves() == [LayMeld(seat=0, cards=cards("7C 7D 7H"))]

    def test_a_floating_player_may_discard_or_keep(self):
        deal = table(hands=["-"], stock="7H 8H", **FLOATING).move(draw_stock())

        assert deal.legal_moves() == [Discard(seat=0, card=cards("7H")[0]), KeepCard(seat=0)]

    def test_those_asked_for_a_call_may_pass_or_call(self):
        deal = table(hands=["7H 2D", "9S", "7C 7D 4H"], pile="3S", phase="meld", call_rummy="any_meld").move(
            discard("7H")
        )

        assert deal.legal_moves(2) == [
            Pass(seat=2),
            CallRummy(
                seat=2,
                card=cards("7H")[0],
                position=1,
                use=LayMeld(seat=2, cards=cards("7C 7D 7H")),
            ),
        ]


class TestWhoMayAct:
    def test_the_seat_to_move(self):
        deal = table(hands=["7H 2D", "9S", "7C"], turn=1)

        assert seats_to_act(deal.game) == (1,)
        assert [bool(legal_moves(deal.game, seat).moves) for seat in range(3)] == [False, True, False]

    def test_those_asked_in_a_call_window(self):
        deal = table(hands=["7H 2D", "9S", "7C", "4H"], phase="meld", call_rummy="any_meld")

        assert seats_to_act(deal.move(discard("7H")).game) == (1, 2, 3)

    def test_no_player_when_the_deal_is_over(self):
        assert seats_to_act(table(hands=["7H"], phase="meld").move(discard("7H")).game) == ()


class TestTheLimit:
    deal = table(
        preset="kitchen-table",
        seats=5,
        hands=["7C 7D 7H 7S 8C 8D 8H 8S 9C 9D X1 X2 X3 X4"],
        phase="meld",
        jokers_per_pack=2,
    )

    def test_past_it_the_list_is_cut_off_and_says_so(self):
        found = legal_moves(self.deal.game, 0)

        assert len(found.moves) == 2000
        assert not found.complete
        assert found.truncated == ("meld",)

    def test_a_list_that_fits_is_complete(self):
        found = legal_moves(table(hands=["7H 7D 7C"], phase="meld").game, 0, limit=4)

        assert (len(found.moves), found.complete, found.truncated) == (4, True, ())

    def test_one_move_more_is_not(self):
        found = legal_moves(table(hands=["7H 7D 7C"], phase="meld").game, 0, limit=3)

        assert (len(found.moves), found.complete, found.truncated) == (3, False, ("meld",))

    def test_what_ends_the_turn_is_never_cut_off(self):
        found = legal_moves(self.deal.game, 0)

        assert {move.card for move in found.moves if isinstance(move, Discard)} == set(self.deal.hand(0))


class TestNothingIllegalIsOffered:
    @pytest.mark.parametrize(
        "deal",
        [
            table(hands=["7H 7D 7C 7S 8C 9C TC"], melds=["4C 5C 6C", "8S 8H 8D"], phase="meld"),
            table(hands=["7H 7D 8H X1 X2"], melds=["4H 5H 6H"], phase="meld", jokers_per_pack=2),
            table(hands=["5H 5D 6H 7H KS 5S"], pile="5C 9D").move(take_discard("5C")),
            table(hands=["9S 9C 9H"], pile="2D", top_discard="may_keep").move(take_discard("2D")),
            table(hands=["7H 7D 7C 4D"], melds=["4S 5S 6S"], phase="meld", going_out="discard_required"),
        ],
    )
    def test_every_move_offered_can_be_made(self, deal):
        for move in deal.legal_moves():
            deal.move(lambda _, move=move: move)

    def test_a_meld_that_would_go_out_is_not_where_a_discard_is_due(self):
        deal = table(hands=["7H 7D 7C"], phase="meld", going_out="discard_required")

        assert {type(move) for move in deal.legal_moves()} == {Discard}
        assert deal.refused(lay("7H 7D 7C")) == "must_keep_a_discard"
