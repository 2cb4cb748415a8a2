"""Advice by search is legal, honest and complete, in call windows too."""

import random

import pytest

from service.rummy.legal_moves import legal_moves, seats_to_act
from service.rummy.moves import CallRummy, LayMeld, Pass
from service.rummy.play import play
from service.rummy.state import Stage
from service.rummy.views import view_for
from tests.laws.test_hidden_information import another_game
from tests.support.positions import random_position, to_game
from tests.support.tables import table
from workers.bots.bot import Budget
from workers.bots.levels.rule_based import STEADY, RuleBasedBot
from workers.bots.levels.shrewd import Shrewd
from workers.bots.search.hint_search import MIN_SAMPLES, HintSearch


def advice_for(game, seat, *, worlds=6, seed=1, also=()):
    legal = legal_moves(game, seat)
    return HintSearch(Shrewd(), RuleBasedBot(STEADY)).advise(
        view_for(game, seat), legal, game.variant, random.Random(seed), Budget(worlds=worlds), also=also
    )


def call_window(**position):
    """Return a game in which seat 2 may call what seat 0 has just discarded, or an older card."""
    return table(preset="ace-low", phase="rummy_call", turn=1, discarder=0, **position).game


class TestAdviceBySearch:
    @pytest.mark.parametrize("first", range(0, 60, 20))
    def test_names_legal_moves_and_those_asked_about_in_random_positions(self, first):
        for seed in range(first, first + 20):
            chance = random.Random(seed)
            game = to_game(random_position(chance))
            for seat in seats_to_act(game):
                legal = legal_moves(game, seat)
                asked = chance.choice(legal.moves)

                advice = advice_for(game, seat, worlds=4, also=(asked,))

                assert advice
                assert all(one.move in legal.moves and one.reason and one.worlds for one in advice)
                assert any(one.move == asked for one in advice)

    def test_never_depends_on_what_the_seat_cannot_see(self):
        for seed in range(20):
            game = to_game(random_position(random.Random(seed)))
            for seat in seats_to_act(game):
                twin = another_game(game, seat, random.Random(seed + 1))
                assert advice_for(game, seat) == advice_for(twin, seat)

    def test_a_single_move_gets_an_estimate(self):
        game = table(hands=["KD", "2C 3D"], pile="7S", phase="meld").game

        (only,) = advice_for(game, 0)

        assert only.worlds == 20

    def test_values_going_out_with_known_hands_exactly(self):
        game = table(hands=["7C 7D 7H", "2C KD 9S"], pile="3D", phase="meld", known=["", "2C KD 9S"]).game

        (going_out,) = (one for one in advice_for(game, 0) if isinstance(one.move, LayMeld))

        assert going_out.points == 21 + 2 + 10 + 9

    def test_a_hint_is_given_however_short_the_time(self):
        game = table(hands=["KC KD 4C 9S 5S 6S", "2C 9D"], pile="KH QH JH 7S", stock="4D 5C 7H").game
        legal = legal_moves(game, 0)

        advice = HintSearch(Shrewd(), RuleBasedBot(STEADY)).advise(
            view_for(game, 0), legal, game.variant, random.Random(1), Budget(milliseconds=1)
        )

        assert advice

    def test_a_call_and_a_pass_get_as_many_rollouts_as_any_move(self):
        game = call_window(hands=["7C 8C", "2C 9S KD", "9H 7H TH"], pile="4C 8H")

        advice = advice_for(game, 2, worlds=3 * MIN_SAMPLES)

        assert {type(one.move) for one in advice} == {Pass, CallRummy}
        assert {one.worlds for one in advice} >= {3 * MIN_SAMPLES}

    def test_a_call_that_goes_out_is_valued_exactly(self):
        known = ["7C 8C", "2C 9S KD", ""]
        game = call_window(hands=["7C 8C", "2C 9S KD", "9H 7H"], pile="4C 8H", known=known)

        best = advice_for(game, 2)[0]

        # The cards that the others are caught with, on average: 7 and 8, and 2, 9 and 10.
        assert isinstance(best.move, CallRummy)
        assert best.points == 7 + 8 + 9 + (7 + 8 + 2 + 9 + 10) / 2
        assert best.margin == 0

    def test_a_call_is_weighed_against_what_it_leaves_in_hand(self):
        """The cards above the called one come into the hand and count against it."""
        game = call_window(
            hands=["2C", "2D", "9H 7H 3S 4C 5D"],
            pile="8H KC KD QS JC AS",
            known=["2C", "2D", ""],
            stock="6C 4S",
        )

        assert isinstance(advice_for(game, 2, worlds=60)[0].move, Pass)

    def test_there_is_no_advice_without_legal_moves(self):
        game = table(hands=["KD 2C", "3D"], pile="7S").game

        assert advice_for(game, 1) == ()

    def test_the_position_after_a_move_gets_advice_too(self):
        game = table(hands=["7C 7D 7H KS", "2C KD 9S"], pile="3D", phase="meld").game
        _, game = play(game, advice_for(game, 0)[0].move)

        assert game.status is not Stage.PLAYING or advice_for(game, seats_to_act(game)[0])
