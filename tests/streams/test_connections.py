"""The slots of a process: how many streams there may be, who is cut off, and how it ends."""

import socket
import threading
import time

import pytest

from service.store.contract import StoreUnavailable
from service.streams.connections import Connections, NoFreeSlot, Timing, TooManyStreams
from tests.support.memory_store.store import MemoryStore
from tests.support.stores import MINUTE, now
from tests.support.tree import wait_for


class Clock:
    """A time that is set by hand."""

    def __init__(self):
        self.ms = now()

    def __call__(self):
        return self.ms


@pytest.fixture(autouse=True)
def _impatience(monkeypatch):
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


def enter(streams, player_id="pAna", kind="game:t1", most=9, connection=None):
    return streams.acquire(player_id, kind=kind, max_streams=most, connection=connection)


@pytest.fixture
def ends():
    """The two ends of a connection: ours, and the client's."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ours, theirs


def is_cut(theirs):
    theirs.setblocking(False)
    try:
        return theirs.recv(1) == b""
    except BlockingIOError:
        return False


class TestPlaces:
    def test_are_as_many_as_the_process_can_bear(self, streams):
        slots = [enter(streams) for _ in range(3)]
        with pytest.raises(NoFreeSlot):
            enter(streams)

        streams.release(slots[0])
        streams.release(slots[0])
        enter(streams)

        with pytest.raises(NoFreeSlot):
            enter(streams)
        assert streams.count == 3

    def test_are_shared_with_long_polls(self, streams):
        for _ in range(3):
            streams.slots.acquire()

        with pytest.raises(NoFreeSlot):
            enter(streams)

    def test_are_given_back_by_whoever_has_too_many(self, streams):
        enter(streams, most=1)
        for _ in range(5):
            with pytest.raises(TooManyStreams):
                enter(streams, most=1)

        enter(streams, kind="account:t1", most=1)
        enter(streams, kind="game:t2", most=1)

    def test_are_given_back_where_the_store_is_away(self, streams, memory, monkeypatch):
        def away(*_, **__):
            raise StoreUnavailable("away")

        with monkeypatch.context() as patched:
            patched.setattr(memory, "acquire_presence", away)
            for _ in range(5):
                with pytest.raises(StoreUnavailable):
                    enter(streams)
            patched.setattr(memory, "release_presence", away)
            patched.undo()
        assert [enter(streams) for _ in range(3)]

    def test_of_other_processes_count_for_a_token(self, streams, memory, clock):
        other = Connections(store=memory, now=clock, slots=3)
        slot = enter(other, most=1)

        with pytest.raises(TooManyStreams):
            enter(streams, most=1)
        other.release(slot)
        enter(streams, most=1)
        other.close()

    def test_of_a_process_that_was_killed_count_for_half_a_minute(self, streams, memory, clock):
        killed = Connections(store=memory, now=clock, slots=3)
        enter(killed, most=1)
        with pytest.raises(TooManyStreams):
            enter(streams, most=1)

        clock.ms += MINUTE // 2

        enter(streams, most=1)
        killed.close()

    def test_that_last_are_renewed(self, streams, memory, clock):
        enter(streams)
        for _ in range(5):
            clock.ms += 20_000
            streams.maintain()

        assert memory.online(["pAna"], now=clock.ms) == [True]


class TestAClientThatTakesNothing:
    def test_is_cut_off(self, streams, ends):
        ours, theirs = ends
        slot = enter(streams, connection=ours)
        streams.maintain()
        assert not is_cut(theirs)

        slot.writing_since = time.monotonic() - 1
        streams.maintain()

        assert is_cut(theirs)

    def test_is_not_taken_for_one_who_waits(self, streams, ends):
        ours, theirs = ends
        slot = enter(streams, connection=ours)
        slot.writing_since = None

        streams.maintain()

        assert not is_cut(theirs)


class TestAClientThatGoes:
    def test_is_noticed_without_a_word_to_it(self, streams, ends):
        ours, theirs = ends
        ended = threading.Event()
        slot = enter(streams, connection=ours)
        slot.end = ended.set
        streams.maintain()
        assert not ended.is_set()

        theirs.close()
        streams.maintain()

        assert ended.is_set()

    def test_is_told_from_one_who_sends_something(self, streams, ends):
        ours, theirs = ends
        ended = threading.Event()
        enter(streams, connection=ours).end = ended.set

        theirs.send(b"GET /next HTTP/1.1")
        streams.maintain()

        assert not ended.is_set()

    def test_is_no_matter_where_the_connection_is_not_known(self, streams, ends):
        ours, _ = ends
        enter(streams)
        enter(streams, connection=ours)
        ours.close()

        streams.maintain()

        assert streams.count == 2


class TestTheEnd:
    def test_lets_none_begin(self, streams):
        streams.stop()

        with pytest.raises(NoFreeSlot):
            enter(streams)

    def test_waits_for_those_that_end(self, streams, ends):
        ours, theirs = ends
        streams.release(enter(streams, connection=ours))

        streams.close()

        assert not is_cut(theirs)
        assert streams.count == 0

    def test_does_not_wait_for_one_who_takes_nothing(self, streams, ends):
        ours, theirs = ends
        enter(streams, connection=ours)

        streams.close()

        assert is_cut(theirs)


class TestTheThread:
    def test_begins_with_the_first_stream_and_ends_with_the_process(self, memory, clock):
        before = threading.active_count()
        streams = Connections(store=memory, now=clock, slots=3)
        assert threading.active_count() == before

        streams.release(enter(streams))
        streams.release(enter(streams))
        assert threading.active_count() == before + 1

        streams.close()
        assert threading.active_count() == before

    def test_goes_on_when_the_store_was_away(self, streams, memory, monkeypatch):
        monkeypatch.setattr("service.streams.connections._MAINTENANCE_SECONDS", 0.01)
        rounds = []

        def away(*_, **__):
            rounds.append(1)
            raise StoreUnavailable("away")

        monkeypatch.setattr(streams, "maintain", away)
        enter(streams)

        wait_for(lambda: len(rounds) > 3, "more rounds")
