"""Advice: from what the seat may know, tried in worlds that could be this one, in words of a player."""

import random

import pytest

from service.rummy.cards import cards
from service.rummy.legal_moves import legal_moves, seats_to_act
from service.rummy.moves import CallRummy, Discard, LayMeld, LayOff, StartNextDeal, TakeDiscard
from service.rummy.play import new_game, play
from service.rummy.presets import PRESETS, resolve
from service.rummy.state import Game, Stage
from service.rummy.views import view_for
from tests.laws.test_hidden_information import another_game
from tests.support.positions import random_position, to_game
from tests.support.strategies import TEMPERS, choose_move
from tests.support.tables import table
from workers.bots.bot import Budget
from workers.bots.search.hint_search import MIN_SAMPLES, HintSearch


def advice_for(game: Game, seat: int, *, worlds=12, seed=1, also=()):
    """What the seat is advised, asked as the worker asks."""
    legal = legal_moves(game, seat)
    return HintSearch().advise(
        view_for(game, seat), legal, game.variant, random.Random(seed), Budget(worlds=worlds), also=also
    )


def some_games(preset, *, count=6, seed=3):
    """Games of a preset, each some moves in."""
    chance = random.Random(f"{preset}{seed}")
    for number in range(count):
        seats = chance.randint(*PRESETS[preset].players)
        _, game = new_game(resolve(preset, {}, seats=seats), seats=seats, key=bytes([number]) * 32)
        for _ in range(chance.randrange(60)):
            if game.status is not Stage.PLAYING:
                break
            _, game = play(game, choose_move(game, seats_to_act(game)[0], chance, TEMPERS["tabling"]))
        if game.status is Stage.DEAL_OVER:
            _, game = play(game, StartNextDeal())
        if game.status is Stage.PLAYING:
            yield game


class TestAdvice:
    def test_names_lawful_moves_the_best_first(self):
        chance = random.Random(5)
        for number in range(12):
            game = to_game(random_position(chance))
            for seat in seats_to_act(game):
                advice = advice_for(game, seat, worlds=2, seed=number)
                lawful = legal_moves(game, seat).moves

                assert advice
                assert all(one.move in lawful for one in advice)
                assert len({repr(one.move) for one in advice}) == len(advice)
                assert all(one.reason.endswith(".") for one in advice)

    def test_is_the_same_for_the_same_seed(self):
        game = next(some_games("jokers"))
        seat = seats_to_act(game)[0]

        assert advice_for(game, seat, worlds=3) == advice_for(game, seat, worlds=3)

    @pytest.mark.parametrize("preset", PRESETS)
    def test_is_the_same_whatever_the_others_hold(self, preset):
        chance = random.Random(preset)
        for game in some_games(preset, count=3):
            seat = seats_to_act(game)[0]
            if game.deal.turn.seat != seat and game.deal.turn.must_use is not None:
                continue

            other = another_game(game, seat, chance)
            assert advice_for(other, seat, worlds=2) == advice_for(game, seat, worlds=2)

    def test_is_none_where_nothing_may_be_done(self):
        deal = table(hands=["7H 7D KC", "KD QD"])

        assert advice_for(deal.game, 1) == ()

    def test_goes_out_where_that_wins_most(self):
        deal = table(hands=["7H 7D 7C KC", "KD QD AS AD AC 9H"], pile="9S", phase="meld")

        best = advice_for(deal.game, 0)[0]

        assert isinstance(best.move, LayMeld)
        assert set(best.move.cards) == set(cards("7H 7D 7C"))
        assert best.points > 50

    def test_takes_deep_where_a_meld_comes_of_it(self):
        deal = table(hands=["QH QS 2C", "KD 9D 3S 4H"], pile="QD 2D 3D", stock="4C 5C 6C 8C")

        best = advice_for(deal.game, 0)[0]

        assert isinstance(best.move, TakeDiscard)
        assert best.move.card == "QD"
        assert best.reason == (
            "Take 3 cards, down to the queen of diamonds: you can lay 30 points at once; "
            "3 cards stay in your hand."
        )

    def test_weighs_a_move_that_it_is_asked_about(self):
        deal = table(hands=["2C 4D 6H 8S TC KC KD", "KH QD AS AD AC 9H"], pile="9S", phase="meld")
        foolish = Discard(seat=0, card="2C")

        advice = advice_for(deal.game, 0, also=(foolish,))

        assert foolish in [one.move for one in advice]

    @pytest.mark.parametrize("seed", range(2))
    def test_of_what_was_played_is_tried_in_as_many_worlds_as_the_best(self, seed):
        """What it cost is the difference, and of two moves tried in other worlds most of that is luck."""
        deal = table(hands=["7H 7D 7C KC", "KD QD AS AD AC 9H"], pile="9S", phase="meld")
        foolish = Discard(seat=0, card="7H")

        advice = advice_for(deal.game, 0, worlds=60, seed=seed, also=(foolish,))
        (played,) = (one for one in advice if one.move == foolish)

        assert advice[0].points > played.points
        assert played.worlds == advice[0].worlds == 60

    def test_lets_no_move_go_before_a_fair_trial(self):
        for game in some_games("classic", count=12):
            for one in advice_for(game, seats_to_act(game)[0], worlds=40):
                assert one.worlds >= MIN_SAMPLES

    def test_stops_when_its_time_is_over(self):
        game = next(some_games("classic"))
        seat = seats_to_act(game)[0]
        legal = legal_moves(game, seat)
        advice = HintSearch().advise(
            view_for(game, seat), legal, game.variant, random.Random(1), Budget(milliseconds=1)
        )

        assert [one.worlds for one in advice] == [MIN_SAMPLES] * len(advice)

    def test_of_one_move_alone_is_that_move(self):
        deal = table(hands=["KC", "KD QD"], pile="9S", phase="meld")

        (only,) = advice_for(deal.game, 0)

        assert only.move == Discard(seat=0, card="KC")
        assert only.reason == "Discard the king of clubs: it is your last card, and you go out."


class TestReasons:
    def reason(self, deal, kind, *, card=None):
        seat = seats_to_act(deal.game)[0]
        advice = advice_for(deal.game, seat, worlds=1)
        return next(
            one.reason
            for one in advice
            if isinstance(one.move, kind) and (card is None or getattr(one.move, "card", None) == card)
        )

    def test_of_a_discard_tell_what_it_goes_with_and_what_it_costs(self):
        deal = table(hands=["KC 7H 7D 2S", "KD QD"], pile="9S", phase="meld")

        assert self.reason(deal, Discard, card="KC") == (
            "Discard the king of clubs: it goes with nothing else in your hand, "
            "and costs you 10 points if you are caught with it."
        )
        assert self.reason(deal, Discard, card="7H") == (
            "Discard the seven of hearts: it goes with 7D, but your other cards fit together better."
        )

    def test_of_a_discard_warn_where_it_can_be_laid_off(self):
        deal = table(
            hands=["8H 2S 3C", "KD QD"],
            pile="9S",
            phase="meld",
            melds=["1: 5H 6H 7H"],
            lay_off_targets="own_side",
        )

        assert self.reason(deal, Discard, card="8H").endswith("Careful: opponents can lay it off.")

    def test_of_a_lay_off_tell_its_points(self):
        deal = table(hands=["8H 2S 3C", "KD QD"], pile="9S", phase="meld", melds=["1: 5H 6H 7H"])

        assert self.reason(deal, LayOff) == (
            "Lay off the eight of hearts: 8 points on the table that can no longer count against you."
        )

    def test_of_an_owed_card_say_that_it_is_owed(self):
        deal = table(hands=["7H 7D 7C 2S", "KD QD"], pile="9S", phase="meld", must_use="7C")

        assert self.reason(deal, LayMeld).endswith(
            "You must lay the seven of clubs this turn because you took it."
        )

    def test_of_a_call_name_the_card(self):
        deal = table(
            hands=["2S 3C 9C", "KD QD 4C", "7H 7D KH"],
            pile="9S 7C",
            phase="rummy_call",
            turn=1,
            discarder=0,
            call_rummy="any_meld",
        )

        assert self.reason(deal, CallRummy).startswith('Call "Rummy!": the seven of clubs was missed')
