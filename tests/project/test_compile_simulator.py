"""Compiling the simulator is offered, never asked for: nothing waits for it, nothing fails with it."""

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SAYS_WHICH = "import workers.bots.engine.deal as deal; print(deal.__file__)"


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


#: Stand-ins for what makes the room to compile in, and for the compiler: it hands on what it was given.
WORKSHOP = {
    "venv.py": """
import os, sys
from pathlib import Path
python = Path(sys.argv[1], "bin", "python")
python.parent.mkdir(parents=True, exist_ok=True)
if not python.exists():
    python.symlink_to(sys.executable)
""",
    "pip.py": "import os; raise SystemExit('FAIL' in os.environ)",
    "mypyc/build.py": """
from types import SimpleNamespace

def mypycify(modules, group_name):
    return [SimpleNamespace(module=module, extra_compile_args=["-O3"]) for module in modules]
""",
    "setuptools.py": """
import os, shutil, time
from pathlib import Path

def setup(name, packages, ext_modules):
    with open(Path(__file__).with_name("compiled"), "a") as told:
        told.write("once ")
    flags = {flag for extension in ext_modules for flag in extension.extra_compile_args}
    Path(__file__).with_name("flags").write_text(f"{sorted(flags)} {os.environ.get('CFLAGS')}")
    if "REFUSE" in os.environ and flags != {"-O3"}:
        raise SystemExit("a flag this compiler does not know")
    if "CHANGE" in os.environ:
        with open(os.environ["CHANGE"], "a") as source:
            source.write("# Pulled in the meantime.\\n")
    while "TOGETHER" in os.environ and len(Path(__file__).with_name("locking").read_text()) < 2:
        time.sleep(0.01)
    for extension in ext_modules:
        made = Path("made", extension.module)
        made.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(extension.module, made)
""",
}
#: On a machine that has a compiler, and in the foreground even with --aside. Notes each process that locks.
BEFORE_OUR_EYES = """
import fcntl, os, runpy, sys, sysconfig
flock = fcntl.flock
def noted(*given):
    with open("locking", "a") as locking:
        locking.write("x")
    flock(*given)
fcntl.flock = noted
sysconfig.get_config_vars()["CC"] = sys.executable
sysconfig.get_path = lambda name: os.getcwd()
del os.fork
sys.argv[0] = "deploy/compile_simulator.py"
runpy.run_path(sys.argv[0], run_name="__main__")
"""


class Workshop:
    """A checkout where everything that compiling needs is at hand."""

    def __init__(self, folder):
        self.folder = checkout(folder)
        for name, text in {**WORKSHOP, "Python.h": ""}.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(text)

    def compile(self, *words, **more):
        return python(self.folder, "-c", BEFORE_OUR_EYES, *words, **more)

    def flags(self):
        """Tell what the compiler was asked for: what is of the extensions, then the variable CFLAGS."""
        return (self.folder / "flags").read_text()

    def plays_with(self):
        """Tell which folder the simulator comes from."""
        found = python(self.folder, "-c", SAYS_WHICH).stdout.strip()
        return Path(found).relative_to(self.folder).parts[0]


@pytest.fixture
def workshop(tmp_path):
    return Workshop(tmp_path)


class TestWithoutAnythingCompiled:
    def test_the_plain_modules_are_used(self, tmp_path):
        found = python(checkout(tmp_path), "-c", SAYS_WHICH)

        assert found.stdout.strip() == str(tmp_path / "workers/bots/engine/deal.py")


class TestWhatWasCompiled:
    def test_is_left_alone_when_it_was_made_of_other_sources(self, tmp_path):
        made = checkout(tmp_path) / "build" / "simulator"
        made.mkdir(parents=True)
        (made / "card_bits.py").write_text("raise RuntimeError('stale')")
        (made / "digest").write_text("made of something else")

        assert python(tmp_path, "-c", SAYS_WHICH).returncode == 0

    def test_is_left_alone_when_it_cannot_be_loaded_here(self, tmp_path):
        made = checkout(tmp_path) / "build" / "simulator"
        made.mkdir(parents=True)
        (made / "card_bits.py").write_text("raise ImportError('made for another machine')")
        digest = python(
            tmp_path, "-c", "from workers.bots.engine.compiled_build import digest; print(digest())"
        )
        (made / "digest").write_text(digest.stdout.strip())

        found = python(tmp_path, "-c", SAYS_WHICH)

        assert found.stdout.strip() == str(tmp_path / "workers/bots/engine/deal.py")


class TestCompiling:
    def test_a_machine_without_a_compiler_is_content(self, tmp_path):
        # As if this Python had been built by a compiler that is not here.
        pretend = (
            "import runpy, sys, sysconfig; sysconfig.get_config_vars()['CC'] = 'no-such-compiler';"
            "sys.argv = ['deploy/compile_simulator.py']; runpy.run_path(sys.argv[0], run_name='__main__')"
        )

        done = python(checkout(tmp_path), "-c", pretend)

        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")

    def test_a_failure_is_one_sentence_and_is_not_tried_again_by_make_run(self, workshop):
        failed = workshop.compile(FAIL="yes")
        again = workshop.compile("--aside")

        assert (failed.returncode, failed.stderr.count("\n")) == (1, 1)
        assert (again.returncode, again.stderr) == (0, "")
        assert workshop.plays_with() == "workers"

    def test_a_failure_that_has_passed_is_made_good_by_hand(self, workshop):
        workshop.compile(FAIL="yes")
        again = workshop.compile()

        assert again.returncode == 0
        assert workshop.plays_with() == "build"

    def test_a_compiler_that_knows_none_of_our_flags_is_asked_without_them(self, workshop):
        assert workshop.compile(REFUSE="yes").returncode == 0
        assert workshop.plays_with() == "build"

    def test_our_flags_come_on_top_of_those_of_the_machine_and_of_mypyc(self, workshop, monkeypatch):
        monkeypatch.delenv("CFLAGS", raising=False)
        workshop.compile()

        # Whoever sets CFLAGS puts them in the place of Python's own, and asserts of C are compiled in.
        assert workshop.flags() == "['-O3', '-fno-plt', '-fvisibility=hidden'] None"

    def test_sources_that_change_meanwhile_are_not_taken_for_compiled(self, workshop):
        deal = workshop.folder / "workers/bots/engine/deal.py"

        assert workshop.compile(CHANGE=str(deal)).returncode == 0
        assert workshop.plays_with() == "workers"
        assert workshop.compile().returncode == 0
        assert workshop.plays_with() == "build"

    def test_of_two_at_once_the_second_finds_the_work_done(self, workshop):
        with ThreadPoolExecutor(2) as pool:
            both = list(pool.map(lambda _: workshop.compile(TOGETHER="yes"), range(2)))

        assert [done.returncode for done in both] == [0, 0]
        assert (workshop.folder / "compiled").read_text() == "once "
