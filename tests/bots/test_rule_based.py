"""`novice`, `casual` and `steady`: what each looks at, and what it does not see."""

import random
from collections import Counter
from dataclasses import replace

import pytest

from service.rummy.legal_moves import legal_moves
from service.rummy.moves import CallRummy, Discard, DrawStock, LayMeld, LayOff, Pass, TakeDiscard
from service.rummy.play import play
from service.rummy.views import view_for
from tests.support.tables import table
from workers.bots.observation import Observation
from workers.bots.registry import bot_for


def chosen(name, position, seat=0, *, seed=1):
    """Return the move that a level makes in the position."""
    game = position.game
    legal = legal_moves(game, seat)
    return bot_for(name).choose(view_for(game, seat), legal, game.variant, random.Random(seed))


def turn_of(name, position):
    """Return the moves of seat 0 until its turn is over."""
    moves, game = [], position.game
    while legal_moves(game, 0).moves:
        moves.append(chosen(name, type(position)(game=game, events=())))
        _, game = play(game, moves[-1])
    return moves


def laid_off(name, position):
    return [move.card for move in turn_of(name, position) if isinstance(move, LayOff)]


def discarded(name, position):
    """Return the cards that a level discards, over many seeds."""
    return {chosen(name, position, seed=seed).card for seed in range(20)}


class TestHowDeepTheyLook:
    @pytest.mark.parametrize(
        "pile,seen_by",
        [
            ("2H 7H", {"novice", "casual", "steady"}),
            ("7H 2H", {"casual", "steady"}),
            ("7H 2H 9S TC QD", {"steady"}),
        ],
    )
    def test_each_level_sees_a_bit_more_of_the_pile(self, pile, seen_by):
        position = table(hands=["7C 7D KS", "4H"], pile=pile)

        takers = {
            name for name in ("novice", "casual", "steady") if isinstance(chosen(name, position), TakeDiscard)
        }

        assert takers == seen_by

    def test_they_take_as_little_as_makes_a_meld(self):
        position = table(hands=["7C 7D KS KD 2S", "4H"], pile="KH 7H")

        assert {chosen(name, position).card for name in ("novice", "casual", "steady")} == {"7H"}

    def test_only_steady_takes_a_card_to_lay_it_off(self):
        position = table(hands=["4C 9D", "KH"], pile="8S", melds=["5S 6S 7S"])

        assert isinstance(chosen("casual", position), DrawStock)
        assert isinstance(chosen("steady", position), TakeDiscard)


class TestWhatTheyLay:
    def test_only_steady_lays_off_on_melds_of_others(self):
        def position():
            return table(hands=["8S 4D KD 2H"], pile="3D", phase="meld", melds=["1: 5S 6S 7S", "0: 4C 4H 4S"])

        assert laid_off("novice", position()) == laid_off("casual", position()) == ["4D"]
        assert sorted(laid_off("steady", position())) == ["4D", "8S"]

    def test_a_novice_lays_an_owed_card_off_wherever_it_can(self):
        position = table(hands=["8S 4D KD 2H"], pile="3D", phase="meld", must_use="8S", melds=["1: 5S 6S 7S"])

        assert laid_off("novice", position) == ["8S"]

    def test_steady_plans_to_lay_most(self):
        def tabled(name):
            position = table(hands=["KS QS JS TS KD KH 4C", "2C 9D"], pile="3H", phase="meld")
            return sum(len(move.cards) for move in turn_of(name, position) if isinstance(move, LayMeld))

        assert tabled("steady") == 6


class TestWhatTheyDiscard:
    def test_a_novice_discards_a_card_with_most_points(self):
        assert discarded("novice", table(hands=["KC KD 8S 2H"], pile="3D", phase="meld")) == {"KC", "KD"}

    def test_casual_keeps_pairs_and_neighbours(self):
        assert discarded("casual", table(hands=["KC KD 8S 2H"], pile="3D", phase="meld")) == {"8S"}

    def test_steady_does_not_discard_what_others_could_lay_off(self):
        position = table(preset="persian", hands=["JS 8D 2H"], pile="3D", phase="meld", melds=["1: 8S 9S TS"])

        assert discarded("casual", position) == {"JS"}
        assert discarded("steady", position) == {"8D"}

    def test_ties_are_broken_at_random_by_the_seed(self):
        position = table(hands=["KC QD JS"], pile="3D", phase="meld")

        assert len(discarded("novice", position)) > 1
        assert len({chosen("novice", position, seed=3) for _ in range(5)}) == 1
        assert isinstance(chosen("novice", position), Discard)


class TestCalls:
    def test_only_steady_calls(self):
        def window():
            return table(
                preset="ace-low",
                hands=["2C 5D", "3C 9D KD", "4S JC QD"],
                pile="2H KH",
                melds=["TH JH QH"],
                phase="rummy_call",
                turn=1,
                discarder=0,
            )

        assert isinstance(chosen("steady", window(), seat=2), CallRummy)
        assert chosen("novice", window(), seat=2) == chosen("casual", window(), seat=2) == Pass(seat=2)


class TestADealThatStandsStill:
    """RULES 7.7: players who wait for one another would wait until the deal ends without a score."""

    def position(self):
        return table(
            preset="basic-rummy",
            hands=["2S 2H JD QD", "4H 9C"],
            melds=["2C 3C 4C", "2D 3D 4D"],
            pile="KS",
            phase="meld",
        )

    def discards_after(self, name, quiet_turns):
        game = self.position().game
        view, legal = replace(view_for(game, 0), quiet_turns=quiet_turns), legal_moves(game, 0)
        return Counter(
            bot_for(name).choose(view, legal, game.variant, random.Random(seed)).card for seed in range(40)
        )

    @pytest.mark.parametrize("name", ["casual", "steady", "shrewd"])
    def test_the_cards_that_nothing_can_complete_go_first(self, name):
        found = self.discards_after(name, 9)

        assert found["2S"] + found["2H"] > 2 * (found["JD"] + found["QD"]) > 0

    def test_not_before(self):
        assert set(self.discards_after("steady", 8)) <= {"JD", "QD"}

    @pytest.mark.parametrize("seats,ordinary", [(2, 8), (3, 8), (4, 8), (5, 10), (6, 12)])
    def test_it_stands_still_after_two_rounds_and_eight_turns(self, seats, ordinary):
        game = table(preset="basic-rummy", seats=seats, hands=["2S 9D"]).game
        view = view_for(game, 0)

        stalled = [
            turns
            for turns in range(20)
            if Observation.of(replace(view, quiet_turns=turns), game.variant).is_stalled
        ]

        assert stalled[0] == ordinary + 1
