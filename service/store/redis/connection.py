"""The connection to Redis: a pool of connections, scripts, retries, and one class of failure.

redis-py makes the connections: address, TLS, login, protocol. Its client and its pool are not
used, because of how version 8 behaves:

- The pool refuses the 101st connection. Here a thread waits for a free one.
- The client repeats a command for up to a minute. Here it is repeated once, which is safe,
  because every command of the store may arrive twice (see `store`).
- Both prepare for observers, caches and commands that are not needed here. That takes 20 to 30
  microseconds per call, where the rest takes 13.
"""

import functools
import hashlib
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import resources
from typing import Any, Final, Protocol

from redis import exceptions
from redis.backoff import NoBackoff
from redis.connection import Connection as RedisConnection
from redis.connection import parse_url
from redis.retry import Retry

from service.runtime.after_fork import reset_after_fork
from service.store.contract import StoreUnavailable
from service.store.redis import keys

Argument = str | bytes | int
Command = tuple[Argument, ...]

# A reply takes a millisecond. Three seconds outlast a slow fsync; after that it is better to answer
# that the store is unavailable.
_REPLY_SECONDS: Final = 3.0
_CONNECT_SECONDS: Final = 2.0
_PAUSE_SECONDS: Final = 0.05

# The outcome of the commands is unknown. A server that is loading its data counts as unreachable.
_BROKEN: Final = (exceptions.ConnectionError, exceptions.TimeoutError)
# Errors of a server that cannot work now. Every other error is a bug of ours.
_UNABLE: Final = (
    exceptions.ReadOnlyError,
    exceptions.OutOfMemoryError,
    exceptions.NoPermissionError,
    exceptions.ClusterDownError,
    exceptions.TryAgainError,
)
# The same, without a class in redis-py: disk full, too few replicas, a script that hangs.
_UNABLE_CODES: Final = ("MISCONF", "NOREPLICAS", "BUSY", "UNKILLABLE")


class _PooledConnection(Protocol):
    """The methods used of redis-py's connection, which has no types for them."""

    def pack_commands(self, commands: Sequence[Command]) -> list[bytes]: ...

    def send_packed_command(self, command: list[bytes]) -> None: ...

    def read_response(self) -> Any: ...  # noqa: ANN401 - as `call`

    def disconnect(self) -> None: ...


class Script:
    """A Lua script, called by its hash; its text is sent only if the server does not know it."""

    def __init__(self, name: str) -> None:
        self.text = resources.files("service.store.redis").joinpath("lua", f"{name}.lua").read_bytes()
        self.hash = hashlib.sha1(self.text, usedforsecurity=False).hexdigest()

    def call(self, names: Sequence[str], arguments: Sequence[Argument]) -> Command:
        """Return the command that runs the script on these keys."""
        return ("EVALSHA", self.hash, len(names), *names, *arguments)


# Untyped in redis-py.
_read_url: Callable[[str], dict[str, Any]] = parse_url


class Connection:
    """A pool of connections to one server, for any number of threads; survives a fork."""

    def __init__(self, url: str, *, max_connections: int, block_seconds: float = 0.0) -> None:
        """Prepare connections to a URL; nothing is sent yet.

        Up to `max_connections` threads are served at once, the others wait. `block_seconds` is
        how long a command may block in the server. Raises ValueError for a URL with another
        scheme than redis, rediss or unix.
        """
        self._url = url
        self._max_connections = max_connections
        options = _read_url(url)
        self._make: Callable[..., _PooledConnection] = options.pop("connection_class", RedisConnection)
        self._options = options | {
            "protocol": 2,
            "driver_info": None,
            "socket_timeout": block_seconds + _REPLY_SECONDS,
            "retry": Retry(NoBackoff(), 0),
        }
        if "path" not in options:
            self._options |= {"socket_connect_timeout": _CONNECT_SECONDS, "socket_keepalive": True}
        self.reset()
        reset_after_fork(self)

    def reset(self) -> None:
        """Start without open connections."""
        self._idle: deque[_PooledConnection] = deque()
        self._free = threading.Semaphore(self._max_connections)

    def for_blocking(self, *, block_seconds: float) -> "Connection":
        """Return a separate connection to the same server, for commands that block that long."""
        return Connection(self._url, max_connections=1, block_seconds=block_seconds)

    def call(self, *command: Argument) -> Any:  # noqa: ANN401 - the reply's type depends on the command
        """Send one command and return its reply."""
        return self.call_all((command,))[0]

    def run(self, script: Script, names: Sequence[str], *arguments: Argument) -> Any:  # noqa: ANN401 - as `call`
        """Run a script and return its reply: one round trip, two after a server lost its scripts."""
        return self.call_all((script.call(names, arguments),), script=script)[0]

    def call_all(
        self, commands: Sequence[Command], *, script: Script | None = None, needed: int | None = None
    ) -> list[Any]:
        """Send commands in one round trip and return their replies; raise the first failure.

        They run in order, but other clients' commands may run in between. `script` is the one
        that the commands call. A failure after the first `needed` commands does not raise; it
        is returned as a reply.
        """
        replies = self._exchange_with_retry(commands)
        failure = _first_failure(replies[:needed])
        if isinstance(failure, exceptions.NoScriptError) and script is not None:
            replies = self._exchange_with_retry((("SCRIPT", "LOAD", script.text), *commands))[1:]
            failure = _first_failure(replies[:needed])
        if failure is None:
            return replies
        if isinstance(failure, exceptions.ReadOnlyError):
            # The server is no longer the primary: connect, and so resolve the name, again.
            self._drop_idle()
        if isinstance(failure, _UNABLE) or str(failure).startswith(_UNABLE_CODES):
            raise StoreUnavailable(f"Redis cannot serve: {failure}") from failure
        raise failure

    def close(self) -> None:
        """Close the idle connections."""
        self._drop_idle()

    def _exchange_with_retry(self, commands: Sequence[Command]) -> list[Any]:
        if not commands:
            return []
        try:
            return self._exchange(commands, fresh=False)
        except _BROKEN:
            # A server that restarted has closed all connections, and may be back at once.
            self._drop_idle()
            time.sleep(_PAUSE_SECONDS)
        try:
            return self._exchange(commands, fresh=True)
        except _BROKEN as error:
            # Without redis-py's message, which contains the address: /readyz shows this to everyone.
            raise StoreUnavailable(f"Redis cannot be reached ({type(error).__name__}).") from error

    def _exchange(self, commands: Sequence[Command], *, fresh: bool) -> list[Any]:
        """Send the commands in one write; return their replies, errors among them."""
        if not self._free.acquire(timeout=_CONNECT_SECONDS):
            raise StoreUnavailable("All connections to Redis are in use.")
        try:
            link = self._new() if fresh else self._idle_or_new()
            try:
                link.send_packed_command(link.pack_commands(commands))
                replies = [_read_reply(link) for _ in commands]
            except BaseException:
                # Replies may still arrive: no other call may read them.
                link.disconnect()
                raise
            self._idle.append(link)
            return replies
        finally:
            self._free.release()

    def _new(self) -> _PooledConnection:
        return self._make(**self._options)

    def _idle_or_new(self) -> _PooledConnection:
        try:
            return self._idle.pop()
        except IndexError:
            return self._new()

    def _drop_idle(self) -> None:
        with suppress(IndexError):
            while True:
                self._idle.pop().disconnect()


def _read_reply(link: _PooledConnection) -> Any:  # noqa: ANN401 - as `call`
    try:
        return link.read_response()
    except exceptions.ResponseError as error:
        return error


def _first_failure(replies: Sequence[Any]) -> exceptions.ResponseError | None:
    return next((reply for reply in replies if isinstance(reply, exceptions.ResponseError)), None)


def readiness_problems(connection: Connection) -> tuple[str, ...]:
    """Return the problems that make the server unusable, one sentence each.

    It must be reachable, accept writes (no read-only replica, memory and disk left), and never
    evict: all keys of the store have an expiry, so a full server would delete running games.
    """
    try:
        _, information = connection.call_all(
            [
                ("SET", keys.PING, "1", "PX", 1000),
                ("INFO", "memory"),
            ]
        )
    except (StoreUnavailable, exceptions.ResponseError) as error:
        return (str(error),)
    lines = dict(line.split(":", 1) for line in information.decode().splitlines() if ":" in line)
    policy = lines.get("maxmemory_policy", "noeviction")
    if policy != "noeviction" and lines.get("maxmemory", "0") != "0":
        return (f"Redis would evict running games: set maxmemory-policy to noeviction, not {policy}.",)
    return ()


@functools.cache
def script(name: str) -> Script:
    """Return the script of this name, read once."""
    return Script(name)
