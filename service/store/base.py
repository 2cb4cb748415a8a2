"""The contract every store keeps: values, errors and the `Store` protocol.

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
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, Self

from service.store.ids import SHARDS, shard_of

RESERVATION_MS: Final = 30_000
"""How long an Idempotency-Key is held for a request that has not answered."""

ANSWER_MS: Final = 24 * 60 * 60 * 1000
"""How long a stored answer is repeated; less if its game expires before."""

MATCH_MS: Final = 60 * 60 * 1000
"""How long those who met can hear of it."""

LISTED_MS: Final = 365 * 24 * 60 * 60 * 1000
"""How much older than the newest a list's games are at most: nothing else ends a list that grows."""

ACCOUNT_EVENTS: Final = 1000
"""How many events a player's log keeps: the newest."""

ACCOUNT_KEPT_MS: Final = 30 * 24 * 60 * 60 * 1000
"""How long a player's log is kept behind its newest event. A cursor older than that may have missed some."""

ACCOUNT_GAMES: Final = 512
"""Of so many games, the last ones heard of, a player's log knows what it was told already."""

TOLD: Final = 0
CAME: Final = -1
"""What those who `listen` hear of a player in place of a version: he was told something, or he came."""

LEFT: Final = "left/"
"""The visit of a player who has just left."""

POOLS: Final = ("people", "bots", "computers")
"""Those who are rated among themselves."""

RATED_MS: Final = 400 * 24 * 60 * 60 * 1000
"""How long a pool knows that a game has counted: far longer than anybody derives from one."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Behind:
    """A game from whose commits something has not been derived, though it should have been by `at`."""

    game_id: str
    at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Underived:
    """A game that something must be derived from: all that follows from versions up to `derived` is done."""

    version: int
    state: bytes
    derived: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredToken:
    """A token of a player: the hash it is found by, and what the caller keeps about it."""

    token_hash: str
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenHolder:
    """Who a token belongs to, with the bodies of player and token."""

    player_id: str
    player: bytes
    token: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountEntry:
    """What a player is to be told of an event in a game's log, named by its version and seq."""

    player_id: str
    game_id: str
    version: int
    seq: int
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountEvent:
    """One entry of a player's log. `cursor` orders it there: milliseconds, and a count within them."""

    cursor: tuple[int, int]
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountPage:
    """A page of a player's log; `gapless` is False where entries behind the cursor were dropped before."""

    events: list[AccountEvent]
    gapless: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """What shows that a player is here: an open stream, a request he made. `name` tells it from others."""

    player_id: str
    kind: str
    name: str = ""

    @property
    def member(self) -> str:
        """What it is called among the player's visits."""
        return f"{self.kind}/{self.name}"


Hearing = Callable[[Sequence[tuple[str, int]]], None]
"""Hears of changes: a game's id and its version, or a player's id and `TOLD` or `CAME`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rating:
    """A player's new rating in a pool, and the one it was reckoned from (None: he had none)."""

    player_id: str
    replaces: bytes | None
    body: bytes
    score: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A player's place on the board of a pool."""

    player_id: str
    score: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredWebhook:
    """A webhook of a player, and what the caller keeps about it."""

    webhook_id: str
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """Something that is to be delivered."""

    delivery_id: str
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class GameList:
    """Names a list of games. Sandbox games have lists of their own, always."""

    name: str
    player_id: str | None = None
    sandbox: bool = False

    @classmethod
    def of_player(cls, player_id: str, *, sandbox: bool = False) -> Self:
        """Name the games of one player."""
        return cls(name="games", player_id=player_id, sandbox=sandbox)

    @classmethod
    def left_by(cls, player_id: str) -> Self:
        """Name the games, sandbox or not, in which a player sat once and sits no more."""
        return cls(name="left", player_id=player_id)

    @classmethod
    def open(cls, *, sandbox: bool = False) -> Self:
        """Name the public games that wait for players."""
        return cls(name="open", sandbox=sandbox)

    @classmethod
    def public(cls, *, sandbox: bool = False) -> Self:
        """Name the games that anybody may see."""
        return cls(name="public", sandbox=sandbox)


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """An entry of a list of games, and the cursor that goes on behind it."""

    game_id: str
    at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SeekName:
    """Names a seek, its pool and whose it is. Nobody meets anybody of another pool."""

    pool: str
    id: str
    player_id: str

    @property
    def member(self) -> str:
        """What it is called in its pool: another player's seek is another one, whatever its id."""
        return f"{self.player_id}/{self.id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Seek:
    """A player who looks for others: so many, himself counted, that all fit each other.

    `kind` is what he is, `meets` the kind he wants to meet, None for any.
    """

    name: SeekName
    kind: str
    meets: str | None
    size: int
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Sought:
    """What became of a seek: until when it waits, or the game and the bodies of all who met.

    Those of one match are told the same, in the same order. `bodies` of one who waits is his own.
    """

    until: int
    game_id: str | None
    bodies: tuple[bytes, ...]


class Store(Protocol):
    """Keeps games, answers, what is due, players and lists.

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

    # What must be derived

    def behind(self, *, now: int, limit: int) -> list[Behind]:
        """Return the games whose derivation is overdue, over all shards, the longest overdue first."""
        ...

    def underived(self, game_id: str) -> Underived | None:
        """Return a game that something must be derived from; None where nothing must."""
        ...

    def put_off(self, game_id: str, *, expected_at: int, at: int) -> bool:
        """Move the time a derivation is overdue, unless another did first, as `lease` does."""
        ...

    def acknowledge(self, game_id: str, *, version: int) -> None:
        """Note that all is derived that follows from the game's commits up to the version.

        A game that was committed to since stays behind. One that has expired is forgotten.
        """
        ...

    # Players and tokens

    def put_player(
        self, player_id: str, body: bytes, *, replaces: bytes | None, expires_at: int | None = None
    ) -> bool:
        """Store a player, unless another writer was there first; tell whether it was done.

        `replaces` is the body that was read, None for a new player. What already
        stands as it should be counts as done. The player and all tokens vanish at
        `expires_at`; None keeps them for ever.
        """
        ...

    def player(self, player_id: str) -> bytes | None:
        """Return the player's body, None where there is no such player."""
        ...

    def players(self, player_ids: Sequence[str]) -> list[bytes | None]:
        """Return what `player` would, for each id in the order given, in one round trip."""
        ...

    def delete_player(self, player_id: str) -> bool:
        """Forget the player with all that is his; tell whether there was one.

        Tokens, log, ratings, webhooks and lists of games go too. Deleted twice, or after a broken
        connection, the answer may be False.
        """
        ...

    def put_token(self, player_id: str, token_hash: str, body: bytes) -> bool:
        """Store a token of an existing player, replacing one of the same hash; False without the player."""
        ...

    def player_by_token(self, player_id: str, token_hash: str) -> TokenHolder | None:
        """Return player and token in one round trip, None unless both exist.

        A token names its player (`<player id>.<secret>`), so that both lie in one record.
        """
        ...

    def tokens_of(self, player_id: str) -> list[StoredToken]:
        """Return the player's tokens, ordered by hash."""
        ...

    def revoke_token(self, player_id: str, token_hash: str) -> bool:
        """Forget a token; tell whether it was there. As `delete_player`, False may be a second time."""
        ...

    # Secrets that open something once

    def put_once(self, kind: str, name_hash: str, body: bytes, *, expires_at: int) -> bool:
        """Keep a secret until it is taken, or until `expires_at`; False where the name is another's.

        The store knows the secret by its hash only. What was taken keeps its name until its end. What
        already stands as it should be counts as done.
        """
        ...

    def take_once(self, kind: str, name_hash: str) -> bytes | None:
        """Return what was kept, to one caller only; None where there is nothing, or nothing any more."""
        ...

    # Work that goes on while nobody waits for it: hints, reviews

    def put_work(self, name: str, body: bytes, *, replaces: bytes | None, expires_at: int) -> bool:
        """Keep how far a piece of work has come, unless another was there first; tell whether it stands.

        `replaces` is the body that was read, None for work that nobody has begun. What already stands as
        it should be counts as done, with the new end. It vanishes at `expires_at`.
        """
        ...

    def work(self, name: str) -> bytes | None:
        """Return what is kept of a piece of work, None where there is nothing."""
        ...

    # What players are told

    def append_account_events(self, entries: Sequence[AccountEntry]) -> None:
        """Write into players' logs what was not written before, in the order given; wake those who wait.

        What a game tells one player must come in the order of the game's log: an entry that
        does not lie behind all told so far counts as told. For a player who does not exist
        nothing is written. A log keeps its newest `ACCOUNT_EVENTS`, for `ACCOUNT_KEPT_MS`
        behind the newest.
        """
        ...

    def account_events(
        self, player_id: str, *, after: tuple[int, int] | None = None, limit: int
    ) -> AccountPage:
        """Return a player's log behind the cursor, oldest first, `limit` at most; as `events`."""
        ...

    def account_end(self, player_id: str) -> tuple[int, int]:
        """Return the cursor of the newest entry, (0, 0) where there is none."""
        ...

    def wait_account(self, player_id: str, *, after: tuple[int, int], timeout_ms: int) -> bool:
        """Wait until there is something behind the cursor in a player's log; as `wait`."""
        ...

    # Who is here

    def visit(self, visit: Visit, *, now: int, until: int, most: int | None = None) -> bool:
        """Note that a player is here until then; False where `most` visits of the kind are there already.

        The same visit again is longer or shorter from now on, and never one too many. Those
        who `listen` hear of a player who was not here before.
        """
        ...

    def renew_visits(self, visits: Sequence[Visit], *, now: int, until: int) -> None:
        """Note that visits go on, in one round trip."""
        ...

    def end_visit(self, visit: Visit, *, until: int) -> None:
        """End a visit; until then the player still counts as being here."""
        ...

    def online(self, player_ids: Sequence[str], *, now: int) -> list[bool]:
        """Tell of each player, in the order given, whether he is here; in one round trip."""
        ...

    # Counts that limits go by

    def count(self, name: str, *, window: int, hits: int, expires_at: int) -> tuple[int, int]:
        """Add hits to a window; return what the window before it and it itself have counted.

        Windows of a name are numbered as they follow each other. Below 0 `hits` gives some back, never
        more than were counted. Where the connection broke, hits may be counted twice.
        """
        ...

    # Ratings, one of `POOLS` each

    def rate(self, pool: str, game_id: str, ratings: Sequence[Rating], *, at: int) -> bool:
        """Let a game count: write all ratings, or none; tell whether the game has counted now or before.

        False says that somebody's rating is not the one that his new one was reckoned from:
        reckon anew. A game counts once in a pool, however often it is brought, for `RATED_MS`.
        """
        ...

    def ratings(self, pool: str, player_ids: Sequence[str]) -> list[bytes | None]:
        """Return the players' ratings in the order given, None for those who have none."""
        ...

    def standings(self, pool: str, *, after: Standing | None = None, limit: int) -> list[Standing]:
        """Return the board behind the cursor, highest score first, then by id, the higher first.

        The cursor holds even when its own player has left the board. A player of the board
        may be no more: `forget_rating` him then.
        """
        ...

    def better_than(self, pool: str, scores: Sequence[int]) -> list[int]:
        """Return for each score how many on the board have a higher one, in one round trip."""
        ...

    def forget_rating(self, pool: str, player_id: str) -> None:
        """Take a player off the board."""
        ...

    # Players who look for others

    def seek(self, seek: Seek, *, now: int, until: int, game_id: str) -> Sought:
        """Let somebody look for others until then; with the last one who fits they have met.

        A match is given `game_id` and kept for `MATCH_MS`: whoever hears of it sees to it that
        there is such a game. Nobody meets himself, is matched twice, or once his time is over;
        who came first is matched first. A seek that is there already goes on.
        """
        ...

    def renew_seek(self, name: SeekName, *, now: int, until: int, game_id: str) -> Sought | None:
        """Let a seek go on until then, and look anew who fits; None where there is none any more."""
        ...

    def end_seek(self, name: SeekName, *, now: int) -> str | None:
        """End a seek; return the game's id where it was matched before, "" when it was ended.

        None where there is no such seek any more; as `delete_player` perhaps a second time.
        """
        ...

    # Webhooks, and what is to be delivered to them

    def put_webhook(
        self, player_id: str, webhook_id: str, body: bytes, *, replaces: bytes | None, most: int
    ) -> bool:
        """Store a webhook, unless another writer was there first; tell whether it was done.

        As `put_player`. A player who does not exist, or has `most` of them already, gets no new one.
        Webhooks end with their player.
        """
        ...

    def webhooks_of(self, player_ids: Sequence[str]) -> list[list[StoredWebhook]]:
        """Return the webhooks of each player, ordered by id, in one round trip."""
        ...

    def delete_webhook(self, player_id: str, webhook_id: str) -> bool:
        """Forget a webhook; tell whether it was there. As `delete_player`, False may be a second time."""
        ...

    def put_deliveries(self, deliveries: Sequence[tuple[str, bytes]], *, at: int) -> None:
        """Put deliveries (id, body) on the list, due at `at`, but for those that are there already."""
        ...

    def delivery(self, delivery_id: str) -> bytes | None:
        """Return what is to be delivered; None where nothing is any more."""
        ...

    def deliveries_due(self, *, now: int, limit: int) -> list[Delivery]:
        """Return the deliveries due at `now` or before, the longest due first."""
        ...

    def move_delivery(self, delivery_id: str, *, replaces: bytes, body: bytes | None, at: int = 0) -> bool:
        """Change a delivery and when it is due, or drop it (None), unless another did first.

        `replaces` is the body that was read. Tells whether it was done; as `delete_player`,
        False may be a second time.
        """
        ...

    # Lists of games

    def list_game(self, game_id: str, *, at: int, expires_at: int, lists: Iterable[GameList]) -> None:
        """Put a game into lists, or move it there; `at` orders it and should never change.

        A list lives as long as the longest-lived game ever put into it. Games that are
        `LISTED_MS` older than this one leave it.
        """
        ...

    def unlist_game(self, game_id: str, *, lists: Iterable[GameList]) -> None:
        """Take a game out of lists; those that do not hold it stay as they are."""
        ...

    def games_in(self, listing: GameList, *, after: Listed | None = None, limit: int) -> list[Listed]:
        """Return the list behind the cursor, newest first; the higher id first where times are equal.

        The cursor holds even when its own game has left the list. An entry's game may have
        expired: `unlist_game` it then.
        """
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
