"""`shrewd` plays soundly: positions in which the right move is plain to any player."""

import random

import pytest

from service.rummy.legal_moves import legal_moves
from service.rummy.moves import CallRummy, Discard, LayMeld, LayOff, Pass, TakeDiscard
from service.rummy.play import play
from service.rummy.views import view_for
from tests.support.tables import table
from workers.bots.levels.shrewd import Shrewd


def chosen(position, seat=0):
    """Return the move that shrewd makes in the position."""
    game = position.game
    return Shrewd().choose(view_for(game, seat), legal_moves(game, seat), game.variant, random.Random(1))


def turn_of(position):
    """Return the moves of seat 0 until its turn is over."""
    moves, game = [], position.game
    while legal := legal_moves(game, 0).moves:
        move = Shrewd().choose(view_for(game, 0), legal_moves(game, 0), game.variant, random.Random(1))
        assert move in legal
        moves.append(move)
        _, game = play(game, move)
    return moves


class TestDrawing:
    def test_takes_deep_if_all_can_be_laid(self):
        move = chosen(table(hands=["KC KD QS JS 4C", "2C 9D TD JD 5C 6D 7D 8D 9C"], pile="2H KH TS 9S KS"))

        assert isinstance(move, TakeDiscard)
        assert move.card == "KH"

    def test_leaves_a_pile_that_would_be_caught_in_hand(self):
        move = chosen(
            table(hands=["2C 2D 9S", "KH"], pile="2H AS KD QH JD TC 8C", known=["", "KH"], stock="5D 6C")
        )

        assert not isinstance(move, TakeDiscard)

    def test_does_not_take_points_that_do_not_score(self):
        position = table(preset="basic-rummy", hands=["7C 8C 2D 4H", "3S 5D"], pile="KS", known=["", "3S"])

        assert not isinstance(chosen(position), TakeDiscard)


class TestLaying:
    def test_goes_out_by_a_meld_and_a_discard(self):
        moves = turn_of(table(hands=["7C 7D 7H KS", "2C 9D TD JD"], pile="3D", phase="meld"))

        assert [type(move) for move in moves] == [LayMeld, Discard]

    def test_lays_shared_cards_where_they_score_most(self):
        # The king of spades in a set leaves queen and jack; in a run it leaves two kings and frees the nine.
        position = table(hands=["KS QS JS TS KD KH 4C", "2C 9D"], pile="3H", phase="meld")

        tabled = [card for move in turn_of(position) if isinstance(move, LayMeld) for card in move.cards]

        assert sorted(tabled) == ["JS", "KD", "KH", "KS", "QS", "TS"]

    def test_lays_off_a_chain_that_needs_a_joker(self):
        position = table(
            preset="jokers", hands=["X1 9S KD 2H", "2C"], pile="3D", melds=["5S 6S 7S"], phase="meld"
        )

        laid = [move.card for move in turn_of(position) if isinstance(move, LayOff)]

        assert laid == ["X1", "9S"]

    def test_lays_the_meld_with_most_points_if_only_one_is_allowed(self):
        position = table(preset="basic-rummy", hands=["2C 2D 2H KC KD KH 7S", "3S"], pile="3D", phase="meld")

        melds = [move.cards for move in turn_of(position) if isinstance(move, LayMeld)]

        assert melds == [("KC", "KD", "KH")]

    def test_keeps_a_card_to_discard_if_only_a_discard_goes_out(self):
        position = table(
            hands=["7C 7D 7H 8H 9H TH JH", "2C 9D"], pile="3D", phase="meld", going_out="discard_required"
        )

        moves = turn_of(position)

        assert isinstance(moves[-1], Discard)
        assert sum(len(move.cards) for move in moves if isinstance(move, LayMeld)) == 6

    def test_lays_four_aces_together_if_they_score_a_hundred(self):
        position = table(preset="persian", hands=["AC AD AH AS 2S 3S 9D", "2C"], pile="4D", phase="meld")

        first = turn_of(position)[0]

        assert isinstance(first, LayMeld)
        assert sorted(first.cards) == ["AC", "AD", "AH", "AS"]


class TestDiscarding:
    def test_does_not_discard_what_the_next_player_collects(self):
        move = chosen(
            table(
                hands=["TH JC 4D 2S", "8H 9H KC 2D"], pile="3S", phase="meld", known=["", "8H 9H"], stock=20
            )
        )

        assert isinstance(move, Discard)
        assert move.card != "TH"

    def test_keeps_a_pair_if_a_lone_card_can_go(self):
        move = chosen(table(hands=["9C 9D KS 8D", "8H 9H 2D"], pile="3S", phase="meld", stock=20))

        assert move.card == "KS"


class TestCallingRummy:
    def test_calls_a_card_that_fits_the_table(self):
        move = chosen(call_window(pile="2H KH", melds=["TH JH QH"]), seat=2)

        assert isinstance(move, CallRummy)
        assert move.card == "KH"

    def test_passes_if_nothing_is_gained(self):
        assert chosen(call_window(pile="2H 9H", melds=[]), seat=2) == Pass(seat=2)

    def test_drawing_next_calls_what_it_would_take(self):
        move = chosen(call_window(pile="2H KH", melds=["TH JH QH"]), seat=1)

        assert isinstance(move, CallRummy)
        assert move.card == "KH"

    @pytest.mark.parametrize("melds", [[], ["0: 2H 3H 4H"]])
    def test_drawing_next_passes_if_its_draw_is_worth_more(self, melds):
        # The low ace counts a point, and taking it costs the card of the stock.
        assert chosen(call_window(pile="2D AH", melds=melds), seat=1) == Pass(seat=1)


def call_window(*, pile, melds):
    """Return a table where seat 0 has just discarded and seat 2 may call."""
    return table(
        preset="ace-low",
        hands=["2C 5D", "3C 9D KD", "4S JC QD"],
        pile=pile,
        melds=melds,
        phase="rummy_call",
        turn=1,
        discarder=0,
    )


class TestAnEmptyStock:
    def test_lets_the_deal_end_when_that_wins_the_game(self):
        position = table(hands=["7C 7D KS", "2C 9D TD JD"], pile="7H 4S", stock="", totals=[600, 100])

        assert chosen(position) == Pass(seat=0)

    def test_takes_what_it_can_when_the_deal_s_end_would_lose_the_game(self):
        position = table(hands=["7C 7D KS 5S", "2C"], pile="7H 4S", stock="", totals=[100, 600])

        assert isinstance(chosen(position), TakeDiscard)
