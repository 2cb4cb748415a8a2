"""What a dry run shows of a turn is what making it shows, and nothing hidden.

Two games that differ only in cards that the player may not know have the same preview of every turn, and
what it shows holds only cards that the player sees now. Where nothing hidden comes in, it is the view after
the moves were really made.
"""

from hypothesis import assume, given
from hypothesis import strategies as st

from service.rummy.errors import IllegalMove
from service.rummy.legal_moves import legal_moves, seats_to_act
from service.rummy.moves import DrawStock
from service.rummy.play import play
from service.rummy.previews import PreviewEnd, preview_turn
from service.rummy.state import Game, Stage
from service.rummy.views import view_for
from service.rummy.whole_turns import WholeTurn, play_turn
from tests.laws.test_hidden_information import another_game, cards_in, open_cards
from tests.laws.test_whole_turns_are_blind import in_turn, turns
from tests.support.strategies import chances, situations


def shown(game: Game, turn: WholeTurn) -> object:
    preview = preview_turn(game, turn)
    moves = legal_moves(preview.game, turn.seat).moves if turn.seat in seats_to_act(preview.game) else ()
    return view_for(preview.game, turn.seat), moves, preview.stopped_before, preview.reason


@st.composite
def legal_turns(draw, game: Game, seat: int) -> WholeTurn:
    """Draw the first moves of a legal turn, mostly without a draw from the stock."""
    moves, after = [], game
    while (not moves or in_turn(after, seat)) and (not moves or draw(st.integers(0, 5))):
        lawful = legal_moves(after, seat, limit=60).moves
        taking = [move for move in lawful if not isinstance(move, DrawStock)]
        move = draw(st.sampled_from((taking or lawful)[::-1]))
        moves.append(move)
        _, after = play(after, move)
    return WholeTurn(seat=seat, moves=tuple(moves))


class TestAPreview:
    @given(situations, chances, st.data())
    def test_depends_on_nothing_hidden(self, begun, chance, data):
        game = begun.game
        assume(game.status is Stage.PLAYING)
        seat = data.draw(st.sampled_from([*seats_to_act(game), *range(game.seats)]))
        other = another_game(game, seat, chance)
        for _ in range(5):
            turn = data.draw(
                turns(game, seat) | legal_turns(game, seat)
                if seat in seats_to_act(game)
                else turns(game, seat)
            )
            try:
                play_turn(game, turn)
            except IllegalMove:
                continue
            assert shown(game, turn) == shown(other, turn), turn

    @given(situations, st.data())
    def test_is_what_making_the_moves_shows(self, begun, data):
        game = begun.game
        assume(seats_to_act(game))
        seat = data.draw(st.sampled_from(seats_to_act(game)))
        turn = data.draw(legal_turns(game, seat))
        try:
            _, made = play_turn(game, turn)
        except IllegalMove:
            # It names the card that it drew.
            assume(False)
        preview = preview_turn(game, turn)

        if preview.stopped_before is None:
            assert preview.game == made
        else:
            first = turn.moves[: preview.stopped_before]
            assert preview.game == play_turn(game, WholeTurn(seat=seat, moves=first))[1]
            drawn = isinstance(turn.moves[preview.stopped_before], DrawStock)
            assert (preview.reason is PreviewEnd.HIDDEN_CARD) == drawn
        view = view_for(preview.game, seat)
        assert {*cards_in(view.hand)} <= open_cards(game, seat)
        assert view.deals == view_for(game, seat).deals
        assert preview.game.status is game.status
