"""A process tree keeps its parts alive, gives up in time, and stops from the top."""

import subprocess
import sys
import time

import pytest

from workers.errors import CannotStart
from workers.processes.child_process import spawn
from workers.processes.supervisor import Part, Tree

# Ends on SIGTERM after noting that it did; says "up" once it listens for it.
POLITE = """
import signal, sys, time
def leave(*_):
    time.sleep(float(sys.argv[3]))
    with open(sys.argv[2], "a") as log: log.write(sys.argv[1] + "\\n")
    sys.exit(0)
signal.signal(signal.SIGTERM, leave)
open(sys.argv[2] + "." + sys.argv[1], "w").close()
while True: signal.pause()
"""
STUBBORN = """
import signal, sys
signal.signal(signal.SIGTERM, signal.SIG_IGN)
open(sys.argv[2] + "." + sys.argv[1], "w").close()
while True: signal.pause()
"""


@pytest.fixture
def said():
    return []


@pytest.fixture
def grow(tmp_path, said):
    """Make a tree of named parts; all that still runs at the end is killed."""
    trees = []

    def part(name, program=POLITE, *, takes=0.0, patience=10.0, **options):
        log = str(tmp_path / "stopped")

        def start():
            return spawn([sys.executable, "-c", program, name, log, str(takes)])

        return Part(name=name, start=start, patience_seconds=patience, **options)

    def tree(*parts, up=True):
        grown = Tree(parts, say=said.append)
        trees.append(grown)
        for part in parts:
            grown.start(part)
        while up and not all((tmp_path / f"stopped.{part.name}").exists() for part in parts):
            time.sleep(0.01)
        return grown

    tree.part = part
    yield tree
    for part in (part for grown in trees for part in grown.parts if part.is_running):
        part.process.kill()
        part.process.wait()


def stop(tree, *, hurried=False):
    tree.stop(hurry=lambda: hurried, pause=time.sleep)


def kill(tree, part):
    """Kill a part and let the tree see it."""
    part.process.kill()
    part.process.wait()
    tree.watch()


def watch_until(tree, condition, seconds=10.0):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(min(0.02, tree.watch()))


class TestStopping:
    def test_the_last_part_stops_first_and_each_waits_for_the_one_before(self, grow, tmp_path):
        tree = grow(grow.part("store"), grow.part("worker"), grow.part("api", takes=0.3))

        stop(tree)

        assert (tmp_path / "stopped").read_text().split() == ["api", "worker", "store"]
        assert [part.process.returncode for part in tree.parts] == [0, 0, 0]

    def test_a_part_that_does_not_listen_is_killed_when_its_time_is_up(self, grow, said):
        tree = grow(grow.part("store"), grow.part("api", STUBBORN, patience=0.2))

        stop(tree)

        assert said == ["Api did not stop in time and is killed."]
        assert not any(part.is_running for part in tree.parts)

    def test_a_second_request_waits_for_nobody_but_the_store(self, grow, said, tmp_path):
        tree = grow(
            grow.part("store", takes=0.3, never_hurried=True), grow.part("worker", STUBBORN, patience=60)
        )

        stop(tree, hurried=True)

        assert said == ["Worker did not stop in time and is killed."]
        assert (tmp_path / "stopped").read_text().split() == ["store"]

    def test_what_has_died_already_is_passed_over(self, grow):
        tree = grow(grow.part("store"), grow.part("api"))
        kill(tree, tree.parts[1])

        stop(tree)

        assert not any(part.is_running for part in tree.parts)


class TestKeepingAlive:
    def test_a_part_that_is_killed_is_started_again_and_that_is_said_in_a_line(self, grow, said):
        tree = grow(grow.part("the worker"))

        kill(tree, tree.parts[0])
        watch_until(tree, lambda: tree.parts[0].is_running)

        assert said == ["The worker was killed by SIGKILL; it is started again in 0.2 s."]

    def test_a_part_that_had_worked_for_a_while_is_back_at_once(self, grow, said):
        tree = grow(grow.part("the worker"))
        tree.parts[0].started_at -= 60

        kill(tree, tree.parts[0])

        assert tree.parts[0].is_running
        assert said == ["The worker was killed by SIGKILL; it is started again now."]

    def test_the_pauses_grow_while_it_keeps_dying(self, grow, said):
        tree = grow(grow.part("the worker"))
        for _ in range(3):
            kill(tree, tree.parts[0])
            watch_until(tree, lambda: tree.parts[0].is_running)

        assert [line.rpartition(" in ")[2] for line in said] == ["0.2 s.", "0.4 s.", "0.8 s."]

    def test_being_killed_from_outside_is_never_a_reason_to_give_up(self, grow):
        tree = grow(grow.part("the worker"))
        for _ in range(5):
            kill(tree, tree.parts[0])
            tree.parts[0].start_again_at = 0.0
            tree.watch()

        assert tree.parts[0].is_running

    def test_a_part_that_ends_at_once_three_times_stops_the_rest_with_a_sentence(self, grow):
        tree = grow(grow.part("store"), grow.part("the worker", "raise SystemExit(7)"), up=False)

        with pytest.raises(CannotStart) as given_up:
            watch_until(tree, lambda: False)

        assert str(given_up.value) == (
            "The worker was started 3 times and each time ended at once; the last time it ended with "
            "status 7. Everything is stopped, and what it said stands above."
        )
        assert tree.parts[0].is_running


class TestTheTie:
    def test_a_child_goes_with_its_parent_however_that_went(self, tmp_path):
        program = (
            "import os, signal, sys; from workers.processes.child_process import spawn; "
            f"child = spawn([sys.executable, '-c', {POLITE!r}, 'child', {str(tmp_path / 'log')!r}, '0']); "
            "print(child.pid, flush=True); signal.pause()"
        )
        with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as parent:
            parent.stdout.readline()
            while not (tmp_path / "log.child").exists():
                time.sleep(0.01)
            parent.kill()

        deadline = time.monotonic() + 10
        while not (tmp_path / "log").exists():
            assert time.monotonic() < deadline
            time.sleep(0.01)
        assert (tmp_path / "log").read_text() == "child\n"
