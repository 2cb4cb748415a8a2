"""Replaying the events of a game gives its state."""

import pytest

from service.rummy.cards import card, cards, long_name
from service.rummy.events import GameStarted
from service.rummy.evolve import evolve, replay
from service.rummy.presets import PRESETS
from service.rummy.views import redact
from tests.support.tables import KEY, Table, dealt, draw_stock, next_deal, table


def whole_deal(deal: Table) -> tuple[Table, list]:
    events = list(deal.events)
    while not deal.over:
        moves = deal.legal_moves()
        # The last move offered lays cards where any can be laid.
        move = moves[-1]
        deal = deal.move(lambda _, move=move: move, by=move.seat)
        events += deal.events
    return deal, events


class TestReplay:
    @pytest.mark.parametrize("preset", PRESETS)
    def test_a_deal_and_the_next(self, preset):
        deal, events = whole_deal(dealt(preset, seats=PRESETS[preset].players[1]))
        deal = deal.move(next_deal())

        assert replay(KEY, [*events, *deal.events]) == deal.game

    def test_a_given_position(self):
        deal, events = whole_deal(table(hands=["7H 7D 7C", "KD QD JD"], pile="9S 9D", stock="2C 3C 4C 5C"))

        assert replay(KEY, events) == deal.game

    def test_it_starts_with_the_start(self):
        deal = dealt()

        with pytest.raises(TypeError, match=r"game\.started"):
            replay(KEY, deal.events[1:])
        with pytest.raises(TypeError, match="given position"):
            replay(KEY, [deal.events[0], deal.events[2]])

    def test_a_game_starts_once(self):
        deal = dealt()

        with pytest.raises(ValueError, match="starts once"):
            evolve(deal.game, deal.events[0])
        given = table(hands=["7H"])
        with pytest.raises(ValueError, match="starts once"):
            evolve(given.game, given.events[1])
        assert isinstance(deal.events[0], GameStarted)

    def test_redacted_events_cannot_be_replayed(self):
        deal = dealt()
        hidden = [redact(event, 0) for event in deal.events]

        with pytest.raises(ValueError, match="redacted"):
            replay(KEY, hidden)

        drawn = deal.move(draw_stock())
        with pytest.raises(ValueError, match="redacted"):
            evolve(deal.game, redact(drawn.events[0], None))


class TestNamesOfCards:
    def test_a_line_of_codes(self):
        assert cards("7H TD X1") == ("7H", "TD", "X1")
        assert cards("") == ()

    @pytest.mark.parametrize("code", ["7h", "10H", "1H", "X7", "X0", "", "H7", "7HX"])
    def test_no_card(self, code):
        with pytest.raises(ValueError, match="is not a card"):
            card(code)

    @pytest.mark.parametrize(
        "code, name",
        [("7H", "seven of hearts"), ("AS", "ace of spades"), ("TD", "ten of diamonds"), ("X2", "joker X2")],
    )
    def test_what_a_person_says(self, code, name):
        assert long_name(card(code)) == name
