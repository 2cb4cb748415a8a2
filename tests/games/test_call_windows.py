"""Call windows where cards in hand count: nothing about them depends on what anyone holds.

Two games differ only in what a viewer may not see. Everything that the viewer can observe of the window is
the same: events, versions, who may act, the deadline, and when the scheduler looks at the game. Levels that
never call make all visible choices alike, so a window can be compared to its end.
"""

from dataclasses import replace
from functools import partial
from random import Random

import pytest

from service.api.responses import encode
from service.api.views.rendering import event_view, game_view
from service.games.record import Player, SeatKind, TimeControl
from service.games.seating import join, set_auto_pass, start
from service.games.timing import CALL_WINDOW_MS
from service.rummy.legal_moves import legal_moves
from service.rummy.moves import CallRummy, Discard, Pass
from service.rummy.state import Phase
from tests.laws.test_hidden_information import another_game
from tests.support.queues import ANA, BEN, House

CAL = Player(id="pCal", name="Cal", kind=SeatKind.HUMAN)
SEEDS = range(12)
#: Who sits to the left of Ana, in order; a level is a computer that never calls.
TABLES = [
    ("novice", "casual", "novice"),
    (BEN, "casual", "novice"),
    ("novice", BEN, "casual"),
    ("novice", BEN, CAL),
    (BEN, CAL, "novice"),
]


class Table:
    """A game in which Ana is about to discard, and what a viewer sees of it."""

    def __init__(self, others, preset, *, auto_pass=()):
        self.house = House()
        levels = tuple(one for one in others if isinstance(one, str))
        people = [one for one in others if isinstance(one, Player)]
        record = self.house.open(
            seats=4, preset=preset, opponents=levels, clock=TimeControl(turn_ms=None), sandbox=True, seed="1"
        )
        for player in people:
            record = self.change(record, partial(join, player=player, seat=None, now=self.house.time))
        if people:
            record = self.change(record, partial(start, player=ANA))
        order = (ANA, *others)
        by_level = [seat for seat in record.seats if seat.level]
        by_id = {seat.player_id: seat for seat in record.seats}
        seats = tuple(by_id[one.id] if isinstance(one, Player) else by_level.pop() for one in order)
        record = self.change(record, lambda before: (replace(before, seats=seats), ()))
        for player in auto_pass:
            record = self.change(record, partial(set_auto_pass, player=player, auto_pass=True))
        self.record = record
        self.begun = record.version

    def change(self, record, transition):
        return self.house.table.change(record.id, transition).record

    def put(self, game):
        """Let the game be this one, without an event."""
        self.record = self.change(self.record, lambda record: (replace(record, game=game), ()))
        self.begun = self.record.version

    def observed(self, viewer):
        """Return what a viewer can observe of the window, to its end."""
        self.record = self.house.read(self.record)
        log = self.house.table.events(self.record.id, after=(self.begun, 99), limit=1000)
        shown = [event_view(entry, viewer, game_id="g") for entry in log]
        ends = next((place for place, event in enumerate(shown) if event["type"] == "turn.started"), None)
        if ends is not None:
            return shown[: ends + 1]
        view = game_view(self.record, viewer, now=self.house.time)
        hidden = ("id", "invite_code", "spectator_code", "created_at")
        due = self.house.store.due(now=self.house.time + 10 * CALL_WINDOW_MS, limit=5)
        visible = encode({name: view[name] for name in view if name not in hidden})
        return shown, visible, [one.at for one in due]


def about_to_discard(others, preset, seed, auto_pass=()):
    """Return two tables that differ only in what Ana may not see, and her discard."""
    one, two = (Table(others, preset, auto_pass=auto_pass) for _ in range(2))
    chance = Random(seed)
    deal = one.record.game.deal
    # As if Ana had drawn.
    drawn = replace(deal, turn=replace(deal.turn, seat=0, phase=Phase.MELD))
    game = another_game(replace(one.record.game, deal=drawn), None, chance)
    one.put(game)
    two.put(another_game(game, 0, chance))
    return one, two, Discard(seat=0, card=chance.choice(game.deal.hands[0]))


def holds_a_call(table):
    game = table.record.game
    return any(
        isinstance(move, CallRummy) for seat in game.deal.turn.asked for move in legal_moves(game, seat).moves
    )


@pytest.mark.parametrize("preset", ["ace-low", "jokers"])
@pytest.mark.parametrize("others", TABLES)
def test_a_window_looks_the_same_whatever_others_hold(others, preset):
    differing = 0
    for seed in SEEDS:
        one, two, discard = about_to_discard(others, preset, seed)
        callable_in = []
        for table in (one, two):
            table.record = table.house.table.play(table.record, discard).record
            assert table.record.may_act() == (1, 2, 3)
            callable_in.append(holds_a_call(table))
        differing += callable_in[0] is not callable_in[1]
        assert one.observed(0) == two.observed(0)
        for step in (pass_of_people, let_time_pass, let_time_pass):
            for table in (one, two):
                step(table, others)
            assert one.observed(0) == two.observed(0)
        assert one.observed(0)[-1]["type"] == "turn.started"
    # The comparison means something: often only one of the two games held a card to call with.
    assert differing > 1


@pytest.mark.parametrize("others", [(BEN, CAL, "novice"), ("novice", BEN, CAL)])
def test_so_does_one_in_which_the_service_passes(others):
    for seed in SEEDS:
        one, two, discard = about_to_discard(others, "ace-low", seed, auto_pass=(BEN, CAL))
        for table in (one, two):
            table.record = table.house.table.play(table.record, discard).record
        assert one.record.may_act() == two.record.may_act()
        assert len(one.record.may_act()) == 1
        assert one.observed(0) == two.observed(0)
        for table in (one, two):
            let_time_pass(table, others)
        assert one.observed(0) == two.observed(0)


def pass_of_people(table, others):
    """Let the first person pass."""
    seat = next((number for number, one in enumerate(others, 1) if isinstance(one, Player)), None)
    if seat is not None:
        table.record = table.house.table.play(table.record, Pass(seat=seat)).record
    table.house.scheduler.tick()
    table.house.work()


def let_time_pass(table, _others):
    """Let half of the window pass, and a moment more."""
    table.house.time += CALL_WINDOW_MS // 2 + 1
    table.house.scheduler.tick()
    table.house.work()
