"""What a call window may and may not be: RULES 8, over all options at once."""

from dataclasses import replace

from hypothesis import assume, given

from service.rummy.calling import seats_to_ask
from service.rummy.events import CallWindowOpened
from service.rummy.legal_moves import legal_moves
from service.rummy.moves import CallRummy, TakeDiscard
from service.rummy.play import play
from service.rummy.state import Game, Phase, Stage, Turn
from tests.support.strategies import Playthrough, playthroughs, positions, situations


def as_window(game: Game, seat: int) -> Game:
    """Return the game with a window open in which the seat, which draws next, is asked."""
    discarder = (seat - 1) % game.seats
    turn = Turn(seat=seat, phase=Phase.RUMMY_CALL, discarder=discarder, asked=(seat,))
    return replace(game, deal=replace(game.deal, turn=turn))


class TestAWindow:
    @given(situations)
    def test_where_public_cards_decide_opens_for_those_alone_who_can_call(self, begun: Playthrough):
        game = begun.game
        assume(game.status is Stage.PLAYING)
        game = replace(game, variant=replace(game.variant, call_rummy="table_or_pile"))
        discarder = game.deal.turn.seat
        asked = seats_to_ask(game, discarder)
        able = tuple(
            seat
            for seat in ((discarder + away) % game.seats for away in range(1, game.seats))
            if len(legal_moves(as_window(game, seat), seat).moves) > 1
        )

        assert asked == able or (not asked and able == ((discarder + 1) % game.seats,))

    @given(playthroughs())
    def test_asks_the_same_seats_whatever_hands_hold_where_they_count(self, begun: Playthrough):
        for step in begun.steps:
            for event in step.events:
                if isinstance(event, CallWindowOpened) and step.before.variant.hands_join_calls:
                    seats = step.before.seats
                    assert event.asked == tuple((event.discarder + away) % seats for away in range(1, seats))

    @given(playthroughs())
    def test_for_two_opens_only_where_a_call_can_do_more_than_a_take(self, begun: Playthrough):
        assume(begun.game.seats == 2)
        windows = [event for event in begun.events if isinstance(event, CallWindowOpened)]

        assert not windows or begun.game.variant.call_beats_take


class TestACallOfTheNextPlayer:
    @given(positions(largest_hand=8, deepest_pile=6))
    def test_does_no_more_than_a_take_and_the_same_use_unless_the_variant_says_so(self, begun: Playthrough):
        game = begun.game
        variant = replace(game.variant, call_rummy="any_meld")
        assume(game.status is Stage.PLAYING and not variant.call_beats_take)
        assume(game.deal.stock or variant.stock_empty != "end_at_once")
        game = replace(game, variant=variant)
        seat = game.deal.turn.seat
        drawing = replace(game, deal=replace(game.deal, turn=Turn(seat=seat, phase=Phase.DRAW)))
        for move in legal_moves(as_window(game, seat), seat, limit=200).moves:
            if isinstance(move, CallRummy):
                take = TakeDiscard(seat=seat, card=move.card, position=move.position)
                _, taken = play(drawing, take)
                play(taken, move.use)
