"""The stories of `peer_faults` on the rules, and what only the rules themselves can show of them."""

import pytest

from service.rummy.cards import in_order
from service.rummy.forced_turn import forced_turn
from service.rummy.legal_moves import legal_moves, seats_to_act
from service.rummy.play import play
from service.rummy.state import Stage
from service.rummy.views import view_for
from tests.stories.peer_faults import *  # noqa: F403 - pytest collects the stories here
from tests.stories.peer_faults import DISCARD_REQUIRED
from tests.support.tables import dealt, table


class TestSecrecy:
    def test_no_view_shows_another_hand_or_the_stock(self):
        deal = dealt(seats=3)

        for viewer in (0, 1, 2, None):
            shown = repr(view_for(deal.game, viewer))
            hidden = [*deal.stock]
            for seat in range(3):
                hidden += deal.hand(seat) if seat != viewer else ()
            assert not [code for code in hidden if repr(code) in shown]


class TestThereIsAlwaysALegalMove:
    @pytest.mark.parametrize(
        "deal",
        [
            table(hands=["7H 7D"], pile="7C", **DISCARD_REQUIRED),
            table(hands=["5H 5D 6H 7H KS"], pile="5C"),
            table(hands=["8S"], pile="9S", melds=["5S 6S 7S"], **DISCARD_REQUIRED),
            table(preset="basic-rummy", hands=["4H"], pile="9C", melds=["4C 4D 4S"]),
            table(preset="jokers", hands=["4H"], pile="9C", melds=["4C 4D 4S"]),
            table(hands=["-", "9C"], pile="4C", floating=True, top_discard="may_keep", **DISCARD_REQUIRED),
        ],
    )
    def test_every_line_of_moves_leads_to_the_end_of_the_turn(self, deal):
        seat = deal.turn.seat
        open_games = [deal.game]
        seen = set()
        while open_games:
            game = open_games.pop()
            if seat not in seats_to_act(game):
                continue
            moves = legal_moves(game, seat).moves
            assert moves, "nothing to do"
            assert forced_turn(game, seat)
            for move in moves:
                _, after = play(game, move)
                mark = (in_order(after.deal.hands[seat]), after.deal.melds, after.deal.turn)
                if after.status is Stage.PLAYING and mark not in seen:
                    seen.add(mark)
                    open_games.append(after)
