"""A game as the service keeps it: who sits where, what was agreed, and the game itself.

The rules know seats; who sits on them, deadlines and versions are known here.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Final

from service.rummy.events import EVENT_TYPES, Event
from service.rummy.legal_moves import seats_to_act
from service.rummy.state import Game, Phase
from service.rummy.variants import Variant


class Status(StrEnum):
    """Where a game stands, from the table being set to the last deal."""

    WAITING = "waiting"
    PLAYING = "playing"
    DEAL_OVER = "deal_over"
    FINISHED = "finished"
    ABORTED = "aborted"

    @property
    def is_running(self) -> bool:
        """Whether the game has begun and is not over: a deal is played, or the next one is waited for."""
        return self in {Status.PLAYING, Status.DEAL_OVER}

    @property
    def is_over(self) -> bool:
        """Whether the game is over, and so for good."""
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
    """Who joins a game: an id, the name to show, and whether a human or a bot."""

    id: str
    name: str
    kind: SeatKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Seat:
    """One place at the table. `kind` is None while it is free.

    `level` is set where a computer plays: for itself, or for a player who let his time
    run out again and again and may come back. `expiries` counts the turns in a row
    that the clock had to play. `is_former` marks the seat of a player who deleted himself.
    A free seat may be kept for a player, whose name it then has: until `kept_until`
    nobody else may take it.
    """

    player_id: str | None = None
    name: str | None = None
    kind: SeatKind | None = None
    level: str | None = None
    expiries: int = 0
    is_former: bool = False
    kept_for: str | None = None
    kept_until: int | None = None

    @property
    def has_player(self) -> bool:
        """Tell whether the seat is a player's, human or bot, whoever plays for him now."""
        return self.player_id is not None

    @property
    def is_free(self) -> bool:
        """Tell whether nobody sits here, though it may be kept for somebody."""
        return self.kind is None

    def may_be_taken(self, player_id: str, now: int) -> bool:
        """Tell whether the player may sit down here."""
        kept = self.kept_until is not None and now < self.kept_until
        return self.is_free and (not kept or self.kept_for == player_id)


FREE: Final = Seat()

#: What stands at seats and in logs for a player who deleted himself.
FORMER_PLAYER: Final = "former player"


@dataclass(frozen=True, slots=True, kw_only=True)
class Resigned:
    """A player who gave the game up, and the seat that somebody else plays on for him."""

    seat: int
    player_id: str
    kind: SeatKind


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeControl:
    """How long players have, in milliseconds; None is no limit."""

    turn_ms: int | None = None
    call_window_ms: int | None = None
    next_deal_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatJoined:
    """A player sat down; a computer has no player's id."""

    type: ClassVar = "seat.joined"
    seat: int
    name: str
    kind: SeatKind
    player_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatLeft:
    """A player left before the game began; the seat is free."""

    type: ClassVar = "seat.left"
    seat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatReplaced:
    """A computer sits here now: it was asked for, or plays on for somebody who resigned."""

    type: ClassVar = "seat.replaced"
    seat: int
    level: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatReady:
    """A player is ready for the next deal."""

    type: ClassVar = "seat.ready"
    seat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockExpired:
    """A seat let its time run out; the least turn was played for it."""

    type: ClassVar = "clock.expired"
    seat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GameAborted:
    """The game was given up without a result."""

    type: ClassVar = "game.aborted"
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InvitesRenewed:
    """The codes that opened the table open it no more; who sits there reads the new ones."""

    type: ClassVar = "invites.renewed"


@dataclass(frozen=True, slots=True, kw_only=True)
class RematchOffered:
    """A player of a game that is over opened a table for the same players: `rematch_id`."""

    type: ClassVar = "rematch.offered"
    seat: int
    rematch_id: str


TableEvent = (
    SeatJoined
    | SeatLeft
    | SeatReplaced
    | SeatReady
    | ClockExpired
    | GameAborted
    | RematchOffered
    | InvitesRenewed
)
LoggedEvent = Event | TableEvent

#: The class of each event that a log can hold, by its type.
LOGGED_TYPES: Final[dict[str, type[LoggedEvent]]] = {
    **EVENT_TYPES,
    **{event.type: event for event in TableEvent.__args__},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Logged:
    """One entry of a game's log; `at` is in milliseconds, `seq` counts from 0 in its version."""

    version: int
    seq: int
    at: int
    event: LoggedEvent


#: How long a computer may think about one turn, where the game does not say.
THINKING_MS: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class GameRecord:
    """All that is kept of a game. Times are milliseconds since the epoch.

    `key` is the secret that all shuffles come from; the game carries it too once it has
    begun. `phase_version` is the version at which the running turn, call window or
    wait for the next deal began, `deadline_at` when the service acts in it.
    `expires_at` tells when a game that nobody plays any more vanishes.
    `invite_code` lets others sit down at a private table, `spectator_code` only watch;
    what they see lies `spectator_delay_ms` back.
    A game that `starts_when_full` does not wait for its creator. `rematches` counts the
    tables opened to play it again, `rematch_id` is the last of them. `resigned` is in the order
    in which it was done. `thinking_ms` is how long a computer may think about a turn.
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
    resigned: tuple[Resigned, ...] = ()
    thinking_ms: int = THINKING_MS

    @property
    def has_free_seats(self) -> bool:
        """Tell whether somebody is missing at the table."""
        return any(seat.is_free for seat in self.seats)

    def keeps_a_seat_for(self, player_id: str) -> bool:
        """Tell whether a free seat is kept for the player."""
        return any(seat.is_free and seat.kept_for == player_id for seat in self.seats)

    def was_resigned_by(self, player_id: str) -> bool:
        """Tell whether the player sat here and gave the game up."""
        return any(gone.player_id == player_id for gone in self.resigned)

    def seats_of(self, player_id: str | None) -> tuple[int, ...]:
        """Return the seats a player holds: one, none, or all of a sandbox."""
        if player_id is None:
            return ()
        return tuple(number for number, seat in enumerate(self.seats) if seat.player_id == player_id)

    def people(self) -> tuple[int, ...]:
        """Return the seats whose players, humans or bots, play themselves."""
        return tuple(
            number for number, seat in enumerate(self.seats) if seat.has_player and seat.level is None
        )

    def may_act(self) -> tuple[int, ...]:
        """Return the seats that may act now: in turn, asked for a call, or not yet ready."""
        if self.status is Status.DEAL_OVER:
            return tuple(seat for seat in self.people() if seat not in self.ready)
        if self.status is Status.PLAYING and self.game is not None:
            return seats_to_act(self.game)
        return ()

    def computer_to_move(self) -> int | None:
        """Return the computer's seat that is to draw or meld; None where no computer is."""
        if self.status is not Status.PLAYING or self.game is None:
            return None
        turn = self.game.deal.turn
        if turn.phase is Phase.RUMMY_CALL or self.seats[turn.seat].level is None:
            return None
        return turn.seat

    def asked_computers(self) -> tuple[int, ...]:
        """Return the computers still asked for a rummy call, nearest to the discarder's left first."""
        if self.status is not Status.PLAYING or self.game is None:
            return ()
        return tuple(seat for seat in self.game.deal.turn.asked if self.seats[seat].level is not None)

    @property
    def in_call_window(self) -> bool:
        """Tell whether seats are being asked for a rummy call."""
        return (
            self.status is Status.PLAYING
            and self.game is not None
            and self.game.deal.turn.phase is Phase.RUMMY_CALL
        )
