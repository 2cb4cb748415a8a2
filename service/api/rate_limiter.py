"""The rate limiter: counts in the process, and shares the counts with other processes through the store.

A limit is a sliding window: the hits of the current window, plus those of the previous one, weighted by
how much of it lies within the last `window_ms`. A process sends its hits to the store in batches, so most
requests cost no round trip. Between batches it does not know what other processes counted: with P
processes a limit is exceeded by less than P batches, and never applies too early. A policy that must not
be exceeded is `exact`.

If the store does not respond, each process counts by itself and no request fails.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from service.store.contract import StoreUnavailable
from service.store.counts import CountStore

#: How many batches make up a quota.
_BATCHES_PER_QUOTA: Final = 64
#: How long the limiter leaves the store alone after it did not respond.
_STORE_BACKOFF_MS: Final = 1_000
#: The maximum number of subjects counted at once; those of past windows are dropped first.
_MAX_COUNTERS: Final = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """A limit: `quota` hits per window and subject. `meaning` describes for people what is counted."""

    name: str
    quota: int
    window_ms: int
    meaning: str
    exact: bool = False

    def multiplied_by(self, factor: float) -> "Policy":
        """Return the policy with its quota multiplied by the factor."""
        return replace(self, quota=max(1, round(self.quota * factor)))

    @property
    def batch(self) -> int:
        """How many hits a process counts before it sends them to the store."""
        return 1 if self.exact else max(1, self.quota // _BATCHES_PER_QUOTA)


@dataclass(frozen=True, slots=True, kw_only=True)
class Quota:
    """What is left to a subject. `retry_after_ms` is None unless the hit exceeded the quota."""

    policy: Policy
    left: int
    resets_in_ms: int
    retry_after_ms: int | None = None


@dataclass(slots=True, kw_only=True)
class _Counter:
    """What a process has counted for a subject: `known` to the store, and `unsent` hits beside it."""

    window: int
    ends_at: int
    before: float = 0
    known: int = 0
    unsent: int = 0

    @property
    def counted(self) -> int:
        return self.known + self.unsent


class Limiter:
    """Counts hits against policies; safe to share between threads."""

    def __init__(self, *, counts: CountStore, now: Callable[[], int], factor: float = 1.0) -> None:
        self._counts: Final = counts
        self._now: Final = now
        self._factor: Final = factor
        self._lock: Final = threading.Lock()
        self._counters: dict[tuple[str, str], _Counter] = {}
        self._backs_off_until = 0

    @property
    def factor(self) -> float:
        """The factor that multiplies all limits."""
        return self._factor

    def scaled(self, policy: Policy) -> Policy:
        """Return the policy with the factor of this service applied."""
        return policy if self._factor == 1.0 else policy.multiplied_by(self._factor)

    def take(self, policy: Policy, subject: str) -> Quota:
        """Count one hit of the subject unless it exceeds the quota, and return what is left."""
        policy = self.scaled(policy)
        now = self._now()
        with self._lock:
            counter = self._counter(policy, subject, now)
            if _used(policy, counter, now) + 1 > policy.quota:
                return _refused(policy, counter, now)
            counter.unsent += 1
            hits = self._to_send(policy, counter, now)
        if hits:
            self._send(policy, subject, counter, hits)
        with self._lock:
            if policy.exact and _used(policy, counter, now) > policy.quota:
                return _refused(policy, counter, now)
            return _granted(policy, counter, now)

    def give_back(self, policy: Policy, subject: str, hits: int) -> None:
        """Undo hits that were counted, at most those of this window."""
        policy = self.scaled(policy)
        now = self._now()
        with self._lock:
            counter = self._counter(policy, subject, now)
            counter.unsent -= min(hits, counter.counted)
            given = self._to_send(policy, counter, now)
        if given:
            self._send(policy, subject, counter, given)

    def _counter(self, policy: Policy, subject: str, now: int) -> _Counter:
        """Return the subject's count for the current window. The caller holds the lock."""
        window = now // policy.window_ms
        name = (policy.name, subject)
        counter = self._counters.get(name)
        if counter is None or counter.window != window:
            is_next = counter is not None and counter.window == window - 1
            before = counter.counted if counter is not None and is_next else 0
            if counter is None and len(self._counters) >= _MAX_COUNTERS:
                self._evict(now)
            counter = _Counter(window=window, ends_at=(window + 1) * policy.window_ms, before=before)
            self._counters[name] = counter
        return counter

    def _evict(self, now: int) -> None:
        self._counters = {name: counter for name, counter in self._counters.items() if counter.ends_at > now}
        if len(self._counters) >= _MAX_COUNTERS:
            # Over capacity: forget the local counts; those shared through the store remain.
            self._counters.clear()

    def _to_send(self, policy: Policy, counter: _Counter, now: int) -> int:
        """Return the hits to send to the store now, 0 for none. The caller holds the lock."""
        if abs(counter.unsent) < policy.batch or now < self._backs_off_until:
            return 0
        hits, counter.unsent = counter.unsent, 0
        counter.known += hits
        return hits

    def _send(self, policy: Policy, subject: str, counter: _Counter, hits: int) -> None:
        # A window counts until the next one is over.
        expires_at = counter.ends_at + policy.window_ms
        try:
            before, counted = self._counts.count(
                f"{policy.name}/{subject}", window=counter.window, hits=hits, expires_at=expires_at
            )
        except StoreUnavailable:
            self._backs_off_until = self._now() + _STORE_BACKOFF_MS
            return
        with self._lock:
            counter.before, counter.known = before, counted


def _used(policy: Policy, counter: _Counter, now: int) -> float:
    """Return the hits that count now: those of this window, and the weighted ones of the previous."""
    return counter.counted + counter.before * (counter.ends_at - now) / policy.window_ms


def _granted(policy: Policy, counter: _Counter, now: int) -> Quota:
    left = max(0, int(policy.quota - _used(policy, counter, now)))
    return Quota(policy=policy, left=left, resets_in_ms=counter.ends_at - now)


def _refused(policy: Policy, counter: _Counter, now: int) -> Quota:
    """Return the quota of a refused hit, with the time until the next one would be granted."""
    until_end = counter.ends_at - now
    room = policy.quota - 1 - counter.counted
    if room >= 0:
        # The weight of the previous window falls until there is room for one more hit.
        wait = until_end - room * policy.window_ms / counter.before
    else:
        wait = until_end + policy.window_ms * (1 - (policy.quota - 1) / counter.counted)
    return Quota(policy=policy, left=0, resets_in_ms=until_end, retry_after_ms=int(wait) + 1)
