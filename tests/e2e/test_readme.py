"""README.md keeps its word: every command in it is run, in order, and what it says is compared."""

import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import time

import httpx
import pytest

from service.config import Settings
from service.runtime.durations import DAY_MS
from tests.support.tree import ROOT, environment, wait_for
from workers.cli import COMMANDS

README = (ROOT / "README.md").read_text(encoding="utf-8")
OPERATIONS = (ROOT / "deploy" / "README.md").read_text(encoding="utf-8")
PRINTED_URL = "http://127.0.0.1:8000"
#: Five minutes is what the newcomer is promised, reading included.
PATIENCE_SECONDS = 120


def blocks():
    return re.findall(r"^```sh\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def make_blocks():
    return [block.split() for block in blocks() if block.startswith("make ")]


def curl_blocks():
    return [block for block in blocks() if not block.startswith("make ")]


@pytest.fixture(scope="module")
def bin_folder(tmp_path_factory):
    """Where `rummy500` and `curl` are found. A curl that is answered with a problem fails here."""
    folder = tmp_path_factory.mktemp("clone") / ".venv" / "bin"
    folder.mkdir(parents=True)
    scripts = {
        "rummy500": f'exec "{sys.executable}" -P -m workers.cli "$@"',
        "python": f'exec "{sys.executable}" "$@"',
        "curl": f'exec {shutil.which("curl")} --fail-with-body "$@"',
    }
    for name, script in scripts.items():
        path = folder / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return folder


@pytest.fixture(scope="module")
def made(bin_folder, tmp_path_factory):
    """`make run`, but for the setting up, which needs the network; gives the printed address."""
    folder = tmp_path_factory.mktemp("data")
    log = folder / "log"
    with log.open("w") as output:
        process = subprocess.Popen(
            ["make", "--old-file=.setup-requirements", "run", f"BIN={bin_folder}"],
            cwd=ROOT,
            # The simulator is not compiled for a few hands.
            env=environment(DATA_DIR=str(folder / "games"), SIMULATOR="plain"),
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield wait_for(
            lambda: (found := re.search(r"listens at (http://\S+)", log.read_text())) and found[1],
            "make run",
        )
        # Ctrl-C reaches make as well: it waits for the service, and then goes by the signal.
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(30) == -signal.SIGINT
        assert log.read_text().splitlines()[-1].startswith("Stopped.")
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(30)


@pytest.fixture(scope="module")
def walked(made, bin_folder):
    """What all commands said, one after the other in one terminal."""
    script = "\n".join(["set -eu", *(f"echo '# {n}'\n{block}" for n, block in enumerate(curl_blocks()))])
    began = time.monotonic()
    done = subprocess.run(
        ["bash", "-c", script.replace(PRINTED_URL, made)],
        cwd=bin_folder.parent.parent,
        env=environment(PATH=f"{bin_folder}:{os.environ['PATH']}"),
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert time.monotonic() - began < PATIENCE_SECONDS
    return done


class TestTheFiveMinutes:
    def test_begin_with_make_run_and_end_with_make_test(self):
        assert make_blocks() == [["make", "run"], ["make", "test"]]

    @pytest.mark.parametrize("target", ["run", "test"])
    def test_both_make_targets_are_there(self, target):
        done = subprocess.run(
            ["make", "--dry-run", target], cwd=ROOT, capture_output=True, text=True, check=True
        )

        assert {"run": "rummy500 run", "test": "/pytest"}[target] in done.stdout

    def test_every_command_works_as_printed(self, walked):
        assert walked.stdout.startswith("# 0\n")
        assert not walked.stderr

    def test_hands_grow_and_shrink_as_told(self, walked):
        hands = re.findall(r"^\[(.*)\]$", walked.stdout, re.MULTILINE)

        # Take, lay, throw; draw, lay, throw: the hand is empty, and the next deal fills it.
        assert [hand.count(",") + bool(hand) for hand in hands[:7]] == [7, 4, 3, 4, 1, 0, 13]

    def test_what_is_looked_at_is_there(self, walked):
        for listed in ("drawStock", "takeDiscard", "turn.started", "card.discarded"):
            assert f'"{listed}"' in walked.stdout

    def test_the_deal_is_finished_by_who_reads(self, walked):
        assert '"went_out": 0' in walked.stdout
        assert '"score": 48' in walked.stdout

    def test_the_stream_tells_of_the_move_made_meanwhile(self, walked):
        listed = re.findall(r"^event: (\S+)$", walked.stdout, re.MULTILINE)

        assert listed[0] == "seat.joined"
        assert "meld.laid" in listed

    def test_the_dry_run_is_lawful_and_the_simulation_clean(self, walked):
        assert re.search(r"^true$", walked.stdout, re.MULTILINE)
        assert "2 of 2 games finished" in walked.stdout


class TestWhatItTells:
    def test_presets_are_the_ones_the_service_offers(self, made):
        listed = re.findall(r"^\| `([a-z-]+)` \| ([0-9to ]+) \| (.*) \|$", README, re.MULTILINE)

        presets = httpx.get(f"{made}/v1/meta").json()["presets"]

        def players(least, most):
            return f"{least}" if least == most else f"{least} to {most}"

        offered = {(one["name"], players(**one["players"]), one["sentence"]) for one in presets}
        assert set(listed) == offered

    def test_settings_are_the_ones_that_are_read(self):
        listed = re.findall(r"^\| `([A-Z_]+)` \| (\S*)", OPERATIONS, re.MULTILINE)

        defaults = Settings.from_environment({})
        assert {name.lower() for name, _ in listed} == set(defaults.__dataclass_fields__)
        assert dict(listed)["PORT"] == str(defaults.port)
        assert dict(listed)["BIND"] == defaults.bind
        assert dict(listed)["API_THREADS"] == str(defaults.api_threads)
        assert dict(listed)["DATA_DIR"] == defaults.data_dir.name

    def test_games_are_kept_as_long_as_it_says(self, made):
        kept = httpx.get(f"{made}/v1/meta").json()["retention"]

        for page in (README, OPERATIONS):
            assert f"kept for {kept['finished_game_ms'] // DAY_MS} days" in " ".join(page.split())
        assert (kept["waiting_game_ms"], kept["idle_game_ms"]) == (DAY_MS, 7 * DAY_MS)

    def test_every_command_it_names_is_one(self):
        assert set(re.findall(r"rummy500 ([a-z-]+)", README + OPERATIONS)) <= set(COMMANDS)
