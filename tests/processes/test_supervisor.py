"""The supervisor restarts processes, gives up in time, and stops them in reverse order."""

import subprocess
import sys
import time

import pytest

from workers.errors import CannotStart
from workers.processes.child_process import spawn
from workers.processes.supervisor import ManagedProcess, Supervisor

# Exits on SIGTERM after logging that it did; makes a file once it handles the signal.
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
    """Make a supervisor of named processes; those that still run at the end are killed."""
    trees = []

    def part(name, program=POLITE, *, takes=0.0, patience=10.0, **options):
        log = str(tmp_path / "stopped")

        def start():
            return spawn([sys.executable, "-c", program, name, log, str(takes)])

        return ManagedProcess(name=name, start=start, patience_seconds=patience, **options)

    def tree(*parts, up=True):
        grown = Supervisor(parts, say=said.append)
        trees.append(grown)
        for part in parts:
            grown.start(part)
        while up and not all((tmp_path / f"stopped.{part.name}").exists() for part in parts):
            time.sleep(0.01)
        return grown

    tree.part = part
    yield tree
    for part in (part for grown in trees for part in grown.processes if part.is_running):
        part.popen.kill()
        part.popen.wait()


def stop(tree, *, hurried=False):
    tree.stop(is_hurried=lambda: hurried, pause=time.sleep)


def kill(tree, part):
    """Kill a process and let the supervisor notice."""
    part.popen.kill()
    part.popen.wait()
    tree.watch()


def watch_until(tree, condition, seconds=10.0):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(min(0.02, tree.watch()))


class TestStopping:
    def test_processes_stop_in_reverse_order_one_after_the_other(self, grow, tmp_path):
        tree = grow(grow.part("store"), grow.part("worker"), grow.part("api", takes=0.3))

        stop(tree)

        assert (tmp_path / "stopped").read_text().split() == ["api", "worker", "store"]
        assert [part.popen.returncode for part in tree.processes] == [0, 0, 0]

    def test_a_process_that_ignores_sigterm_is_killed_after_its_patience(self, grow, said):
        tree = grow(grow.part("store"), grow.part("api", STUBBORN, patience=0.2))

        stop(tree)

        assert said == ["Api did not stop in time; killing it."]
        assert not any(part.is_running for part in tree.processes)

    def test_a_second_request_kills_all_but_the_store(self, grow, said, tmp_path):
        tree = grow(
            grow.part("store", takes=0.3, never_killed_early=True), grow.part("worker", STUBBORN, patience=60)
        )

        stop(tree, hurried=True)

        assert said == ["Worker did not stop in time; killing it."]
        assert (tmp_path / "stopped").read_text().split() == ["store"]

    def test_a_process_that_has_exited_is_skipped(self, grow):
        tree = grow(grow.part("store"), grow.part("api"))
        kill(tree, tree.processes[1])

        stop(tree)

        assert not any(part.is_running for part in tree.processes)


class TestKeepingAlive:
    def test_a_killed_process_is_restarted_and_reported(self, grow, said):
        tree = grow(grow.part("the worker"))

        kill(tree, tree.processes[0])
        watch_until(tree, lambda: tree.processes[0].is_running)

        assert said == ["The worker was killed by SIGKILL; restarting in 0.2 s."]

    def test_a_process_that_had_worked_for_a_while_is_restarted_at_once(self, grow, said):
        tree = grow(grow.part("the worker"))
        tree.processes[0].started_at -= 60

        kill(tree, tree.processes[0])

        assert tree.processes[0].is_running
        assert said == ["The worker was killed by SIGKILL; restarting now."]

    def test_the_backoff_grows_with_each_early_exit(self, grow, said):
        tree = grow(grow.part("the worker"))
        for _ in range(3):
            kill(tree, tree.processes[0])
            watch_until(tree, lambda: tree.processes[0].is_running)

        assert [line.rpartition(" in ")[2] for line in said] == ["0.2 s.", "0.4 s.", "0.8 s."]

    def test_being_killed_from_outside_is_no_failed_start(self, grow):
        tree = grow(grow.part("the worker"))
        for _ in range(5):
            kill(tree, tree.processes[0])
            tree.processes[0].restart_at = 0.0
            tree.watch()

        assert tree.processes[0].is_running

    def test_three_failed_starts_are_an_error(self, grow):
        tree = grow(grow.part("store"), grow.part("the worker", "raise SystemExit(7)"), up=False)

        with pytest.raises(CannotStart) as given_up:
            watch_until(tree, lambda: False)

        assert str(given_up.value) == (
            "The worker was started 3 times and exited at once each time; the last time it exited with "
            "status 7. Shutting down; see its output above."
        )
        assert tree.processes[0].is_running


class TestParentDeath:
    def test_a_child_exits_when_its_parent_is_killed(self, tmp_path):
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
