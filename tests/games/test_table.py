"""The table: one way to change a game, for players, computers and the scheduler."""

import random
from dataclasses import replace

import pytest

from service.games.opening import NewGame
from service.games.record import Player, SeatKind, Status, TimeControl, Visibility
from service.games.refusals import Refusal, VersionConflict
from service.games.seating import abort, abort_idle, join, leave, resign, seat_computer, start
from service.games.table import MAX_CONFLICTS, Table
from service.games.table_moves import ReadyForNextDeal, lawful_moves
from service.games.timing import CALL_WINDOW_MS, IDLE_MS, TURN_LEASE_MS
from service.rummy.errors import IllegalMove
from service.rummy.events import EVENT_TYPES
from service.rummy.evolve import replay
from service.rummy.moves import DrawStock
from service.store.contract import StoreUnavailable
from service.store.lists import GameList
from tests.support.memory_store.store import MemoryStore

ANA = Player(id="pAna", name="Ana", kind=SeatKind.HUMAN)
BEN = Player(id="pBen", name="Ben", kind=SeatKind.HUMAN)
CAL = Player(id="pCal", name="Cal", kind=SeatKind.BOT)


class Turns:
    """Remembers which computers' turns were asked for."""

    def __init__(self):
        self.asked = []

    def enqueue(self, game_id, version, attempt):
        self.asked.append((game_id, version, attempt))


class House:
    """A table with a time that tests set."""

    def __init__(self):
        self.time = 1_000_000
        self.turns = Turns()
        self.store = MemoryStore(now=lambda: self.time)
        self.table = Table(store=self.store, turns=self.turns, now=lambda: self.time)

    def sandbox(self, **kwargs):
        new = NewGame(
            preset=kwargs.pop("preset", "classic"), sandbox=True, seed="1", seats_held=True, **kwargs
        )
        return self.table.open(new, ANA).record

    def joining(self, player):
        return lambda game: join(game, player, seat=None, now=self.time)

    def to_move(self, record):
        return record.may_act()[0]

    def play_randomly(self, record, rng, *, until):
        while not until(record):
            seat = record.may_act()[0]
            if record.status is Status.DEAL_OVER:
                record = self.table.play(record, ReadyForNextDeal(player_id=ANA.id)).record
            else:
                move = rng.choice(lawful_moves(record, seat).moves)
                record = self.table.play(record, move).record
        return record


@pytest.fixture
def house():
    return House()


class TestOpening:
    def test_a_game_against_the_computer_begins_at_once(self, house):
        record = house.table.open(NewGame(preset="cardcouch", seats=2, opponents=("steady",)), ANA).record

        assert record.status is Status.PLAYING
        assert record.version == 1
        assert [seat.kind for seat in record.seats] == [SeatKind.HUMAN, SeatKind.COMPUTER]

    def test_with_a_free_seat_it_waits(self, house):
        record = house.table.open(NewGame(preset="classic", seats=3, opponents=("steady",)), ANA).record

        assert record.status is Status.WAITING
        assert record.game is None

    def test_a_seed_outside_a_sandbox_is_refused(self, house):
        with pytest.raises(Refusal) as refusal:
            house.table.open(NewGame(preset="classic", seats=2, opponents=("steady",), seed="x"), ANA)

        assert refusal.value.code == "sandbox_only"

    def test_the_same_seed_gives_the_same_cards(self, house):
        assert house.sandbox(seats=2).game == house.sandbox(seats=2).game

    def test_one_player_has_no_time_limit_and_two_have_one(self, house):
        alone = house.table.open(NewGame(preset="classic", seats=2, opponents=("steady",)), ANA).record
        two = house.table.open(NewGame(preset="classic", seats=2), ANA).record

        assert alone.clock is None
        assert two.clock == TimeControl(turn_ms=120_000, next_deal_ms=30_000)

    def test_more_opponents_than_seats_are_refused(self, house):
        with pytest.raises(Refusal):
            house.table.open(NewGame(preset="classic", seats=2, opponents=("steady", "steady")), ANA)


class TestSeats:
    def test_the_creator_starts_once_every_seat_is_taken(self, house):
        record = house.table.open(NewGame(preset="classic", seats=3), ANA).record
        house.table.change(record.id, lambda game: join(game, BEN, seat=None, now=house.time))
        with pytest.raises(Refusal, match="free"):
            house.table.change(record.id, lambda game: start(game, ANA))
        house.table.change(record.id, lambda game: seat_computer(game, ANA, seat=2, level="steady"))

        begun = house.table.change(record.id, lambda game: start(game, ANA)).record

        assert begun.status is Status.PLAYING
        assert begun.version == 4

    def test_a_seat_is_taken_once(self, house):
        record = house.table.open(NewGame(preset="classic", seats=2), ANA).record
        house.table.change(record.id, lambda game: join(game, BEN, seat=1, now=house.time))

        with pytest.raises(Refusal) as refusal:
            house.table.change(record.id, lambda game: join(game, CAL, seat=None, now=house.time))

        assert refusal.value.code == "game_full"

    def test_no_player_sits_twice(self, house):
        record = house.table.open(NewGame(preset="classic", seats=3), ANA).record

        with pytest.raises(Refusal) as refusal:
            house.table.change(record.id, lambda game: join(game, ANA, seat=2, now=house.time))

        assert refusal.value.code == "seat_taken"

    def test_who_leaves_frees_the_seat_and_the_next_becomes_the_creator(self, house):
        record = house.table.open(NewGame(preset="classic", seats=3), ANA).record
        house.table.change(record.id, lambda game: join(game, BEN, seat=None, now=house.time))

        after = house.table.change(record.id, lambda game: leave(game, ANA)).record

        assert after.creator == BEN.id
        assert after.active_seats() == (1,)

    def test_the_last_to_leave_gives_the_table_up(self, house):
        record = house.table.open(NewGame(preset="classic", seats=3), ANA).record

        after = house.table.change(record.id, lambda game: leave(game, ANA)).record

        assert after.status is Status.ABORTED

    def test_lists_hold_the_game_for_its_players_and_strangers(self, house):
        record = house.table.open(
            NewGame(preset="classic", seats=2, visibility=Visibility.PUBLIC), ANA
        ).record

        for listing in (
            *(GameList.of_player(ANA.id), GameList.unfinished(ANA.id)),
            *(GameList.open(), GameList.public(), GameList.unfinished()),
        ):
            assert [entry.game_id for entry in house.store.games_in(listing, limit=5)] == [record.id]
        assert house.store.games_in(GameList.open(sandbox=True), limit=5) == []

    def test_a_game_that_is_over_leaves_the_lists_of_those_that_are_not(self, house):
        record = house.table.open(
            NewGame(preset="classic", seats=2, visibility=Visibility.PUBLIC), ANA
        ).record

        house.table.change(record.id, lambda game: abort(game, ANA))

        for listing in (
            *(GameList.unfinished(ANA.id), GameList.unfinished(), GameList.open()),
            # She has not left it: it is over.
            GameList.left_by(ANA.id),
        ):
            assert house.store.games_in(listing, limit=5) == []
        for listing in (GameList.of_player(ANA.id), GameList.public()):
            assert [entry.game_id for entry in house.store.games_in(listing, limit=5)] == [record.id]


class TestMoves:
    def test_every_change_raises_the_version_by_one(self, house):
        record = house.sandbox(seats=2)

        after = house.table.play(record, DrawStock(seat=house.to_move(record))).record

        assert after.version == record.version + 1

    def test_a_refused_move_changes_nothing(self, house):
        record = house.sandbox(seats=2)

        with pytest.raises(IllegalMove):
            house.table.play(record, DrawStock(seat=1 - house.to_move(record)))

        assert house.table.get(record.id) == record

    def test_of_two_writers_one_gets_a_conflict(self, house):
        record = house.sandbox(seats=2)
        move = DrawStock(seat=house.to_move(record))
        house.table.play(record, move)

        with pytest.raises(VersionConflict):
            house.table.play(record, move)

    def test_of_two_who_sit_down_at_once_both_get_a_seat(self, house):
        record = house.table.open(NewGame(preset="classic", seats=3), ANA).record
        cal_comes = [lambda: house.table.change(record.id, house.joining(CAL))]

        def ben_joins(game):
            if cal_comes:
                cal_comes.pop()()
            return join(game, BEN, seat=None, now=house.time)

        house.table.change(record.id, ben_joins)

        assert [seat.name for seat in house.table.get(record.id).seats] == ["Ana", "Cal", "Ben"]

    def test_of_two_who_want_the_last_seat_the_second_is_refused(self, house):
        record = house.table.open(NewGame(preset="classic", seats=2), ANA).record

        def ben_joins(game):
            after = join(game, BEN, seat=None, now=house.time)
            house.table.change(record.id, house.joining(CAL))
            return after

        with pytest.raises(Refusal) as refusal:
            house.table.change(record.id, ben_joins)

        assert refusal.value.code == "game_full"

    def test_a_change_for_a_version_is_never_made_in_another(self, house):
        record = house.table.open(NewGame(preset="classic", seats=3), ANA).record

        def ben_joins(game):
            house.table.change(record.id, house.joining(CAL))
            return join(game, BEN, seat=None, now=house.time)

        with pytest.raises(VersionConflict):
            house.table.change(record.id, ben_joins, if_match=1)

    def test_a_change_that_always_conflicts_is_refused_in_the_end(self, house):
        record = house.table.open(NewGame(preset="classic", seats=3), ANA).record
        attempts = []

        def ben_joins(game):
            attempts.append(game.version)
            house.table.change(record.id, house.joining(CAL))
            house.table.change(record.id, lambda game: leave(game, CAL))
            return join(game, BEN, seat=None, now=house.time)

        with pytest.raises(VersionConflict):
            house.table.change(record.id, ben_joins)

        assert len(attempts) == MAX_CONFLICTS

    def test_a_change_of_a_state_is_made_in_no_other_though_its_phase_goes_on(self, house):
        record = house.table.open(NewGame(preset="classic", seats=2, clock=None), ANA).record
        house.table.change(record.id, lambda game: join(game, BEN, seat=None, now=house.time))
        record = house.table.change(record.id, lambda game: start(game, ANA)).record
        record = house.play_randomly(
            record, random.Random(3), until=lambda game: game.status is Status.DEAL_OVER
        )
        house.table.play(record, ReadyForNextDeal(player_id=BEN.id))

        with pytest.raises(VersionConflict):
            house.table.commit(house.table.prepare(record, abort_idle))

        assert house.table.get(record.id).status is Status.DEAL_OVER

    def test_a_table_that_is_open_is_said_to_be_though_it_could_not_be_listed(self, house):
        def no_lists(*_, **__):
            raise StoreUnavailable("Redis cannot be reached.")

        house.store.list_game = no_lists

        record = house.table.open(NewGame(preset="classic", seats=2), ANA).record

        assert house.table.get(record.id) == record

    def test_moves_before_the_start_are_refused(self, house):
        record = house.table.open(NewGame(preset="classic", seats=2), ANA).record

        with pytest.raises(IllegalMove) as refusal:
            house.table.play(record, DrawStock(seat=0))

        assert refusal.value.code == "wrong_phase"

    @pytest.mark.parametrize("preset", ["cardcouch", "jokers", "ace-low"])
    def test_the_log_replays_to_the_state(self, house, preset):
        rng = random.Random(5)
        record = house.sandbox(preset=preset, seats=2 if preset == "cardcouch" else 3)
        record = house.play_randomly(record, rng, until=lambda game: len(game.game.deals) == 2)

        log = house.table.events(record.id, after=None, limit=10_000)
        rules = [entry.event for entry in log if entry.event.type in EVENT_TYPES]

        assert replay(record.key, rules) == record.game
        assert [entry.version for entry in log] == sorted(entry.version for entry in log)


class TestTheComputersTurn:
    def test_it_is_enqueued_when_it_begins(self, house):
        new = NewGame(preset="cardcouch", seats=2, opponents=("steady",))
        record = house.table.open(new, ANA).record
        rng = random.Random(1)
        while record.computer_to_move() is None:
            record = house.table.play(record, rng.choice(lawful_moves(record, 0).moves)).record

        assert house.turns.asked == [(record.id, record.version, 0)]
        assert [due.at for due in house.store.due(now=house.time + TURN_LEASE_MS, limit=5)] == [
            house.time + TURN_LEASE_MS
        ]

    def test_with_a_pace_it_waits_for_the_scheduler(self, house):
        new = NewGame(
            preset="classic",
            overrides={"first_dealer": 0},
            seats=2,
            opponents=("steady",),
            computer_pace_ms=700,
        )
        house.table.open(new, ANA)

        assert house.turns.asked == []
        assert house.store.due(now=house.time + 699, limit=5) == []
        assert len(house.store.due(now=house.time + 700, limit=5)) == 1


class TestDeadlines:
    def test_the_forced_turn_is_played_when_time_runs_out(self, house):
        record = house.sandbox(seats=2, clock=TimeControl(turn_ms=5_000))
        assert house.table.expire(record) is None
        house.time += 5_000

        outcome = house.table.expire(record)

        assert [entry.event.type for entry in outcome.events[:3]] == [
            "clock.expired",
            "stock.drawn",
            "card.discarded",
        ]
        assert outcome.record.deadline_at == house.time + 5_000

    def test_a_move_and_the_scheduler_cannot_both_win(self, house):
        record = house.sandbox(seats=2, clock=TimeControl(turn_ms=5_000))
        house.time += 5_000
        house.table.play(record, DrawStock(seat=house.to_move(record)))

        with pytest.raises(VersionConflict):
            house.table.expire(record)

    def test_the_time_of_a_turn_runs_on_through_its_moves(self, house):
        record = house.sandbox(seats=2, clock=TimeControl(turn_ms=5_000))
        house.time += 1_000

        after = house.table.play(record, DrawStock(seat=house.to_move(record))).record

        assert after.deadline_at == record.deadline_at

    def test_after_the_third_time_in_a_row_a_computer_stands_in_until_the_player_is_back(self, house):
        record = house.table.open(
            NewGame(preset="classic", seats=2, clock=TimeControl(turn_ms=5_000)), ANA
        ).record
        house.table.change(record.id, lambda game: join(game, BEN, seat=None, now=house.time))
        record = house.table.change(record.id, lambda game: start(game, ANA)).record
        while record.seats[0].level is None:
            house.time += 5_000
            outcome = house.table.expire(record)
            record = outcome.record
        assert record.seats[0].expiries == 3
        assert "seat.replaced" in [entry.event.type for entry in outcome.events]
        assert record.seats[0].player_id == ANA.id

        back = house.table.change(record.id, lambda game: join(game, ANA, seat=None, now=house.time)).record

        assert (back.seats[0].level, back.seats[0].expiries) == (None, 0)

    def test_the_stand_in_goes_when_its_player_moves_and_the_log_says_so(self, house):
        record = house.sandbox(seats=2, clock=TimeControl(turn_ms=5_000))
        seats = (replace(record.seats[0], level="steady", expiries=3), *record.seats[1:])
        record = house.table.change(record.id, lambda game: (replace(game, seats=seats), ())).record
        while house.to_move(record) != 0:
            house.time += 5_000
            record = house.table.expire(record).record

        outcome = house.table.play(record, DrawStock(seat=0))

        assert [entry.event.type for entry in outcome.events] == ["seat.joined", "stock.drawn"]
        assert (outcome.record.seats[0].level, outcome.record.seats[0].expiries) == (None, 0)

    def test_the_stand_in_goes_when_its_player_is_ready_for_the_next_deal(self, house):
        record = house.table.open(NewGame(preset="classic", seats=2, clock=None), ANA).record
        house.table.change(record.id, lambda game: join(game, BEN, seat=None, now=house.time))
        record = house.table.change(record.id, lambda game: start(game, ANA)).record
        record = house.play_randomly(
            record, random.Random(3), until=lambda game: game.status is Status.DEAL_OVER
        )
        seats = (record.seats[0], replace(record.seats[1], level="steady", expiries=3))
        record = house.table.change(record.id, lambda game: (replace(game, seats=seats), ())).record

        outcome = house.table.play(record, ReadyForNextDeal(player_id=BEN.id))

        assert [entry.event.type for entry in outcome.events] == ["seat.joined", "seat.ready"]
        assert outcome.record.active_seats() == (0, 1)

    def test_a_move_shows_that_the_player_is_present(self, house):
        record = house.sandbox(seats=2, clock=TimeControl(turn_ms=5_000))
        house.time += 5_000
        house.table.expire(record)
        house.time += 5_000
        record = house.table.expire(house.table.get(record.id)).record
        seat = house.to_move(record)
        assert record.seats[seat].expiries == 1

        after = house.table.play(record, DrawStock(seat=seat)).record

        assert after.seats[seat].expiries == 0

    def test_a_call_window_ends_at_its_deadline(self, house):
        record = house.sandbox(preset="ace-low", seats=3)
        rng = random.Random(3)
        record = house.play_randomly(record, rng, until=lambda game: game.in_call_window)
        assert record.deadline_at == house.time + CALL_WINDOW_MS
        with pytest.raises(IllegalMove) as refusal:
            house.table.play(record, DrawStock(seat=record.game.deal.turn.seat))
        assert refusal.value.details == {"retry_after_ms": CALL_WINDOW_MS}
        house.time += CALL_WINDOW_MS

        after = house.table.expire(record).record

        assert not after.in_call_window

    def test_an_idle_game_is_due_after_a_week(self, house):
        house.sandbox(seats=2)

        assert house.store.due(now=house.time + IDLE_MS - 1, limit=5) == []
        assert len(house.store.due(now=house.time + IDLE_MS, limit=5)) == 1


class TestTheNextDeal:
    def test_it_begins_when_all_players_are_ready(self, house):
        record = house.table.open(NewGame(preset="classic", seats=2), ANA).record
        house.table.change(record.id, lambda game: join(game, BEN, seat=None, now=house.time))
        record = house.table.change(record.id, lambda game: start(game, ANA)).record
        rng = random.Random(1)
        while record.status is Status.PLAYING:
            seat = record.may_act()[0]
            record = house.table.play(record, rng.choice(lawful_moves(record, seat).moves)).record
        assert record.status is Status.DEAL_OVER
        assert record.may_act() == (0, 1)

        one = house.table.play(record, ReadyForNextDeal(player_id=ANA.id)).record
        both = house.table.play(one, ReadyForNextDeal(player_id=BEN.id)).record

        assert (one.status, one.may_act()) == (Status.DEAL_OVER, (1,))
        assert (both.status, both.game.deal.number) == (Status.PLAYING, 2)


class TestResigning:
    def test_a_computer_plays_on_for_a_player_who_resigns(self, house):
        record = house.table.open(NewGame(preset="classic", seats=2), ANA).record
        house.table.change(record.id, lambda game: join(game, BEN, seat=None, now=house.time))
        house.table.change(record.id, lambda game: start(game, ANA))

        after = house.table.change(record.id, lambda game: resign(game, BEN)).record

        assert after.status is Status.PLAYING
        assert after.seats[1].kind is SeatKind.COMPUTER

    def test_the_last_person_to_resign_ends_the_game(self, house):
        record = house.table.open(NewGame(preset="cardcouch", seats=2, opponents=("steady",)), ANA).record

        after = house.table.change(record.id, lambda game: resign(game, ANA)).record

        assert (after.status, after.game.winners, after.reason) == (Status.FINISHED, (1,), "resignation")

    def test_the_last_person_may_give_the_game_up(self, house):
        record = house.table.open(NewGame(preset="cardcouch", seats=2, opponents=("steady",)), ANA).record

        after = house.table.change(record.id, lambda game: abort(game, ANA)).record

        assert after.status is Status.ABORTED
        with pytest.raises(IllegalMove) as refusal:
            house.table.play(after, DrawStock(seat=0))
        assert refusal.value.code == "game_over"

    def test_a_stranger_may_not(self, house):
        record = house.table.open(NewGame(preset="cardcouch", seats=2, opponents=("steady",)), ANA).record

        with pytest.raises(Refusal) as refusal:
            house.table.change(record.id, lambda game: resign(game, replace(BEN)))

        assert refusal.value.code == "not_seated"
