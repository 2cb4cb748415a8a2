"""What holds after every move of every variant, by any seat and any request."""

import random
from collections import Counter
from itertools import pairwise

from hypothesis import note
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from service.rummy.cards import Card, full_pack, in_order
from service.rummy.errors import RULE_OF_CODE
from service.rummy.evolve import evolve, replay
from service.rummy.legal_moves import legal_moves, seats_to_act
from service.rummy.moves import CloseCallWindow, EndGame, Move, StartNextDeal
from service.rummy.play import play
from service.rummy.state import Game, Phase, Stage
from tests.support.notation import move_in_words
from tests.support.strategies import (
    Playthrough,
    begin,
    choose_move,
    keys,
    positions,
    refusal_of,
    requests,
    set_ups,
    tempers,
)


def all_cards(game: Game) -> Counter[Card]:
    """Count every card of the game wherever it is."""
    deal = game.deal
    return Counter(
        [
            *(card for hand in deal.hands for card in hand),
            *deal.stock,
            *deal.discard_pile,
            *(laid.card for meld in deal.melds for laid in meld.cards),
        ]
    )


class GameAtTheTable(RuleBasedStateMachine):
    """A game from the deal or from a given position; lawful moves, requests of every sort, and next deals."""

    @initialize(begun=st.one_of(st.builds(begin, set_ups(), keys), positions()))
    def sit_down(self, begun: Playthrough):
        note(repr(begun))
        self.game = begun.game
        self.events = begun.events
        self.cards = all_cards(self.game)

    def _play(self, move: Move) -> None:
        events, after = play(self.game, move)
        note(f"{move_in_words(move)}: {', '.join(event.type for event in events)}")
        assert events, "a move that was accepted left no trace"
        folded = self.game
        for event in events:
            folded = evolve(folded, event)
        assert folded == after, "the events of the move do not lead to its state"
        if not isinstance(move, StartNextDeal):
            mover = getattr(move, "seat", None)
            for seat, hand in enumerate(self.game.deal.hands):
                assert seat == mover or after.deal.hands[seat] == hand, "a move reached into another hand"
        if isinstance(move, StartNextDeal):
            assert after.deal.number == self.game.deal.number + 1
            variant = after.variant
            self.cards = Counter(full_pack(packs=variant.packs, jokers_per_pack=variant.jokers_per_pack))
        self.game = after
        self.events = [*self.events, *events]

    @rule(seed=st.integers(0, 9999), temper=tempers)
    @precondition(lambda self: self.game.status is Stage.PLAYING)
    def lawful_moves(self, seed, temper):
        chance = random.Random(seed)
        for _ in range(4):
            if seats := seats_to_act(self.game):
                self._play(choose_move(self.game, chance.choice(seats), chance, temper))

    @rule(data=st.data())
    def any_request(self, data):
        move = data.draw(requests(self.game), label="request")
        printed = repr(self.game)
        refusal = refusal_of(self.game, move)
        if refusal is None:
            self._play(move)
            return
        assert refusal.rule == RULE_OF_CODE[refusal.code]
        assert refusal.message.endswith(".")
        assert repr(self.game) == printed, "a refused move changed the game"

    @rule()
    @precondition(lambda self: self.game.status is Stage.DEAL_OVER)
    def next_deal(self):
        self._play(StartNextDeal())

    @rule()
    @precondition(
        lambda self: self.game.status is Stage.PLAYING and self.game.deal.turn.phase is Phase.RUMMY_CALL
    )
    def close_call_window(self):
        self._play(CloseCallWindow())

    @invariant()
    def no_card_is_lost_or_doubled(self):
        assert all_cards(self.game) == self.cards

    @invariant()
    def hands_lie_in_order_and_known_cards_in_hands(self):
        for hand, known in zip(self.game.deal.hands, self.game.deal.known, strict=True):
            assert hand == in_order(hand)
            assert known == in_order(known)
            assert not Counter(known) - Counter(hand)

    @invariant()
    def nobody_is_stuck(self):
        seats = seats_to_act(self.game)
        assert bool(seats) == (self.game.status is Stage.PLAYING)
        for seat in range(self.game.seats):
            assert bool(legal_moves(self.game, seat, limit=1).moves) == (seat in seats)

    @invariant()
    def totals_are_the_sum_of_the_deals(self):
        deals = self.game.deals
        for before, result in pairwise(deals):
            for side, total in enumerate(result.totals):
                scored = sum(
                    seat.score for number, seat in enumerate(result.seats) if self.game.side(number) == side
                )
                assert total == before.totals[side] + scored

    @invariant()
    def winners_are_named_when_the_game_is_over_and_not_before(self):
        assert (self.game.winners is not None) == (self.game.status is Stage.FINISHED)
        assert (self.game.reason is not None) == (self.game.status is Stage.FINISHED)

    def teardown(self):
        if not hasattr(self, "game"):
            return
        if self.game.status is not Stage.FINISHED:
            self._play(EndGame(winners=(0,), reason="resigned"))
        assert refusal_of(self.game, StartNextDeal()).code == "game_over"
        assert replay(self.game.key, self.events) == self.game


TestGameAtTheTable = GameAtTheTable.TestCase
