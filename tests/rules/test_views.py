"""What may be shown: views and redacted events."""

import pytest

from service.rummy.events import EVENT_TYPES, DealStarted, PositionGiven, StockDrawn, StockRenewed
from service.rummy.state import Phase, Stage
from service.rummy.views import SeatView, TurnView, redact, view_for
from tests.support.tables import (
    cards,
    dealt,
    discard,
    draw_stock,
    end_game,
    hand,
    lay,
    pass_,
    table,
    take_discard,
)

VIEWERS = [0, 1, 2, None]


class TestViews:
    deal = table(
        hands=["7H 7D 7C KC", "9S 9D", "4H"],
        pile="2C 3D",
        melds=["1: 8S 8H 8D"],
        stock="5C 6C",
        totals=[120, -35, 40],
        known=["", "9D", ""],
        phase="meld",
    )

    @pytest.mark.parametrize("viewer", VIEWERS)
    def test_everybody_sees_what_lies_open(self, viewer):
        view = view_for(self.deal.game, viewer)

        assert (view.status, view.phase, view.deal, view.dealer) == (Stage.PLAYING, Phase.MELD, 1, 0)
        assert view.discard_pile == cards("2C 3D")
        assert view.melds == self.deal.game.deal.melds
        assert view.stock_count == 2
        assert view.totals == (120, -35, 40)
        assert view.seats == (
            SeatView(hand_count=4, known_cards=(), table_points=0, total=120),
            SeatView(hand_count=2, known_cards=cards("9D"), table_points=24, total=-35),
            SeatView(hand_count=1, known_cards=(), table_points=0, total=40),
        )
        assert view.turn == TurnView(seat=0, may_act=(0,), must_use=None, may_not_discard=None)
        assert (view.winners, view.reason, view.deals) == (None, None, ())

    @pytest.mark.parametrize("viewer", [0, 1, 2])
    def test_a_player_sees_their_own_hand_and_no_other(self, viewer):
        view = view_for(self.deal.game, viewer)

        assert (view.viewer, view.hand) == (viewer, self.deal.hand(viewer))

    @pytest.mark.parametrize("viewer, points", [(0, 31), (1, 18), (2, 4), (None, None)])
    def test_it_counts_the_viewers_own_hand(self, viewer, points):
        assert view_for(self.deal.game, viewer).hand_points == points

    def test_it_counts_each_meld_as_the_deal_will(self):
        deal = table(
            hands=["7H", "9S", "4H"],
            pile="2C",
            melds=["1: AS 2S 3S 4S@0 5S@0", "0: AC AD AH", "2: TD JD QD"],
            phase="meld",
        )

        view = view_for(deal.game, 0)

        assert view.meld_points == (15, 45, 30)
        assert [seat.table_points for seat in view.seats] == [54, 6, 30]

    def test_it_counts_four_aces_as_the_deal_will(self):
        options = {"four_aces": 100, "four_aces_laid": "over_time"}
        deal = table(hands=["2C", "3C"], melds=["0: AC AD AH AS"], phase="meld", **options)

        assert view_for(deal.game, 1).meld_points == (100,)

    def test_a_player_without_a_seat_sees_no_hand(self):
        view = view_for(self.deal.game, None)

        assert (view.viewer, view.hand) == (None, None)

    @pytest.mark.parametrize("viewer", VIEWERS)
    def test_no_hidden_card_is_in_it(self, viewer):
        shown = repr(view_for(self.deal.game, viewer))

        hidden = {0: "7H 7D 7C KC", 1: "9S", 2: "4H"}
        codes = [code for seat, codes in hidden.items() if seat != viewer for code in codes.split()]
        assert not [code for code in (*codes, "5C", "6C") if repr(code) in shown]

    def test_a_partner_sees_no_more_than_a_spectator(self):
        deal = table(preset="partnership", hands=["7H 7D", "9S", "4H 5H"])

        view = view_for(deal.game, 0)

        assert not [code for code in ("4H", "5H") if repr(code) in repr(view)]
        assert [seat.total for seat in view.seats] == [0, 0, 0, 0]

    def test_partners_show_one_total(self):
        deal = table(preset="partnership", hands=["7H 7D"], totals=[30, 50])

        assert [seat.total for seat in view_for(deal.game, None).seats] == [30, 50, 30, 50]

    def test_it_names_what_binds_the_turn(self):
        owed = table(hands=["7H 7D KC"], pile="7C").move(take_discard("7C"))
        assert view_for(owed.game, None).turn.must_use == "7C"

        barred = table(hands=["7H 2D KC"], pile="9C", top_discard="may_keep").move(take_discard("9C"))
        assert view_for(barred.game, None).turn.may_not_discard == "9C"

    def test_in_a_call_window_it_names_who_is_asked(self):
        deal = table(hands=["7H 7D", "9S", "4H", "5S"], pile="2C", phase="meld", call_rummy="any_meld")

        view = view_for(deal.move(discard("7H")).game, None)

        assert view.phase is Phase.RUMMY_CALL
        assert view.turn == TurnView(seat=1, may_act=(1, 2, 3), must_use=None, may_not_discard=None)

    def test_after_the_deal_its_hands_are_open(self):
        deal = table(hands=["7H", "9S 9D"], phase="meld").move(discard("7H"))

        view = view_for(deal.game, None)

        assert (view.status, view.phase, view.turn) == (Stage.DEAL_OVER, None, None)
        assert view.deals[0].seats[1].hand == hand("9D 9S")

    def test_after_the_game_it_names_who_won(self):
        view = view_for(table(hands=["7H", "9S"], phase="meld").move(end_game(1)).game, 0)

        assert (view.status, view.winners, view.reason) == (Stage.FINISHED, (1,), "resigned")
        assert (view.phase, view.turn) == (None, None)


class TestRedaction:
    @pytest.mark.parametrize("viewer", VIEWERS)
    def test_a_deal_shows_only_the_viewers_own_hand(self, viewer):
        deal = dealt(seats=3)
        (started,) = [event for event in deal.events if isinstance(event, DealStarted)]

        shown = redact(started, viewer)

        assert isinstance(shown, DealStarted)
        assert shown.stock is None
        assert shown.hands == tuple(started.hands[seat] if seat == viewer else None for seat in range(3))
        assert (shown.upcard, shown.stock_count, shown.commitment) == (
            started.upcard,
            started.stock_count,
            started.commitment,
        )

    @pytest.mark.parametrize("viewer", VIEWERS)
    def test_so_does_a_given_position(self, viewer):
        deal = table(hands=["7H", "9S", "4H"], pile="2C", known=["7H", "", ""])
        (given,) = [event for event in deal.events if isinstance(event, PositionGiven)]

        shown = redact(given, viewer)

        assert isinstance(shown, PositionGiven)
        assert shown.stock is None
        assert shown.hands == tuple(given.hands[seat] if seat == viewer else None for seat in range(3))
        assert (shown.discard_pile, shown.known) == (given.discard_pile, given.known)

    @pytest.mark.parametrize("viewer", VIEWERS)
    def test_a_card_drawn_is_its_drawers(self, viewer):
        (drawn,) = table(hands=["7H", "9S", "4H"], stock="5C 6C").move(draw_stock()).events

        shown = redact(drawn, viewer)

        assert isinstance(shown, StockDrawn)
        assert shown.card == ("5C" if viewer == 0 else None)
        assert (shown.seat, shown.stock_count) == (0, 1)

    @pytest.mark.parametrize("viewer", VIEWERS)
    @pytest.mark.parametrize("way", ["reshuffle", "flip"])
    def test_the_order_of_a_new_stock_is_shown_to_no_player(self, viewer, way):
        deal = table(hands=["7H", "9S", "4H"], pile="5C 6C", stock=0, stock_empty=way).move(draw_stock())
        renewed = deal.events[0]

        shown = redact(renewed, viewer)

        assert isinstance(shown, StockRenewed)
        assert (shown.order, shown.stock_count) == (None, 2)

    @pytest.mark.parametrize("viewer", VIEWERS)
    def test_everything_else_is_public(self, viewer):
        public = [
            *table(hands=["7H 7D KC 2S", "9S", "4H"], pile="7C").move(take_discard("7C")).events,
            *table(hands=["7H 7D 7C KC"], phase="meld").move(lay("7H 7D 7C")).events,
            *table(hands=["7H", "KC"], phase="meld").move(discard("7H")).events,
            *table(hands=["7H", "KC"], pile="9D", stock=0).move(pass_()).events,
        ]

        assert [redact(event, viewer) for event in public] == public

    def test_every_kind_of_event_has_a_name_of_its_own(self):
        assert len(EVENT_TYPES) == 17
        assert all(kind.type == name for name, kind in EVENT_TYPES.items())
