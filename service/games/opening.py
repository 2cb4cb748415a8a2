"""Opening a table: the request, its checks, and the first record."""

import secrets
from dataclasses import dataclass, field
from typing import Any, Final

from service.games.record import (
    FREE,
    THINKING_MS,
    GameRecord,
    Player,
    Seat,
    SeatJoined,
    SpectatorAccess,
    Status,
    TimeControl,
    Visibility,
)
from service.games.refusals import Refusal
from service.games.seating import MIN_RATED_PLAYERS, GameChange, computer_seat, deal, player_seat
from service.games.timing import DEFAULT_TIME_CONTROL
from service.rummy.dealing import sandbox_key
from service.rummy.positions import Position
from service.rummy.presets import check_options, resolve
from service.rummy.sentences import Sentence

_KEY_BYTES: Final = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class NewGame:
    """A request for a table. `opponents` are computer levels, for the seats after the creator's.

    `options` are values that preset and overrides must lead to. `clock` "default" means
    no limits with one player or in a sandbox, else two minutes a turn. `seed`, `position`
    and `seats_held` are for sandboxes only. `origin` is a hash of the address that asks.
    """

    preset: str
    overrides: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    seats: int
    opponents: tuple[str, ...] = ()
    visibility: Visibility = Visibility.PRIVATE
    spectators: SpectatorAccess = SpectatorAccess.NONE
    spectator_delay_ms: int = 0
    rated: bool = False
    computer_pace_ms: int = 0
    thinking_ms: int = THINKING_MS
    clock: TimeControl | str | None = "default"
    sandbox: bool = False
    seed: str | None = None
    position: Position | None = None
    seats_held: bool = False
    origin: str | None = None


def open_table(new: NewGame, *, game_id: str, creator: Player, now: int) -> GameChange:
    """Open a table; if every seat is taken the game begins at once.

    Raises VariantContradiction, ImpossiblePosition, or Refusal for settings that
    contradict each other.
    """
    check_new_game(new)
    variant = resolve(new.preset, new.overrides, seats=new.seats)
    check_options(variant, new.options)
    key = sandbox_key(new.seed) if new.seed is not None else secrets.token_bytes(_KEY_BYTES)
    clock = new.clock
    if not isinstance(clock, TimeControl) and clock is not None:
        alone = new.sandbox or new.seats - len(new.opponents) == 1
        clock = None if alone else DEFAULT_TIME_CONTROL
    record = GameRecord(
        id=game_id,
        version=1,
        status=Status.WAITING,
        created_at=now,
        updated_at=now,
        creator=creator.id,
        variant=variant,
        seats=_first_seats(new, creator),
        visibility=new.visibility,
        spectators=new.spectators,
        spectator_code=secrets.token_urlsafe(16),
        spectator_delay_ms=new.spectator_delay_ms,
        rated=new.rated,
        computer_pace_ms=new.computer_pace_ms,
        thinking_ms=new.thinking_ms,
        clock=clock,
        sandbox=new.sandbox,
        seats_held=new.seats_held,
        invite_code=secrets.token_urlsafe(16),
        key=key,
        origin=new.origin,
    )
    joined = seat_joined_events(record)
    if record.has_free_seats:
        return record, joined
    begun, events = deal(record, new.position)
    return begun, (*joined, *events)


def seat_joined_events(record: GameRecord) -> tuple[SeatJoined, ...]:
    """Return a SeatJoined event for each taken seat of a new table."""
    return tuple(
        SeatJoined(seat=number, name=seat.name or "", kind=seat.kind, player_id=seat.player_id)
        for number, seat in enumerate(record.seats)
        if seat.kind is not None
    )


def check_new_game(new: NewGame) -> None:
    """Raise Refusal for settings that contradict each other."""
    if not new.sandbox:
        for name in ("seed", "position", "seats_held"):
            if getattr(new, name):
                raise Refusal(
                    "sandbox_only",
                    Sentence("needs_sandbox", "{member} needs sandbox: true.", member=name),
                    member=name,
                )
    if new.rated and new.sandbox:
        raise Refusal("sandbox_only", "A sandbox game is never rated.", member="rated")
    if new.rated:
        _check_rated(new)
    if len(new.opponents) >= new.seats:
        most = f"{new.seats - 1} opponent{'s' if new.seats > 2 else ''}"  # noqa: PLR2004 - a plural
        raise _invalid_opponents(f"At most {most}: one of the {new.seats} seats is yours.")
    if new.seats_held and new.opponents:
        raise _invalid_opponents("With seats_held: creator every seat is yours; leave opponents empty.")
    if new.position is not None and not new.seats_held and len(new.opponents) != new.seats - 1:
        raise Refusal(
            "seats_empty",
            "A game from a position begins at once: use opponents or seats_held.",
        )


def _check_rated(new: NewGame) -> None:
    """Raise Refusal for a rated game without a second player, or that a player could block."""
    if new.seats - len(new.opponents) < MIN_RATED_PLAYERS:
        raise _invalid_opponents("A rated game needs two players: leave two seats or more free.")
    clock = new.clock
    if clock is None or (isinstance(clock, TimeControl) and None in {clock.turn_ms, clock.next_deal_ms}):
        raise _invalid(
            "clock",
            "A rated game needs a clock with turn_ms and next_deal_ms, so that no player can block it.",
        )


def _invalid_opponents(message: str) -> Refusal:
    return _invalid("opponents", message)


def _invalid(member: str, message: str) -> Refusal:
    return Refusal("validation_failed", message, errors=[{"field": member, "message": message}])


def _first_seats(new: NewGame, creator: Player) -> tuple[Seat, ...]:
    own = player_seat(creator)
    if new.seats_held:
        return (own,) * new.seats
    computers = tuple(computer_seat(level) for level in new.opponents)
    return (own, *computers, *(FREE,) * (new.seats - 1 - len(computers)))
