"""Computers' turns as jobs: played through the table, once, whatever becomes of messages and workers."""

import socket
import threading
import time
from collections import Counter
from dataclasses import replace

import pytest
import redis

from service.games.record import Status, TimeControl
from service.games.seating import player_seat
from service.games.timing import CALL_WINDOW_MS, TURN_LEASE_MS
from service.jobs.fair_queue import TurnOwner
from service.jobs.queues import RqTurnQueue
from service.rummy.cards import cards
from service.rummy.moves import CallRummy, Discard, LayOff, Pass
from service.rummy.positions import GivenMeld, GivenTurn, Position
from service.rummy.state import LaidCard, Phase
from tests.support.queues import BEN, House
from tests.support.servers import valkey_server
from workers.jobs.turns import choose_move


@pytest.fixture
def house():
    return House()


def at_computers_turn(house, **more):
    """Return a game in which the computer is to draw."""
    record = house.open(**more)
    return record if record.computer_to_move() is not None else house.end_turn(record)


class TestAComputersTurn:
    def test_is_played_whole_in_one_job(self, house):
        before = at_computers_turn(house)

        assert house.work() == 1

        after = house.read(before)
        assert after.computer_to_move() is None
        assert after.version > before.version + 1

    def test_is_played_move_by_move_each_a_version_of_its_own(self, house):
        before = at_computers_turn(house)

        house.work()

        versions = [version for version, _ in house.happened(before, since=before.version)]
        assert sorted(set(versions)) == list(range(before.version + 1, house.read(before).version + 1))

    def test_goes_on_to_the_next_computer_without_a_new_job(self, house):
        before = at_computers_turn(house, seats=4, preset="classic")
        computers = 4 - before.game.deal.turn.seat

        assert house.work() == 1

        drawn = [kind for _, kind in house.happened(before, since=before.version)]
        assert house.read(before).game.deal.turn.seat == 0
        assert Counter(drawn)["card.discarded"] == computers

    def test_of_a_player_who_stays_away_makes_room_for_other_games_now_and_then(self, house):
        record = house.open(seats=2, clock=TimeControl(turn_ms=1000))
        while record.active_seats():
            house.work()
            house.time += 1001
            house.scheduler.tick()
            record = house.read(record)

        jobs = house.work()

        assert house.read(record).status is Status.FINISHED
        assert jobs > 3

    def test_is_the_same_turn_in_every_worker(self, house):
        record = at_computers_turn(house)

        assert len({choose_move(record, record.computer_to_move(), most_ms=500) for _ in range(3)}) == 1


class TestTheSameTurnTwice:
    def test_asked_for_twice_it_is_played_once(self, house):
        before = at_computers_turn(house)
        house.turns.enqueue(before.id, before.version, 0)
        house.turns.enqueue(before.id, before.version, 1)

        house.work()

        assert Counter(house.happened(before, since=before.version)).most_common(1)[0][1] == 1
        assert [kind for _, kind in house.happened(before, since=before.version)].count("card.discarded") == 1

    def test_two_workers_at_once_play_it_once(self, house):
        for _ in range(10):
            before = at_computers_turn(house)
            house.turns.waiting.clear()
            begin = threading.Barrier(2)

            def work(before=before, begin=begin):
                begin.wait()
                house.computers.play(before.id, before.version)

            workers = [threading.Thread(target=work) for _ in range(2)]
            for worker in workers:
                worker.start()
            for worker in workers:
                worker.join()

            # The loser of a move stopped; the winner may have been another one at each move.
            house.time += TURN_LEASE_MS
            house.scheduler.tick()
            house.work()
            kinds = [kind for _, kind in house.happened(before, since=before.version)]
            assert kinds.count("card.discarded") == 1
            assert house.read(before).computer_to_move() is None

    def test_a_job_that_comes_too_late_changes_nothing(self, house):
        before = at_computers_turn(house)
        house.work()
        after = house.read(before)

        house.computers.play(before.id, before.version)

        assert house.read(before) == after

    def test_a_job_for_a_game_that_is_gone_does_nothing(self, house):
        house.computers.play("g00" + "A" * 26, 3)

    def test_a_job_in_a_persons_turn_does_nothing(self, house):
        before = at_computers_turn(house)
        house.work()
        now = house.read(before)

        house.computers.play(now.id, now.version)

        assert house.read(before) == now


class TestAWorkerThatIsKilled:
    def test_before_its_first_move_the_turn_is_found_and_played(self, house):
        before = at_computers_turn(house)
        house.turns.lose()

        house.time += TURN_LEASE_MS
        house.scheduler.tick()
        house.work()

        assert house.turns.asked[-1] == (before.id, before.version, 1)
        assert house.read(before).computer_to_move() is None

    def test_in_mid_turn_the_rest_is_found_and_played(self, house):
        before = at_computers_turn(house)
        house.turns.lose()
        drawn = house.table.play(
            before, choose_move(before, before.computer_to_move(), most_ms=500), by_computer=True
        ).record
        house.time += TURN_LEASE_MS - 1
        assert house.scheduler.tick() == 0

        house.time += 1
        house.scheduler.tick()
        house.work()

        kinds = [kind for _, kind in house.happened(before, since=before.version)]
        assert house.turns.asked[-1] == (before.id, drawn.version, 1)
        assert kinds.count("card.discarded") == 1
        assert kinds.count("stock.drawn") + kinds.count("discard.taken") == 1

    def test_again_and_again_each_attempt_has_a_number_of_its_own(self, house):
        before = at_computers_turn(house)

        for attempt in (1, 2, 3):
            house.turns.lose()
            house.time += TURN_LEASE_MS
            house.scheduler.tick()
            assert house.turns.waiting == [(before.id, before.version, attempt)]


class TestPace:
    def test_a_computer_waits_for_its_pace_and_so_does_the_next(self, house):
        before = at_computers_turn(house, seats=3, computer_pace_ms=1500)
        first = before.computer_to_move()
        assert not house.turns.waiting

        house.time += 1499
        house.scheduler.tick()
        assert house.work() == 0

        house.time += 1
        house.scheduler.tick()
        assert house.work() == 1
        drawn = house.read(before)
        assert (drawn.version, drawn.game.deal.turn.seat) == (before.version + 1, first)
        assert not house.turns.waiting

        self.finish_turn(house, drawn, first, pace=1500)
        assert house.read(before).game.deal.turn.seat == (first + 1) % 3
        assert not house.turns.waiting

    def finish_turn(self, house, record, seat, *, pace):
        """Let the pauses pass until another seat has the turn; each brings one move."""
        while (now := house.read(record)).game.deal.turn.seat == seat:
            house.time += pace - 1
            house.scheduler.tick()
            assert house.work() == 0
            house.time += 1
            house.scheduler.tick()
            assert house.work() == 1
            assert house.read(record).version == now.version + 1

    def test_between_two_moves_the_worker_plays_other_games(self, house):
        slow = at_computers_turn(house, computer_pace_ms=800)
        house.time += 800
        house.scheduler.tick()
        quick = at_computers_turn(house)

        assert house.work() == 2
        assert house.read(slow).computer_to_move() is not None
        assert house.read(quick).computer_to_move() is None

    def test_a_worker_that_dies_between_two_moves_is_replaced_after_the_lease(self, house):
        record = at_computers_turn(house, computer_pace_ms=800)
        for _ in range(2):
            house.time += 800
            house.scheduler.tick()
            house.turns.lose()
            house.time += TURN_LEASE_MS
            house.scheduler.tick()
            assert house.work() == 1

        assert house.read(record).version == record.version + 2

    def test_every_computer_gets_its_turn_in_the_end(self, house):
        record = at_computers_turn(house, seats=4, computer_pace_ms=800)

        while (seat := house.read(record).computer_to_move()) is not None:
            self.finish_turn(house, record, seat, pace=800)

        assert house.read(record).game.deal.turn.seat == 0


def call_position(*, pile, melds, hands):
    return Position(
        hands=tuple(cards(hand) for hand in hands),
        discard_pile=cards(pile),
        melds=tuple(
            GivenMeld(owner=1, cards=tuple(LaidCard(card=card, laid_by=1) for card in cards(meld)))
            for meld in melds
        ),
        turn=GivenTurn(seat=0, phase=Phase.MELD),
    )


class TestCallingRummy:
    """Seat 0 is Ana and throws; the others are asked, and seat 1 draws next.

    Seats 1 to 3 are computers, or with `watching` Ben sits on seat 3.
    """

    HANDS = ("KH 2C 5D", "3C 9D KD", "4S JC QD", "4D 8C 9S")

    def thrown(
        self, house, *, preset="ace-low", hands=HANDS, melds=("TH JH QH",), watching=False, **overrides
    ):
        record = house.open(
            seats=4,
            preset=preset,
            overrides=overrides,
            sandbox=True,
            position=call_position(pile="2H", melds=melds, hands=hands),
        )
        if watching:
            record = house.table.change(record.id, self.with_ben).record
        return house.table.play(record, Discard(seat=0, card="KH")).record

    @staticmethod
    def with_ben(record):
        return replace(record, seats=(*record.seats[:3], player_seat(BEN))), ()

    def test_computers_are_not_heard_while_a_person_may_answer(self, house):
        before = self.thrown(house, watching=True)
        house.time += CALL_WINDOW_MS - 1

        house.scheduler.tick()
        house.computers.play(before.id, before.version)

        assert house.read(before) == before

    def test_they_are_heard_as_soon_as_every_person_has_passed(self, house):
        before = self.thrown(house, watching=True)
        passed = house.table.play(before, Pass(seat=3)).record
        assert passed.deadline_at == house.time

        house.scheduler.tick()
        house.work()

        assert house.read(before).phase_version > before.phase_version

    @pytest.mark.parametrize("watching", [False, True])
    def test_then_the_nearest_at_the_discarder_s_left_calls_and_plays_on(self, house, watching):
        before = self.thrown(house, watching=watching)
        house.time += CALL_WINDOW_MS if watching else 0

        house.scheduler.tick()
        assert house.work() == 1

        kinds = [kind for _, kind in house.happened(before, since=before.version)]
        called = [entry.event for entry in house.table.events(before.id, after=None, limit=99)]
        assert [event.seat for event in called if event.type == "rummy.called"] == [1]
        assert "turn.passed" not in kinds
        assert house.read(before).game.deal.turn.discarder == 1

    def test_with_nothing_to_call_they_pass_and_the_next_seat_plays(self, house):
        before = self.thrown(house, melds=())
        house.time += CALL_WINDOW_MS

        house.scheduler.tick()
        house.work()

        kinds = [kind for _, kind in house.happened(before, since=before.version)]
        assert kinds[:4] == ["turn.passed", "turn.passed", "turn.passed", "turn.started"]

    @pytest.mark.parametrize("way", ["table_or_pile", "any_meld"])
    def test_a_window_for_computers_alone_closes_at_once(self, house, way):
        before = self.thrown(house, call_rummy=way)

        house.scheduler.tick()
        house.work()

        assert house.read(before).phase_version > before.phase_version

    def test_a_person_who_calls_in_time_is_first(self, house):
        record = house.open(
            seats=4,
            preset="ace-low",
            opponents=(),
            sandbox=True,
            seats_held=True,
            position=call_position(pile="2H", melds=["TH JH QH"], hands=self.HANDS),
        )
        record = house.table.play(record, Discard(seat=0, card="KH")).record

        use = LayOff(seat=3, card="KH", meld_id="m1")
        after = house.table.play(record, CallRummy(seat=3, card="KH", use=use)).record

        assert after.game.deal.turn.seat == 3
        house.time += CALL_WINDOW_MS
        house.scheduler.tick()
        assert house.read(after) == after

    @pytest.mark.parametrize("hands", [HANDS, ("KH 2C 5D", "3C 9D 8D", "4S JC QD", "4D 8C 9S")])
    def test_an_answer_takes_as_long_whether_or_not_there_is_something_to_call(self, house, hands):
        pauses = []
        computers = replace(house.computers, pause=pauses.append)
        before = self.thrown(house, hands=hands, melds=())

        computers.play(before.id, before.version)

        assert len(pauses) == 3
        assert all(0 < pause <= 0.01 for pause in pauses)

    def test_where_the_table_decides_an_answer_does_not_wait(self, house):
        pauses = []
        computers = replace(house.computers, pause=pauses.append)
        before = self.thrown(house, call_rummy="table_or_pile")

        computers.play(before.id, before.version)

        assert not pauses

    def test_a_lost_hearing_is_asked_for_again(self, house):
        before = self.thrown(house)
        house.time += CALL_WINDOW_MS
        house.scheduler.tick()
        house.turns.lose()

        house.time += TURN_LEASE_MS
        house.scheduler.tick()
        house.work()

        assert house.read(before).phase_version > before.phase_version


class TestTurnsThatSearch:
    """Here `shrewd` counts as a level that searches: the subject is where its turns wait."""

    @pytest.fixture
    def house(self):
        return House(searching_levels=frozenset({"shrewd"}))

    def think(self, house):
        """Let a thinker play the oldest turn; return it."""
        game_id, version, attempt = house.turns.thinking.pop(0)
        house.computers.think(game_id, version, attempt)
        return game_id, version, attempt

    def test_go_on_into_a_queue_of_their_own_unplayed(self, house):
        before = at_computers_turn(house, opponents=("shrewd",))

        assert house.work() == 1

        assert house.turns.thinking == [(before.id, before.version, 0)]
        assert house.read(before) == before

    def test_are_played_there(self, house):
        before = at_computers_turn(house, opponents=("shrewd",))
        house.work()

        self.think(house)

        assert house.read(before).computer_to_move() is None
        assert house.turns.waiting == house.turns.thinking == []

    def test_come_one_a_job_so_that_other_games_have_theirs_in_between(self, house):
        before = at_computers_turn(house, seats=4, opponents=("shrewd",) * 3)
        turns = 4 - before.game.deal.turn.seat
        house.work()

        for _ in range(turns):
            assert len(house.turns.thinking) == 1
            self.think(house)
            house.work()

        assert house.read(before).game.deal.turn.seat == 0

    def test_of_quick_computers_in_between_are_quick_again(self, house):
        before = at_computers_turn(house, seats=3, opponents=("shrewd", "steady"))
        while before.game.deal.turn.seat != 1:
            house.work()
            before = house.end_turn(before)
        house.work()

        self.think(house)

        assert len(house.turns.waiting) == 1
        assert house.work() == 1
        assert house.read(before).game.deal.turn.seat == 0

    def test_keep_their_attempt_so_that_the_scheduler_finds_them_waiting(self, house):
        before = at_computers_turn(house, opponents=("shrewd",))
        house.turns.lose()
        house.time += TURN_LEASE_MS
        house.scheduler.tick()
        house.work()
        assert house.turns.thinking == [(before.id, before.version, 1)]

        for _ in range(10):
            house.time += TURN_LEASE_MS
            house.scheduler.tick()

        assert house.turns.waiting == []
        assert house.read(before) == before

    def test_leave_their_worker_as_long_as_the_game_lets_it_think_before_another_gets_them(self, house):
        before = at_computers_turn(house, opponents=("shrewd",), thinking_ms=5_000)
        house.turns.lose()

        house.time += TURN_LEASE_MS
        house.scheduler.tick()
        assert house.turns.waiting == []

        house.time += 5_000
        house.scheduler.tick()
        assert house.turns.waiting == [(before.id, before.version, 1)]

    def test_that_come_too_late_change_nothing(self, house):
        before = at_computers_turn(house, opponents=("shrewd",))
        house.work()
        waiting = house.turns.thinking[0]
        self.think(house)
        after = house.read(before)

        house.computers.think(*waiting)

        assert house.read(before) == after


def owned_by(account, *, group=None, thinking_ms=500):
    return TurnOwner(account=account, group=group or account, thinking_ms=thinking_ms)


@pytest.fixture
def queue():
    with valkey_server() as server:
        connection = redis.Redis.from_url(server.url)
        yield RqTurnQueue(connection)
        connection.close()


def taken(queue):
    """Return the games of all turns that wait, in the order in which thinkers take them."""
    return [turn[0] for turn in iter(queue.take_turn, None)]


class TestTheOrderOfTurnsThatSearch:
    def test_of_one_owner_is_the_order_in_which_they_came(self, queue):
        for number in range(5):
            queue.think(f"g{number}", 4, 0, owned_by("pAna"))

        assert taken(queue) == ["g0", "g1", "g2", "g3", "g4"]

    def test_puts_no_more_than_one_turn_of_another_owner_first(self, queue):
        for number in range(60):
            queue.think(f"g{number}", 4, 0, owned_by("pMany", thinking_ms=5000))
        before = [queue.take_turn() for _ in range(3)]
        queue.think("gBen", 4, 0, owned_by("pBen"))

        assert len(before) == 3
        assert "gBen" in taken(queue)[:2]

    def test_is_known_to_those_who_search_so_that_they_take_less_time(self, queue):
        queue.think("gBen", 4, 0, owned_by("pBen"))
        assert queue.thinking_waits()

        queue.take_turn()
        assert not queue.thinking_waits()

    def test_counts_all_guests_of_one_address_as_one_owner(self, queue):
        for number in range(20):
            queue.think(f"g{number}", 4, 0, owned_by(f"pGuest{number}", group="school"))
        queue.think("gBen", 4, 0, owned_by("pBen"))
        queue.think("gBen", 9, 0, owned_by("pBen"))

        order = taken(queue)
        assert "gBen" in order[:2]
        assert order[:4].count("gBen") == 2

    def test_lets_the_accounts_of_one_address_take_turns(self, queue):
        for number in range(10):
            queue.think(f"g{number}", 4, 0, owned_by("pMany", group="school"))
        queue.think("gBen", 4, 0, owned_by("pBen", group="school"))

        assert "gBen" in taken(queue)[:2]

    def test_gives_owners_the_same_time_and_not_the_same_number_of_turns(self, queue):
        for number in range(10):
            queue.think(f"gSlow{number}", 4, 0, owned_by("pSlow", thinking_ms=5000))
            queue.think(f"gFast{number}", 4, 0, owned_by("pFast", thinking_ms=500))

        assert sum(game.startswith("gFast") for game in taken(queue)[:11]) == 10

    def test_gives_no_credit_for_the_time_in_which_an_owner_had_no_turns(self, queue):
        for number in range(40):
            queue.think(f"g{number}", 4, 0, owned_by("pAna"))
        for _ in range(20):
            queue.take_turn()
        for number in range(20):
            queue.think(f"gBen{number}", 4, 0, owned_by("pBen"))

        assert 4 <= sum(game.startswith("gBen") for game in taken(queue)[:10]) <= 6

    def test_holds_a_turn_once_however_often_it_is_asked_for(self, queue):
        queue.think("gAna", 4, 0, owned_by("pAna"))
        queue.think("gAna", 4, 0, owned_by("pAna"))

        assert taken(queue) == ["gAna"]

    def test_enqueues_a_job_again_when_one_is_lost_before_its_turn_is_taken(self, queue):
        queue.think("gAna", 4, 0, owned_by("pAna"))
        jobs = queue._thinking._queue
        jobs.empty()

        assert queue.is_waiting("gAna", 4, 0)

        assert jobs.count == 1


class TestTheRealQueue:
    def test_keeps_turns_that_search_apart(self):
        with valkey_server() as server:
            connection = redis.Redis.from_url(server.url)
            turns = RqTurnQueue(connection)

            turns.think("g00abc", 4, 1, owned_by("pAna"))

            assert turns.is_waiting("g00abc", 4, 1)
            assert connection.llen("rq:queue:turns") == 0
            assert connection.llen("rq:queue:thinking") == 1
            assert turns.take_turn() == ("g00abc", 4, 1)
            connection.lpop("rq:queue:thinking")
            assert not turns.is_waiting("g00abc", 4, 1)
            connection.close()

    def test_holds_a_turn_under_one_id_until_a_worker_takes_it(self):
        with valkey_server() as server:
            connection = redis.Redis.from_url(server.url)
            turns = RqTurnQueue(connection)

            turns.enqueue("g00abc", 4, 1)

            assert turns.is_waiting("g00abc", 4, 1)
            assert not turns.is_waiting("g00abc", 4, 2)
            assert connection.lpop("rq:queue:turns") == b"turn-g00abc-4-1"
            assert not turns.is_waiting("g00abc", 4, 1)
            connection.close()

    def test_that_cannot_be_reached_takes_nothing_and_refuses_nothing(self):
        connection = redis.Redis(port=1, socket_connect_timeout=0.2, retry=None)
        turns = RqTurnQueue(connection)

        turns.enqueue("g00abc", 4, 0)

        # Unknown counts as waiting, so that no attempt is counted.
        assert turns.is_waiting("g00abc", 4, 0)
        connection.close()

    def test_that_does_not_answer_delays_no_second_call(self):
        with socket.create_server(("127.0.0.1", 0)) as silent:
            connection = redis.Redis(port=silent.getsockname()[1], socket_timeout=0.3, retry=None)
            turns = RqTurnQueue(connection)
            began = time.monotonic()
            turns.enqueue("g00abc", 4, 0)
            waited = time.monotonic() - began

            for version in range(100):
                turns.enqueue("g00abc", version, 0)
                assert turns.is_waiting("g00abc", version, 0)

            assert time.monotonic() - began - waited < waited
            connection.close()
