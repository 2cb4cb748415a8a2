"""Passing every call automatically: at once, in the order of the seats, and for the player's eyes only."""

from dataclasses import replace
from functools import partial

import msgspec
import pytest

from service.games.codec import decode_record, encode_record
from service.games.notifications import build_notifications
from service.games.record import GameRecord, Player, SeatKind
from service.games.refusals import Refusal, VersionConflict
from service.games.seating import join, leave, resign, set_auto_pass, start
from service.games.table_moves import ReadyForNextDeal, check_version
from service.rummy.forced_turn import forced_turn
from service.rummy.moves import Discard, DrawStock, Pass
from tests.support.queues import ANA, BEN, House
from workers.jobs.game_decisions import decisions_of

CAL = Player(id="pCal", name="Cal", kind=SeatKind.HUMAN)
PLAYERS = (ANA, BEN, CAL)


class AtTheTable(House):
    """Ana, Ben and Cal at a table where every discard asks the other two."""

    def __init__(self) -> None:
        super().__init__()
        self.record: GameRecord = self.open(seats=3, preset="ace-low", opponents=())
        for player in (BEN, CAL):
            self.change(partial(join, player=player, seat=None, now=self.time))

    def change(self, transition):
        change = self.table.change(self.record.id, transition)
        self.record = change.record
        return [logged.event for logged in change.events]

    def start(self):
        self.change(partial(start, player=ANA))
        return self

    def auto_pass(self, *players, on=True):
        for player in players:
            self.change(partial(set_auto_pass, player=player, auto_pass=on))

    def play(self, move):
        change = self.table.play(self.record, move)
        self.record = change.record
        return [(logged.event.type, getattr(logged.event, "seat", None)) for logged in change.events]

    def discard(self):
        """Draw and discard for the seat whose turn it is; return what happened with the discard."""
        seat = self.record.game.deal.turn.seat
        self.play(DrawStock(seat=seat))
        card = self.record.game.deal.hands[seat][0]
        return self.play(Discard(seat=seat, card=card))

    @property
    def first(self):
        return self.record.game.deal.turn.seat

    def left_of(self, seat, away=1):
        return (seat + away) % 3


@pytest.fixture
def at_table():
    return AtTheTable().start()


class TestAutoPass:
    def test_is_off_until_the_player_sets_it(self, at_table):
        assert [seat.auto_pass for seat in at_table.record.seats] == [False, False, False]

    def test_passes_in_the_version_in_which_the_window_opens(self, at_table):
        first = at_table.first
        last = at_table.left_of(first, 2)
        at_table.auto_pass(PLAYERS[last])

        happened = at_table.discard()

        assert happened == [("card.discarded", first), ("call_window.opened", None), ("turn.passed", last)]
        assert at_table.record.may_act() == (at_table.left_of(first),)
        assert at_table.record.phase_version == at_table.record.version

    def test_of_all_asked_closes_the_window_in_the_same_version(self, at_table):
        first = at_table.first
        following, last = at_table.left_of(first), at_table.left_of(first, 2)
        # Set in another order than that of the seats.
        at_table.auto_pass(PLAYERS[last], PLAYERS[following])

        happened = at_table.discard()

        assert happened[1:] == [
            ("call_window.opened", None),
            ("turn.passed", following),
            ("turn.passed", last),
            ("turn.started", following),
        ]
        assert at_table.record.may_act() == (following,)
        assert not at_table.record.in_call_window

    def test_answers_after_another_player_does(self, at_table):
        first = at_table.first
        following, last = at_table.left_of(first), at_table.left_of(first, 2)
        at_table.auto_pass(PLAYERS[following])
        at_table.discard()

        assert at_table.play(Pass(seat=last)) == [("turn.passed", last), ("turn.started", following)]

    def test_applies_to_the_window_that_is_open(self, at_table):
        last = at_table.left_of(at_table.first, 2)
        at_table.discard()

        events = at_table.change(partial(set_auto_pass, player=PLAYERS[last], auto_pass=True))

        assert [event.type for event in events] == ["turn.passed"]
        assert last not in at_table.record.may_act()

    def test_ends_when_the_player_sets_it_to_false(self, at_table):
        last = at_table.left_of(at_table.first, 2)
        at_table.auto_pass(PLAYERS[last])
        at_table.auto_pass(PLAYERS[last], on=False)

        at_table.discard()

        assert last in at_table.record.may_act()

    def test_is_kept_from_deal_to_deal(self, at_table):
        at_table.auto_pass(*PLAYERS)
        while at_table.record.game.deal.number == 1:
            for seat in at_table.record.may_act():
                if at_table.record.game.deal.number == 1:
                    self.go_on(at_table, seat)

        at_table.discard()

        assert not at_table.record.in_call_window

    @staticmethod
    def go_on(at_table, seat):
        if at_table.record.status == "deal_over":
            at_table.play(ReadyForNextDeal(player_id=PLAYERS[seat].id))
            return
        for move in forced_turn(at_table.record.game, seat):
            at_table.play(move)

    def test_may_be_set_before_the_game_begins(self):
        table = AtTheTable()
        table.auto_pass(*PLAYERS)
        table.start()

        table.discard()

        assert not table.record.in_call_window

    def test_ends_with_the_seat(self):
        table = AtTheTable()
        table.auto_pass(BEN)
        table.change(partial(leave, player=BEN))
        table.change(partial(join, player=BEN, seat=None, now=table.time))

        assert not table.record.seats[1].auto_pass

    def test_of_a_player_who_resigned_binds_no_computer(self, at_table):
        at_table.auto_pass(BEN)
        at_table.change(partial(resign, player=BEN))

        assert not at_table.record.seats[1].auto_pass

    def test_binds_no_stand_in(self, at_table):
        last = at_table.left_of(at_table.first, 2)
        at_table.auto_pass(PLAYERS[last])
        at_table.change(
            lambda record: (
                replace(
                    record,
                    seats=tuple(
                        replace(seat, level="steady") if number == last else seat
                        for number, seat in enumerate(record.seats)
                    ),
                ),
                (),
            )
        )

        at_table.discard()

        assert last in at_table.record.may_act()

    def test_needs_a_seat_and_a_game_that_is_not_over(self, at_table):
        stranger = Player(id="pEve", name="Eve", kind=SeatKind.HUMAN)
        with pytest.raises(Refusal, match="seat"):
            at_table.auto_pass(stranger)
        for player in (BEN, CAL, ANA):
            at_table.change(partial(resign, player=player))
        with pytest.raises(Refusal) as refusal:
            at_table.auto_pass(ANA)
        assert refusal.value.code == "game_over"


class TestWhatItMeansForOthers:
    def test_it_has_no_event(self, at_table):
        assert at_table.change(partial(set_auto_pass, player=BEN, auto_pass=True)) == []

    def test_it_overtakes_no_move_that_another_player_is_about_to_make(self, at_table):
        seen = at_table.record.version
        at_table.auto_pass(CAL)
        at_table.auto_pass(BEN)

        check_version(at_table.record, seen)
        with pytest.raises(VersionConflict):
            check_version(at_table.record, seen - 1)
        at_table.discard()
        with pytest.raises(VersionConflict):
            check_version(at_table.record, at_table.record.version - 1)

    def test_it_leaves_deadlines_as_they_are(self, at_table):
        before = at_table.record
        at_table.time += 500
        at_table.auto_pass(BEN)

        assert at_table.record.deadline_at == before.deadline_at
        assert at_table.record.phase_version == before.phase_version

    def test_a_player_who_lets_the_service_pass_is_not_notified_of_a_call(self, at_table):
        last = at_table.left_of(at_table.first, 2)
        at_table.auto_pass(PLAYERS[last])
        seat = at_table.first
        at_table.play(DrawStock(seat=seat))
        move = Discard(seat=seat, card=at_table.record.game.deal.hands[seat][0])
        change = at_table.table.play(at_table.record, move)

        told = build_notifications(change.record, change.events)

        assert [(word.type, word.seat) for word in told] == [("call_window.opened", at_table.left_of(seat))]

    def test_a_review_takes_it_for_no_decision(self, at_table):
        last = at_table.left_of(at_table.first, 2)
        at_table.auto_pass(PLAYERS[last])
        at_table.discard()
        following = at_table.record.may_act()[0]
        at_table.play(Pass(seat=following))

        log = list(at_table.table.whole_log(at_table.record))
        found = decisions_of(at_table.record.key, log, (0, 1, 2))

        assert [decision.move for decision in found if isinstance(decision.move, Pass)] == [
            Pass(seat=following)
        ]


class TestStored:
    def test_a_record_of_an_older_release_has_it_off(self, at_table):
        stored = msgspec.json.decode(encode_record(at_table.record))
        for seat in stored["seats"]:
            del seat["auto_pass"]
        del stored["same_since"]

        assert decode_record(msgspec.json.encode(stored)) == at_table.record

    def test_it_is_stored_with_the_seat(self, at_table):
        at_table.auto_pass(BEN)

        assert decode_record(encode_record(at_table.record)).seats[1].auto_pass
