"""The level `expert`: what it weighs are the moves the rules offer, and what it makes of them is sound."""

import random

import pytest

from service.rummy.legal_moves import legal_moves, seats_to_act
from service.rummy.moves import Discard, DrawStock, KeepCard, LayMeld, LayOff, TakeDiscard
from service.rummy.play import new_game, play
from service.rummy.presets import PRESETS
from service.rummy.state import Stage
from service.rummy.views import view_for
from tests.proofs.engine_agrees import difference, simulated
from tests.support.strategies import agree
from tests.support.tables import KEY, draw_stock, lay, table
from workers.bots.bot import Budget
from workers.bots.engine.determinization import make_move
from workers.bots.engine.legal_moves import can_keep
from workers.bots.engine.melds import HIGH_END
from workers.bots.levels.expert import Expert
from workers.bots.levels.shrewd import Shrewd
from workers.bots.search.rollout_evaluator import RolloutEvaluator


def asked(game, seat=0, worlds=40, seed=1):
    """Return what expert does in the position of a game."""
    expert = Expert(Budget(worlds=worlds))
    return expert.choose(view_for(game, seat), legal_moves(game, seat), game.variant, random.Random(seed))


class TestTheMovesItWeighs:
    @pytest.mark.parametrize("preset", PRESETS)
    def test_are_in_the_simulator_what_they_are_by_the_rules(self, preset):
        set_up = agree(preset, min(PRESETS[preset].players[1], max(3, PRESETS[preset].players[0])), [])
        chance = random.Random(11)
        _, game = new_game(set_up.variant, seats=set_up.seats, key=KEY)
        while game.status is Stage.PLAYING:
            seat = seats_to_act(game)[0]
            legal = legal_moves(game, seat)
            evaluator = RolloutEvaluator(view_for(game, seat), game.variant, legal.moves, chance)
            tried = chance.sample(legal.moves, min(6, len(legal.moves)))
            for move in tried:
                _, after = play(game, move)
                deal = simulated(game)
                make_move(deal, evaluator.engine_move(move), evaluator.own, chance.random)
                assert difference(after, deal) is None
            # Tabled cards and deep takes make the positions that matter.
            liked = [move for move in tried if isinstance(move, LayMeld | LayOff | TakeDiscard)]
            _, game = play(game, chance.choice(liked or tried))

    def test_the_one_card_of_a_floater_may_be_kept(self):
        floating = {"going_out": "discard_required", "floating": True}
        drawn = table(hands=["-", "KD QD"], stock="3C 4C", **floating).move(draw_stock()).game
        left = table(hands=["7H 7D 7C 2S", "KD"], phase="meld", **floating).move(lay("7H 7D 7C")).game

        for game, may in ((drawn, True), (left, False)):
            legal = legal_moves(game, 0)
            evaluator = RolloutEvaluator(view_for(game, 0), game.variant, legal.moves, random.Random(1))
            assert can_keep(evaluator.base) is (KeepCard(seat=0) in legal.moves) is may

    def test_an_ace_goes_to_the_end_where_it_fits(self):
        game = table(
            hands=["AS 4D KC", "4H 9C"], pile="3D", melds=["2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS"],
            phase="meld", ace_in_run="high",
        ).game  # fmt: skip
        legal = legal_moves(game, 0)
        (move,) = [move for move in legal.moves if isinstance(move, LayOff)]
        evaluator = RolloutEvaluator(view_for(game, 0), game.variant, legal.moves, random.Random(1))

        assert evaluator.engine_move(move).lay_off.end == HIGH_END

    def test_a_whole_suit_begins_with_its_ace_where_aces_are_low(self):
        game = table(
            hands=["AS 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS 4D", "4H 9C"], pile="3D", phase="meld",
            ace_in_run="low",
        ).game  # fmt: skip
        legal = legal_moves(game, 0)
        (move,) = [move for move in legal.moves if isinstance(move, LayMeld) and len(move.cards) == 13]
        lay = (
            RolloutEvaluator(view_for(game, 0), game.variant, legal.moves, random.Random(1))
            .engine_move(move)
            .lay
        )

        assert (lay.low, lay.high) == (0, 12)


class TestItsChoice:
    def test_goes_out_when_that_catches_the_other_with_a_full_hand(self):
        game = table(
            hands=["7C 7D 7H", "2C KD KH QS JS AS AC"], pile="3D", stock="4D 5S 9H", phase="meld"
        ).game

        assert isinstance(asked(game), LayMeld)

    def test_takes_deep_for_three_kings(self):
        game = table(hands=["KC KD 4C 9S", "2C 9D 3S 6H 8H"], pile="KH 2D 5S", stock="4D 5C 7H 8D").game

        move = asked(game)

        assert isinstance(move, TakeDiscard)
        assert move.card == "KH"

    def test_throws_no_card_that_the_next_player_lays_off(self):
        game = table(
            hands=["8S 2D KC", "4H 9C 9D 3C"],
            pile="3D",
            melds=["5S 6S 7S"],
            stock="4D 5C TH 8D QD 2H",
            phase="meld",
        ).game

        move = asked(game, worlds=80)

        assert not (isinstance(move, Discard) and move.card == "8S")

    def test_draws_from_the_stock_where_nothing_in_the_pile_is_of_use(self):
        game = table(hands=["2C 9D KH", "3S 5D 8C"], pile="7S", stock="4D 5C TH").game

        assert isinstance(asked(game), DrawStock)

    def test_leaves_rummy_calls_to_who_knows_them(self):
        game = table(
            preset="ace-low",
            hands=["7C 8C", "2C 9S KD", "9H 7H TH"],
            pile="4C 8H",
            phase="rummy_call",
            turn=1,
            discarder=0,
        ).game

        assert asked(game, seat=2) in legal_moves(game, 2).moves


class TestItsBudget:
    def test_a_number_of_worlds_gives_the_same_answer_whatever_the_clock_says(self):
        game = table(hands=["KC KD 4C 9S 5S 6S", "2C 9D"], pile="KH QH JH 7S", stock="4D 5C 7H").game

        assert len({asked(game, worlds=12, seed=3) for _ in range(3)}) == 1

    def test_worlds_too_few_to_tell_anything_leave_it_to_habit(self):
        game = table(hands=["2C 5D 8H JS KC TD 6S", "4C 9D 7H 3S"], pile="QH 7S", phase="meld").game
        default_move = Shrewd().choose(
            view_for(game, 0), legal_moves(game, 0), game.variant, random.Random(1)
        )

        assert {asked(game, worlds=3, seed=seed) for seed in range(20)} == {default_move}

    def test_time_alone_is_enough(self):
        game = table(hands=["KC KD 4C 9S 5S 6S", "2C 9D"], pile="KH QH JH 7S", stock="4D 5C 7H").game
        legal = legal_moves(game, 0)

        move = Expert(Budget(milliseconds=5)).choose(view_for(game, 0), legal, game.variant, random.Random(1))

        assert move in legal.moves


class TestBeforeTheEndOfAGame:
    def test_what_would_win_the_game_is_worth_more_than_its_points(self):
        far, near = (
            table(hands=["7C 7D 7H", "2C KD"], pile="3D", phase="meld", hand_size=7, totals=totals).game
            for totals in ([0, 0], [490, 0])
        )

        worth = [
            Expert(Budget(worlds=8))
            .candidates(view_for(game, 0), legal_moves(game, 0), game.variant, random.Random(1))[0]
            .mean
            for game in (far, near)
        ]

        assert worth[1] == worth[0] + 100
