"""The open streams of a process: slots, disconnected clients, shutdown."""

import socket
import threading
import time

import pytest

from service.store.contract import StoreUnavailable
from service.streams.connections import Connections, NoFreeSlot, ShareTaken, Timing, TooManyStreams
from tests.support.memory_store.store import MemoryStore
from tests.support.stores import MINUTE, now
from tests.support.tree import wait_for


class Clock:
    """A clock that tests set."""

    def __init__(self):
        self.ms = now()

    def __call__(self):
        return self.ms


@pytest.fixture(autouse=True)
def _short_drain(monkeypatch):
    monkeypatch.setattr("service.streams.connections._DRAIN_SECONDS", 0.1)


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def memory(clock):
    return MemoryStore(clock)


@pytest.fixture
def streams(memory, clock):
    streams = Connections(
        store=memory, now=clock, slots=3, timing=Timing(stalled_seconds=0.05, renew_seconds=0.0)
    )
    yield streams
    streams.close()


def acquire(streams, player_id="pAna", kind="game:t1", most=9, connection=None):
    return streams.acquire(player_id, kind=kind, max_streams=most, connection=connection)


class TestAnAddress:
    def test_leaves_room_for_streams_from_others(self, streams):
        def from_address(address):
            return streams.acquire("pAna", kind="game:t1", max_streams=9, address=address)

        first, _ = from_address("a"), from_address("a")
        with pytest.raises(ShareTaken):
            from_address("a")

        from_address("b")
        streams.release(first)
        from_address("a")


@pytest.fixture
def ends():
    """The two ends of a connection: ours, and the client's."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ours, theirs


def is_disconnected(theirs):
    theirs.setblocking(False)
    try:
        return theirs.recv(1) == b""
    except BlockingIOError:
        return False


class TestSlots:
    def test_are_limited_for_the_process(self, streams):
        slots = [acquire(streams) for _ in range(3)]
        with pytest.raises(NoFreeSlot):
            acquire(streams)

        streams.release(slots[0])
        streams.release(slots[0])
        acquire(streams)

        with pytest.raises(NoFreeSlot):
            acquire(streams)
        assert streams.count == 3

    def test_are_shared_with_long_polls(self, streams):
        for _ in range(3):
            streams.slots.acquire()

        with pytest.raises(NoFreeSlot):
            acquire(streams)

    def test_are_returned_after_too_many_streams(self, streams):
        acquire(streams, most=1)
        for _ in range(5):
            with pytest.raises(TooManyStreams):
                acquire(streams, most=1)

        acquire(streams, kind="account:t1", most=1)
        acquire(streams, kind="game:t2", most=1)

    def test_are_returned_if_the_store_is_unavailable(self, streams, memory, monkeypatch):
        def away(*_, **__):
            raise StoreUnavailable("away")

        with monkeypatch.context() as patched:
            patched.setattr(memory, "acquire_presence", away)
            for _ in range(5):
                with pytest.raises(StoreUnavailable):
                    acquire(streams)
            patched.setattr(memory, "release_presence", away)
            patched.undo()
        assert [acquire(streams) for _ in range(3)]

    def test_of_other_processes_count_for_a_token(self, streams, memory, clock):
        other = Connections(store=memory, now=clock, slots=3)
        slot = acquire(other, most=1)

        with pytest.raises(TooManyStreams):
            acquire(streams, most=1)
        other.release(slot)
        acquire(streams, most=1)
        other.close()

    def test_of_a_process_that_was_killed_count_for_half_a_minute(self, streams, memory, clock):
        killed = Connections(store=memory, now=clock, slots=3)
        acquire(killed, most=1)
        with pytest.raises(TooManyStreams):
            acquire(streams, most=1)

        clock.ms += MINUTE // 2

        acquire(streams, most=1)
        killed.close()

    def test_renew_their_leases(self, streams, memory, clock):
        acquire(streams)
        for _ in range(5):
            clock.ms += 20_000
            streams.maintain()

        assert memory.online(["pAna"], now=clock.ms) == [True]


class TestAStalledClient:
    def test_is_disconnected(self, streams, ends):
        ours, theirs = ends
        slot = acquire(streams, connection=ours)
        streams.maintain()
        assert not is_disconnected(theirs)

        slot.writing_since = time.monotonic() - 1
        streams.maintain()

        assert is_disconnected(theirs)

    def test_is_distinguished_from_an_idle_one(self, streams, ends):
        ours, theirs = ends
        slot = acquire(streams, connection=ours)
        slot.writing_since = None

        streams.maintain()

        assert not is_disconnected(theirs)


class TestAClientThatLeaves:
    def test_is_noticed_without_a_write(self, streams, ends):
        ours, theirs = ends
        ended = threading.Event()
        slot = acquire(streams, connection=ours)
        slot.end = ended.set
        streams.maintain()
        assert not ended.is_set()

        theirs.close()
        streams.maintain()

        assert ended.is_set()

    def test_is_distinguished_from_one_that_sends_something(self, streams, ends):
        ours, theirs = ends
        ended = threading.Event()
        acquire(streams, connection=ours).end = ended.set

        theirs.send(b"GET /next HTTP/1.1")
        streams.maintain()

        assert not ended.is_set()

    def test_is_ignored_if_the_connection_is_unknown(self, streams, ends):
        ours, _ = ends
        acquire(streams)
        acquire(streams, connection=ours)
        ours.close()

        streams.maintain()

        assert streams.count == 2


class TestShutdown:
    def test_accepts_no_new_stream(self, streams):
        streams.stop()

        with pytest.raises(NoFreeSlot):
            acquire(streams)

    def test_waits_for_streams_that_end(self, streams, ends):
        ours, theirs = ends
        streams.release(acquire(streams, connection=ours))

        streams.close()

        assert not is_disconnected(theirs)
        assert streams.count == 0

    def test_disconnects_a_stalled_client(self, streams, ends):
        ours, theirs = ends
        acquire(streams, connection=ours)

        streams.close()

        assert is_disconnected(theirs)


class TestTheThread:
    def test_begins_with_the_first_stream_and_ends_with_the_process(self, memory, clock):
        before = threading.active_count()
        streams = Connections(store=memory, now=clock, slots=3)
        assert threading.active_count() == before

        streams.release(acquire(streams))
        streams.release(acquire(streams))
        assert threading.active_count() == before + 1

        streams.close()
        assert threading.active_count() == before

    def test_survives_an_unavailable_store(self, streams, memory, monkeypatch):
        monkeypatch.setattr("service.streams.connections._MAINTENANCE_SECONDS", 0.01)
        rounds = []

        def away(*_, **__):
            rounds.append(1)
            raise StoreUnavailable("away")

        monkeypatch.setattr(streams, "maintain", away)
        acquire(streams)

        wait_for(lambda: len(rounds) > 3, "more rounds")
