"""RULES 2.12, always: a whole turn is its moves one by one, and no way to look at the stock.

Two games that differ only in hidden cards answer every turn that the player could send with the same
verdict, and the same refusal to the letter.
"""

from collections import Counter
from dataclasses import replace

from hypothesis import assume, given
from hypothesis import strategies as st

from service.rummy.cards import Card
from service.rummy.errors import IllegalMove
from service.rummy.legal_moves import legal_moves, seats_to_act
from service.rummy.moves import CloseCallWindow, Discard, DrawStock, LayMeld, LayOff, StartNextDeal
from service.rummy.play import play
from service.rummy.state import Game, Phase, Stage
from service.rummy.whole_turns import DiscardDrawn, WholeTurn, play_turn
from tests.laws.test_hidden_information import another_game
from tests.support.strategies import chances, requests, situations


@st.composite
def turns(draw, game: Game, seat: int) -> WholeTurn:
    """Draw a turn by one who sees the stock: half of its moves are lawful in the game as it really is."""
    moves = []
    for _ in range(draw(st.integers(1, 5))):
        lawful = legal_moves(game, seat, limit=60).moves
        if lawful and draw(st.booleans()):
            # Draws and discards come first in the list: melds and lay-offs are drawn as often as those.
            move = draw(st.sampled_from(lawful[::-1]))
        else:
            move = draw(st.just(DiscardDrawn(seat=seat)) | requests(game, seat))
        if isinstance(move, CloseCallWindow | StartNextDeal):
            continue
        moves.append(move)
        if not isinstance(move, DiscardDrawn):
            try:
                _, game = play(game, move)
            except IllegalMove:
                continue
    return WholeTurn(seat=seat, moves=tuple(moves))


def verdict(game: Game, turn: WholeTurn) -> object:
    try:
        play_turn(game, turn)
    except IllegalMove as refusal:
        return refusal.code, refusal.message, refusal.rule, refusal.details
    return "lawful"


def cards_of(move) -> tuple[Card, ...]:
    if isinstance(move, LayMeld):
        return move.cards
    return (move.card,) if isinstance(move, LayOff | Discard) else ()


class TestAWholeTurn:
    @given(situations, chances, st.data())
    def test_depends_on_nothing_hidden(self, begun, chance, data):
        game = begun.game
        assume(game.status is Stage.PLAYING)
        seat = data.draw(st.sampled_from([*seats_to_act(game), *range(game.seats)]))
        other = another_game(game, seat, chance)
        for _ in range(5):
            turn = data.draw(turns(game, seat))
            assert verdict(game, turn) == verdict(other, turn), turn

    @given(situations, st.data())
    def test_does_not_depend_on_the_top_card_of_the_stock(self, begun, data):
        game = begun.game
        assume(game.status is Stage.PLAYING and game.deal.turn.phase is Phase.DRAW and game.deal.stock)
        seat, (top, *below) = game.deal.turn.seat, game.deal.stock
        turned = replace(game, deal=replace(game.deal, stock=(*below, top)))
        drawing = WholeTurn(seat=seat, moves=(DrawStock(seat=seat), *data.draw(turns(game, seat)).moves))
        _, drawn = play(game, DrawStock(seat=seat))
        for rest in (drawing.moves[1:], data.draw(turns(drawn, seat)).moves):
            turn = replace(drawing, moves=(drawing.moves[0], *rest))
            assert verdict(game, turn) == verdict(turned, turn), turn

    @given(situations, st.data())
    def test_is_its_moves_one_by_one(self, begun, data):
        game = begun.game
        assume(seats_to_act(game))
        seat = data.draw(st.sampled_from(seats_to_act(game)))
        moves, events, after, unseen = [], [], game, None
        while game.status is Stage.PLAYING and (not moves or in_turn(after, seat)):
            # With a reason to stop: a list drawn at random would lay cards without end.
            move = data.draw(st.sampled_from(legal_moves(after, seat, limit=40).moves))
            if isinstance(move, DrawStock):
                unseen = Counter(after.deal.hands[seat])
            elif unseen is not None:
                unseen.subtract(cards_of(move))
            happened, after = play(after, move)
            moves.append(move)
            events.extend(happened)
        turn = WholeTurn(seat=seat, moves=tuple(moves))

        if unseen is not None and min(unseen.values(), default=0) < 0:
            assert verdict(game, turn) != "lawful"
        else:
            assert play_turn(game, turn) == (tuple(events), after)


def in_turn(game: Game, seat: int) -> bool:
    turn = game.deal.turn
    return game.status is Stage.PLAYING and (turn.seat, turn.phase) == (seat, Phase.MELD)
