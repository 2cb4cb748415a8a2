"""Compiling the simulator is offered, never asked for: nothing waits for it, nothing fails with it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SAYS_WHICH = "import workers.bots.simulator.deal as deal; print(deal.__file__)"


def checkout(folder):
    """Return a copy of what the script and the simulator need."""
    for room in ("deploy", "workers", "service"):
        shutil.copytree(ROOT / room, folder / room, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def python(folder, *words, **more):
    environment = {**os.environ, "PYTHONPATH": str(folder), **more}
    return subprocess.run(
        [sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


class TestWithoutAnythingCompiled:
    def test_the_plain_modules_are_used(self, tmp_path):
        found = python(checkout(tmp_path), "-c", SAYS_WHICH)

        assert found.stdout.strip() == str(tmp_path / "workers/bots/simulator/deal.py")


class TestWhatWasCompiled:
    def test_is_left_alone_when_it_was_made_of_other_sources(self, tmp_path):
        made = checkout(tmp_path) / "build" / "simulator"
        made.mkdir(parents=True)
        (made / "masks.py").write_text("raise RuntimeError('stale')")
        (made / "digest").write_text("made of something else")

        assert python(tmp_path, "-c", SAYS_WHICH).returncode == 0

    def test_is_left_alone_when_it_cannot_be_loaded_here(self, tmp_path):
        made = checkout(tmp_path) / "build" / "simulator"
        made.mkdir(parents=True)
        (made / "masks.py").write_text("raise ImportError('made for another machine')")
        digest = python(tmp_path, "-c", "from workers.bots.simulator.choice import digest; print(digest())")
        (made / "digest").write_text(digest.stdout.strip())

        found = python(tmp_path, "-c", SAYS_WHICH)

        assert found.stdout.strip() == str(tmp_path / "workers/bots/simulator/deal.py")


class TestCompiling:
    def test_a_machine_without_a_compiler_is_content(self, tmp_path):
        # As if this Python had been built by a compiler that is not here.
        pretend = (
            "import runpy, sys, sysconfig; sysconfig.get_config_vars()['CC'] = 'no-such-compiler';"
            "sys.argv = ['deploy/compile_simulator.py']; runpy.run_path(sys.argv[0], run_name='__main__')"
        )

        done = python(checkout(tmp_path), "-c", pretend)

        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")

    def test_a_failure_is_one_sentence_and_is_not_tried_again(self, tmp_path):
        # Without its lock there is nothing to compile with.
        first = python(
            checkout(tmp_path), "deploy/compile_simulator.py", PATH=f"{tmp_path}:{os.environ['PATH']}"
        )
        again = python(tmp_path, "deploy/compile_simulator.py")

        assert first.returncode in {0, 1}  # 0: no compiler here.
        assert first.stderr.count("\n") == first.returncode
        assert (again.returncode, again.stderr) == (0, "")
        assert python(tmp_path, "-c", SAYS_WHICH).returncode == 0
