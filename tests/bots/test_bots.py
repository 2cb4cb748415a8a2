"""The bots play legally, honestly and in time, in every game that can be set up."""

import random
import time
from dataclasses import replace

import pytest

from service.jobs.levels import LEVELS
from service.rummy.legal_moves import LegalMoves, legal_moves, seats_to_act
from service.rummy.moves import StartNextDeal
from service.rummy.play import new_game, play
from service.rummy.presets import PRESETS, resolve
from service.rummy.state import Game, Stage
from service.rummy.views import view_for
from tests.support.positions import random_position, random_variant, to_game
from tests.support.tables import KEY, dealt, table
from workers.bots.bot import Budget
from workers.bots.reference.policies import REFERENCE_PLAYERS
from workers.bots.registry import BOT_FACTORIES, bot_for
from workers.tools.arena.entrants import NAMES as ALL_PLAYERS
from workers.tools.arena.entrants import player_factory

#: The time limit of a whole turn; one decision is a part of it.
LONGEST_SECONDS = 0.5
#: Few samples are enough: this is not about strength.
BUDGET = Budget(worlds=2)
LEVEL_AT = list(LEVELS)


def answer(game, seat, name="shrewd", *, limit=2000, seed=1):
    """Return the move of a bot at a seat, called as the service calls it; check that it is legal."""
    legal = legal_moves(game, seat, limit=limit)
    one = player_factory(name, BUDGET)()
    move = one.choose(view_for(game, seat), legal, game.variant, random.Random(seed))
    assert move in legal.moves if legal.moves else move is None
    return move


def played_out(game, chance, deals=200):
    """Return the game after a number of deals, or at its end, played by all levels in turn."""
    while game.status is not Stage.FINISHED and len(game.deals) < deals:
        if game.status is Stage.DEAL_OVER:
            _, game = play(game, StartNextDeal())
        else:
            # In a call window any seat may be the first.
            seat = chance.choice(seats_to_act(game))
            _, game = play(game, answer(game, seat, LEVEL_AT[(seat + len(game.deals)) % len(LEVEL_AT)]))
    return game


class TestTheLevels:
    def test_every_level_has_a_bot_and_every_bot_a_level(self):
        assert list(BOT_FACTORIES) == list(LEVELS)

    def test_an_unknown_level_raises_key_error(self):
        with pytest.raises(KeyError):
            bot_for("grandmaster")

    def test_reference_players_are_no_levels(self):
        assert not set(REFERENCE_PLAYERS) & set(LEVELS)


class TestLegalPlay:
    @pytest.mark.parametrize("name", ALL_PLAYERS)
    @pytest.mark.parametrize("first", range(0, 200, 50))
    def test_every_move_in_a_random_position_is_legal(self, name, first):
        for seed in range(first, first + 50):
            chance = random.Random(seed)
            game = to_game(random_position(chance))
            for _ in range(10):
                for seat in seats_to_act(game):
                    answer(game, seat, name, limit=chance.choice([1, 3, 2000]), seed=seed)
                if game.status is not Stage.PLAYING:
                    break
                seat = seats_to_act(game)[0]
                _, game = play(game, answer(game, seat, name, seed=seed))

    def test_no_legal_moves_give_no_move(self):
        game = dealt().game
        nothing = LegalMoves(moves=())

        for name in ALL_PLAYERS:
            one = player_factory(name, BUDGET)()
            assert one.choose(view_for(game, 0), nothing, game.variant, random.Random(1)) is None

    def test_a_truncated_list_gives_one_of_its_moves(self):
        game = table(
            preset="jokers", hands=["7C 7D 7H X1 X2 8H 9H TH KS", "2C"], pile="3D", phase="meld"
        ).game

        for limit in range(1, len(legal_moves(game, 0).moves) + 1):
            answer(game, 0, limit=limit)

    @pytest.mark.parametrize("name", ALL_PLAYERS)
    def test_bug_22_the_card_drawn_last_may_be_discarded_and_the_turn_passes(self, name):
        game = table(
            preset="cardcouch",
            hands=["2C 4D 7S 9D JC KH 5H TS 3S 6D 8C QD AH", "4S 5C 9H"],
            pile="QS",
            stock="KS 3H 7D 8H",
        ).game

        while seats_to_act(game) == (0,):
            _, game = play(game, answer(game, 0, name))

        assert seats_to_act(game) == (1,)
        assert len(game.deal.discard_pile) == 2

    @pytest.mark.parametrize("name", ALL_PLAYERS)
    def test_bug_59_in_a_call_window_only_the_asked_seats_move(self, name):
        game = table(
            preset="ace-low",
            hands=["7H 8H", "2C 9S KD", "3D 5S"],
            pile="4C 9H",
            phase="rummy_call",
            turn=1,
            discarder=0,
        ).game

        assert [answer(game, seat, name) is None for seat in range(3)] == [True, False, False]

    @pytest.mark.parametrize("name", ALL_PLAYERS)
    def test_bug_59_an_owed_card_is_laid_off_in_the_right_order(self, name):
        game = table(
            hands=["8S 9S KD KH", "2C"], pile="3D", melds=["5S 6S 7S"], phase="meld", must_use="9S"
        ).game

        while seats_to_act(game) == (0,):
            _, game = play(game, answer(game, 0, name))

        assert [laid.card for laid in game.deal.melds[0].cards] == ["5S", "6S", "7S", "8S", "9S"]


class TestWholeGames:
    @pytest.mark.parametrize("preset", PRESETS)
    def test_a_game_ends_at_every_size_of_table(self, preset):
        least, most = PRESETS[preset].players
        for seats in {least, min(most, max(least, 3)), min(most, 5)}:
            target = 50 if preset == "basic-rummy" else 150
            variant = resolve(preset, {"target": target}, seats=seats)
            _, game = new_game(variant, seats=seats, key=KEY)

            game = played_out(game, random.Random(seats))

            assert game.reason == "target"

    @pytest.mark.parametrize("seed", range(12))
    def test_deals_by_random_house_rules_end(self, seed):
        chance = random.Random(seed)
        variant, seats = random_variant(chance)
        _, game = new_game(variant, seats=seats, key=chance.randbytes(32))

        game = played_out(game, chance, deals=1)

        assert game.status is not Stage.PLAYING


class TestHonestPlay:
    @pytest.mark.parametrize("name", LEVELS)
    @pytest.mark.parametrize("first", range(0, 60, 30))
    def test_hidden_cards_do_not_change_the_move(self, first, name):
        for seed in range(first, first + 30):
            chance = random.Random(seed)
            game = to_game(random_position(chance))
            other = {seat: with_hidden_cards_redealt(game, seat, chance) for seat in seats_to_act(game)}
            for seat, twin in other.items():
                assert view_for(twin, seat) == view_for(game, seat)
                assert answer(twin, seat, name) == answer(game, seat, name)

    def test_the_same_seed_gives_the_same_choice(self):
        game = table(hands=["2C 5D 9H KS TD", "3C"], pile="4S", phase="meld").game

        for name in ALL_PLAYERS:
            assert len({answer(game, 0, name, seed=7) for _ in range(5)}) == 1


def with_hidden_cards_redealt(game: Game, seat: int, chance: random.Random) -> Game:
    """Return a game that differs only in where the cards lie that the seat cannot see."""
    deal = game.deal
    hidden = list(deal.stock)
    for other, held in enumerate(deal.hands):
        if other != seat:
            unknown = list(held)
            for card in deal.known[other]:
                unknown.remove(card)
            hidden += unknown
    chance.shuffle(hidden)
    hands = list(deal.hands)
    for other, held in enumerate(deal.hands):
        if other != seat:
            drawn = [hidden.pop() for _ in range(len(held) - len(deal.known[other]))]
            hands[other] = (*deal.known[other], *drawn)
    return replace(game, deal=replace(deal, hands=tuple(hands), stock=tuple(hidden)))


class TestInTime:
    @pytest.mark.parametrize("preset", ["classic", "jokers", "kitchen-table"])
    def test_a_pile_of_forty_cards_and_a_hand_of_twenty_take_no_longer(self, preset):
        for seed in range(3):
            game = with_a_high_pile(preset, random.Random(seed))
            (seat,) = seats_to_act(game)
            while game.status is Stage.PLAYING and seats_to_act(game) == (seat,):
                view, legal = view_for(game, seat), legal_moves(game, seat)
                begun = time.process_time()
                move = bot_for("shrewd").choose(view, legal, game.variant, random.Random(1))
                assert time.process_time() - begun < LONGEST_SECONDS
                _, game = play(game, move)


def with_a_high_pile(preset: str, chance: random.Random) -> Game:
    """Return a game of five at two packs: forty cards lie in the pile, and the seat to draw holds twenty."""
    game = dealt(preset, seats=5, key=chance.randbytes(32)).game
    deal = game.deal
    stock, hands = list(deal.stock), list(deal.hands)
    hands[deal.turn.seat] += tuple(stock.pop() for _ in range(13))
    pile = tuple(stock.pop() for _ in range(40))
    return replace(game, deal=replace(deal, hands=tuple(hands), stock=tuple(stock), discard_pile=pile))
