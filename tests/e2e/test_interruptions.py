"""Processes die and come back; games, tokens and versions stay, and nothing happens twice."""

import os
import random
import signal
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
import redis
from rq import Worker

from tests.e2e.people import ids, kinds
from tests.support.tree import Tree, is_alive, wait_for
from workers.cli import main

#: What issue and house rule promise: a lost turn is made good in this time once a worker is back.
MADE_GOOD_SECONDS = 5.0
DICE = 500


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "data"


def a_table_of_eight(ana, level="steady", **more):
    """Seven computers one after the other: much can happen before the own turn comes again."""
    return ana.open(variant={"preset": "classic"}, seats=8, opponents=[{"level": level}] * 7, **more)


def until_own_turn(person):
    wait_for(lambda: person.may_move or (person.look(wait_ms=1000) and person.may_move), "the own turn")


def play_own_turn(person, dice):
    """Move until it is another seat's turn, or the deal is over."""
    until_own_turn(person)
    while person.may_move:
        person.move(dice)


def play_to_the_end(person, dice):
    def over():
        if person.view["status"] == "finished":
            return True
        if person.may_move:
            person.move(dice)
        else:
            person.look(wait_ms=1000)
        return False

    deadline = time.monotonic() + 60
    while not over():
        assert time.monotonic() < deadline, person.view["turn"]


def assert_nothing_happened_twice(events):
    """One draw and one end to each turn, and a log without a gap or a repeat."""
    assert len(set(ids(events))) == len(events)
    versions = [event["version"] for event in events]
    assert versions == sorted(versions)
    assert set(versions) == set(range(1, versions[-1] + 1))
    for turn in turns_in(events):
        draws = [kind for kind in turn if kind in {"stock.drawn", "discard.taken", "turn.passed"}]
        assert len(draws) <= 1, turn
        assert turn.count("card.discarded") <= 1, turn


def turns_in(events):
    turn = []
    for kind in kinds(events):
        if kind == "turn.started":
            yield turn
            turn = []
        turn.append(kind)
    yield turn


@pytest.fixture(scope="class")
def shared_tree(tmp_path_factory):
    """One service for tests that leave all its parts running."""
    folder = tmp_path_factory.mktemp("service") / "data"
    with Tree(folder) as tree, redis.Redis(unix_socket_path=str(folder / "valkey.sock")) as connection:
        assert tree.url
        yield tree, connection


class TestAWorkerThatIsKilled:
    def test_in_the_middle_of_a_turn_another_makes_it_good(self, shared_tree, arrive):
        tree, connection = shared_tree
        ana = arrive(tree.url)
        # They think so long that they can be caught at it.
        game = a_table_of_eight(ana, "expert", thinking_ms=500)
        person = ana.seated(game)

        caught_at = self._kill_in_mid_turn(tree, person, random.Random(DICE))

        self._assert_made_good(tree, connection, person, caught_at, part="thinker")
        assert_nothing_happened_twice(ana.events(game))

    @staticmethod
    def _kill_in_mid_turn(tree, person, dice):
        """Kill the thinker while the computers' turns run, and return the version they were caught at."""
        for _ in range(10):
            play_own_turn(person, dice)
            assert person.look(wait_ms=10_000)
            tree.kill("thinker")
            caught_at = person.version
            while person.look():
                caught_at = person.version
            if not person.may_move and person.view["status"] == "playing":
                return caught_at
        raise AssertionError("the computers were always quicker")

    def test_with_a_turn_in_its_hands_that_it_never_began(self, shared_tree, arrive):
        tree, connection = shared_tree
        ana = arrive(tree.url)
        game = a_table_of_eight(ana)
        person = ana.seated(game)
        until_own_turn(person)
        # It waits at the queue, so it gets the next job.
        worker = tree.part("turns")
        os.kill(worker, signal.SIGSTOP)
        play_own_turn(person, random.Random(DICE))
        left_at = person.version

        os.kill(worker, signal.SIGKILL)

        wait_for(lambda: not is_alive(worker), "the worker to die")
        self._assert_made_good(tree, connection, person, left_at)
        assert_nothing_happened_twice(ana.events(game))

    @staticmethod
    def _assert_made_good(tree, connection, person, caught_at, part="turns"):
        worker = tree.part(part)
        wait_for(lambda: worker in {each.pid for each in Worker.all(connection=connection)}, "a worker")
        back_at = time.monotonic()
        wait_for(lambda: person.version > caught_at or person.look(wait_ms=500), "the turn to go on")
        assert time.monotonic() - back_at < MADE_GOOD_SECONDS
        assert is_alive(worker)
        until_own_turn(person)
        person.check_whole_log()


class TestAServiceThatIsStartedAgain:
    def test_in_mid_game_it_goes_on_with_the_same_game_to_its_end(self, folder, arrive):
        dice = random.Random(DICE)
        with Tree(folder) as tree:
            ana = arrive(tree.url)
            game = ana.open(
                variant={"preset": "classic", "overrides": {"target": 100}}, opponents=[{"level": "steady"}]
            )
            person = ana.seated(game)
            for _ in range(2):
                play_own_turn(person, dice)
            until_own_turn(person)
            key = "the-draw-before-the-night"
            drawn = ana.post(f"{game}/draw-stock", version=person.version, key=key)
            before = ana.view(game)
            assert tree.stop(signal.SIGINT) == 0

        with Tree(folder) as tree:
            ana.http.base_url = tree.url

            after = ana.view(game)
            assert {**after, "server_time": None} == {**before, "server_time": None}
            again = ana.post(f"{game}/draw-stock", version=person.version, key=key)
            assert (again.status_code, again.content) == (drawn.status_code, drawn.content)
            assert again.headers["Idempotency-Replayed"] == "true"
            person.look()
            play_to_the_end(person, dice)
            person.check_whole_log()
            person.check_proofs()
            assert_nothing_happened_twice(ana.events(game))

    def test_stopped_while_computers_move_they_move_on(self, folder, arrive):
        with Tree(folder) as tree:
            ana = arrive(tree.url)
            game = a_table_of_eight(ana)
            person = ana.seated(game)
            play_own_turn(person, random.Random(DICE))
            left_at = person.version
            assert tree.stop(signal.SIGINT) == 0

        with Tree(folder) as tree:
            ana.http.base_url = tree.url
            until_own_turn(person)

            assert person.version > left_at
            person.check_whole_log()
            assert_nothing_happened_twice(ana.events(game))


class TestAValkeyThatIsKilled:
    def test_every_move_that_was_answered_is_still_there(self, folder, arrive):
        dice = random.Random(DICE)
        with Tree(folder) as tree:
            ana = arrive(tree.url)
            game = ana.open(variant={"preset": "cardcouch"}, opponents=[{"level": "steady"}])
            person = ana.seated(game)
            until_own_turn(person)
            for _ in range(3):
                until_own_turn(person)
                person.move(dice)
                answered = person.version

                killed = tree.kill("Valkey")

                wait_for(lambda killed=killed: tree.part("Valkey") != killed, "another Valkey")
                wait_for(lambda: _is_ready(tree.url), "the service")
                # The conformance client would notice a version that went back, or an event that is gone.
                person.look()
                assert person.version >= answered
            until_own_turn(person)
            person.check_whole_log()
            assert_nothing_happened_twice(ana.events(game))


class TestPartsThatAreKilledOneAfterTheOther:
    def test_those_who_ask_again_notice_nothing(self, folder, capsys):
        with Tree(folder, API_PROCESSES="2") as tree, ThreadPoolExecutor(1) as aside:
            given = ["--games", "2", "--parallel", "2", "--players", "3", "--overrides", '{"target": 100}']
            games = aside.submit(main, ["conformance", "--url", tree.url, *given])
            for part in ("API", "turns", "scheduler", "API"):
                time.sleep(1)
                if not games.done():
                    tree.kill(part)

            assert games.result() == 0, capsys.readouterr()

        assert capsys.readouterr().out.startswith("2 of 2 games finished, ")


def _is_ready(url):
    try:
        return httpx.get(f"{url}/readyz").status_code == httpx.codes.OK
    except httpx.TransportError:
        return False
