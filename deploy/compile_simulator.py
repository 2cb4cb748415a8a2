"""Compile the engine of the searching bots, if this machine has a C compiler and Python's headers.

    .venv/bin/python deploy/compile_simulator.py [--aside | --required]

Without a compiler the engine stays in plain Python and is slower, and the script says so; `--required`
makes that an error. `make run` uses --aside: the script returns at once, says nothing, and compiles in the
background at the lowest priority. The extension modules go into build/simulator, with a digest of what they
were built from. `workers.bots.engine` uses them from its next start on, as long as the digest matches. The
compiler's output is in build/compile/log. Sources that failed to compile are not tried again with --aside;
without it they are, because the cause may have been temporary.
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
LOCK = Path("deploy/locks/requirements-compile.lock")
#: Only Python calls into the modules, so calls within them need no symbol tables. No flag asks for features
#: of this machine's processor: builds are copied to other machines.
FLAGS = ["-fvisibility=hidden", "-fno-plt"]
#: A step that takes longer has failed.
MAX_SECONDS = 600

SETUP = """
from mypyc.build import mypycify
from setuptools import setup

extensions = mypycify({modules!r}, group_name={group!r})
for extension in extensions:
    extension.extra_compile_args += {flags!r}
setup(name="simulator", packages=[], ext_modules=extensions)
"""


def main(arguments: list[str]) -> int:
    """Compile if that is possible and not done yet; return 1 if it failed, or was required and impossible."""
    aside = "--aside" in arguments
    if _is_done(aside=aside):
        return 0
    if not _has_compiler():
        if not aside:
            print(
                "No C compiler with Python's headers here: the engine stays in plain Python.", file=sys.stderr
            )
        return int("--required" in arguments)
    if aside:
        _continue_in_background()
    BUILD.mkdir(parents=True, exist_ok=True)
    with (BUILD / "lock").open("w") as one_at_a_time:
        # A second process waits here, and finds the work done.
        fcntl.flock(one_at_a_time, fcntl.LOCK_EX)
        return 0 if _is_done(aside=aside) else _compile()


def _is_done(*, aside: bool) -> bool:
    """Return whether these sources are compiled; with `aside`, or have failed to compile before."""
    source = _simulator(ROOT)
    return source.is_compiled() or (aside and _failed(source.digest()).is_file())


def _simulator(root: Path):  # noqa: ANN202 - a module
    """Return the module that knows what is compiled, loaded without its package."""
    spec = importlib.util.spec_from_file_location("compiled_build", root / SIMULATOR / "compiled_build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _failed(digest: str) -> Path:
    """Return the file that marks sources as impossible to compile here."""
    return BUILD / f"failed-{digest[:16]}"


def _has_compiler() -> bool:
    compiler = (sysconfig.get_config_var("CC") or "cc").split()[0]
    header = Path(sysconfig.get_path("include")) / "Python.h"
    return shutil.which(compiler) is not None and header.is_file()


def _continue_in_background() -> None:
    """Let the caller continue, and detach from the terminal."""
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
    """Build the extension modules and put them where the engine looks for them."""
    installed = _simulator(ROOT).FOLDER
    with tempfile.TemporaryDirectory(dir=BUILD) as folder:
        sandbox = Path(folder)
        for package in ("service", "workers"):
            shutil.copytree(ROOT / package, sandbox / package, ignore=shutil.ignore_patterns("__pycache__"))
        (sandbox / LOCK).parent.mkdir(parents=True)
        shutil.copy(ROOT / LOCK, sandbox / LOCK)
        # The digest is of the copies: the originals may change while they are compiled.
        copied = _simulator(sandbox)
        digest = copied.digest()
        if not _build(sandbox, copied.COMPILED_MODULES):
            _failed(digest).touch()
            print("The engine stays in plain Python: see build/compile/log.", file=sys.stderr)
            return 1
        shutil.rmtree(installed, ignore_errors=True)
        shutil.copytree(sandbox / "made" / SIMULATOR, installed)
    (installed / "digest").write_text(digest)
    _failed(digest).unlink(missing_ok=True)
    return 0


def _build(sandbox: Path, modules: tuple[str, ...]) -> bool:
    """Build the extension modules in a folder of copies; return whether that succeeded."""
    python = BUILD / "venv" / "bin" / "python"
    files = [str(SIMULATOR / f"{module}.py") for module in modules]
    group = "workers.bots.engine.compiled"
    pip = ["-m", "pip", "--disable-pip-version-check", "--no-input", "install", "--require-hashes"]
    steps = (
        [sys.executable, "-m", "venv", str(BUILD / "venv")],
        [str(python), *pip, "-r", str(ROOT / LOCK)],
    )
    build = [str(python), "setup.py", "build_ext", "--build-lib", "made"]
    with (BUILD / "log").open("w") as log:
        if not all(_done(step, sandbox, log.fileno()) for step in steps):
            return False
        # Try without the flags if the compiler does not know them.
        for flags in (FLAGS, []):
            (sandbox / "setup.py").write_text(SETUP.format(modules=files, group=group, flags=flags))
            if _done(build, sandbox, log.fileno()):
                return True
    return False


def _done(step: list[str], sandbox: Path, log: int) -> bool:
    try:
        made = subprocess.run(step, cwd=sandbox, stdout=log, stderr=log, timeout=MAX_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return made.returncode == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
