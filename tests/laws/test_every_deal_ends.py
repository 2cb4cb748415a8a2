"""No deal goes on for ever, however the players stall: RULES 7.7 and its argument, measured.

N is the number of cards of the game. Fewer than 3N turns in a row can be quiet. Between them a turn draws
one of at most N cards from a stock that is never renewed, discards one of at most 2N without a draw, or lays
one of at most N. So a deal is over within 12N(N + 1) turns; those here are never near the bound.
"""

import random
from collections.abc import Callable, Sequence
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.rummy.forced_turn import forced_turn
from service.rummy.legal_moves import seats_to_act
from service.rummy.moves import Discard, DrawStock, KeepCard, Pass, PlayerMove, StartNextDeal, TakeDiscard
from service.rummy.play import play
from service.rummy.presets import PRESETS
from service.rummy.state import Game, Phase, Stage
from tests.support.strategies import (
    HOUSE_RULES,
    PLAIN_FIRST,
    SetUp,
    agree,
    begin,
    chances,
    choose_move,
    keys,
    refusal_of,
    set_ups,
    tempers,
)


def most_turns(game: Game) -> int:
    """Return the number of turns in which every deal is over."""
    return 12 * game.variant.pack_size * (game.variant.pack_size + 1)


# --- Players who stall ----------------------------------------------------------------------------

Staller = Callable[[Game, int], Sequence[PlayerMove]]
"""The moves a player prefers, best first; only discards bring the player closer to going out."""


def wants_the_upcard(game: Game, seat: int) -> Sequence[PlayerMove]:
    """Always take the upcard and discard another card."""
    pile = game.deal.discard_pile
    upcard = [TakeDiscard(seat=seat, card=pile[-1], position=len(pile) - 1)] if pile else []
    return (*upcard, DrawStock(seat=seat), Pass(seat=seat))


def wants_the_whole_pile(game: Game, seat: int) -> Sequence[PlayerMove]:
    """Take all discards where no card of them must be used, and pass where that is possible."""
    pile = game.deal.discard_pile
    deep = [TakeDiscard(seat=seat, card=pile[0], position=0)] if len(pile) > 2 else []
    return (*deep, Pass(seat=seat), *wants_the_upcard(game, seat))


def wants_the_stock(game: Game, seat: int) -> Sequence[PlayerMove]:
    """Draw for ever."""
    return (DrawStock(seat=seat), *wants_the_upcard(game, seat))


def wants_nothing(game: Game, seat: int) -> Sequence[PlayerMove]:
    """Pass for ever."""
    return (Pass(seat=seat), *wants_the_upcard(game, seat))


def wants_both_in_turn(game: Game, seat: int) -> Sequence[PlayerMove]:
    """Draw only when the next quiet turn would end the deal."""
    limit = game.variant.quiet_turn_limit - 1
    return (wants_the_stock if game.deal.quiet_turns >= limit else wants_the_upcard)(game, seat)


STALLERS: tuple[Staller, ...] = (wants_the_upcard, wants_the_stock, wants_nothing, wants_the_whole_pile)


def stalling_move(game: Game, seat: int, staller: Staller, chance: random.Random) -> PlayerMove:
    """Return what the staller does: the first preferred move that is legal, then a discard."""
    if game.deal.turn.phase is Phase.RUMMY_CALL:
        return Pass(seat=seat)
    hand = game.deal.hands[seat]
    throws = [Discard(seat=seat, card=card) for card in chance.sample(hand, len(hand))]
    wishes = (KeepCard(seat=seat), *throws) if game.deal.turn.phase is Phase.MELD else staller(game, seat)
    for wish in wishes:
        if refusal_of(game, wish) is None and not _owes(game, wish):
            return wish
    return forced_turn(game, seat)[0]


def _owes(game: Game, wish: PlayerMove) -> bool:
    """Return whether a take would force the staller to lay a card."""
    return isinstance(wish, TakeDiscard) and play(game, wish)[1].deal.turn.must_use is not None


def turns_until_the_deal_ends(game: Game, stallers: Sequence[Staller], chance: random.Random) -> int:
    turns = 0
    while game.status is Stage.PLAYING:
        assert turns <= most_turns(game), f"still going on after {turns} turns"
        (seat, *_) = seats_to_act(game)
        events, game = play(game, stalling_move(game, seat, stallers[seat % len(stallers)], chance))
        turns += sum(event.type == "turn.started" for event in events)
    return turns


ENDS_OF_STOCK = [rule for rule in HOUSE_RULES if "stock_empty" in rule]
UPCARDS = [{"top_discard": "must_use"}, {"top_discard": "may_keep"}]
BACK = [{"same_card_back": "forbidden"}, {"same_card_back": "allowed", "top_discard": "may_keep"}]


class TestStallers:
    @pytest.mark.parametrize("stallers", [(one,) for one in STALLERS] + [STALLERS[:2], STALLERS])
    @pytest.mark.parametrize("seats", [2, 3])
    def test_stallers_of_one_mind_and_of_many_come_to_an_end(self, stallers, seats):
        for end_of_stock, upcard, back in product(ENDS_OF_STOCK, UPCARDS, BACK):
            set_up = agree("classic", seats, [end_of_stock, back, upcard, {"hand_size": 3}])
            game = begin(set_up, bytes(32)).game
            turns_until_the_deal_ends(game, stallers, random.Random(seats))

    @given(set_ups(), keys, st.lists(st.sampled_from(STALLERS), min_size=1, max_size=3), chances)
    def test_stallers_come_to_an_end_under_all_house_rules(self, set_up: SetUp, key, stallers, chance):
        turns_until_the_deal_ends(begin(set_up, key).game, stallers, chance)

    def test_a_player_who_stalls_comes_to_an_end(self):
        """A quiet turn whenever there may be one more, a draw when the next would end the deal."""
        set_up = agree("kitchen-table", 2, [{"hand_size": 3}])
        turns = turns_until_the_deal_ends(
            begin(set_up, bytes(32)).game, [wants_both_in_turn], random.Random(1)
        )
        assert turns > 45 * 155

    def test_the_upcard_goes_round_three_times_for_each_card_of_the_game(self):
        """RULES 7.7"""
        set_up = agree("kitchen-table", 3, [])
        assert (
            turns_until_the_deal_ends(begin(set_up, bytes(32)).game, [wants_the_upcard], random.Random(1))
            == 155
        )

    @pytest.mark.parametrize("end_of_stock", ENDS_OF_STOCK)
    def test_cards_taken_freely_and_thrown_again_come_to_an_end(self, end_of_stock):
        """RULES 7.7: under `free` no take must lay a card, so passing and taking could go on for ever."""
        set_up = agree("kitchen-table", 2, [end_of_stock, {"deepest_card_use": "free"}, {"hand_size": 3}])
        for stallers in ([wants_nothing, wants_the_whole_pile], [wants_the_whole_pile]):
            turns_until_the_deal_ends(begin(set_up, bytes(32)).game, stallers, random.Random(1))


class TestPlay:
    @given(set_ups(), keys, chances, tempers)
    def test_a_deal_of_legal_moves_ends(self, set_up: SetUp, key, chance, temper):
        game = begin(set_up, key).game
        for _ in range(most_turns(game)):
            if game.status is not Stage.PLAYING:
                return
            seat = chance.choice(seats_to_act(game))
            _, game = play(game, choose_move(game, seat, chance, temper))
        raise AssertionError

    @pytest.mark.parametrize("preset", PLAIN_FIRST)
    def test_deals_of_forced_turns_end(self, preset):
        """What the clock plays for players who never come back."""
        game = begin(
            agree(preset, PRESETS[preset].players[0], [{"deals": 3}, {"tie": "draw"}]), bytes(32)
        ).game
        for _ in range(3 * most_turns(game)):
            if game.status is Stage.FINISHED:
                break
            if game.status is Stage.DEAL_OVER:
                _, game = play(game, StartNextDeal())
            for move in forced_turn(game, seats_to_act(game)[0]):
                _, game = play(game, move)
        assert len(game.deals) == 3
