"""Make .venv from a lock file with hashes, and install the project into it.

    python3 deploy/make_venv.py requirements.lock

The Makefile calls it with the system's python3. An old one must reach the version check below, and only the
standard library may be imported. A stamp in .venv records what was installed: if nothing has changed, a call
takes a few hundredths of a second and prints nothing.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - this refuses an old Python
    sys.exit(
        "Rummy 500 needs Python 3.11 or newer and this is {}.{}; use a newer one, as in "
        "make run PYTHON=python3.12".format(*sys.version_info[:2])
    )

import fcntl
import hashlib
import importlib.util
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCK_FOLDER = ROOT / "deploy" / "locks"
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
LOG = VENV / "setup.log"

LOCKS = (
    "requirements.lock",
    "requirements-dev.lock",
    "requirements-bench.lock",
)
# The development lock contains all packages of the other, in the same versions.
SERVED_BY = {"requirements.lock": ("requirements.lock", "requirements-dev.lock")}
CAN_BE_USED = (
    "import sys, importlib.util; sys.exit(sys.version_info < (3, 11) or not importlib.util.find_spec('pip'))"
)


def main(lock: str) -> int:
    """Bring .venv up to date with one lock file; return the exit status."""
    if _is_ready(lock):
        return 0
    if any(importlib.util.find_spec(module) is None for module in ("venv", "ensurepip")):
        return _fail(
            "This Python has no venv module; on Debian and Ubuntu install it with "
            "sudo apt-get install python3-venv"
        )
    with (LOCK_FOLDER / lock).open() as one_at_a_time:
        # If two terminals run make at once, the second waits and finds the work done.
        fcntl.flock(one_at_a_time, fcntl.LOCK_EX)
        return 0 if _is_ready(lock) else _set_up(lock)


def _set_up(lock: str) -> int:
    count = len(re.findall(r"^[a-z0-9][^ ]*==", (LOCK_FOLDER / lock).read_text(), re.MULTILINE))
    print(f"Setting up .venv from {lock}: {count} packages, once.", flush=True)
    if not _can_be_used(PYTHON):
        made = subprocess.run([sys.executable, "-m", "venv", "--clear", str(VENV)], check=False)
        if made.returncode != 0:
            return _fail(f"Python could not create a virtual environment in {VENV}.")
    pip = [str(PYTHON), "-m", "pip", "--disable-pip-version-check", "--no-input", "install"]
    steps = (
        [*pip, "--progress-bar=off", "--require-hashes", "-r", str(LOCK_FOLDER / lock)],
        # The build backend comes from the lock too, so that nothing unlocked is fetched.
        [*pip, "--no-deps", "--no-build-isolation", "--editable", str(ROOT)],
    )
    LOG.write_text("")
    for step in steps:
        if not _run_pip(step, count):
            return _fail(f"{_reason(LOG.read_text())} pip's output is in {LOG.relative_to(ROOT)}.")
    for other in LOCKS:
        if not _is_stamped(other):
            # .venv no longer contains what that lock lists.
            _stamp(other).unlink(missing_ok=True)
    _stamp(lock).write_text(_digest(lock))
    return 0


def _run_pip(command: list[str], count: int) -> bool:
    """Run one pip command with a line of progress; return whether it succeeded."""
    on_terminal = sys.stdout.isatty()
    seen = 0
    pip = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert pip.stdout is not None
    with pip, LOG.open("a") as log:
        for line in pip.stdout:
            log.write(line)
            match = re.match(r"(?:Collecting|Requirement already satisfied:) ([\w.-]+)==", line)
            if match:
                seen += 1
                progress = f"  package {min(seen, count)} of {count}: {match[1]}"
            elif line.startswith("Obtaining file"):
                progress = "  installing Rummy 500"
            elif line.startswith("Installing collected packages") and seen:
                progress = "  installing the packages"
            else:
                continue
            if on_terminal:
                print(f"\r\033[K{progress}", end="", flush=True)
            elif not match or seen % 10 == 0:
                print(progress, flush=True)
    if on_terminal:
        print("\r\033[K", end="", flush=True)
    return pip.returncode == 0


def _reason(log: str) -> str:
    # pip's own ERROR, or the exception of a package that had to be built.
    errors = re.findall(r"^ *(?:ERROR: |error: |(?=\w+Error: ))(.+)$", log, re.MULTILINE)
    said = errors[0].rstrip(".") if errors else "it gave no reason"
    return f"pip could not install what Rummy 500 needs: {said}."


def _is_ready(lock: str) -> bool:
    return any(map(_is_stamped, SERVED_BY.get(lock, (lock,)))) and _can_be_used(PYTHON)


def _is_stamped(lock: str) -> bool:
    return _stamp(lock).is_file() and _stamp(lock).read_text() == _digest(lock)


def _stamp(lock: str) -> Path:
    return VENV / f".{lock}.stamp"


def _digest(lock: str) -> str:
    parts = [path.read_bytes() for path in (LOCK_FOLDER / lock, ROOT / "pyproject.toml")]
    # The path of .venv counts too: the scripts in it contain it.
    return hashlib.sha256(b"\0".join([bytes(VENV), *parts])).hexdigest()


def _can_be_used(python: Path) -> bool:
    return python.exists() and subprocess.run([str(python), "-c", CAN_BE_USED], check=False).returncode == 0


def _fail(sentence: str) -> int:
    print(sentence, file=sys.stderr)
    return 1


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
