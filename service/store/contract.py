"""The contract every store keeps: errors, games, answers, and the `Store` protocol.

What else a store keeps is a file a subject, each with its bounds, its values and its
part of the protocol; `memory_...` and `redis_...` are the keepings of the same name.

Bytes in, bytes out: a store knows versions, times and names, and no rule of the
game. All times are integer milliseconds since the epoch, UTC.

What a store promises
    A commit happens wholly or not at all, and to one version only once.
    What a commit or a put returned from is kept until the time it was given.
    Nothing is evicted or trimmed before that time, the event log least of all.

What lies outside a game's shard (lists, wake-ups) is written after its commit.
A process that dies in between leaves a list behind the game, never a game behind
a list's back: lists can be rebuilt, and a reader drops an entry without a game.
"""

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from service.runtime.durations import DAY_MS
from service.store.accounts import Accounts
from service.store.advice import Work
from service.store.counts import Counts
from service.store.ids import SHARDS, shard_of
from service.store.lists import Lists
from service.store.outbox import Derivations
from service.store.players import Players
from service.store.presence import Visits
from service.store.ratings import Ratings
from service.store.seeks import Seeks
from service.store.webhooks import Webhooks

RESERVATION_MS: Final = 30_000
"""How long an Idempotency-Key is held for a request that has not answered."""

ANSWER_MS: Final = DAY_MS
"""How long a stored answer is repeated; less if its game expires before."""

TOLD: Final = 0
CAME: Final = -1
"""What those who `listen` hear of a player in place of a version: he was told something, or he came."""

Hearing = Callable[[Sequence[tuple[str, int]]], None]
"""Hears of changes: a game's id and its version, or a player's id and `TOLD` or `CAME`."""

# Stream ids are unsigned 64-bit; half of that is out of every client's reach,
# and keeps "the next one" free of overflow.
MAX_CURSOR: Final = 2**63


class StoreError(Exception):
    """The store did not do what it was asked."""


class StaleVersion(StoreError):  # noqa: N818 - named for what happened, as all our refusals
    """The game is not at the version the commit was made for; nothing was written."""

    def __init__(self, current: int | None) -> None:
        super().__init__(
            "The game does not exist." if current is None else f"The game is at version {current}."
        )
        self.current = current


class ReservationLost(StoreError):  # noqa: N818 - as StaleVersion
    """The request outlived its hold on the Idempotency-Key; nothing was written.

    Another request may hold the key now, or have answered: ask `reserve` again.
    """

    def __init__(self) -> None:
        super().__init__("The Idempotency-Key is no longer held by this request.")


class StoreUnavailable(StoreError):  # noqa: N818 - as StaleVersion
    """The store cannot be reached, or cannot write now.

    After a write the outcome is open: it was done wholly or not at all. Do not
    release a reservation then: it lapses by itself, and until then it keeps a
    second request from playing what may have been played.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """A game as it was last committed."""

    version: int
    state: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredEvent:
    """One entry of a game's log: the version whose commit wrote it, its place in that commit from 0."""

    version: int
    seq: int
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class IdempotencyKey:
    """One Idempotency-Key: of a player, in a game or, where none exists yet, in none.

    Raises ValueError where the game id has not the form of one.
    """

    player_id: str
    name: str
    game_id: str | None = None

    def __post_init__(self) -> None:
        """Refuse what has no shard."""
        if self.game_id is not None:
            shard_of(self.game_id)

    @property
    def shard(self) -> int:
        """Return where its record lies: the game's shard, else one drawn from player and name.

        A game created under the key must take its id from this shard.
        """
        if self.game_id is not None:
            return shard_of(self.game_id)
        return zlib.crc32(f"{self.player_id}/{self.name}".encode()) % SHARDS


@dataclass(frozen=True, slots=True, kw_only=True)
class Reservation:
    """The hold of one request on an Idempotency-Key.

    `fingerprint` is the caller's hash of method, path and body; `holder` tells
    this request from every other.
    """

    key: IdempotencyKey
    fingerprint: str
    holder: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A stored answer, given again as it stands to a retry."""

    status: int
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class InProgress:
    """A request with this key and the same fingerprint has not answered yet."""


@dataclass(frozen=True, slots=True)
class KeyReused:
    """The key was used for another path or body."""


Reserved = Reservation | Answer | InProgress | KeyReused
"""What `reserve` finds. A `Reservation`: go on; an `Answer`: give it again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """One atomic write to one game.

    `expected_version` 0 creates, and is refused where the game exists; the new
    version is one more. The events get the ids (new version, 0), (new version, 1)...
    `due_at` is when somebody must look at the game next, None for never; the
    count of attempts starts at 0 again. At `expires_at` all of the game vanishes.
    Where something outside the game's shard follows from the commit (lists, what players
    are told, ratings), `derive_at` is when somebody must see to it, if nobody has: from
    then on the game is found by `behind`.
    The answer is written under a reservation that must still be held; its key lies in the
    game's shard.
    """

    game_id: str
    expected_version: int
    state: bytes
    events: tuple[bytes, ...] = ()
    due_at: int | None = None
    derive_at: int | None = None
    expires_at: int
    answer: tuple[Reservation, Answer] | None = None

    def __post_init__(self) -> None:
        """Refuse what could not be written as a whole."""
        shard = shard_of(self.game_id)
        if self.expected_version < 0:
            raise ValueError("A version is never below 0.")
        if self.answer is not None and self.answer[0].key.shard != shard:
            raise ValueError("The Idempotency-Key lies outside the game's shard.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """A game that waits for somebody since `at`; `attempt` counts the leases since its last commit."""

    game_id: str
    at: int
    attempt: int


class Store(
    Accounts,
    Counts,
    Derivations,
    Lists,
    Players,
    Ratings,
    Seeks,
    Visits,
    Webhooks,
    Work,
    Protocol,
):
    """Keeps games, answers and what is due, and all that the other parts of the contract keep.

    Every method may raise `StoreUnavailable`. A store may be shared by threads,
    and made before a process forks.
    """

    # Games

    def load(self, game_id: str) -> Stored | None:
        """Return state and version, read together; None where no such game is kept."""
        ...

    def load_many(self, game_ids: Sequence[str]) -> list[Stored | None]:
        """Return what `load` would, for each id in the order given, in one round trip."""
        ...

    def commit(self, commit: Commit) -> bool:
        """Write state, events, answer, due times and expiry: all, or nothing.

        Returns True where what follows from an earlier commit may still be underived: then
        that comes first. Without `derive_at` the answer means nothing.

        Raises `StaleVersion` where the game is at another version (or exists,
        when it should be created), `ReservationLost` where the answer's
        reservation is no longer held. Wakes those who `wait`, afterwards.
        """
        ...

    def events(self, game_id: str, *, after: tuple[int, int] | None = None, limit: int) -> list[StoredEvent]:
        """Return the log behind the cursor `after` (version, seq), oldest first, `limit` at most.

        None begins at the beginning. Raises ValueError for a negative cursor or
        one of `MAX_CURSOR` and more, and for a limit below 1.
        """
        ...

    def rewrite_events(self, game_id: str, bodies: Mapping[tuple[int, int], bytes]) -> None:
        """Put other bodies in the place of those in the log, by (version, seq).

        Only to take a name out that nobody may keep: the log is the truth, and whoever reads it has no
        reason to look twice. What is not in the log stays out of it.
        """
        ...

    def wait(self, game_id: str, *, version: int, timeout_ms: int) -> bool:
        """Wait until the game is at another version than the one given, or gone.

        Returns True as soon as that is likely: load to see, and wait again for
        the rest of the time if nothing changed. Returns False after `timeout_ms`
        without a change, and that is certain; at once after `stop_waiting`.
        """
        ...

    def stop_waiting(self) -> None:
        """Send home all who wait in this process, and let nobody wait from now on.

        For a server that drains: everything else goes on working.
        """
        ...

    def listen(self, hear: Hearing) -> None:
        """Let `hear` know of every change that is made from now on, here or in another process.

        It is called by a thread of the store, or of whoever makes a change, and must be quick.
        What it hears may come late, twice, out of order, of a commit that was refused, or rarely
        not at all: look into the log, and now and then without being called. To listen again
        makes nothing double, and sees to it that somebody listens.
        """
        ...

    # Answers to be given again

    def reserve(self, key: IdempotencyKey, fingerprint: str) -> Reserved:
        """Take hold of the key for `RESERVATION_MS`, or tell what stands in the way.

        What was asked with another fingerprint is `KeyReused`, answered or not.
        """
        ...

    def remember(self, reservation: Reservation, answer: Answer) -> bool:
        """Store the answer of a request that commits nothing; False where the hold was lost.

        A commit brings its own answer. What already stands as it should be counts as done.
        """
        ...

    def release(self, reservation: Reservation) -> None:
        """Give the key back unanswered, if it is still held: the retry starts anew."""
        ...

    # What is due

    def due(self, *, now: int, limit: int) -> list[Due]:
        """Return the games due at `now` or before, over all shards, the longest due first."""
        ...

    def lease(self, game_id: str, *, expected_at: int | None, at: int, attempt: int | None = None) -> bool:
        """Move a due time, unless another did first; tell whether we did.

        Only from `expected_at`; None moves it from wherever it is. A game that
        is not due at all stays so. `attempt` None leaves the count as it is.
        Where the connection broke, False may stand for a lease that was taken: it runs
        out and comes due again.
        """
        ...

    def forget_due(self, game_id: str, *, expected_at: int) -> bool:
        """Drop a due time, as `lease` would move it: for games that have expired."""
        ...

    # The store itself

    def ping(self) -> tuple[str, ...]:
        """Return what keeps the store from working, a sentence each; nothing when it is ready.

        Reaches the server and writes to it. Never raises `StoreUnavailable`.
        """
        ...

    def close(self) -> None:
        """Give back connections and threads; those who wait are sent home."""
        ...


def check_page(*, limit: int, after: tuple[int, int] | None = None) -> None:
    """Raise ValueError for a limit below 1, or a cursor that no event can have."""
    if limit < 1:
        raise ValueError(f"A limit is at least 1, not {limit}.")
    if after is not None and not (0 <= after[0] < MAX_CURSOR and 0 <= after[1] < MAX_CURSOR):
        raise ValueError("A cursor's numbers are from 0 to below 2**63.")
