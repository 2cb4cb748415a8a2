"""The contract of every store: the `Store` protocol, its errors, and games.

Every other subject has a file of its own, with its limits, its values and its part of the
protocol. `redis/` implements each of them in a file of the same name.

A store keeps bytes. It knows versions, times and names, and no rule of the game. All times are
integer milliseconds since the epoch, UTC.

A store promises:

- A commit happens completely or not at all, and one version is committed once.
- What a call has stored is kept until its expiry. Nothing is evicted or trimmed earlier, least
  of all the event log.
- What lies outside a game's shard (lists, wake-ups) is written after the commit. A crash can
  leave a stale list entry, never lose a game: lists can be rebuilt, and a reader removes an
  entry without a game.

A game has a state and a log. Both hold what `service.games.codec` encodes:

    state      {"id": "g00MsAo1...", "version": 8, "status": "playing", "created_at": 1796080376375, ...}
    event 1-0  {"type": "seat.joined", "at": 1796080376375, "event": {"seat": 0, "name": "Ana", ...}}
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from service.store.accounts import AccountStore
from service.store.advice import AdviceStore
from service.store.answers import Answer, AnswerStore, Reservation
from service.store.blocks import BlockStore
from service.store.counts import CountStore
from service.store.ids import is_game_id, shard_of
from service.store.lists import ListStore
from service.store.messages import MessageStore
from service.store.outbox import OutboxStore
from service.store.players import PlayerStore
from service.store.presence import PresenceStore
from service.store.ratings import RatingStore
from service.store.reports import ReportStore
from service.store.seeks import SeekStore
from service.store.sheets import SheetStore
from service.store.usage import UsageStore
from service.store.webhooks import WebhookStore

PLAYER_NOTIFIED: Final = 0
PLAYER_ONLINE: Final = -1
"""What change listeners get in place of a version if a player has a notification, or came online."""

ChangeListener = Callable[[Sequence[tuple[str, int]]], None]
"""Takes changes: a game id and its version, or a player id and `PLAYER_NOTIFIED` or `PLAYER_ONLINE`."""

# Stream ids are unsigned 64-bit. No log ever reaches half of that, and "the next id" cannot overflow.
MAX_CURSOR: Final = 2**63


class StoreError(Exception):
    """A store operation failed."""


class StaleVersion(StoreError):  # noqa: N818 - named for what happened, as all our refusals
    """The game is not at the version the commit was made for; nothing was written."""

    def __init__(self, current: int | None) -> None:
        super().__init__(
            "The game does not exist." if current is None else f"The game is at version {current}."
        )
        self.current = current


class ReservationLost(StoreError):  # noqa: N818 - as StaleVersion
    """The request's reservation of the Idempotency-Key has expired or was taken over; nothing was written.

    Another request may hold the key now, or have answered: call `reserve` again.
    """

    def __init__(self) -> None:
        super().__init__("The Idempotency-Key is no longer held by this request.")


class StoreUnavailable(StoreError):  # noqa: N818 - as StaleVersion
    """The store cannot be reached, or cannot write now.

    After a write the outcome is unknown: it was done completely or not at all. Do not release
    a reservation then: a second request would repeat a move that may have been made. It expires by
    itself, or a retry takes it over, after which the first write fails.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredGame:
    """A game as last committed."""

    version: int
    state: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredEvent:
    """One entry of a game's log: the version whose commit wrote it, and its index in that commit."""

    version: int
    seq: int
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """One atomic write to one game.

    `expected_version` 0 creates the game and is refused if it exists. The new version is one
    higher. The events get the ids (new version, 0), (new version, 1) and so on.

    `due_at` is when the scheduler must look at the game next, None for never; the attempt count
    starts again at 0. At `expires_at` the whole game is deleted.

    `effects_due_at` is set if the commit has effects outside the game's shard (lists,
    notifications, ratings): from then on `overdue_effects` returns the game, unless its effects
    are done.

    If the answer's reservation is no longer held, nothing is written and `ReservationLost` is raised. Its
    key must lie in the game's shard.
    """

    game_id: str
    expected_version: int
    state: bytes
    events: tuple[bytes, ...] = ()
    due_at: int | None = None
    effects_due_at: int | None = None
    expires_at: int
    answer: tuple[Reservation, Answer] | None = None

    def __post_init__(self) -> None:
        """Raise ValueError for what cannot be written in one step."""
        if not is_game_id(self.game_id):
            raise ValueError("This is not a game id.")
        if self.expected_version < 0:
            raise ValueError("A version is at least 0.")
        if self.answer is not None and self.answer[0].key.shard != shard_of(self.game_id):
            raise ValueError("The Idempotency-Key lies outside the game's shard.")


@dataclass(frozen=True, slots=True, kw_only=True)
class DueGame:
    """A game that is due since `at`; `attempt` counts the retries of its turn."""

    game_id: str
    at: int
    attempt: int


class Store(
    AccountStore,
    AnswerStore,
    BlockStore,
    ReportStore,
    UsageStore,
    CountStore,
    OutboxStore,
    ListStore,
    MessageStore,
    PlayerStore,
    RatingStore,
    SeekStore,
    SheetStore,
    PresenceStore,
    WebhookStore,
    AdviceStore,
    Protocol,
):
    """Stores games and due times, and everything of the other parts of the contract.

    Every method may raise `StoreUnavailable`. A store may be shared by threads, and created
    before a process forks.
    """

    # Games

    def load(self, game_id: str) -> StoredGame | None:
        """Return a game's state and version, read together, or None."""
        ...

    def load_many(self, game_ids: Sequence[str]) -> list[StoredGame | None]:
        """Return the result of `load` for each id, in this order, in one round trip."""
        ...

    def commit(self, commit: Commit) -> bool:
        """Write state, events, answer, due times and expiry in one step.

        Returns True if an earlier commit may still have pending effects: they must be done
        first. Means nothing without `effects_due_at`.

        Raises `StaleVersion` if the game is at another version (or exists, if it was to be
        created), and `ReservationLost` if the answer's reservation is no longer held. Wakes
        waiting requests afterwards.
        """
        ...

    def events(self, game_id: str, *, after: tuple[int, int] | None = None, limit: int) -> list[StoredEvent]:
        """Return the log after the cursor `after` (version, seq), oldest first, at most `limit`.

        None starts at the beginning. Raises ValueError for a cursor that is negative or at
        least `MAX_CURSOR`, and for a limit below 1.
        """
        ...

    def rewrite_events(self, game_id: str, bodies: Mapping[tuple[int, int], bytes]) -> None:
        """Replace the bodies of events in the log, by (version, seq); ignore ids it does not have.

        Only for removing personal data: readers rely on a log that never changes.
        """
        ...

    def wait(self, game_id: str, *, version: int, timeout_ms: int) -> bool:
        """Wait until the game is at another version than this one, or deleted.

        Returns True as soon as that is likely: load the game, and wait again for the remaining
        time if nothing changed. False is certain: no change within `timeout_ms`. Returns False
        at once after `release_waiters`.
        """
        ...

    def release_waiters(self) -> None:
        """Release all waiting requests of this process and refuse new ones (shutdown).

        Everything else keeps working.
        """
        ...

    def listen(self, on_change: ChangeListener) -> None:
        """Call `on_change` for every change from now on, in this process or another one.

        The caller is a thread of the store or the thread that made the change, so the listener
        must be quick. A change may be reported late, twice, out of order, for a refused commit,
        or rarely not at all: a listener reads the log, and also reads it without being called
        from time to time. Adding a listener again has no effect, except that it restarts a
        reader that has died.
        """
        ...

    # Due games

    def due(self, *, now: int, limit: int) -> list[DueGame]:
        """Return the games due at `now` or before, over all shards, the longest due first."""
        ...

    def lease(self, game_id: str, *, expected_at: int | None, at: int, attempt: int | None = None) -> bool:
        """Move a due time by compare-and-set; return whether this call moved it.

        It moves from `expected_at` only; None moves it from any time. A game that is not due
        stays so. `attempt` None leaves the count as it is. After a broken connection False may
        stand for a lease that was taken: it expires and the game is due again.
        """
        ...

    def forget_due(self, game_id: str, *, expected_at: int) -> bool:
        """Remove the due time of a game that needs no scheduler, by compare-and-set as `lease`."""
        ...

    # The store itself

    def ping(self) -> tuple[str, ...]:
        """Return the problems that make the store unusable, one sentence each; none if it is ready.

        Connects to the server and writes to it. Never raises `StoreUnavailable`.
        """
        ...

    def close(self) -> None:
        """Release connections, threads and waiting requests."""
        ...


def check_page(*, limit: int, after: tuple[int, int] | None = None) -> None:
    """Raise ValueError for a limit below 1, or a cursor out of range."""
    if limit < 1:
        raise ValueError(f"A limit is at least 1, not {limit}.")
    if after is not None and not (0 <= after[0] < MAX_CURSOR and 0 <= after[1] < MAX_CURSOR):
        raise ValueError("A cursor's numbers are from 0 to below 2**63.")
