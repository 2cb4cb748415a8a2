"""What the clock plays for a player whose time is over: lawful in every variant, and the least."""

from collections.abc import Iterator

from hypothesis import given

from service.rummy.forced_turn import forced_turn
from service.rummy.legal_moves import legal_moves, seats_to_act
from service.rummy.moves import Discard, DrawStock, LayMeld, LayOff, PlayerMove
from service.rummy.play import play
from service.rummy.scoring import points
from service.rummy.state import Game, Phase, Stage
from tests.support.strategies import played_positions, situations


def cards_tabled(moves: tuple[PlayerMove, ...]) -> int:
    """Count the cards that moves lay."""
    return sum(len(move.cards) if isinstance(move, LayMeld) else isinstance(move, LayOff) for move in moves)


def settling_lay_offs(game: Game, seat: int, most: int) -> Iterator[int]:
    """Yield the length of every series of at most that many lay-offs that uses the required card."""
    if game.status is not Stage.PLAYING or game.deal.turn.seat != seat or game.deal.turn.must_use is None:
        yield 0
        return
    if not most:
        return
    for move in legal_moves(game, seat).moves:
        if isinstance(move, LayOff):
            for more in settling_lay_offs(play(game, move)[1], seat, most - 1):
                yield 1 + more


class TestLeastTurn:
    @given(situations)
    def test_it_is_legal_and_leaves_the_seat_nothing_to_do(self, begun):
        for seat in seats_to_act(begun.game):
            game, moves = begun.game, forced_turn(begun.game, seat)
            for move in moves:
                assert move.seat == seat
                assert move.type in {listed.type for listed in legal_moves(game, seat).moves}
                _, game = play(game, move)
            assert moves
            # The seat that draws next has passed the call and not its turn (RULES 8.1).
            called, turn = begun.game.deal.turn.phase is Phase.RUMMY_CALL, game.deal.turn
            draws_next = called and turn.seat == seat and turn.phase is Phase.DRAW
            assert draws_next or seat not in seats_to_act(game)

    @given(situations)
    def test_a_seat_that_may_not_act_has_none(self, begun):
        for seat in set(range(begun.game.seats)) - set(seats_to_act(begun.game)):
            assert forced_turn(begun.game, seat) == ()

    @given(situations)
    def test_it_draws_from_the_stock_and_lays_only_what_must_be_used(self, begun):
        for seat in seats_to_act(begun.game):
            moves = forced_turn(begun.game, seat)
            assert {move.type for move in moves} <= {
                "draw_stock",
                "pass",
                "meld",
                "lay_off",
                "discard",
                "keep",
            }
            if begun.game.deal.turn.must_use is None:
                assert cards_tabled(moves) == 0

    @given(played_positions(largest_hand=8, deepest_pile=8))
    def test_an_owed_card_is_settled_with_the_fewest_cards(self, begun):
        game = begun.game
        if game.status is Stage.PLAYING and game.deal.turn.must_use is not None:
            seat = game.deal.turn.seat
            spent = cards_tabled(forced_turn(game, seat))
            assert min(settling_lay_offs(game, seat, 2), default=3) >= min(spent, 3)

    @given(situations)
    def test_it_discards_the_card_worth_most(self, begun):
        game = begun.game
        if game.status is not Stage.PLAYING or game.deal.turn.phase is not Phase.MELD:
            return
        seat = game.deal.turn.seat
        *settling, last = forced_turn(game, seat)
        for move in settling:
            _, game = play(game, move)
        throws = [move.card for move in legal_moves(game, seat).moves if isinstance(move, Discard)]
        if isinstance(last, Discard):
            dearest = max(points(card, game.variant) for card in throws)
            assert points(last.card, game.variant) == dearest
        else:
            assert not throws or len(settling) < len(forced_turn(begun.game, seat))


class TestLeastTurnBeforeTheDraw:
    @given(situations)
    def test_it_begins_with_the_draw(self, begun):
        game = begun.game
        if game.status is Stage.PLAYING and game.deal.turn.phase is Phase.DRAW:
            first = forced_turn(game, game.deal.turn.seat)[0]
            can_draw = any(isinstance(move, DrawStock) for move in legal_moves(game, first.seat).moves)
            assert first.type == ("draw_stock" if can_draw else "pass")
