"""A game as stored: the seats, the settings, and the state of the rules.

The rules know seat numbers only. Who sits on them, deadlines and versions belong here.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Final

from service.rummy.events import EVENT_TYPES, CallWindowOpened, Event, TurnStarted
from service.rummy.legal_moves import seats_to_act
from service.rummy.state import Game, Phase
from service.rummy.variants import Variant
from service.store.schema import StoredValue


class Status(StrEnum):
    """The status of a game, from the open table to the end."""

    WAITING = "waiting"
    PLAYING = "playing"
    DEAL_OVER = "deal_over"
    FINISHED = "finished"
    ABORTED = "aborted"

    @property
    def is_running(self) -> bool:
        """Whether the game has begun and is not over, in a deal or between two deals."""
        return self in {Status.PLAYING, Status.DEAL_OVER}

    @property
    def is_over(self) -> bool:
        """Whether the game is over; this is final."""
        return self in {Status.FINISHED, Status.ABORTED}


#: Why a game is over that was given up without a result; the rules know the other reasons.
ABORTED: Final = "aborted"


class Visibility(StrEnum):
    """Whether a game stands in the public lists, or needs a code."""

    PRIVATE = "private"
    PUBLIC = "public"


class SpectatorAccess(StrEnum):
    """Who may watch a game without a seat: no one, holders of a code, or everyone."""

    NONE = "none"
    INVITE = "invite"
    PUBLIC = "public"


class SeatKind(StrEnum):
    """Who decides the moves of a seat."""

    HUMAN = "human"
    BOT = "bot"
    COMPUTER = "computer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Player:
    """A player who joins a game: id, display name, and whether a human or a bot."""

    id: str
    name: str
    kind: SeatKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Seat:
    """One seat at the table. `kind` is None while it is free.

    `level` is set if a computer plays the seat: in its own right, or as the stand-in of
    a player whose turns expired repeatedly and who may come back. `expiries` counts the
    turns in a row that expired. `is_former` marks the seat of a player who deleted their
    account. A free seat may be reserved: `kept_for` and `name` say for which player, and
    until `kept_until` no other player may take it. With `auto_pass` the service passes
    every rummy call for the player, who alone sees that it is set.
    """

    player_id: str | None = None
    name: str | None = None
    kind: SeatKind | None = None
    level: str | None = None
    expiries: int = 0
    is_former: bool = False
    kept_for: str | None = None
    kept_until: int | None = None
    auto_pass: bool = False

    @property
    def passes_calls(self) -> bool:
        """Whether the service passes calls for the player; a stand-in decides by itself."""
        return self.auto_pass and self.has_player and self.level is None

    @property
    def has_player(self) -> bool:
        """Whether the seat belongs to a player, human or bot, even while a stand-in plays it."""
        return self.player_id is not None

    @property
    def is_free(self) -> bool:
        """Whether the seat is empty; it may still be reserved for a player."""
        return self.kind is None

    def may_be_taken(self, player_id: str, now: int) -> bool:
        """Return whether the player may take this seat."""
        kept = self.kept_until is not None and now < self.kept_until
        return self.is_free and (not kept or self.kept_for == player_id)


FREE: Final = Seat()

#: Replaces the name of a player who deleted their account, at seats and in logs.
FORMER_PLAYER: Final = "former player"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResignedSeat:
    """A player who resigned, and the seat that a computer plays on."""

    seat: int
    player_id: str
    kind: SeatKind


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeControl:
    """The time limits of a game, in milliseconds; None means no limit."""

    turn_ms: int | None = None
    call_window_ms: int | None = None
    next_deal_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatJoined:
    """A player took a seat, or with `returned` took it back. A computer has no `player_id`."""

    type: ClassVar = "seat.joined"
    seat: int
    name: str
    kind: SeatKind
    player_id: str | None = None
    returned: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatLeft:
    """A player left before the game began; the seat is free again."""

    type: ClassVar = "seat.left"
    seat: int


class SeatReplacement(StrEnum):
    """Why a computer plays a seat."""

    REQUESTED = "requested"
    RESIGNED = "resigned"
    TIME_RAN_OUT = "time_ran_out"


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatReplaced:
    """A computer plays the seat now. Logs of earlier releases do not say why."""

    type: ClassVar = "seat.replaced"
    seat: int
    level: str
    reason: SeatReplacement | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatReady:
    """A player is ready for the next deal."""

    type: ClassVar = "seat.ready"
    seat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockExpired:
    """The time of a seat ran out; the forced turn was played for it."""

    type: ClassVar = "clock.expired"
    seat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GameAborted:
    """The game was aborted without a result."""

    type: ClassVar = "game.aborted"
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InvitesRenewed:
    """The invite codes were replaced: the old ones are invalid, seated players see the new ones."""

    type: ClassVar = "invites.renewed"


@dataclass(frozen=True, slots=True, kw_only=True)
class RematchOffered:
    """A player of a finished game opened a table for the same players: `rematch_id`."""

    type: ClassVar = "rematch.offered"
    seat: int
    rematch_id: str


class RematchEnd(StrEnum):
    """Why a rematch did not take place."""

    CALLED_OFF = "called_off"
    LEFT = "left"
    EXPIRED = "expired"


@dataclass(frozen=True, slots=True, kw_only=True)
class RematchWithdrawn:
    """The rematch of a finished game was aborted before it began; another one may be opened.

    `seat` is that of the player who held the rematch last, None if they have no seat here any more.
    """

    type: ClassVar = "rematch.withdrawn"
    rematch_id: str
    reason: RematchEnd
    seat: int | None = None


TableEvent = (
    SeatJoined
    | SeatLeft
    | SeatReplaced
    | SeatReady
    | ClockExpired
    | GameAborted
    | RematchOffered
    | RematchWithdrawn
    | InvitesRenewed
)
LoggedEvent = Event | TableEvent

#: The class of each event that a log can hold, by its type.
LOGGED_TYPES: Final[dict[str, type[LoggedEvent]]] = {
    **EVENT_TYPES,
    **{event.type: event for event in TableEvent.__args__},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownEvent:
    """An event of a type that only a newer release knows.

    Readers skip it. Its members are dropped, as this release does not know which of them are secret.
    """

    type: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GameLogEntry:
    """One entry of a game's log; `at` is in milliseconds, `seq` counts from 0 in its version.

    `deadline_at` is when the turn or call window that the event began ends: see `TIMED_EVENTS`.
    """

    version: int
    seq: int
    at: int
    event: LoggedEvent | UnknownEvent
    deadline_at: int | None = None

    @property
    def is_known(self) -> bool:
        """Whether this release knows the type of the event."""
        return not isinstance(self.event, UnknownEvent)


#: The events that begin what a deadline ends.
TIMED_EVENTS: Final = (TurnStarted, CallWindowOpened)


#: How long a computer may think about one turn, where the game does not say.
THINKING_MS: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class GameRecord(StoredValue):
    """A game as stored. Times are milliseconds since the epoch.

    `key` is the secret from which all shuffles are derived; `game` carries it too.
    `phase_version` is the version at which the current turn, call window or wait for the
    next deal began, and `deadline_at` the time at which the service ends it.
    `expires_at` is when the store deletes a game that is waiting or over.
    `invite_code` lets others join a private table, `spectator_code` lets them only watch;
    spectators see the game with a delay of `spectator_delay_ms`.
    A game that `starts_when_full` does not wait for its creator. `rematches` counts the
    rematches opened, `rematch_id` is the latest of them, None once it was withdrawn. A rematch
    names the game it follows in `rematch_of`. `resigned` is in order of
    resignation. `thinking_ms` is how long a computer may search for a turn. `same_since`
    is set while the versions from it on differ only in what one player set for themselves.
    `origin` is a hash of the address that opened the game, until it is over.
    `was_matched` says that seeks found the players, who did not choose each other.
    """

    id: str
    version: int
    status: Status
    created_at: int
    updated_at: int
    creator: str
    variant: Variant
    seats: tuple[Seat, ...]
    visibility: Visibility
    spectators: SpectatorAccess
    rated: bool
    computer_pace_ms: int
    clock: TimeControl | None
    sandbox: bool
    seats_held: bool
    invite_code: str
    key: bytes
    game: Game | None = None
    ready: tuple[int, ...] = ()
    phase_version: int = 1
    deadline_at: int | None = None
    expires_at: int | None = None
    reason: str | None = None
    spectator_code: str = ""
    spectator_delay_ms: int = 0
    starts_when_full: bool = False
    rematches: int = 0
    rematch_id: str | None = None
    resigned: tuple[ResignedSeat, ...] = ()
    thinking_ms: int = THINKING_MS
    same_since: int | None = None
    was_matched: bool = False
    origin: str | None = None
    rematch_of: str | None = None

    @property
    def has_free_seats(self) -> bool:
        """Whether a seat is free."""
        return any(seat.is_free for seat in self.seats)

    def keeps_a_seat_for(self, player_id: str) -> bool:
        """Return whether a free seat is reserved for the player."""
        return any(seat.is_free and seat.kept_for == player_id for seat in self.seats)

    def was_resigned_by(self, player_id: str) -> bool:
        """Return whether the player sat here and resigned."""
        return any(gone.player_id == player_id for gone in self.resigned)

    def seats_of(self, player_id: str | None) -> tuple[int, ...]:
        """Return the seats of a player: none, one, or all of a sandbox."""
        if player_id is None:
            return ()
        return tuple(number for number, seat in enumerate(self.seats) if seat.player_id == player_id)

    def active_seats(self) -> tuple[int, ...]:
        """Return the seats of players, human or bot, without those that a stand-in plays."""
        return tuple(
            number for number, seat in enumerate(self.seats) if seat.has_player and seat.level is None
        )

    def may_act(self) -> tuple[int, ...]:
        """Return the seats that may act now: on turn, asked for a call, or not yet ready."""
        if self.status is Status.DEAL_OVER:
            return tuple(seat for seat in self.active_seats() if seat not in self.ready)
        if self.status is Status.PLAYING and self.game is not None:
            return seats_to_act(self.game)
        return ()

    def is_drawing(self, seat: int) -> bool:
        """Return whether the seat has the turn and has to draw."""
        if self.status is not Status.PLAYING or self.game is None:
            return False
        turn = self.game.deal.turn
        return turn.phase is Phase.DRAW and turn.seat == seat

    def computer_to_move(self) -> int | None:
        """Return the seat on turn if a computer plays it, else None; call windows do not count."""
        if self.status is not Status.PLAYING or self.game is None:
            return None
        turn = self.game.deal.turn
        if turn.phase is Phase.RUMMY_CALL or self.seats[turn.seat].level is None:
            return None
        return turn.seat

    def asked_to_pass(self) -> int | None:
        """Return the first seat asked for a rummy call whose player lets the service pass."""
        if not self.in_call_window or self.game is None:
            return None
        return next((seat for seat in self.game.deal.turn.asked if self.seats[seat].passes_calls), None)

    def asked_computers(self) -> tuple[int, ...]:
        """Return the computers still asked for a rummy call, starting left of the discarder."""
        if self.status is not Status.PLAYING or self.game is None:
            return ()
        return tuple(seat for seat in self.game.deal.turn.asked if self.seats[seat].level is not None)

    @property
    def in_call_window(self) -> bool:
        """Whether seats are being asked for a rummy call."""
        return (
            self.status is Status.PLAYING
            and self.game is not None
            and self.game.deal.turn.phase is Phase.RUMMY_CALL
        )
