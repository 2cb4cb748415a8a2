"""How often somebody may ask: counted here, and shared with every other process through the store.

A limit is a sliding window: what was counted in this window and, by the share of it that still
reaches into the last `window_ms`, in the one before. A process counts by itself and tells the store
once in so many hits, so that a request costs no round trip of its own, and one in some dozens costs one.
What it does not know yet is what others have counted since: with P processes a limit is overrun by
less than P batches, and never closes early. Where that is too much, a policy is `exact`.

A store that is away closes nothing and costs nothing: each process then counts for itself.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from service.store.contract import StoreUnavailable
from service.store.counts import CountStore

#: A batch is so small a part of its limit.
_PARTS: Final = 64
#: After the store did not answer, it is left alone for so long.
_LEFT_ALONE_MS: Final = 1_000
#: So many subjects are counted at once; those of windows long past make room first.
_MOST_BOOKS: Final = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """A limit: `quota` hits a window, of each subject. `meaning` tells people what is counted."""

    name: str
    quota: int
    window_ms: int
    meaning: str
    exact: bool = False

    def times(self, factor: float) -> "Policy":
        """Return the policy so many times as generous."""
        return replace(self, quota=max(1, round(self.quota * factor)))

    @property
    def batch(self) -> int:
        """How many hits a process counts before it tells the store."""
        return 1 if self.exact else max(1, self.quota // _PARTS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Quota:
    """What is left to a subject. `retry_after_ms` is None unless the hit was one too many."""

    policy: Policy
    left: int
    resets_in_ms: int
    retry_after_ms: int | None = None


@dataclass(slots=True, kw_only=True)
class _Book:
    """What a process knows of a subject: `known` to the store, and `unsent` beside it."""

    window: int
    ends_at: int
    before: float = 0
    known: int = 0
    unsent: int = 0

    @property
    def counted(self) -> int:
        return self.known + self.unsent


class Limiter:
    """Counts hits against policies; may be shared by threads."""

    def __init__(self, *, counts: CountStore, now: Callable[[], int], factor: float = 1.0) -> None:
        self._counts: Final = counts
        self._now: Final = now
        self._factor: Final = factor
        self._lock: Final = threading.Lock()
        self._books: dict[tuple[str, str], _Book] = {}
        self._left_alone_until = 0

    def scaled(self, policy: Policy) -> Policy:
        """Return the policy as it is in force here."""
        return policy if self._factor == 1.0 else policy.times(self._factor)

    def take(self, policy: Policy, subject: str) -> Quota:
        """Count one hit of the subject, unless it is one too many, and tell what is left."""
        policy = self.scaled(policy)
        now = self._now()
        with self._lock:
            book = self._book(policy, subject, now)
            if _used(policy, book, now) + 1 > policy.quota:
                return _refused(policy, book, now)
            book.unsent += 1
            hits = self._to_send(policy, book, now)
        if hits:
            self._send(policy, subject, book, hits)
        with self._lock:
            if policy.exact and _used(policy, book, now) > policy.quota:
                return _refused(policy, book, now)
            return _granted(policy, book, now)

    def give_back(self, policy: Policy, subject: str, hits: int) -> None:
        """Take back hits that were counted, as far as there are any in this window."""
        policy = self.scaled(policy)
        now = self._now()
        with self._lock:
            book = self._book(policy, subject, now)
            book.unsent -= min(hits, book.counted)
            given = self._to_send(policy, book, now)
        if given:
            self._send(policy, subject, book, given)

    def _book(self, policy: Policy, subject: str, now: int) -> _Book:
        """Return the subject's book for the running window. The lock is held."""
        window = now // policy.window_ms
        name = (policy.name, subject)
        book = self._books.get(name)
        if book is None or book.window != window:
            is_next = book is not None and book.window == window - 1
            before = book.counted if book is not None and is_next else 0
            if book is None and len(self._books) >= _MOST_BOOKS:
                self._make_room(now)
            book = _Book(window=window, ends_at=(window + 1) * policy.window_ms, before=before)
            self._books[name] = book
        return book

    def _make_room(self, now: int) -> None:
        self._books = {name: book for name, book in self._books.items() if book.ends_at > now}
        if len(self._books) >= _MOST_BOOKS:
            # More subjects in one window than anybody serves: what the store knows is not lost.
            self._books.clear()

    def _to_send(self, policy: Policy, book: _Book, now: int) -> int:
        """Take from the book what the store should hear now; 0 for nothing. The lock is held."""
        if abs(book.unsent) < policy.batch or now < self._left_alone_until:
            return 0
        hits, book.unsent = book.unsent, 0
        book.known += hits
        return hits

    def _send(self, policy: Policy, subject: str, book: _Book, hits: int) -> None:
        # A window is looked at until the one after it is over.
        expires_at = book.ends_at + policy.window_ms
        try:
            before, counted = self._counts.count(
                f"{policy.name}/{subject}", window=book.window, hits=hits, expires_at=expires_at
            )
        except StoreUnavailable:
            self._left_alone_until = self._now() + _LEFT_ALONE_MS
            return
        with self._lock:
            book.before, book.known = before, counted


def _used(policy: Policy, book: _Book, now: int) -> float:
    """Return what counts now: this window's hits, and of the last one's the share that still reaches in."""
    return book.counted + book.before * (book.ends_at - now) / policy.window_ms


def _granted(policy: Policy, book: _Book, now: int) -> Quota:
    left = max(0, int(policy.quota - _used(policy, book, now)))
    return Quota(policy=policy, left=left, resets_in_ms=book.ends_at - now)


def _refused(policy: Policy, book: _Book, now: int) -> Quota:
    """Return when the next hit would be granted, were none made until then."""
    until_end = book.ends_at - now
    room = policy.quota - 1 - book.counted
    if room >= 0:
        # The window before fades out of sight until there is room for one more.
        wait = until_end - room * policy.window_ms / book.before
    else:
        wait = until_end + policy.window_ms * (1 - (policy.quota - 1) / book.counted)
    return Quota(policy=policy, left=0, resets_in_ms=until_end, retry_after_ms=int(wait) + 1)
