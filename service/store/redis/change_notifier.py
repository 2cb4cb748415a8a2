"""Wakes requests and streams when a game changes or a player gets a notification.

Every commit appends (game, version) to one stream, every notification (player, 0), and every player
who comes online (player, -1):

    1796080425985-0  g g374bpcIeywITybv6XK887uOTfHvn  v 13
    1796080426277-0  g p5oyS8YbD1nWTw0gU5rJbvUOQdP    v 0

One thread per process reads that stream, so a thousand waiting requests cost one connection. An
entry is only a hint: a request that is woken checks for itself. The same thread reads the stream
of messages. Every few seconds it also compares the versions of all games with waiters, and wakes
the waiters of all players, so a lost entry delays them and never leaves them waiting. Listeners
get every entry, and also check for themselves.
"""

import logging
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from service.runtime.after_fork import reset_after_fork
from service.store.contract import ChangeListener, StoreUnavailable
from service.store.ids import is_game_id
from service.store.messages import MessageListener
from service.store.redis import keys
from service.store.redis.connection import Argument, Connection

_log = logging.getLogger(__name__)

_BLOCK_SECONDS: Final = 0.25  # also how long a process that ends waits for its reader
_PAUSE_SECONDS: Final = 0.5
_BATCH: Final = 1000
WAKE_STREAM_LENGTH: Final = 4096
"""Some thousand entries outlast every pause of a reader; the recheck repairs what it misses."""

RECHECK_SECONDS: Final = 5.0
"""How long a lost entry may delay a waiting request."""

# Players' logs have no version: their waiters are woken by every notification, and check for themselves.
_ANY_VERSION: Final = -1


class _Waiter:
    """A request that waits for a game to leave a version."""

    def __init__(self, version: int) -> None:
        self.version = version
        self.woken = threading.Event()


class ChangeNotifier:
    """The waiting requests and listeners of this process, and the thread that wakes them.

    The thread starts with the first of them. A forked child starts without waiters and without
    a thread.
    """

    def __init__(self, connection: Connection, *, recheck_seconds: float = RECHECK_SECONDS) -> None:
        self._redis = connection
        self._recheck_seconds = recheck_seconds
        self.reset()
        reset_after_fork(self)

    def reset(self) -> None:
        """Forget all waiters, listeners and the thread."""
        self._lock = threading.Lock()
        self._waiters: dict[str, set[_Waiter]] = {}
        self._listeners: list[ChangeListener] = []
        self._message_listeners: list[MessageListener] = []
        self._reader: threading.Thread | None = None
        self._is_closed = False

    @property
    def waiting(self) -> int:
        """The number of waiting requests."""
        with self._lock:
            return sum(map(len, self._waiters.values()))

    @property
    def is_reading(self) -> bool:
        """Whether the thread runs."""
        return self._reader is not None and self._reader.is_alive()

    def wait(self, game_id: str, *, version: int, timeout_ms: int) -> bool:
        """Wait until the game is at another version than this one, or deleted; as `Store.wait`."""
        if not is_game_id(game_id):
            return not self._is_closed
        ends = time.monotonic() + timeout_ms / 1000
        with self._waiter(game_id, version) as waiter:
            # The waiter is registered before the check, so a commit in between wakes it.
            if not self._is_closed and not self._is_changed(game_id, version):
                waiter.woken.wait(max(0.0, ends - time.monotonic()))
            if self._is_closed:
                return False
            return waiter.woken.is_set() or self._is_changed(game_id, version)

    def wait_for_account(self, player_id: str, *, after: tuple[int, int], timeout_ms: int) -> bool:
        """Wait until a player's log has an entry after the cursor."""
        ends = time.monotonic() + timeout_ms / 1000
        with self._waiter(player_id, _ANY_VERSION) as waiter:
            while True:
                waiter.woken.clear()
                if self._is_closed:
                    return False
                if self._has_entries(player_id, after):
                    return True
                if not waiter.woken.wait(max(0.0, ends - time.monotonic())):
                    return False

    def listen(self, on_change: ChangeListener) -> None:
        """Call `on_change` for every entry from now on."""
        with self._lock:
            self._start_reader()
            if on_change not in self._listeners:
                self._listeners.append(on_change)

    def listen_to_messages(self, on_message: MessageListener) -> None:
        """Call `on_message` for every message from now on."""
        with self._lock:
            self._start_reader()
            if on_message not in self._message_listeners:
                self._message_listeners.append(on_message)

    def release_waiters(self) -> None:
        """Release all waiting requests and refuse new ones."""
        with self._lock:
            self._is_closed = True
            for waiters in self._waiters.values():
                for waiter in waiters:
                    waiter.woken.set()

    def close(self) -> None:
        """Release all waiting requests and end the thread."""
        self.release_waiters()
        if self._reader is not None:
            self._reader.join()

    @contextmanager
    def _waiter(self, name: str, version: int) -> Iterator[_Waiter]:
        waiter = _Waiter(version)
        with self._lock:
            self._start_reader()
            self._waiters.setdefault(name, set()).add(waiter)
        try:
            yield waiter
        finally:
            with self._lock:
                waiters = self._waiters[name]
                waiters.discard(waiter)
                if not waiters:
                    del self._waiters[name]

    def _is_changed(self, game_id: str, version: int) -> bool:
        stored = self._redis.call("HGET", keys.game(game_id), "version")
        return stored is None or int(stored) != version

    def _has_entries(self, player_id: str, after: tuple[int, int]) -> bool:
        start = f"({after[0]}-{after[1]}"
        return bool(self._redis.call("XRANGE", keys.account(player_id), start, "+", "COUNT", 1))

    # The reader. It holds the lock while it wakes waiters, never while it reads.

    def _start_reader(self) -> None:
        if self._is_closed or self.is_reading:
            return
        # The end of the stream is read before any waiter checks a version, so nothing is missed.
        cursors = {}
        for name in (keys.WAKE, keys.MESSAGES):
            last = self._redis.call("XREVRANGE", name, "+", "-", "COUNT", 1)
            cursors[name] = last[0][0] if last else b"0-0"
        self._reader = threading.Thread(target=self._read, args=(cursors,), name="wakes", daemon=True)
        self._reader.start()

    def _read(self, cursors: dict[str, bytes]) -> None:
        redis = self._redis.for_blocking(block_seconds=_BLOCK_SECONDS)
        block_ms = int(_BLOCK_SECONDS * 1000)
        checked = time.monotonic()
        while not self._is_closed:
            try:
                streams: list[Argument] = [*cursors, *cursors.values()]
                reply = redis.call("XREAD", "COUNT", _BATCH, "BLOCK", block_ms, "STREAMS", *streams)
                for stream, entries in reply or ():
                    cursors[stream.decode()] = entries[-1][0]
                    found = [(name.decode(), value) for _, (_, name, _, value) in entries]
                    if stream.decode() == keys.WAKE:
                        self._pass_changes(found)
                    else:
                        self._pass_messages(found)
                if time.monotonic() - checked >= self._recheck_seconds:
                    self._recheck(redis)
                    checked = time.monotonic()
            except StoreUnavailable as error:
                # A request that waits for a game checks it again at its time-out; other clients ask again.
                _log.warning("Waiting requests are not woken for now: %s", error)
                time.sleep(_PAUSE_SECONDS)
        redis.close()

    def _pass_changes(self, found: Sequence[tuple[str, bytes]]) -> None:
        changes = [(name, int(version)) for name, version in found]
        for change in changes:
            self._wake(*change)
        for on_change in tuple(self._listeners):
            on_change(changes)

    def _pass_messages(self, messages: Sequence[tuple[str, bytes]]) -> None:
        for on_message in tuple(self._message_listeners):
            on_message(messages)

    def _wake(self, name: str, version: int) -> None:
        with self._lock:
            for waiter in self._waiters.get(name, ()):
                # The entry of the player's own move arrives after it, and is not news to them.
                if version > waiter.version:
                    waiter.woken.set()

    def _recheck(self, redis: Connection) -> None:
        with self._lock:
            game_ids = [name for name in self._waiters if is_game_id(name)]
            for player_id in self._waiters.keys() - set(game_ids):
                for waiter in self._waiters[player_id]:
                    waiter.woken.set()
        versions = redis.call_all([("HGET", keys.game(game_id), "version") for game_id in game_ids])
        with self._lock:
            for game_id, version in zip(game_ids, versions, strict=True):
                for waiter in self._waiters.get(game_id, ()):
                    if version is None or int(version) != waiter.version:
                        waiter.woken.set()
