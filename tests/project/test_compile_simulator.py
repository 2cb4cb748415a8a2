"""Compiling the engine is optional: without a compiler, or after a failure, plain Python plays."""

import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from workers.bots.engine.compiled_build import COMPILED_MODULES, RULES_MODULES

ROOT = Path(__file__).resolve().parents[2]
PRINT_MODULE = "import workers.bots.engine.deal as deal; print(deal.__file__)"


def checkout(folder):
    """Return a copy of what the script and the engine need."""
    for room in ("deploy", "workers", "service"):
        shutil.copytree(ROOT / room, folder / room, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def python(folder, *words, **more):
    environment = {**os.environ, "PYTHONPATH": str(folder), **more}
    return subprocess.run(
        [sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


#: Fakes of venv, pip and the compiler; the last copies the sources that it was given.
FAKES = {
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
    with open(Path(__file__).with_name("compiled"), "a") as log:
        log.write("once ")
    flags = {flag for extension in ext_modules for flag in extension.extra_compile_args}
    Path(__file__).with_name("flags").write_text(f"{sorted(flags)} {os.environ.get('CFLAGS')}")
    if "REFUSE" in os.environ and flags != {"-O3"}:
        raise SystemExit("a flag this compiler does not know")
    if "CHANGE" in os.environ:
        with open(os.environ["CHANGE"], "a") as source:
            source.write("# Changed in the meantime.\\n")
    while "TOGETHER" in os.environ and len(Path(__file__).with_name("locking").read_text()) < 2:
        time.sleep(0.01)
    for extension in ext_modules:
        made = Path("made", extension.module)
        made.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(extension.module, made)
""",
}
#: As on a machine with a compiler, and in the foreground even with --aside; records who takes the lock.
IN_FOREGROUND = """
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


class Checkout:
    """A checkout with everything that compiling needs."""

    def __init__(self, folder):
        self.folder = checkout(folder)
        for name, text in {**FAKES, "Python.h": ""}.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(text)

    def compile(self, *words, **more):
        return python(self.folder, "-c", IN_FOREGROUND, *words, **more)

    def flags(self):
        """Return the flags that the compiler got: of the extensions, then the variable CFLAGS."""
        return (self.folder / "flags").read_text()

    def engine_folder(self):
        """Return the top folder that the engine is imported from."""
        found = python(self.folder, "-c", PRINT_MODULE).stdout.strip()
        return Path(found).relative_to(self.folder).parts[0]


@pytest.fixture
def checkout_with_compiler(tmp_path):
    return Checkout(tmp_path)


class TestWithoutACompiledBuild:
    def test_the_plain_modules_are_used(self, tmp_path):
        found = python(checkout(tmp_path), "-c", PRINT_MODULE)

        assert found.stdout.strip() == str(tmp_path / "workers/bots/engine/deal.py")


class TestACompiledBuild:
    def test_is_not_used_if_it_was_built_from_other_sources(self, tmp_path):
        made = checkout(tmp_path) / "build" / "simulator"
        made.mkdir(parents=True)
        (made / "card_bits.py").write_text("raise RuntimeError('stale')")
        (made / "digest").write_text("made of something else")

        assert python(tmp_path, "-c", PRINT_MODULE).returncode == 0

    def test_is_not_used_if_it_cannot_be_loaded(self, tmp_path):
        made = checkout(tmp_path) / "build" / "simulator"
        made.mkdir(parents=True)
        (made / "card_bits.py").write_text("raise ImportError('made for another machine')")
        digest = python(
            tmp_path, "-c", "from workers.bots.engine.compiled_build import digest; print(digest())"
        )
        (made / "digest").write_text(digest.stdout.strip())

        found = python(tmp_path, "-c", PRINT_MODULE)

        assert found.stdout.strip() == str(tmp_path / "workers/bots/engine/deal.py")


class TestTheDigest:
    def test_covers_every_module_that_the_compiler_reads(self):
        engine = ROOT / "workers/bots/engine"
        imported = set()
        for module in COMPILED_MODULES:
            imported |= set(
                re.findall(r"^\s*from (\S+) import", (engine / f"{module}.py").read_text(), re.MULTILINE)
            )

        covered = {f"workers.bots.engine.{module}" for module in COMPILED_MODULES}
        covered |= {f"service.rummy.{module}" for module in RULES_MODULES}
        assert {name for name in imported if name.startswith(("service.", "workers."))} <= covered

    @pytest.mark.parametrize(
        "path",
        ["workers/bots/engine/deal.py", "service/rummy/cards.py", "deploy/locks/requirements-compile.lock"],
    )
    def test_changes_with_sources_constants_of_the_rules_and_compiler(self, tmp_path, path):
        checkout(tmp_path)
        print_digest = "from workers.bots.engine.compiled_build import digest; print(digest())"
        before = python(tmp_path, "-c", print_digest).stdout
        (tmp_path / path).write_text((tmp_path / path).read_text() + "# Changed.\n")

        assert python(tmp_path, "-c", print_digest).stdout != before != ""


class TestCompiling:
    @pytest.mark.parametrize("option,code", [("", 0), ("--required", 1), ("--aside", 0)])
    def test_a_machine_without_a_compiler_gets_a_message(self, tmp_path, option, code):
        # As if this Python had been built by a compiler that is not here.
        pretend = (
            "import runpy, sys, sysconfig; sysconfig.get_config_vars()['CC'] = 'no-such-compiler';"
            "sys.argv[0] = 'deploy/compile_simulator.py'; runpy.run_path(sys.argv[0], run_name='__main__')"
        )

        done = python(checkout(tmp_path), "-c", pretend, option)

        assert (done.returncode, done.stdout) == (code, "")
        assert done.stderr.startswith("No C compiler") is (option != "--aside")

    def test_a_failure_prints_one_line_and_is_not_tried_again_by_make_run(self, checkout_with_compiler):
        failed = checkout_with_compiler.compile(FAIL="yes")
        again = checkout_with_compiler.compile("--aside")

        assert (failed.returncode, failed.stderr.count("\n")) == (1, 1)
        assert (again.returncode, again.stderr) == (0, "")
        assert checkout_with_compiler.engine_folder() == "workers"

    def test_after_a_failure_it_can_be_tried_again_by_hand(self, checkout_with_compiler):
        checkout_with_compiler.compile(FAIL="yes")
        again = checkout_with_compiler.compile()

        assert again.returncode == 0
        assert checkout_with_compiler.engine_folder() == "build"

    def test_a_compiler_that_refuses_the_flags_is_run_without_them(self, checkout_with_compiler):
        assert checkout_with_compiler.compile(REFUSE="yes").returncode == 0
        assert checkout_with_compiler.engine_folder() == "build"

    def test_our_flags_are_added_to_those_of_python_and_mypyc(self, checkout_with_compiler, monkeypatch):
        monkeypatch.delenv("CFLAGS", raising=False)
        checkout_with_compiler.compile()

        # CFLAGS would replace Python's own flags, and C assertions would be compiled in.
        assert checkout_with_compiler.flags() == "['-O3', '-fno-plt', '-fvisibility=hidden'] None"

    def test_sources_that_change_meanwhile_do_not_count_as_compiled(self, checkout_with_compiler):
        deal = checkout_with_compiler.folder / "workers/bots/engine/deal.py"

        assert checkout_with_compiler.compile(CHANGE=str(deal)).returncode == 0
        assert checkout_with_compiler.engine_folder() == "workers"
        assert checkout_with_compiler.compile().returncode == 0
        assert checkout_with_compiler.engine_folder() == "build"

    def test_of_two_at_once_only_one_compiles(self, checkout_with_compiler):
        with ThreadPoolExecutor(2) as pool:
            both = list(pool.map(lambda _: checkout_with_compiler.compile(TOGETHER="yes"), range(2)))

        assert [done.returncode for done in both] == [0, 0]
        assert (checkout_with_compiler.folder / "compiled").read_text() == "once "
