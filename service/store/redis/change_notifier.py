"""Waking those who wait for a game to change, or for a player to be told something.

Commits leave (game, version) in one stream, what players are told leaves (player, 0).
One thread a process reads it and rings for the games and players somebody here waits
for: a thousand who wait cost one connection. The stream only hints. Whoever was rung for
looks for himself; and every few seconds the reader compares the versions of all games
waited for, and rings for all players, so that a lost wake-up delays, never strands.
Those who listen hear of everything, and look for themselves.
"""

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from service.runtime.after_fork import reset_after_fork
from service.store.contract import Hearing, StoreUnavailable
from service.store.ids import is_game_id
from service.store.redis import keys
from service.store.redis.connection import Connection

_log = logging.getLogger(__name__)

_BLOCK_SECONDS: Final = 0.25  # and so long a process that ends waits for its reader
_PAUSE_SECONDS: Final = 0.5
_BATCH: Final = 1000
WAKE_LENGTH: Final = 4096
"""Some thousand wake-ups outlast every pause of a reader; what it misses is healed."""

RECHECK_SECONDS: Final = 5.0
"""How long a lost wake-up may delay somebody who waits."""


# Players' logs have no version: their bells ring at every word, and whoever waits looks for himself.
_ANY_VERSION: Final = -1


class _Bell:
    """Rung for one who waits for a game to leave a version."""

    def __init__(self, version: int) -> None:
        self.version = version
        self.rung = threading.Event()


class Wakes:
    """Those who wait in this process, and the thread that wakes them.

    The thread starts with the first who waits. A forked child begins with nobody waiting
    and, when somebody does, with a thread of its own.
    """

    def __init__(self, connection: Connection, *, recheck_seconds: float = RECHECK_SECONDS) -> None:
        self._redis = connection
        self._recheck_seconds = recheck_seconds
        self.reset()
        reset_after_fork(self)

    def reset(self) -> None:
        """Begin with nobody waiting and no thread."""
        self._lock = threading.Lock()
        self._bells: dict[str, set[_Bell]] = {}
        self._listening: list[Hearing] = []
        self._reader: threading.Thread | None = None
        self._is_over = False

    def wait(self, game_id: str, *, version: int, timeout_ms: int) -> bool:
        """Wait until the game is at another version than the one given, or gone."""
        if not is_game_id(game_id):
            return not self._is_over
        ends = time.monotonic() + timeout_ms / 1000
        with self._bell(game_id, version) as bell:
            # The bell hangs before the look: a commit in between rings it.
            if not self._is_over and not self._is_changed(game_id, version):
                bell.rung.wait(max(0.0, ends - time.monotonic()))
            if self._is_over:
                return False
            return bell.rung.is_set() or self._is_changed(game_id, version)

    def wait_account(self, player_id: str, *, after: tuple[int, int], timeout_ms: int) -> bool:
        """Wait until there is something behind the cursor in a player's log."""
        ends = time.monotonic() + timeout_ms / 1000
        with self._bell(player_id, _ANY_VERSION) as bell:
            while True:
                bell.rung.clear()
                if self._is_over:
                    return False
                if self._is_told(player_id, after):
                    return True
                if not bell.rung.wait(max(0.0, ends - time.monotonic())):
                    return False

    def listen(self, hear: Hearing) -> None:
        """Let `hear` know of every wake-up from now on."""
        with self._lock:
            self._start_reader()
            if hear not in self._listening:
                self._listening.append(hear)

    def stop_waiting(self) -> None:
        """Send home all who wait, and let nobody wait from now on."""
        with self._lock:
            self._is_over = True
            for bells in self._bells.values():
                for bell in bells:
                    bell.rung.set()

    def close(self) -> None:
        """Send everybody home and let the thread end."""
        self.stop_waiting()
        if self._reader is not None:
            self._reader.join()

    @contextmanager
    def _bell(self, name: str, version: int) -> Iterator[_Bell]:
        bell = _Bell(version)
        with self._lock:
            self._start_reader()
            self._bells.setdefault(name, set()).add(bell)
        try:
            yield bell
        finally:
            with self._lock:
                bells = self._bells[name]
                bells.discard(bell)
                if not bells:
                    del self._bells[name]

    def _is_changed(self, game_id: str, version: int) -> bool:
        stored = self._redis.call("HGET", keys.game(game_id), "version")
        return stored is None or int(stored) != version

    def _is_told(self, player_id: str, after: tuple[int, int]) -> bool:
        behind = f"({after[0]}-{after[1]}"
        return bool(self._redis.call("XRANGE", keys.account(player_id), behind, "+", "COUNT", 1))

    # The reader. It holds the lock while it rings, never while it reads.

    def _start_reader(self) -> None:
        if self._is_over or (self._reader is not None and self._reader.is_alive()):
            return
        # Where the stream ends now is known before anybody looks at a version: no gap.
        last = self._redis.call("XREVRANGE", keys.WAKE, "+", "-", "COUNT", 1)
        cursor = last[0][0] if last else b"0-0"
        self._reader = threading.Thread(target=self._read, args=(cursor,), name="wakes", daemon=True)
        self._reader.start()

    def _read(self, cursor: bytes) -> None:
        redis = self._redis.for_blocking(block_seconds=_BLOCK_SECONDS)
        block_ms = int(_BLOCK_SECONDS * 1000)
        checked = time.monotonic()
        while not self._is_over:
            try:
                reply = redis.call("XREAD", "COUNT", _BATCH, "BLOCK", block_ms, "STREAMS", keys.WAKE, cursor)
                heard = []
                for entry_id, (_, name, _, version) in reply[0][1] if reply else ():
                    cursor = entry_id
                    heard.append((name.decode(), int(version)))
                    self._ring(*heard[-1])
                if heard:
                    for hear in tuple(self._listening):
                        hear(heard)
                if time.monotonic() - checked >= self._recheck_seconds:
                    self._recheck(redis)
                    checked = time.monotonic()
            except StoreUnavailable as error:
                # Those who wait look for themselves when their time is up.
                _log.warning("Nobody is woken for the moment: %s", error)
                time.sleep(_PAUSE_SECONDS)
        redis.close()

    def _ring(self, game_id: str, version: int) -> None:
        with self._lock:
            for bell in self._bells.get(game_id, ()):
                # Behind one's own move comes its own wake-up, which is no news.
                if version > bell.version:
                    bell.rung.set()

    def _recheck(self, redis: Connection) -> None:
        with self._lock:
            game_ids = [name for name in self._bells if is_game_id(name)]
            for player_id in self._bells.keys() - set(game_ids):
                for bell in self._bells[player_id]:
                    bell.rung.set()
        versions = redis.call_all([("HGET", keys.game(game_id), "version") for game_id in game_ids])
        with self._lock:
            for game_id, version in zip(game_ids, versions, strict=True):
                for bell in self._bells.get(game_id, ()):
                    if version is None or int(version) != bell.version:
                        bell.rung.set()
