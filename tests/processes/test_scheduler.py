"""The scheduler: what is due is done once, however many schedulers there are."""

import threading

import pytest

from service.games.opening import NewGame
from service.games.record import Status, TimeControl
from service.games.scheduler import Scheduler
from service.games.seating import join, start
from service.games.timing import IDLE_MS, TURN_LEASE_MS
from service.rummy.moves import DrawStock
from service.store.contract import Commit, StoreUnavailable
from tests.support.queues import ANA, BEN, House


@pytest.fixture
def house():
    return House()


def of_two_people(house, **more):
    """Return a running game of Ana and Ben."""
    record = house.table.open(NewGame(preset="classic", seats=2, **more), ANA).record
    record = house.table.change(record.id, lambda record: join(record, BEN, seat=None, now=house.time)).record
    return house.table.change(record.id, lambda record: start(record, ANA)).record


class TestDeadlines:
    def test_a_turn_that_takes_too_long_is_ended_with_the_least_moves(self, house):
        before = of_two_people(house, clock=TimeControl(turn_ms=5000))

        house.time += 5000
        assert house.scheduler.tick() == 1

        after = house.read(before)
        kinds = [kind for _, kind in house.happened(before, since=before.version)]
        assert kinds == ["clock.expired", "stock.drawn", "card.discarded", "turn.started"]
        assert after.version == before.version + 1

    def test_nothing_happens_before_the_time(self, house):
        before = of_two_people(house, clock=TimeControl(turn_ms=5000))
        house.time += 4999

        assert house.scheduler.tick() == 0
        assert house.read(before) == before

    def test_who_has_drawn_already_only_throws(self, house):
        before = of_two_people(house, clock=TimeControl(turn_ms=5000))
        seat = before.game.deal.turn.seat
        house.table.play(before, DrawStock(seat=seat))

        house.time += 5000
        house.scheduler.tick()

        kinds = [kind for _, kind in house.happened(before, since=before.version + 1)]
        assert kinds == ["clock.expired", "card.discarded", "turn.started"]

    def test_the_next_deal_begins_though_a_player_is_not_ready(self, house):
        record = of_two_people(house, clock=TimeControl(turn_ms=1000, next_deal_ms=2000), rated=True)
        while record.status is Status.PLAYING:
            record = house.end_turn(record)
        assert record.status is Status.DEAL_OVER

        house.time += 2000
        house.scheduler.tick()

        assert house.read(record).status is Status.PLAYING
        assert house.read(record).game.deal.number == 2

    def test_a_deadline_moved_on_by_a_move_is_kept_at_its_new_time(self, house):
        before = of_two_people(house, clock=TimeControl(turn_ms=5000))
        house.time += 3000
        house.end_turn(before)

        house.time += 2000
        house.scheduler.tick()

        assert "clock.expired" not in [kind for _, kind in house.happened(before)]


class TestComputersTurns:
    def test_one_that_still_waits_for_a_worker_is_left_in_the_queue(self, house):
        record = house.open()
        if record.computer_to_move() is None:
            record = house.end_turn(record)
        asked = len(house.turns.asked)

        for _ in range(10):
            house.time += TURN_LEASE_MS
            house.scheduler.tick()

        assert len(house.turns.asked) == asked
        house.work()
        assert house.read(record).computer_to_move() is None

    def test_without_workers_an_error_is_logged_and_the_game_is_aborted_in_the_end(self, house, caplog):
        for _ in range(2):
            record = house.open(seats=3)
            if record.computer_to_move() is None:
                record = house.end_turn(record)
        minutes = 5
        for _ in range(minutes * 20):
            house.time += 3_000
            house.scheduler.tick()

        assert 1 <= len(caplog.records) <= minutes / 2
        assert "start `rummy500 turns`" in caplog.text
        assert "`rummy500 thinker` for levels that search" in caplog.text
        assert house.read(record).status is Status.PLAYING

        house.time += IDLE_MS
        house.scheduler.tick()

        assert house.read(record).status is Status.ABORTED

    def test_one_that_no_worker_can_make_is_ended_in_the_computer_s_stead(self, house):
        record = house.open()
        if record.computer_to_move() is None:
            record = house.end_turn(record)

        for _ in range(6):
            house.turns.waiting.clear()
            house.time += TURN_LEASE_MS
            house.scheduler.tick()

        kinds = [kind for _, kind in house.happened(record, since=record.version)]
        assert kinds == ["stock.drawn", "card.discarded", "turn.started"]


class TestIdleGames:
    def test_after_a_week_without_a_move_a_game_is_given_up(self, house):
        record = of_two_people(house, clock=None)

        house.time += IDLE_MS - 1
        house.scheduler.tick()
        assert house.read(record).status is Status.PLAYING

        house.time += 1
        house.scheduler.tick()
        after = house.read(record)
        assert after.status is Status.ABORTED
        assert house.store.due(now=house.time + IDLE_MS, limit=9) == []

    def test_a_stale_due_time_is_corrected(self, house):
        record = of_two_people(house, clock=None)
        house.store.lease(record.id, expected_at=None, at=house.time)

        house.scheduler.tick()

        assert house.read(record) == record
        assert house.store.due(now=house.time + IDLE_MS - 1, limit=9) == []
        assert len(house.store.due(now=house.time + IDLE_MS, limit=9)) == 1


class TestRounds:
    def test_a_second_round_at_the_same_time_finds_nothing(self, house):
        before = of_two_people(house, clock=TimeControl(turn_ms=5000))
        house.time += 5000

        assert house.scheduler.tick() == 1
        assert house.scheduler.tick() == 0
        assert house.read(before).version == before.version + 1

    def test_two_schedulers_at_once_do_everything_once(self, house):
        other = Scheduler(store=house.store, table=house.table, turns=house.turns, now=house.now)
        games = [of_two_people(house, clock=TimeControl(turn_ms=5000)) for _ in range(20)]
        computers = [house.open() for _ in range(20)]
        computers = [
            record if record.computer_to_move() is not None else house.end_turn(record)
            for record in computers
        ]
        house.turns.waiting.clear()
        house.turns.asked.clear()
        house.time += 5000
        begin = threading.Barrier(2)

        def tick(clock):
            begin.wait()
            clock.tick()

        clocks = [threading.Thread(target=tick, args=(clock,)) for clock in (house.scheduler, other)]
        for clock in clocks:
            clock.start()
        for clock in clocks:
            clock.join()

        assert [house.read(game).version - game.version for game in games] == [1] * 20
        assert sorted(house.turns.asked) == sorted((game.id, game.version, 1) for game in computers)

    def test_a_game_that_cannot_be_read_stops_no_other(self, house, caplog):
        before = of_two_people(house, clock=TimeControl(turn_ms=5000))
        spoilt = of_two_people(house, clock=TimeControl(turn_ms=1))
        house.store.commit(
            Commit(
                game_id=spoilt.id,
                expected_version=spoilt.version,
                state=b"{}",
                due_at=house.time,
                expires_at=house.time + IDLE_MS,
            )
        )
        house.time += 5000

        assert house.scheduler.tick() == 2

        assert house.read(before).version == before.version + 1
        assert spoilt.id in caplog.text
        assert house.scheduler.tick() == 0

    def test_a_game_that_is_gone_is_forgotten(self, house):
        record = of_two_people(house, clock=TimeControl(turn_ms=5000))
        house.time = record.updated_at + 400 * 24 * 60 * 60 * 1000

        house.scheduler.tick()

        assert house.store.due(now=house.time, limit=9) == []

    def test_a_store_that_is_away_ends_the_round(self, house):
        class Away(type(house.store)):
            def due(self, *, now, limit):
                raise StoreUnavailable("The store does not answer.")

        clock = Scheduler(store=Away(house.now), table=house.table, turns=house.turns, now=house.now)

        with pytest.raises(StoreUnavailable):
            clock.tick()
