"""The open streams of a process: how many there may be, and what goes on while they are open."""

import logging
import secrets
import select
import socket
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from service.runtime import metrics
from service.runtime.durations import SECOND_MS
from service.store.contract import Store, StoreUnavailable
from service.store.presence import Visit
from service.streams.broker import Hub
from service.streams.presence import Presence

log = logging.getLogger(__name__)

_ROUND_SECONDS: Final = 1.0
#: What a killed process leaves behind counts against the limits for so long.
_VISIT_MS: Final = 30 * SECOND_MS
_RENEWED_SECONDS: Final = 10.0
#: Whoever comes back within this time has not been away.
_MOMENT_MS: Final = 10 * SECOND_MS
_PRESENCE_SECONDS: Final = 3.0
#: A process that ends waits no longer than this for a client that takes nothing.
_DRAIN_SECONDS: Final = 3.0


#: A client that closes only its own half has heard enough, too. macOS does not tell of that one.
_CLOSED: Final = select.POLLHUP | select.POLLERR | getattr(select, "POLLRDHUP", 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How often what happens in a stream."""

    heartbeat_seconds: float = 15.0
    """Silence is broken, and the log looked into, so often."""
    check_seconds: float = 60.0
    """Token and seat are asked for again so often."""
    life_seconds: float = 600.0
    """A stream ends after that, give or take a tenth, so that a process can be replaced."""
    stalled_seconds: float = 30.0
    """A client that takes nothing for so long is cut off."""


class NoPlaceLeft(Exception):  # noqa: N818 - named for what happened, as all our refusals
    """This process has as many open streams and long-polls as it can bear, or is about to end."""


class TooManyStreams(Exception):  # noqa: N818 - as NoPlaceLeft
    """The token has as many streams open as it may."""


class Place:
    """The place that an open stream takes; give it back with `leave`.

    `connection` is the way to the client, where it is known: the stream itself hears nothing
    of a client that goes until it next says something.
    """

    def __init__(self, visit: Visit, connection: socket.socket | None) -> None:
        self.visit: Final = visit
        #: What metrics call it: a kind may go on with whose streams are counted together.
        self.tells_of: Final = visit.kind.partition(":")[0]
        self.renewed = time.monotonic()
        #: Since when the client has been taking what was last sent to it; None between two frames.
        self.writing_since: float | None = None
        #: Ends the stream from outside, once there is one.
        self.end: Callable[[], None] = _nothing
        self._connection: Final = connection

    def fileno(self) -> int:
        """Return the connection's number, -1 where there is none any more."""
        return -1 if self._connection is None else self._connection.fileno()

    def cut(self) -> None:
        """End the connection, and with it a write that the client does not take."""
        if self._connection is not None:
            with suppress(OSError):  # it has ended by itself
                self._connection.shutdown(socket.SHUT_RDWR)
        self.end()


def _nothing() -> None:
    pass


def _gone(places: Iterable[Place]) -> list[Place]:
    """Return the places whose clients have closed their connections."""
    by_number = {place.fileno(): place for place in places}
    by_number.pop(-1, None)
    waiting = select.poll()
    for number in by_number:
        waiting.register(number, _CLOSED)
    return [by_number[number] for number, what in waiting.poll(0) if what & _CLOSED]


class Streams:
    """All open streams of this process. The thread that looks after them starts with the first."""

    def __init__(
        self,
        *,
        store: Store,
        now: Callable[[], int],
        places: int,
        pace: Pace | None = None,
    ) -> None:
        self.hub: Final = Hub(store, now)
        self.presence: Final = Presence(store, now)
        self.pace: Final = pace or Pace()
        self._store: Final = store
        self._now: Final = now
        #: One for every request that holds a thread for long: streams, and long-polls too.
        self.places: Final = threading.BoundedSemaphore(places)
        self._lock: Final = threading.Lock()
        self._open: Final[set[Place]] = set()
        self._thread: threading.Thread | None = None
        self._is_over: Final = threading.Event()
        self._looked = time.monotonic()

    def enter(
        self, player_id: str, *, kind: str, most: int, connection: socket.socket | None = None
    ) -> Place:
        """Take a place for a stream; raise `NoPlaceLeft` or `TooManyStreams`.

        `kind` is what `most` counts, over all processes.
        """
        if self._is_over.is_set() or not self.places.acquire(blocking=False):
            raise NoPlaceLeft
        visit = Visit(player_id=player_id, kind=kind, name=secrets.token_hex(8))
        try:
            now = self._now()
            may_stay = self._store.visit(visit, now=now, until=now + _VISIT_MS, most=most)
        except BaseException:
            self.places.release()
            raise
        if not may_stay:
            self.places.release()
            raise TooManyStreams
        place = Place(visit, connection)
        with self._lock:
            self._open.add(place)
            if self._thread is None:
                self._thread = threading.Thread(target=self._look_after, name="streams", daemon=True)
                self._thread.start()
        metrics.STREAMS.labels(place.tells_of).inc()
        self.presence.know({player_id: True})
        return place

    def leave(self, place: Place) -> None:
        """Give the place back. A second time nothing happens."""
        with self._lock:
            if place not in self._open:
                return
            self._open.remove(place)
        metrics.STREAMS.labels(place.tells_of).dec()
        self.places.release()
        try:
            self._store.end_visit(place.visit, until=self._now() + _MOMENT_MS)
        except StoreUnavailable as error:
            log.warning("A stream that has ended counts for a while: %s", error)

    @property
    def count(self) -> int:
        """How many streams are open here."""
        return len(self._open)

    def stop(self) -> None:
        """End all streams in good order, and let none begin: the process drains."""
        self._is_over.set()
        self.hub.end()

    def close(self) -> None:
        """End all streams and wait for the thread."""
        self.stop()
        if self._thread is not None:
            self._thread.join()

    def look_after(self) -> None:
        """Make one round: see who has gone or takes nothing, renew what would run out, see who is here."""
        moment = time.monotonic()
        with self._lock:
            places = tuple(self._open)
        for place in _gone(places):
            place.cut()
        for place in places:
            if place.writing_since is not None and moment - place.writing_since > self.pace.stalled_seconds:
                place.cut()
        due = [place for place in places if moment - place.renewed >= _RENEWED_SECONDS]
        if due:
            now = self._now()
            self._store.renew_visits([place.visit for place in due], now=now, until=now + _VISIT_MS)
            for place in due:
                place.renewed = moment
        if moment - self._looked >= _PRESENCE_SECONDS:
            self._looked = moment
            self.hub.look_who_is_here()

    def _look_after(self) -> None:
        while not self._is_over.wait(_ROUND_SECONDS):
            try:
                self.look_after()
            except StoreUnavailable as error:
                log.warning("Streams are not looked after for the moment: %s", error)
        self._see_them_off()

    def _see_them_off(self) -> None:
        """Wait until every stream has ended; cut off those that take nothing."""
        ends = time.monotonic() + _DRAIN_SECONDS
        while self._open and time.monotonic() < ends:
            time.sleep(_DRAIN_SECONDS / 60)
        for place in tuple(self._open):
            place.cut()
