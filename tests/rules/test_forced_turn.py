"""The forced turn: a legal end of the turn in any position of any variant."""

import pytest

from service.rummy.forced_turn import forced_turn
from service.rummy.moves import Discard, KeepCard, LayMeld, LayOff, Pass
from service.rummy.play import play
from service.rummy.presets import PRESETS
from service.rummy.state import Stage
from tests.support.tables import (
    Table,
    call,
    cards,
    dealt,
    discard,
    draw_stock,
    lay,
    lay_off,
    next_deal,
    pass_,
    table,
    take_discard,
)

FLOATING = {"going_out": "discard_required", "floating": True}
MAY_KEEP = {"top_discard": "may_keep"}


def least(deal: Table, seat: int = 0) -> list:
    """The forced turn: each move is legal after the one before, and the last ends the turn."""
    moves, game = forced_turn(deal.game, seat), deal.game
    for move in moves:
        _, game = play(game, move)
    assert forced_turn(game, seat) == () or game.deal.turn.seat != seat
    return list(moves)


class TestBeforeTheDraw:
    def test_it_draws_and_discards(self):
        deal = table(hands=["2C 3C", "9S"], stock="KD 4S")

        assert least(deal) == [draw_stock()(0), discard("KD")(0)]

    def test_without_a_stock_it_passes(self):
        assert least(table(hands=["2C 3C", "9S"], pile="KD", stock=0)) == [pass_()(0)]

    def test_and_discards_where_play_goes_on(self):
        deal = table(preset="kitchen-table", hands=["2C 3C", "9S"], pile="KD", stock=0)

        assert least(deal) == [pass_()(0), discard("3C")(0)]

    def test_it_asks_for_a_new_stock(self):
        deal = table(hands=["2C 3C", "9S"], pile="KD", stock=0, stock_empty="flip")

        assert least(deal) == [draw_stock()(0), discard("KD")(0)]

    def test_asked_for_a_call_it_passes(self):
        deal = table(hands=["2C 3C", "9S", "4D"], phase="meld", call_rummy="any_meld").move(discard("3C"))

        assert forced_turn(deal.game, 2) == (Pass(seat=2),)
        assert forced_turn(deal.game, 0) == ()

    def test_the_next_player_only_passes_even_as_the_last_one_asked(self):
        deal = table(hands=["2C 3C", "9S", "4D"], phase="meld", call_rummy="any_meld").move(discard("3C"))

        last = deal.move(pass_(), by=2)

        assert forced_turn(last.game, 1) == (Pass(seat=1),)

    def test_a_floating_player_without_a_draw_has_done_enough(self):
        deal = table(preset="kitchen-table", hands=["-", "9S 8D"], pile="KD", stock=0, **FLOATING)

        assert least(deal) == [Pass(seat=0)]


class TestAfterTheDraw:
    def test_the_dearest_card_goes(self):
        assert least(table(hands=["2C 9D KS 3H", "9S"], phase="meld")) == [discard("KS")(0)]
        assert least(table(hands=["2C 9D KS AH", "9S"], phase="meld")) == [discard("AH")(0)]

    def test_not_the_card_that_may_not_be_discarded(self):
        deal = table(hands=["2C 9D", "9S"], pile="KS", **MAY_KEEP).move(take_discard("KS"))

        assert least(deal) == [discard("9D")(0)]

    def test_but_its_second_copy_once_it_was_laid(self):
        deal = table(seats=5, hands=["9D 9S 9H 2C"], pile="3H 9D", preset="jokers").move(
            take_discard("9D"), lay("9D 9S 9H")
        )

        assert least(deal) == [discard("9D")(0)]

    def test_a_floating_player_discards_their_card(self):
        deal = table(hands=["-", "9S"], stock="KS 2C", **FLOATING).move(draw_stock())

        assert least(deal) == [Discard(seat=0, card=cards("KS")[0])]

    def test_or_keeps_what_they_may_not_discard(self):
        deal = table(hands=["-", "9S"], pile="KS", **MAY_KEEP, **FLOATING).move(take_discard("KS"))

        assert least(deal) == [KeepCard(seat=0)]

    def test_a_last_card_that_may_not_be_discarded_is_laid_off(self):
        deal = table(hands=["8S"], pile="9S", melds=["5S 6S 7S"], **MAY_KEEP).move(
            take_discard("9S"), lay_off("8S", "m1")
        )

        assert least(deal) == [LayOff(seat=0, card=cards("9S")[0], meld_id="m1")]


class TestTheCardThatMustBeUsed:
    def test_it_is_laid_off_where_that_is_cheapest(self):
        deal = table(hands=["7H 7D KS 2C"], pile="7C", melds=["4C 5C 6C"]).move(take_discard("7C"))

        assert least(deal) == [lay_off("7C", "m1")(0), discard("KS")(0)]

    def test_or_melded(self):
        deal = table(hands=["7H 7D KS 2C"], pile="7C").move(take_discard("7C"))

        (meld, thrown) = least(deal)
        assert isinstance(meld, LayMeld)
        assert sorted(meld.cards) == ["7C", "7D", "7H"]
        assert thrown == discard("KS")(0)

    def test_or_reached_by_a_chain(self):
        deal = table(hands=["8S KS 2C"], pile="9S", melds=["5S 6S 7S"]).move(take_discard("9S"))

        assert least(deal) == [lay_off("8S", "m1")(0), lay_off("9S", "m1")(0), discard("KS")(0)]

    def test_or_by_a_long_one(self):
        deal = table(hands=["8S 9S TS KD 2C"], pile="JS", melds=["5S 6S 7S"]).move(take_discard("JS"))

        moves = least(deal)

        assert isinstance(moves[-1], Discard)
        assert all(move.card != "KD" for move in moves[:-1] if isinstance(move, LayOff))

    def test_or_melded_where_a_chain_costs_more(self):
        deal = table(hands=["8S 9S TS JH JD 2C"], pile="JS", melds=["5S 6S 7S"]).move(take_discard("JS"))

        assert isinstance(least(deal)[0], LayMeld)

    def test_with_a_joker_in_the_chain(self):
        deal = table(hands=["X1 KS 2C"], pile="9S", melds=["5S 6S 7S"], jokers_per_pack=1).move(
            take_discard("9S")
        )

        assert [type(move) for move in least(deal)] == [LayOff, LayOff, Discard]

    def test_it_goes_into_a_new_meld_where_that_is_asked(self):
        deal = table(
            hands=["7H 7D KS 2C"], pile="7C", melds=["4C 5C 6C"], deepest_card_use="new_meld_only"
        ).move(take_discard("7C"))

        assert isinstance(least(deal)[0], LayMeld)

    def test_a_meld_comes_first_where_lay_offs_need_one(self):
        """RULES 4.6: and it is one that spares the 7H, on which the 6H depends."""
        deal = table(
            hands=["7H 7C 7D 7S 3S"], pile="6H", melds=["1: 8H 9H TH"], lay_off_after_meld=True
        ).move(take_discard("6H"))

        first, *rest = least(deal)

        assert isinstance(first, LayMeld)
        assert "7H" not in first.cards
        assert [type(move) for move in rest] == [LayOff, LayOff, Discard]

    @pytest.mark.parametrize("own", ["3D 4D 5D 2C", "3D X1 5D 2C", "KC KD KH 2C"])
    def test_that_meld_may_be_a_run_a_set_or_have_a_joker(self, own):
        deal = table(
            preset="jokers", hands=[own], pile="7H 9C", melds=["1: 8H 9H TH"], lay_off_after_meld=True
        ).move(take_discard("7H"))

        assert [type(move) for move in least(deal)] == [LayMeld, LayOff, Discard]

    def test_a_card_is_kept_to_discard(self):
        deal = table(hands=["7H 7D KS"], pile="7C", going_out="discard_required").move(take_discard("7C"))

        assert [type(move) for move in least(deal)] == [LayMeld, Discard]

    def test_a_caller_only_discards(self):
        deal = table(
            hands=["9C 9D", "KC KD", "2D KH"],
            pile="TH",
            melds=["7H 8H 9H"],
            phase="rummy_call",
            turn=1,
            discarder=0,
            call_rummy="any_meld",
        )
        called = deal.move(call("TH", lay_off("TH", "m1")), by=2)

        assert least(called, 2) == [Discard(seat=2, card=cards("KH")[0])]


class TestWholeDeals:
    @pytest.mark.parametrize("preset", PRESETS)
    def test_forced_turns_bring_every_deal_to_its_end(self, preset):
        deal = dealt(preset, seats=PRESETS[preset].players[1])
        game = deal.game
        for _ in range(6000):
            if game.status is not Stage.PLAYING:
                break
            turn = game.deal.turn
            for move in forced_turn(game, turn.asked[0] if turn.asked else turn.seat):
                _, game = play(game, move)

        assert game.status is not Stage.PLAYING
        assert play(game, next_deal()(0))[1].deal.number == 2

    def test_nothing_is_due_out_of_turn_or_after_the_end(self):
        deal = table(hands=["2C", "9S"], phase="meld")
        assert forced_turn(deal.game, 1) == ()

        assert forced_turn(deal.move(discard("2C")).game, 0) == ()

    def test_a_meld_in_hand_stays_there(self):
        deal = table(hands=["7H 7D 7C 2C", "9S"], phase="meld")

        assert least(deal) == [discard("7C")(0)]
        assert deal.move(lay("7H 7D 7C"))
