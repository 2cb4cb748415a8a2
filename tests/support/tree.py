"""A real `rummy500 run` in a test's own folder, and what a test may do to it."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from workers.processes.child_process import parent_death_hook

ROOT = Path(__file__).resolve().parents[2]
# Everything here happens in a second or two; on a busy machine it may take many more.
PATIENCE_SECONDS = 60.0

PARTS = {
    "API": "workers.cli api",
    "turns": "workers.cli turns",
    "webhooks": "workers.cli webhooks",
    "thinker": "workers.cli thinker",
    "adviser": "workers.cli adviser",
    "scheduler": "workers.cli scheduler",
    "Valkey": "valkey-server",
}


def environment(**settings):
    """The test's environment: none of the user's settings, and this checkout's code."""
    cleared = {"PORT", "BIND", "DATA_DIR", "REDIS_URL", "QUEUE_REDIS_URL", "API_PROCESSES", "API_THREADS"}
    kept = {name: value for name, value in os.environ.items() if name not in cleared}
    # One API process starts faster than two, and most tests need no more.
    ours = {"PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1", "PORT": "0", "API_PROCESSES": "1"}
    return {**kept, **ours, **settings}


def rummy500(*arguments, **settings):
    """Run a command that ends by itself."""
    return subprocess.run(
        [sys.executable, "-P", "-m", "workers.cli", *arguments],
        env=environment(**settings),
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )


def wait_for(condition, what):
    """Wait until the condition gives something, and return that."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        if found := condition():
            return found
        time.sleep(0.02)
    raise AssertionError(f"waited {PATIENCE_SECONDS:.0f} s for {what}")


def is_alive(pid):
    """Tell whether a process is there and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


class Tree:
    """A running tree. Use it in a `with`: whatever happens, nothing is left behind."""

    def __init__(self, data_dir, **settings):
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "workers.cli", "run"],
            env=environment(DATA_DIR=str(data_dir), **settings),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            # A run of tests that is killed leaves nobody behind who would take its processor.
            preexec_fn=parent_death_hook(),  # noqa: PLW1509 - nothing but a system call
        )
        self.lines = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        for line in self._process.stdout:
            self.lines.append(line.rstrip())

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is not None:
            print(self.output)
        family = [self.pid, *self.descendants()]
        self._process.kill()
        self._process.wait(PATIENCE_SECONDS)
        wait_for(lambda: not any(map(is_alive, family)), "the whole family to go with its head")
        self._process.stdout.close()

    @property
    def pid(self):
        return self._process.pid

    @property
    def output(self):
        return "\n".join(self.lines)

    @property
    def url(self):
        """The printed address; waits until the tree is up."""
        return self.wait_for_line(r"listens at (http://\S+)")[1]

    def wait_for_line(self, pattern):
        """Wait until a line matches, also one that came already."""

        def found():
            for line in list(self.lines):
                if match := re.search(pattern, line):
                    return match
            if self._process.poll() is not None:
                raise AssertionError(f"it ended with {self._process.returncode}:\n{self.output}")
            return None

        return wait_for(found, f"{pattern!r} in:\n{self.output}")

    def part(self, name):
        """The pid of a part; waits until it is there."""

        def found():
            for pid in children(self.pid):
                if PARTS[name] in command_line(pid) and is_alive(pid):
                    return pid
            return None

        return wait_for(found, f"the {name}")

    def descendants(self):
        """All processes below the head of the tree."""
        waiting, found = [self.pid], []
        while waiting:
            begun = children(waiting.pop())
            found += begun
            waiting += begun
        return found

    def kill(self, name):
        """Kill a part with SIGKILL and return its pid."""
        pid = self.part(name)
        os.kill(pid, signal.SIGKILL)
        wait_for(lambda: not is_alive(pid), f"the {name} to die")
        return pid

    def send(self, number):
        """Send a signal to the head of the tree."""
        self._process.send_signal(number)

    def wait(self):
        """Wait for the end and return the exit status."""
        status = self._process.wait(PATIENCE_SECONDS)
        wait_for(lambda: not self.descendants(), "the descendants to go")
        # The last line may still be on its way.
        self._reader.join(PATIENCE_SECONDS)
        return status

    def stop(self, number=signal.SIGINT):
        """Stop it as Ctrl-C does and return the exit status."""
        self.send(number)
        return self.wait()


def children(pid):
    """The processes that a process has started."""
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except (FileNotFoundError, ProcessLookupError):
        return []


def command_line(pid):
    """The words a process was started with, or nothing once it is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except (FileNotFoundError, ProcessLookupError):
        return ""
