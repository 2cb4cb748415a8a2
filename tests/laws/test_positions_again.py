"""A running deal is a position that a game can start from, and that game stands the same."""

from dataclasses import replace

from hypothesis import assume, given

from service.rummy.positions import game_from_position, position_of
from service.rummy.state import Deal, Stage
from service.rummy.views import view_for
from tests.support.strategies import situations

_OTHER_KEY = bytes(range(32))


def cards_of(deal: Deal) -> object:
    """Return all that a position says of a deal: how its melds grew and its quiet turns it does not say."""
    turn = deal.turn
    return (
        (deal.number, deal.dealer, deal.hands, deal.known, deal.stock, deal.discard_pile),
        [(meld.id, meld.owner, meld.kind, meld.cards) for meld in deal.melds],
        (turn.seat, turn.phase, turn.must_use, turn.may_not_discard, turn.melds_laid, turn.tabled_before),
    )


class TestAPositionOfAGame:
    @given(situations)
    def test_leads_to_the_same_deal(self, begun):
        game = begun.game
        assume(game.status is Stage.PLAYING)
        _, again = game_from_position(
            game.variant, seats=game.seats, key=_OTHER_KEY, position=position_of(game)
        )

        assert cards_of(again.deal) == cards_of(game.deal)
        assert (again.totals, again.variant, again.status) == (game.totals, game.variant, game.status)
        assert position_of(again) == position_of(game)
        for viewer in (None, *range(game.seats)):
            seen, before = view_for(again, viewer), view_for(game, viewer)
            assert (seen.hand, seen.hand_points, seen.meld_points, seen.seats) == (
                (before.hand, before.hand_points, before.meld_points, before.seats)
            )
            assert seen.turn is not None
            assert replace(seen.turn, may_act=()) == replace(before.turn, may_act=())
