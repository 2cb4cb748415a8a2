"""The way to Redis: one pool of connections, scripts, and one kind of failure.

Three habits of redis-py 8 are turned off here. Its pool refuses the 101st
connection: ours makes a thread wait for its turn. It speaks RESP3, with other
shapes of replies: ours speaks RESP2, and hands replies over as they come. And it
repeats a command for up to a minute: ours repeats it once. That is safe, because
every command of the store may arrive twice (see `redis_store`).
"""

import functools
import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import resources
from typing import Any, Final, Protocol, Self, TypeVar

import redis
from redis import exceptions
from redis.backoff import ConstantBackoff
from redis.connection import BlockingConnectionPool, ConnectionPool, parse_url
from redis.retry import Retry

from service.store import keys
from service.store.base import StoreUnavailable

Argument = str | bytes | int
Command = tuple[Argument, ...]
_T = TypeVar("_T")

# A reply takes a millisecond. Three seconds outlast a slow fsync; who waits longer
# is better told that the store is unavailable.
_REPLY_SECONDS: Final = 3.0
_CONNECT_SECONDS: Final = 2.0
_PAUSE_SECONDS: Final = 0.05

# What a server answers while it cannot do its work. Every other refusal is a bug of ours.
_UNABLE: Final = (
    exceptions.ConnectionError,
    exceptions.TimeoutError,
    exceptions.ReadOnlyError,
    exceptions.OutOfMemoryError,
    exceptions.NoPermissionError,
    exceptions.ClusterDownError,
    exceptions.TryAgainError,
)
# The same, where redis-py has no class for it: disk full, too few replicas, a script that hangs.
_UNABLE_CODES: Final = ("MISCONF", "NOREPLICAS", "BUSY", "UNKILLABLE")


class Script:
    """A Lua script, called by its hash; the text travels only where the server has lost it."""

    def __init__(self, name: str) -> None:
        self.text = resources.files("service.store").joinpath("lua", f"{name}.lua").read_bytes()
        self.hash = hashlib.sha1(self.text, usedforsecurity=False).hexdigest()

    def call(self, names: Sequence[str], arguments: Sequence[Argument]) -> Command:
        """Return the command that runs the script on the keys named."""
        return ("EVALSHA", self.hash, len(names), *names, *arguments)


class _Client(Protocol):
    """What we use of redis-py's client, with the types it leaves open."""

    def execute_command(self, *command: Argument) -> Any: ...  # noqa: ANN401

    def pipeline(self, transaction: bool) -> Any: ...  # noqa: ANN401, FBT001

    def close(self) -> None: ...


# Both are untyped in redis-py.
_read_url: Callable[[str], dict[str, Any]] = parse_url
_make_pool: Callable[..., ConnectionPool] = BlockingConnectionPool


class Connection:
    """A server, reached by any number of threads; also after a fork."""

    def __init__(self, pool: ConnectionPool, url: str) -> None:
        client = redis.Redis.from_pool(pool)
        # Replies as they come: no guess by a command's name at what they may mean.
        client.response_callbacks.clear()
        self._pool = pool
        self._client: _Client = client
        self._url = url

    @classmethod
    def to(cls, url: str, *, max_connections: int) -> Self:
        """Make a connection to a URL; nothing is sent until it is used.

        Raises ValueError for a URL of another scheme than redis, rediss or unix.
        """
        return cls._made(url, max_connections=max_connections, reply_seconds=_REPLY_SECONDS)

    def for_blocking(self, *, block_seconds: float) -> "Connection":
        """Return a connection of its own to the same server, for commands that block so long."""
        return self._made(self._url, max_connections=1, reply_seconds=block_seconds + _REPLY_SECONDS)

    @classmethod
    def _made(cls, url: str, *, max_connections: int, reply_seconds: float) -> Self:
        options: dict[str, Any] = {
            **_read_url(url),
            "protocol": 2,
            "decode_responses": False,
            "driver_info": None,
            "max_connections": max_connections,
            "timeout": _CONNECT_SECONDS,
            "socket_connect_timeout": _CONNECT_SECONDS,
            "socket_timeout": reply_seconds,
            "socket_keepalive": True,
            "retry": Retry(ConstantBackoff(_PAUSE_SECONDS), 1),
        }
        if "path" in options:  # A unix socket knows neither.
            del options["socket_keepalive"], options["socket_connect_timeout"]
        return cls(_make_pool(**options), url)

    def call(self, *command: Argument) -> Any:  # noqa: ANN401 - a reply has whatever shape it has
        """Send one command and return its reply."""
        with self._failures():
            return self._client.execute_command(*command)

    def run(self, script: Script, names: Sequence[str], *arguments: Argument) -> Any:  # noqa: ANN401
        """Run a script and return its reply: one round trip, two after a server lost its scripts."""
        command = script.call(names, arguments)
        with self._failures():
            return self._with_script(script, lambda: self._client.execute_command(*command))

    def call_all(
        self, commands: Sequence[Command], *, script: Script | None = None, needed: int | None = None
    ) -> list[Any]:
        """Send commands in one round trip and return their replies; raise the first failure.

        They are carried out in order, but others may come between. `script` is the one
        that the commands call. Behind the first `needed` commands a failure is no
        failure of the whole: it is handed over as a reply.
        """
        with self._failures():
            return self._with_script(script, lambda: self._pipelined(commands, needed))

    def close(self) -> None:
        """Close all connections."""
        self._client.close()

    def _pipelined(self, commands: Sequence[Command], needed: int | None) -> list[Any]:
        pipeline = self._client.pipeline(transaction=False)
        for command in commands:
            pipeline.execute_command(*command)
        replies: list[Any] = pipeline.execute(raise_on_error=False)
        for reply in replies[:needed]:
            if isinstance(reply, exceptions.ResponseError):
                raise reply
        return replies

    def _with_script(self, script: Script | None, send: Callable[[], _T]) -> _T:
        try:
            return send()
        except exceptions.NoScriptError:
            if script is None:
                raise
            self._client.execute_command("SCRIPT LOAD", script.text)
            return send()

    @contextmanager
    def _failures(self) -> Iterator[None]:
        try:
            yield
        except _UNABLE as error:
            if isinstance(error, exceptions.ReadOnlyError):
                # What was the primary is one no more: look the name up again.
                self._pool.disconnect(inuse_connections=False)
            raise StoreUnavailable(f"Redis does not serve: {error}") from error
        except exceptions.ResponseError as error:
            if str(error).startswith(_UNABLE_CODES):
                raise StoreUnavailable(f"Redis does not serve: {error}") from error
            raise


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
    except StoreUnavailable as error:
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
