"""Advice: from what the seat can see, by rollouts in sampled deals, with reasons in a player's words."""

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
from tests.support.tables import pass_, table
from workers.bots.bot import Budget
from workers.bots.levels.rule_based import STEADY, RuleBasedBot
from workers.bots.levels.shrewd import Shrewd
from workers.bots.search.hint_search import MIN_SAMPLES, HintSearch


def advice_for(game: Game, seat: int, *, worlds=12, seed=1, also=()):
    """Return the advice for a seat, as the worker requests it."""
    legal = legal_moves(game, seat)
    return HintSearch(Shrewd(), RuleBasedBot(STEADY)).advise(
        view_for(game, seat), legal, game.variant, random.Random(seed), Budget(worlds=worlds), also=also
    )


def some_games(preset, *, count=6, seed=3):
    """Yield games of a preset, each after some moves."""
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
    def test_names_legal_moves_the_best_first(self):
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
    def test_is_the_same_whatever_the_hidden_cards(self, preset):
        chance = random.Random(preset)
        for game in some_games(preset, count=3):
            seat = seats_to_act(game)[0]
            if game.deal.turn.seat != seat and game.deal.turn.must_use is not None:
                continue

            other = another_game(game, seat, chance)
            assert advice_for(other, seat, worlds=2) == advice_for(game, seat, worlds=2)

    def test_is_empty_if_there_are_no_legal_moves(self):
        deal = table(hands=["7H 7D KC", "KD QD"])

        assert advice_for(deal.game, 1) == ()

    def test_goes_out_if_that_wins_most(self):
        deal = table(hands=["7H 7D 7C KC", "KD QD AS AD AC 9H"], pile="9S", phase="meld")

        best = advice_for(deal.game, 0)[0]

        assert isinstance(best.move, LayMeld)
        assert set(best.move.cards) == set(cards("7H 7D 7C"))
        assert best.points > 50

    def test_takes_deep_for_a_meld(self):
        deal = table(hands=["QH QS 2C", "KD 9D 3S 4H"], pile="QD 2D 3D", stock="4C 5C 6C 8C")

        best = advice_for(deal.game, 0)[0]

        assert isinstance(best.move, TakeDiscard)
        assert best.move.card == "QD"
        assert best.reason == (
            "Take 3 cards, down to the queen of diamonds. You can lay 30 points at once. "
            "3 cards stay in your hand."
        )

    def test_evaluates_a_move_that_the_caller_names(self):
        deal = table(hands=["2C 4D 6H 8S TC KC KD", "KH QD AS AD AC 9H"], pile="9S", phase="meld")
        foolish = Discard(seat=0, card="2C")

        advice = advice_for(deal.game, 0, also=(foolish,))

        assert foolish in [one.move for one in advice]

    @pytest.mark.parametrize("seed", range(2))
    def test_tries_the_move_played_in_as_many_samples_as_the_best(self, seed):
        """Its cost is the difference of the two, which over different samples would be mostly luck."""
        deal = table(hands=["7H 7D 7C KC", "KD QD AS AD AC 9H"], pile="9S", phase="meld")
        foolish = Discard(seat=0, card="7H")

        advice = advice_for(deal.game, 0, worlds=60, seed=seed, also=(foolish,))
        (played,) = (one for one in advice if one.move == foolish)

        assert advice[0].points > played.points
        assert played.worlds == advice[0].worlds == 60

    def test_tries_every_move_in_the_minimum_of_samples(self):
        for game in some_games("classic", count=12):
            for one in advice_for(game, seats_to_act(game)[0], worlds=40):
                assert one.worlds >= MIN_SAMPLES

    def test_stops_when_its_time_is_over(self):
        game = next(some_games("classic"))
        seat = seats_to_act(game)[0]
        legal = legal_moves(game, seat)
        advice = HintSearch(Shrewd(), RuleBasedBot(STEADY)).advise(
            view_for(game, seat), legal, game.variant, random.Random(1), Budget(milliseconds=1)
        )

        assert [one.worlds for one in advice] == [MIN_SAMPLES] * len(advice)

    def test_of_a_single_move_is_that_move(self):
        deal = table(hands=["KC", "KD QD"], pile="9S", phase="meld")

        (only,) = advice_for(deal.game, 0)

        assert only.move == Discard(seat=0, card="KC")
        assert only.reason == "Discard the king of clubs. It is your last card, and you go out."


class TestReasons:
    def reason(self, deal, kind, *, card=None):
        seat = seats_to_act(deal.game)[0]
        advice = advice_for(deal.game, seat, worlds=1)
        return next(
            one.reason
            for one in advice
            if isinstance(one.move, kind) and (card is None or getattr(one.move, "card", None) == card)
        )

    def test_of_a_discard_name_its_partners_and_its_cost(self):
        deal = table(hands=["KC 7H 7D 2S", "KD QD"], pile="9S", phase="meld")

        assert self.reason(deal, Discard, card="KC") == (
            "Discard the king of clubs. It goes with nothing else in your hand. "
            "It costs you 10 points if you are caught with it."
        )
        assert self.reason(deal, Discard, card="7H") == (
            "Discard the seven of hearts. It goes with 7D, but your other cards fit together better."
        )

    def test_of_a_discard_warn_if_opponents_can_lay_it_off(self):
        deal = table(
            hands=["8H 2S 3C", "KD QD"],
            pile="9S",
            phase="meld",
            melds=["1: 5H 6H 7H"],
            lay_off_targets="own_side",
        )

        assert self.reason(deal, Discard, card="8H").endswith("Careful: opponents can lay it off.")

    def test_of_a_lay_off_name_its_points(self):
        deal = table(hands=["8H 2S 3C", "KD QD"], pile="9S", phase="meld", melds=["1: 5H 6H 7H"])

        assert self.reason(deal, LayOff) == (
            "Lay off the eight of hearts. That is 8 points on the table that can no longer count against you."
        )

    def test_of_an_owed_card_say_that_it_must_be_laid(self):
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

        assert self.reason(deal.move(pass_(), by=1), CallRummy).startswith(
            'Call "Rummy!": the seven of clubs was missed'
        )
