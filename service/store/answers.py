"""Stored answers: what was answered to a request with an Idempotency-Key, for its retries.

A record holds one request's reservation, and later its answer:

    answer:g00MsAo1.../p3fPFoc2.../5f0c2a54    {"fingerprint": "9be1...", "status": 201, ...}
"""

import zlib
from dataclasses import dataclass
from typing import Final, Protocol

from service.runtime.durations import DAY_MS
from service.store.ids import SHARDS, shard_of

RESERVATION_MS: Final = 5_000
"""How long a request holds an Idempotency-Key before it has answered."""

COMMIT_RESERVATION_MS: Final = 30_000
"""How long a request whose answer is written by its commit holds the key, unless a retry takes it over."""

ANSWER_MS: Final = DAY_MS
"""How long a stored answer is repeated; less if its game or score sheet expires first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IdempotencyKey:
    """One Idempotency-Key: of a player in a game or score sheet, or outside of both.

    `subject_id` is the id of the game or sheet. Raises ValueError if it is malformed.
    """

    player_id: str
    name: str
    subject_id: str | None = None

    def __post_init__(self) -> None:
        """Raise ValueError for a malformed id."""
        if self.subject_id is not None:
            shard_of(self.subject_id)

    @property
    def shard(self) -> int:
        """The shard of its record: its subject's, or one derived from player and name.

        A game or score sheet created under the key must get an id of this shard.
        """
        if self.subject_id is not None:
            return shard_of(self.subject_id)
        return zlib.crc32(f"{self.player_id}/{self.name}".encode()) % SHARDS


@dataclass(frozen=True, slots=True, kw_only=True)
class Reservation:
    """One request's hold on an Idempotency-Key.

    `fingerprint` is the caller's hash of method, path and body; `holder` is a random name for
    this request.
    """

    key: IdempotencyKey
    fingerprint: str
    holder: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A stored answer, repeated to every retry."""

    status: int
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class InProgress:
    """A request with the same key and fingerprint has not answered yet."""


@dataclass(frozen=True, slots=True)
class KeyReused:
    """The key was used with another path or body."""


ReserveResult = Reservation | Answer | InProgress | KeyReused
"""The result of `reserve`. `Reservation`: proceed; `Answer`: repeat it."""


class AnswerStore(Protocol):
    """Stores answers to requests with an Idempotency-Key."""

    def reserve(self, key: IdempotencyKey, fingerprint: str, *, with_commit: bool = False) -> ReserveResult:
        """Reserve the key for `RESERVATION_MS`, or return why that is not possible.

        `with_commit` is for requests whose answer is written by the commit of their change. The commit fails
        without the reservation, so a retry takes over the reservation of a request that has not answered:
        either that request died, or its commit fails. Such a reservation holds `COMMIT_RESERVATION_MS`.

        Another fingerprint gives `KeyReused`, whether or not the first request has answered.
        """
        ...

    def remember(self, reservation: Reservation, answer: Answer) -> bool:
        """Store the answer of a request without a commit; False if its reservation was lost.

        A commit stores its own answer. An answer that is stored already counts as success.
        """
        ...

    def release(self, reservation: Reservation) -> bool:
        """Give up a reservation without an answer, so that a retry starts again; False if it was not held."""
        ...
