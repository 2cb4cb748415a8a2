"""Whole games against the computer, through gunicorn, Valkey, the workers and the scheduler."""

import json
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from tests.support.tree import PATIENCE_SECONDS, environment, wait_for
from workers.cli import INTERRUPTED, main


def conformance(url, *given, **overrides):
    return main(["conformance", "--url", url, "--overrides", json.dumps(overrides), *given])


class TestAgainstSteady:
    def test_two_games_at_once_are_played_to_their_end(self, url, capsys):
        assert conformance(url, "--games", "2", "--parallel", "2", target=150) == 0

        said = capsys.readouterr().out
        assert said.startswith("2 of 2 games finished, ")
        assert " 0 refused, 0 errors, " in said

    @pytest.mark.parametrize(
        "preset",
        [
            *("cardcouch", "cardcouch-table", "ace-low", "jokers", "basic-rummy", "block-rummy"),
            *("penalty-rummy", "kitchen-table", "partnership", "persian"),
        ],
    )
    def test_every_preset_is_played(self, url, preset):
        assert conformance(url, "--preset", preset, deals=1) == 0

    def test_people_and_computers_sit_at_one_table(self, url):
        assert conformance(url, "--players", "4", "--people", "2", deals=1) == 0

    def test_people_computers_and_the_clock_deal_with_calls(self, url):
        given = ("--preset", "ace-low", "--players", "4", "--people", "2", "--call-window-ms", "100")

        assert conformance(url, *given, deals=1) == 0


class TestStoppingIt:
    def test_ctrl_c_does_not_wait_for_the_games(self, url):
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "workers.cli", "conformance", "--url", url, "--games", "1000"],
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            wait_for(lambda: is_connected(process.pid), "the first request")
            process.send_signal(signal.SIGINT)
            said, complaints = process.communicate(timeout=PATIENCE_SECONDS)
        finally:
            process.kill()
            process.communicate()

        assert process.returncode == INTERRUPTED
        assert (said, complaints) == ("", "")


def is_connected(pid):
    """Return whether a process has an open connection."""
    with suppress(FileNotFoundError):
        return any(str(fd.readlink()).startswith("socket:") for fd in Path(f"/proc/{pid}/fd").iterdir())
