"""Compile the simulator of the searching computers, where this machine has a C compiler.

    .venv/bin/python deploy/compile_simulator.py [--aside]

`make run` calls it with --aside: it leaves at once and compiles in the background, at the lowest
priority. Nothing waits for it and nothing fails with it: the modules are plain Python, and the
extension modules made of them lie in a folder of their own, with a note of what they were made of.
`workers.bots.simulator` uses them from its next start on, and only while the note is true. What the
compiler said is in build/compile/log.
"""

import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SIMULATOR = ROOT / "workers" / "bots" / "simulator"
BUILD = ROOT / "build" / "compile"
LOCK = ROOT / "requirements-compile.lock"
#: A machine where this takes longer has better things to do.
LONGEST_SECONDS = 600

SETUP = """
from mypyc.build import mypycify
from setuptools import setup

modules = {modules!r}
setup(name="simulator", packages=[], ext_modules=mypycify(modules, group_name={group!r}))
"""


def main(arguments: list[str]) -> int:
    """Compile if that is possible and not yet done; 1 only where it was possible and failed."""
    source = _simulator()
    if source.is_compiled() or not _has_compiler() or _failed().is_file():
        return 0
    if "--aside" in arguments:
        _go_on_alone()
    BUILD.mkdir(parents=True, exist_ok=True)
    with (BUILD / "log").open("w") as log:
        done = _compile(source.COMPILED_MODULES, source.FOLDER, log.fileno())
    if not done:
        _failed().write_text(source.digest())
        print("The simulator stays in plain Python; build/compile/log tells why.", file=sys.stderr)
        return 1
    (source.FOLDER / "digest").write_text(source.digest())
    return 0


def _simulator():  # noqa: ANN202 - a module
    """Return the module that knows which files are compiled, and from what; loaded by itself."""
    spec = importlib.util.spec_from_file_location("choice", SIMULATOR / "choice.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _failed() -> Path:
    """Return where it is noted that these very sources could not be compiled here."""
    return BUILD / f"failed-{_simulator().digest()[:16]}"


def _has_compiler() -> bool:
    compiler = (sysconfig.get_config_var("CC") or "cc").split()[0]
    header = Path(sysconfig.get_path("include")) / "Python.h"
    return shutil.which(compiler) is not None and header.is_file()


def _go_on_alone() -> None:
    """Let whoever called go on, and live apart from the terminal."""
    if not hasattr(os, "fork"):
        return
    if os.fork():
        os._exit(0)
    os.setsid()
    os.nice(19)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nowhere, stream)


def _compile(modules: tuple[str, ...], ready: Path, log: int) -> bool:
    """Make the extension modules and put them where the simulator looks; tell whether that succeeded."""
    python = BUILD / "venv" / "bin" / "python"
    with tempfile.TemporaryDirectory(dir=BUILD) as folder:
        room = Path(folder)
        for package in ("service", "workers"):
            shutil.copytree(ROOT / package, room / package, ignore=shutil.ignore_patterns("__pycache__"))
        files = [f"workers/bots/simulator/{module}.py" for module in modules]
        group = "workers.bots.simulator.compiled"
        (room / "setup.py").write_text(SETUP.format(modules=files, group=group))
        pip = ["-m", "pip", "--disable-pip-version-check", "--no-input", "install", "--require-hashes"]
        steps = (
            [sys.executable, "-m", "venv", str(BUILD / "venv")],
            [str(python), *pip, "-r", str(LOCK)],
            [str(python), "setup.py", "build_ext", "--build-lib", "made"],
        )
        for step in steps:
            if not _done(step, room, log):
                return False
        shutil.rmtree(ready, ignore_errors=True)
        shutil.copytree(room / "made" / "workers" / "bots" / "simulator", ready)
    return True


def _done(step: list[str], room: Path, log: int) -> bool:
    try:
        made = subprocess.run(step, cwd=room, stdout=log, stderr=log, timeout=LONGEST_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return made.returncode == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
