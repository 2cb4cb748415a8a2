"""Compile the simulator of the searching computers, where this machine has a C compiler.

    .venv/bin/python deploy/compile_simulator.py [--aside]

`make run` calls it with --aside: it leaves at once and compiles in the background, at the lowest
priority. Nothing waits for it and nothing fails with it: the modules are plain Python, and the
extension modules made of them lie in a folder of their own, with a note of what they were made of.
`workers.bots.engine` uses them from its next start on, and only while the note is true. What the
compiler said is in build/compile/log. Sources that could not be compiled are not tried again with
--aside; by hand they are, for the reason may have been a passing one.
"""

import fcntl
import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SIMULATOR = Path("workers", "bots", "engine")
BUILD = ROOT / "build" / "compile"
LOCK = ROOT / "deploy/locks/requirements-compile.lock"
#: Only Python calls into what is made, so that calls within it need not go by tables for others to
#: change. Nothing here asks for more than any processor of the kind can do: builds are carried about.
FLAGS = ["-fvisibility=hidden", "-fno-plt"]
#: A machine where this takes longer has better things to do.
LONGEST_SECONDS = 600

SETUP = """
from mypyc.build import mypycify
from setuptools import setup

extensions = mypycify({modules!r}, group_name={group!r})
for extension in extensions:
    extension.extra_compile_args += {flags!r}
setup(name="simulator", packages=[], ext_modules=extensions)
"""


def main(arguments: list[str]) -> int:
    """Compile if that is possible and not yet done; 1 only where it was possible and failed."""
    aside = "--aside" in arguments
    if _is_settled(aside=aside) or not _has_compiler():
        return 0
    if aside:
        _go_on_alone()
    BUILD.mkdir(parents=True, exist_ok=True)
    with (BUILD / "lock").open("w") as one_at_a_time:
        # Whoever comes second waits, and finds the work done.
        fcntl.flock(one_at_a_time, fcntl.LOCK_EX)
        return 0 if _is_settled(aside=aside) else _compile()


def _is_settled(*, aside: bool) -> bool:
    """Tell whether these very sources are compiled; aside, it is enough that they could not be."""
    source = _simulator(ROOT)
    return source.is_compiled() or (aside and _failed(source.digest()).is_file())


def _simulator(root: Path):  # noqa: ANN202 - a module
    """Return the module that knows which files are compiled, and from what; loaded by itself."""
    spec = importlib.util.spec_from_file_location("compiled_build", root / SIMULATOR / "compiled_build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _failed(digest: str) -> Path:
    """Return where it is noted that sources could not be compiled here."""
    return BUILD / f"failed-{digest[:16]}"


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


def _compile() -> int:
    """Make the extension modules and put them where the simulator looks."""
    ready = _simulator(ROOT).FOLDER
    with tempfile.TemporaryDirectory(dir=BUILD) as folder:
        room = Path(folder)
        for package in ("service", "workers"):
            shutil.copytree(ROOT / package, room / package, ignore=shutil.ignore_patterns("__pycache__"))
        # The copies are asked: until they are compiled, others may lie where they came from.
        copied = _simulator(room)
        digest = copied.digest()
        if not _build(room, copied.COMPILED_MODULES):
            _failed(digest).touch()
            print("The simulator stays in plain Python; build/compile/log tells why.", file=sys.stderr)
            return 1
        shutil.rmtree(ready, ignore_errors=True)
        shutil.copytree(room / "made" / SIMULATOR, ready)
    (ready / "digest").write_text(digest)
    _failed(digest).unlink(missing_ok=True)
    return 0


def _build(room: Path, modules: tuple[str, ...]) -> bool:
    """Build the extension modules in a room of copies; tell whether that succeeded."""
    python = BUILD / "venv" / "bin" / "python"
    files = [str(SIMULATOR / f"{module}.py") for module in modules]
    group = "workers.bots.engine.compiled"
    pip = ["-m", "pip", "--disable-pip-version-check", "--no-input", "install", "--require-hashes"]
    steps = (
        [sys.executable, "-m", "venv", str(BUILD / "venv")],
        [str(python), *pip, "-r", str(LOCK)],
    )
    build = [str(python), "setup.py", "build_ext", "--build-lib", "made"]
    with (BUILD / "log").open("w") as log:
        if not all(_done(step, room, log.fileno()) for step in steps):
            return False
        # A compiler that knows no such flags is asked again without them.
        for flags in (FLAGS, []):
            (room / "setup.py").write_text(SETUP.format(modules=files, group=group, flags=flags))
            if _done(build, room, log.fileno()):
                return True
    return False


def _done(step: list[str], room: Path, log: int) -> bool:
    try:
        made = subprocess.run(step, cwd=room, stdout=log, stderr=log, timeout=LONGEST_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return made.returncode == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
