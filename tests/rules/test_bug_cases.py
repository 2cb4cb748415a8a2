"""The stories of `bug_cases` on the rules, and what only the rules themselves can show of them."""

import pytest

from service.rummy.cards import cards
from service.rummy.dealing import choose_dealer
from service.rummy.events import StockDrawn
from service.rummy.evolve import replay
from service.rummy.forced_turn import forced_turn
from service.rummy.legal_moves import legal_moves
from service.rummy.moves import PlayerMove
from service.rummy.play import play
from service.rummy.presets import PRESETS, resolve
from service.rummy.views import redact, view_for
from tests.stories.bug_cases import *  # noqa: F403 - pytest collects the stories here
from tests.support.tables import KEY, dealt, discard, draw_stock, hand, next_deal, pass_, table, take_discard


class TestARenewalIsReplayed:
    @pytest.mark.parametrize("way", ["reshuffle", "flip"])
    def test_from_its_events(self, way):
        deal = table(hands=["KC", "KD 9S"], pile="2C 7S QH 4D", stock=0, stock_empty=way)
        events = list(deal.events)
        for move in (draw_stock(), discard("KC"), draw_stock()):
            deal = deal.move(move)
            events += deal.events

        assert replay(KEY, events) == deal.game

    def test_in_the_order_of_its_event(self):
        deal = table(hands=["KC", "KD"], pile="2C 7S QH 4D", stock=0, stock_empty="reshuffle")

        after = deal.move(draw_stock())

        (order,) = after.told("stock.renewed", "order")
        assert order[1:] == after.stock


class TestWhatIsHidden:
    def test_hands_of_the_second_deal(self):
        first = table(hands=["2C", "KD QD"], phase="meld").move(discard("2C"))
        assert first.result.seats[1].hand == hand("KD QD")

        second = first.move(next_deal())

        view = view_for(second.game, 0)
        assert view.hand == second.hand(0)
        assert view.deals[0].seats[1].hand == hand("KD QD")
        shown = repr(view) + "".join(repr(redact(event, 0)) for event in second.events)
        seen = {*second.hand(0), *second.pile, *hand("2C KD QD")}
        assert not [card for card in second.hand(1) if card not in seen and repr(card) in shown]

    def test_the_card_drawn_last(self):
        after = table(hands=["KC", "KD"], stock="6D 7S").move(draw_stock())
        (drawn,) = after.events

        assert redact(drawn, 0) == StockDrawn(seat=0, card=cards("6D")[0], stock_count=1)
        for viewer in (1, None):
            assert redact(drawn, viewer) == StockDrawn(seat=0, card=None, stock_count=1)
            assert "'6D'" not in repr(view_for(after.game, viewer))

    def test_nothing_of_a_take(self):
        deal = table(preset="kitchen-table", hands=["KC", "KD"], pile="6D").move(take_discard("6D"))

        assert [redact(event, 1) for event in deal.events] == list(deal.events)

    def test_two_games_that_differ_in_hidden_cards_look_alike(self):
        one = table(hands=["KC QC", "KD QD"], pile="2C", stock="4S 5S 6S").move(draw_stock())
        other = table(hands=["JC TC", "KD QD"], pile="2C", stock="9S 8S 7S").move(draw_stock())

        assert view_for(one.game, 1) == view_for(other.game, 1)
        assert [redact(event, 1) for event in one.events] == [redact(event, 1) for event in other.events]

    def test_every_hand_from_spectators(self):
        deal = table(hands=["KC QC", "KD QD"], pile="2C 3C", melds=["7H 8H 9H"], stock="4S")

        view = view_for(deal.game, None)

        assert view.hand is None
        assert (view.discard_pile, view.melds) == (deal.pile, deal.game.deal.melds)
        assert not [code for code in ("KC", "QC", "KD", "QD", "4S") if repr(code) in repr(view)]

    def test_the_key_in_every_view_and_event(self):
        deal = dealt()

        shown = repr(view_for(deal.game, 0)) + "".join(repr(redact(event, 0)) for event in deal.events)

        assert repr(KEY) not in shown
        assert KEY.hex() not in shown


class TestUndo:
    def test_no_move_takes_anything_back(self):
        names = {kind.__name__ for kind in PlayerMove.__args__}

        assert names == {
            "DrawStock",
            "TakeDiscard",
            "LayMeld",
            "LayOff",
            "Discard",
            "Pass",
            "KeepCard",
            "CallRummy",
        }


class TestPredictableShuffle:
    def test_every_key_shuffles_differently(self):
        deals = {dealt(key=number.to_bytes(32, "big")).game.deal.hands for number in range(200)}

        assert len(deals) == 200

    def test_the_next_deal_is_shuffled_differently(self):
        deal = dealt()
        while not deal.over:
            deal = deal.move(draw_stock() if deal.stock else pass_())
            if not deal.over:
                deal = deal.move(discard(deal.discards()[0]))

        second = deal.move(next_deal())

        assert set(second.hand(0)) != set(dealt().hand(0))

    @pytest.mark.parametrize("preset", PRESETS)
    def test_the_first_dealer_follows_from_the_key(self, preset):
        seats = PRESETS[preset].players[0]
        variant = resolve(preset, {}, seats=seats)

        assert choose_dealer(variant, seats, KEY) == choose_dealer(variant, seats, KEY)


class TestTheForcedTurn:
    def test_out_of_turn_it_is_empty(self):
        deal = table(hands=["2C", "KD", "9H"], phase="meld", call_rummy="any_meld")

        for seat in (2, 5):
            assert legal_moves(deal.game, seat).moves == ()
            assert forced_turn(deal.game, seat) == ()

    def test_asked_for_a_call_it_passes(self):
        deal = table(
            hands=["2C 4D", "KD", "9H 9S 9D"],
            pile="9C",
            phase="rummy_call",
            turn=1,
            discarder=0,
            call_rummy="any_meld",
        )

        (move,) = forced_turn(deal.game, 2)

        assert move in legal_moves(deal.game, 2).moves
        assert move == pass_()(2)

    def test_it_uses_the_taken_card_and_ends_the_turn(self):
        deal = table(hands=["6S 6H KC 2S"], pile="6C 2D").move(take_discard("6C"))

        game = deal.game
        for move in forced_turn(game, 0):
            assert move in legal_moves(game, 0).moves
            _, game = play(game, move)

        assert game.deal.turn.seat == 1


class TestOverIsOver:
    @pytest.mark.parametrize("totals", [[500, 0], None])
    def test_no_turn_is_shown_and_no_move_listed(self, totals):
        over = table(hands=["2C", "KD"], phase="meld", totals=totals).move(discard("2C"))

        assert view_for(over.game, 0).turn is None
        assert [legal_moves(over.game, seat).moves for seat in (0, 1)] == [(), ()]
