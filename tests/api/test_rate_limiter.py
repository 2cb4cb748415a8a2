"""The rate limiter: sliding windows, shared counts, and a store that may be unreachable."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.api.rate_limiter import Limiter, Policy
from service.store.contract import StoreUnavailable
from tests.support.memory_store.store import MemoryStore

MINUTE = 60_000
POLICY = Policy(name="reading", quota=10, window_ms=MINUTE, meaning="All that is read.")
EXACT = Policy(name="claims", quota=10, window_ms=MINUTE, meaning="Codes.", exact=True)
WIDE = Policy(name="moves", quota=640, window_ms=MINUTE, meaning="Moves.")


class Clock:
    def __init__(self, ms=1_000 * MINUTE):
        self.ms = ms

    def __call__(self):
        return self.ms


class Counted:
    """The store, which records each call and can be made unreachable."""

    def __init__(self, clock):
        self.store = MemoryStore(clock)
        self.asked = []
        self.is_away = False

    def count(self, name, **hits):
        self.asked.append((name, hits["hits"]))
        if self.is_away:
            raise StoreUnavailable("away")
        return self.store.count(name, **hits)


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def counts(clock):
    return Counted(clock)


@pytest.fixture
def limiter(clock, counts):
    return Limiter(counts=counts, now=clock)


def granted(limiter, policy=POLICY, subject="pAna", times=1000):
    """Return how many of some hits are granted, one after the other."""
    return sum(limiter.take(policy, subject).retry_after_ms is None for _ in range(times))


class TestALimit:
    def test_is_reached_after_its_quota(self, limiter):
        left = [limiter.take(POLICY, "pAna").left for _ in range(10)]

        assert left == [9, 8, 7, 6, 5, 4, 3, 2, 1, 0]
        refused = limiter.take(POLICY, "pAna")
        assert refused.retry_after_ms is not None
        assert refused.left == 0

    def test_is_each_ones_own(self, limiter):
        granted(limiter)

        assert granted(limiter, subject="pBen") == 10
        assert granted(limiter, policy=EXACT) == 10

    def test_is_open_again_two_windows_later(self, limiter, clock):
        granted(limiter)
        clock.ms += 2 * MINUTE

        assert granted(limiter) == 10

    def test_slides_so_that_the_turn_of_a_minute_gives_no_second_quota(self, limiter, clock):
        clock.ms += MINUTE - 1
        granted(limiter)
        clock.ms += 1

        assert granted(limiter) == 0
        clock.ms += MINUTE // 2
        assert granted(limiter) == 5

    def test_a_refused_hit_costs_nothing(self, limiter, clock):
        granted(limiter)
        clock.ms += MINUTE + MINUTE // 2

        assert granted(limiter) == 5

    @given(
        quota=st.integers(1, 50),
        waits=st.lists(st.integers(0, MINUTE), min_size=1, max_size=60),
        exact=st.booleans(),
    )
    def test_says_when_it_opens(self, quota, waits, exact):
        clock = Clock()
        limiter = Limiter(counts=MemoryStore(clock), now=clock)
        policy = Policy(name="p", quota=quota, window_ms=MINUTE, meaning="", exact=exact)
        for wait in waits:
            asked = limiter.take(policy, "pAna")
            if asked.retry_after_ms is not None:
                assert 0 < asked.retry_after_ms <= 2 * MINUTE + 1
                clock.ms += asked.retry_after_ms
                assert limiter.take(policy, "pAna").retry_after_ms is None
            clock.ms += wait // quota

    def test_can_be_made_wider_or_narrower(self, clock, counts):
        assert granted(Limiter(counts=counts, now=clock, factor=2), subject="a") == 20
        assert granted(Limiter(counts=counts, now=clock, factor=0.001), subject="b") == 1


class TestGivingBack:
    def test_lets_the_player_go_on(self, limiter):
        granted(limiter)
        limiter.give_back(POLICY, "pAna", 3)

        assert granted(limiter) == 3

    def test_saves_nothing_up(self, limiter):
        granted(limiter, times=2)
        limiter.give_back(POLICY, "pAna", 50)

        assert granted(limiter) == 10


class TestSharing:
    def test_no_process_can_be_played_against_another(self, clock, counts):
        processes = [Limiter(counts=counts, now=clock) for _ in range(4)]

        total = sum(granted(processes[i % 4], WIDE, times=1) for i in range(4000))

        assert WIDE.quota <= total < WIDE.quota + 4 * WIDE.batch

    def test_an_exact_limit_is_kept_to_the_hit(self, clock, counts):
        processes = [Limiter(counts=counts, now=clock) for _ in range(4)]

        assert sum(granted(processes[i % 4], EXACT, times=1) for i in range(400)) == EXACT.quota

    def test_a_request_in_many_costs_a_round_trip(self, limiter, counts):
        granted(limiter, WIDE, times=100)

        assert counts.asked == [("moves/pAna", 10)] * 10

    def test_what_is_given_back_is_reported_too(self, clock, counts):
        one, other = (Limiter(counts=counts, now=clock) for _ in range(2))
        granted(one, WIDE)
        for _ in range(4):
            one.give_back(WIDE, "pAna", 20)

        assert granted(other, WIDE, times=200) >= 80


class TestAStoreThatIsAway:
    def test_closes_nothing_and_each_process_counts_for_itself(self, limiter, counts):
        counts.is_away = True

        assert granted(limiter, WIDE) == WIDE.quota
        assert granted(limiter, EXACT) == EXACT.quota

    def test_is_asked_once_a_second(self, limiter, counts, clock):
        counts.is_away = True
        granted(limiter, EXACT)
        assert len(counts.asked) == 1

        clock.ms += 1_000
        granted(limiter, EXACT, subject="pBen")

        assert len(counts.asked) == 2


class TestManySubjects:
    def test_make_room_for_each_other(self, limiter, clock, monkeypatch):
        monkeypatch.setattr("service.api.rate_limiter._MAX_COUNTERS", 3)
        granted(limiter, subject="first")
        clock.ms += MINUTE
        for subject in ("a", "b", "c"):
            granted(limiter, subject=subject)

        # "first" is of a window that is over; those of this one are remembered.
        assert len(limiter._counters) == 3
        assert granted(limiter, subject="a") == 0

    def test_beyond_all_measure_are_remembered_by_the_store(self, limiter, monkeypatch):
        monkeypatch.setattr("service.api.rate_limiter._MAX_COUNTERS", 3)
        for subject in ("a", "b", "c", "d"):
            granted(limiter, subject=subject)

        assert len(limiter._counters) == 1
        assert granted(limiter, subject="a") == 1
