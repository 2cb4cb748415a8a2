"""The way to Redis: one pool of connections, scripts, and one kind of failure.

redis-py makes the connections: address, TLS, login, protocol. Its client and its pool
stay away, for three habits of version 8. The pool refuses the 101st connection:
here a thread waits for its turn. The client repeats a command for up to a minute:
here it is repeated once, which is safe, because every command of the store may
arrive twice (see `redis_store`). And both prepare for observers, caches and
commands that we do not have, at 20 to 30 microseconds a call, where the rest takes 13.
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

# A reply takes a millisecond. Three seconds outlast a slow fsync; who waits longer
# is better told that the store is unavailable.
_REPLY_SECONDS: Final = 3.0
_CONNECT_SECONDS: Final = 2.0
_PAUSE_SECONDS: Final = 0.05

# Nobody knows what became of the commands. A server that loads its data counts as not there.
_BROKEN: Final = (exceptions.ConnectionError, exceptions.TimeoutError)
# What a server answers while it cannot do its work. Every other refusal is a bug of ours.
_UNABLE: Final = (
    exceptions.ReadOnlyError,
    exceptions.OutOfMemoryError,
    exceptions.NoPermissionError,
    exceptions.ClusterDownError,
    exceptions.TryAgainError,
)
# The same, where redis-py has no class for it: disk full, too few replicas, a script that hangs.
_UNABLE_CODES: Final = ("MISCONF", "NOREPLICAS", "BUSY", "UNKILLABLE")


class _Link(Protocol):
    """What we use of a connection of redis-py, with the types it leaves open."""

    def pack_commands(self, commands: Sequence[Command]) -> list[bytes]: ...

    def send_packed_command(self, command: list[bytes]) -> None: ...

    def read_response(self) -> Any: ...  # noqa: ANN401 - as `call`

    def disconnect(self) -> None: ...


class Script:
    """A Lua script, called by its hash; the text travels only where the server has lost it."""

    def __init__(self, name: str) -> None:
        self.text = resources.files("service.store.redis").joinpath("lua", f"{name}.lua").read_bytes()
        self.hash = hashlib.sha1(self.text, usedforsecurity=False).hexdigest()

    def call(self, names: Sequence[str], arguments: Sequence[Argument]) -> Command:
        """Return the command that runs the script on the keys named."""
        return ("EVALSHA", self.hash, len(names), *names, *arguments)


# Untyped in redis-py.
_read_url: Callable[[str], dict[str, Any]] = parse_url


class Connection:
    """A server, reached by any number of threads; also after a fork."""

    def __init__(self, url: str, *, max_connections: int, block_seconds: float = 0.0) -> None:
        """Make a connection to a URL; nothing is sent until it is used.

        `max_connections` threads are served at once, the next ones wait. `block_seconds`
        is how long a command may block in the server. Raises ValueError for a URL of
        another scheme than redis, rediss or unix.
        """
        self._url = url
        self._max_connections = max_connections
        options = _read_url(url)
        self._make: Callable[..., _Link] = options.pop("connection_class", RedisConnection)
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
        """Begin with no open connection."""
        self._idle: deque[_Link] = deque()
        self._free = threading.Semaphore(self._max_connections)

    def for_blocking(self, *, block_seconds: float) -> "Connection":
        """Return a connection of its own to the same server, for commands that block so long."""
        return Connection(self._url, max_connections=1, block_seconds=block_seconds)

    def call(self, *command: Argument) -> Any:  # noqa: ANN401 - a reply has whatever shape it has
        """Send one command and return its reply."""
        return self.call_all((command,))[0]

    def run(self, script: Script, names: Sequence[str], *arguments: Argument) -> Any:  # noqa: ANN401 - as `call`
        """Run a script and return its reply: one round trip, two after a server lost its scripts."""
        return self.call_all((script.call(names, arguments),), script=script)[0]

    def call_all(
        self, commands: Sequence[Command], *, script: Script | None = None, needed: int | None = None
    ) -> list[Any]:
        """Send commands in one round trip and return their replies; raise the first failure.

        They are carried out in order, but others may come between. `script` is the one
        that the commands call. Behind the first `needed` commands a failure is no
        failure of the whole: it is handed over as a reply.
        """
        replies = self._tried_twice(commands)
        failure = _first_failure(replies[:needed])
        if isinstance(failure, exceptions.NoScriptError) and script is not None:
            replies = self._tried_twice((("SCRIPT", "LOAD", script.text), *commands))[1:]
            failure = _first_failure(replies[:needed])
        if failure is None:
            return replies
        if isinstance(failure, exceptions.ReadOnlyError):
            # What was the primary is one no more: look the name up again.
            self._drop_idle()
        if isinstance(failure, _UNABLE) or str(failure).startswith(_UNABLE_CODES):
            raise StoreUnavailable(f"Redis does not serve: {failure}") from failure
        raise failure

    def close(self) -> None:
        """Close the connections that nobody uses now."""
        self._drop_idle()

    def _tried_twice(self, commands: Sequence[Command]) -> list[Any]:
        if not commands:
            return []
        try:
            return self._exchanged(commands, fresh=False)
        except _BROKEN:
            # A server that went away took all connections with it, and may be back at once.
            self._drop_idle()
            time.sleep(_PAUSE_SECONDS)
        try:
            return self._exchanged(commands, fresh=True)
        except _BROKEN as error:
            # Without what redis-py says, which names the address: /readyz tells this to anybody.
            raise StoreUnavailable(f"Redis is not reached ({type(error).__name__}).") from error

    def _exchanged(self, commands: Sequence[Command], *, fresh: bool) -> list[Any]:
        """Write the commands in one piece, and return replies and refusals as they come."""
        if not self._free.acquire(timeout=_CONNECT_SECONDS):
            raise StoreUnavailable("All connections to Redis are in use.")
        try:
            link = self._new() if fresh else self._idle_or_new()
            try:
                link.send_packed_command(link.pack_commands(commands))
                replies = [_reply(link) for _ in commands]
            except BaseException:
                # Replies may still be on their way: nobody must read them as theirs.
                link.disconnect()
                raise
            self._idle.append(link)
            return replies
        finally:
            self._free.release()

    def _new(self) -> _Link:
        return self._make(**self._options)

    def _idle_or_new(self) -> _Link:
        try:
            return self._idle.pop()
        except IndexError:
            return self._new()

    def _drop_idle(self) -> None:
        with suppress(IndexError):
            while True:
                self._idle.pop().disconnect()


def _reply(link: _Link) -> Any:  # noqa: ANN401 - as `call`
    try:
        return link.read_response()
    except exceptions.ResponseError as refusal:
        return refusal


def _first_failure(replies: Sequence[Any]) -> exceptions.ResponseError | None:
    return next((reply for reply in replies if isinstance(reply, exceptions.ResponseError)), None)


def what_is_missing(connection: Connection) -> tuple[str, ...]:
    """Return what keeps the server from working for us, a sentence each.

    It must be reached, take a write (no read-only replica, memory and disk left),
    and never evict: all our keys have an end, and a full server would drop running games.
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
    """Return the script of that name, read once."""
    return Script(name)
