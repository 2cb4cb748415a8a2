"""The open streams of a process: their slots, presence leases, maintenance and shutdown."""

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
from service.store.presence import PresenceLease
from service.streams.broker import Broker
from service.streams.presence import Presence, watched

log = logging.getLogger(__name__)

_MAINTENANCE_SECONDS: Final = 1.0
# The streams of a killed process count against the limits for this long.
_PRESENCE_LEASE_MS: Final = 30 * SECOND_MS
# A client that reconnects within this time was never offline.
_GRACE_MS: Final = 10 * SECOND_MS
_PRESENCE_SECONDS: Final = 3.0
_SHARE_PERCENT: Final = 75
# A process that ends waits no longer than this for a client that reads nothing.
_DRAIN_SECONDS: Final = 3.0


# POLLRDHUP: a client that closes only its sending side has left, too. macOS does not report that case.
_CLOSED: Final = select.POLLHUP | select.POLLERR | getattr(select, "POLLRDHUP", 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """The intervals and timeouts of a stream."""

    heartbeat_seconds: float = 15.0
    """After this long without a frame, send a heartbeat and read the log."""
    check_seconds: float = 60.0
    """How often the token and the seat are checked again."""
    life_seconds: float = 600.0
    """A stream ends after this, plus or minus a tenth, so that a process can be replaced."""
    stalled_seconds: float = 30.0
    """A client that reads nothing for this long is disconnected."""
    renew_seconds: float = 10.0
    """How often the presence lease is renewed."""


class NoFreeSlot(Exception):  # noqa: N818 - named for what happened, as all our refusals
    """This process serves as many streams and long-polls as it can, or is shutting down."""


class ShareTaken(Exception):  # noqa: N818 - as NoFreeSlot
    """The client's address has its share of the streams of this process."""


class TooManyStreams(Exception):  # noqa: N818 - as NoFreeSlot
    """The token has reached its limit of open streams."""


class Slot:
    """One open stream's share of the process; return it with `Connections.release`.

    `connection` is the client's socket, if known. Without it, a stream notices that its client
    has left only when it next writes.
    """

    def __init__(
        self, lease: PresenceLease, connection: socket.socket | None, address: str | None = None
    ) -> None:
        self.lease: Final = lease
        self.address: Final = address
        #: The kind of stream in metrics: what stands before the colon in the lease's kind.
        self.metric_kind: Final = lease.kind.partition(":")[0]
        self.renewed_at = time.monotonic()
        #: When the write in progress began; None between two frames.
        self.writing_since: float | None = None
        #: Ends the stream from another thread. The stream sets it.
        self.end: Callable[[], None] = _nothing
        self._connection: Final = connection
        #: That of a viewer without a seat, by which spectators are counted.
        self.watching: PresenceLease | None = None

    @property
    def leases(self) -> tuple[PresenceLease, ...]:
        """Its leases, to be renewed."""
        return (self.lease,) if self.watching is None else (self.lease, self.watching)

    def fileno(self) -> int:
        """Return the socket's file descriptor, -1 if there is none or it is closed."""
        return -1 if self._connection is None else self._connection.fileno()

    def disconnect(self) -> None:
        """Close the connection, which also ends a blocked write, and end the stream."""
        if self._connection is not None:
            with suppress(OSError):  # it was closed already
                self._connection.shutdown(socket.SHUT_RDWR)
        self.end()


def _nothing() -> None:
    pass


def _disconnected(slots: Iterable[Slot]) -> list[Slot]:
    """Return the slots whose clients have closed their connections."""
    by_descriptor = {slot.fileno(): slot for slot in slots}
    by_descriptor.pop(-1, None)
    poll = select.poll()
    for descriptor in by_descriptor:
        poll.register(descriptor, _CLOSED)
    return [by_descriptor[descriptor] for descriptor, events in poll.poll(0) if events & _CLOSED]


class Connections:
    """All open streams of this process. Their maintenance thread starts with the first stream."""

    def __init__(
        self,
        *,
        store: Store,
        now: Callable[[], int],
        slots: int,
        timing: Timing | None = None,
    ) -> None:
        self.broker: Final = Broker(store, now)
        self.presence: Final = Presence(store, now)
        self.timing: Final = timing or Timing()
        self._store: Final = store
        self._now: Final = now
        #: One for every request that blocks a thread for long: streams, and long-polls too.
        self.slots: Final = threading.BoundedSemaphore(slots)
        #: How many streams one address may have open here, so that the others find room.
        self._share: Final = max(1, slots * _SHARE_PERCENT // 100)
        self._lock: Final = threading.Lock()
        self._open: Final[set[Slot]] = set()
        self._thread: threading.Thread | None = None
        self._is_stopped: Final = threading.Event()
        self._presence_at = time.monotonic()

    def acquire(
        self,
        player_id: str,
        *,
        kind: str,
        max_streams: int,
        connection: socket.socket | None = None,
        address: str | None = None,
    ) -> Slot:
        """Take a slot for a stream; raise `NoFreeSlot`, `ShareTaken` or `TooManyStreams`.

        `max_streams` limits the open streams of this player and `kind`, over all processes. An `address`
        may have three quarters of the slots of this process.
        """
        if address is not None and self._open_from(address) >= self._share:
            raise ShareTaken
        if self._is_stopped.is_set() or not self.slots.acquire(blocking=False):
            raise NoFreeSlot
        lease = PresenceLease(player_id=player_id, kind=kind, name=secrets.token_hex(8))
        try:
            now = self._now()
            is_acquired = self._store.acquire_presence(
                lease, now=now, until=now + _PRESENCE_LEASE_MS, limit=max_streams
            )
        except BaseException:
            self.slots.release()
            raise
        if not is_acquired:
            self.slots.release()
            raise TooManyStreams
        slot = Slot(lease, connection, address)
        with self._lock:
            self._open.add(slot)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="streams", daemon=True)
                self._thread.start()
        metrics.STREAMS.labels(slot.metric_kind).inc()
        self.presence.update({player_id: True})
        return slot

    def watch(self, slot: Slot, game_id: str, player_id: str) -> None:
        """Count the player of a stream among the spectators of a game, once for all their streams."""
        lease = PresenceLease(player_id=watched(game_id), kind="spectator", name=player_id)
        now = self._now()
        self._store.acquire_presence(lease, now=now, until=now + _PRESENCE_LEASE_MS)
        slot.watching = lease

    def release(self, slot: Slot) -> None:
        """Return the slot. May be called twice."""
        with self._lock:
            if slot not in self._open:
                return
            self._open.remove(slot)
        metrics.STREAMS.labels(slot.metric_kind).dec()
        self.slots.release()
        try:
            self._store.release_presence(slot.lease, until=self._now() + _GRACE_MS)
            if slot.watching is not None:
                self._store.release_presence(slot.watching, until=self._now())
        except StoreUnavailable as error:
            log.warning("A presence lease was not released and will expire: %s", error)

    def _open_from(self, address: str) -> int:
        with self._lock:
            return sum(slot.address == address for slot in self._open)

    @property
    def count(self) -> int:
        """The number of open streams."""
        return len(self._open)

    def stop(self) -> None:
        """End all streams in good order and accept no new ones: the process is shutting down."""
        self._is_stopped.set()
        self.broker.close()

    def close(self) -> None:
        """End all streams and wait for the maintenance thread."""
        self.stop()
        if self._thread is not None:
            self._thread.join()

    def maintain(self) -> None:
        """Do one round: disconnect clients that left or stalled, renew leases, publish presence."""
        moment = time.monotonic()
        with self._lock:
            slots = tuple(self._open)
        for slot in _disconnected(slots):
            slot.disconnect()
        for slot in slots:
            if slot.writing_since is not None and moment - slot.writing_since > self.timing.stalled_seconds:
                slot.disconnect()
        expiring = [slot for slot in slots if moment - slot.renewed_at >= self.timing.renew_seconds]
        if expiring:
            now = self._now()
            self._store.renew_presence(
                [lease for slot in expiring for lease in slot.leases], now=now, until=now + _PRESENCE_LEASE_MS
            )
            for slot in expiring:
                slot.renewed_at = moment
        if moment - self._presence_at >= _PRESENCE_SECONDS:
            self._presence_at = moment
            self.broker.publish_presence()

    def _run(self) -> None:
        while not self._is_stopped.wait(_MAINTENANCE_SECONDS):
            try:
                self.maintain()
            except StoreUnavailable as error:
                log.warning("Streams are not maintained for now: %s", error)
        self._drain()

    def _drain(self) -> None:
        """Wait until every stream has ended; disconnect the clients that read nothing."""
        ends = time.monotonic() + _DRAIN_SECONDS
        while self._open and time.monotonic() < ends:
            time.sleep(_DRAIN_SECONDS / 60)
        for slot in tuple(self._open):
            slot.disconnect()
