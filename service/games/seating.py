"""Who sits where: joining, leaving, handing seats to computers, starting.

Every function is a transition: it answers the record as it would be and what happened, or refuses.
"""

import secrets
from dataclasses import replace
from typing import Final

from service.games.record import (
    ABORTED,
    FORMER_PLAYER,
    FREE,
    ClockExpired,
    GameAborted,
    GameRecord,
    InvitesRenewed,
    LoggedEvent,
    Player,
    Resigned,
    Seat,
    SeatJoined,
    SeatKind,
    SeatLeft,
    SeatReplaced,
    Status,
)
from service.games.refusals import Refusal
from service.rummy.errors import GAME_OVER
from service.rummy.forced_turn import forced_turn
from service.rummy.moves import EndGame
from service.rummy.play import new_game, play
from service.rummy.positions import Position, game_from_position
from service.rummy.state import Game, GameEndReason, Stage

GameChange = tuple[GameRecord, tuple[LoggedEvent, ...]]

#: The level that plays on for whoever resigned or stays away.
STAND_IN: Final = "steady"
#: So many turns in a row may be left to the clock.
MAX_EXPIRIES: Final = 3
#: A rated game says something about so many people at least.
MIN_RATED_PLAYERS: Final = 2

STATUS_OF_GAME: Final = {
    Stage.PLAYING: Status.PLAYING,
    Stage.DEAL_OVER: Status.DEAL_OVER,
    Stage.FINISHED: Status.FINISHED,
}


def player_seat(player: Player) -> Seat:
    """Return the seat of a player."""
    return Seat(player_id=player.id, name=player.name, kind=player.kind)


def computer_seat(level: str) -> Seat:
    """Return the seat of a computer."""
    return Seat(name=level, kind=SeatKind.COMPUTER, level=level)


def deal(record: GameRecord, position: Position | None = None) -> GameChange:
    """Return the game as it is dealt, or as it lies in a given position."""
    seats = len(record.seats)
    if position is None:
        events, game = new_game(record.variant, seats=seats, key=record.key)
    else:
        events, game = game_from_position(record.variant, seats=seats, key=record.key, position=position)
    return with_game(record, game), events


def with_game(record: GameRecord, game: Game) -> GameRecord:
    """Return the record with the game as it now stands."""
    return replace(record, game=game, status=STATUS_OF_GAME[game.status], ready=(), reason=game.reason)


def play_forced_turn(record: GameRecord, seat: int) -> GameChange:
    """Play the least lawful rest of its turn for a seat: when its time is over, or nobody else makes it."""
    game = record.game
    assert game is not None  # noqa: S101 - a seat is to act in it
    events: list[LoggedEvent] = []
    for move in forced_turn(game, seat):
        happened, game = play(game, move)
        events.extend(happened)
    return with_game(record, game), tuple(events)


def _check_waiting(record: GameRecord) -> None:
    if record.status is not Status.WAITING:
        raise Refusal("already_started", "The game has begun: seats no longer change.")


def join(record: GameRecord, player: Player, *, seat: int | None, now: int) -> GameChange:
    """Seat a player: on the seat named, else the one kept for him or the first that is free.

    Or take him back from his stand-in.
    """
    own = record.seats_of(player.id)
    if own and record.seats[own[0]].level is not None:
        return return_to_seats(record, own)
    _check_waiting(record)
    if own:
        raise Refusal("seat_taken", f"You sit on seat {own[0]} already.")
    free = [number for number, there in enumerate(record.seats) if there.may_be_taken(player.id, now)]
    if not free:
        raise Refusal("game_full", "Every seat is taken, or kept for somebody who played before.")
    if seat is not None and seat not in free:
        numbers = ", ".join(map(str, free))
        raise Refusal("seat_taken", f"Seat {seat} is not free; these are: {numbers}.", free_seats=free)
    kept = [number for number in free if record.seats[number].kept_for == player.id]
    number = (kept or free)[0] if seat is None else seat
    for other in kept:
        record = _with_seat(record, other, FREE)
    event = SeatJoined(seat=number, name=player.name, kind=player.kind, player_id=player.id)
    return _start_if_full(_with_seat(record, number, player_seat(player)), event)


def _start_if_full(record: GameRecord, event: LoggedEvent) -> GameChange:
    """Begin the game with this seat, where it was the last one and nobody needs to say so."""
    if record.has_free_seats or not record.starts_when_full:
        return record, (event,)
    begun, events = deal(record)
    return begun, (event, *events)


def return_to_seats(record: GameRecord, seats: tuple[int, ...]) -> GameChange:
    """Let players who had stand-ins play themselves again."""
    events: list[LoggedEvent] = []
    for number in seats:
        seat = replace(record.seats[number], level=None, expiries=0)
        record = _with_seat(record, number, seat)
        events.append(
            SeatJoined(
                seat=number,
                name=seat.name or "",
                kind=seat.kind or SeatKind.HUMAN,
                player_id=seat.player_id,
            )
        )
    return record, tuple(events)


def expire_turn(record: GameRecord, number: int) -> GameChange:
    """Note that a seat let its time run out; after the third time in a row a computer stands in for it.

    In a rated game nobody gets a stand-in.
    """
    seat = record.seats[number]
    seat = replace(seat, expiries=seat.expiries + 1)
    events: list[LoggedEvent] = [ClockExpired(seat=number)]
    if seat.expiries >= MAX_EXPIRIES and not record.rated:
        seat = replace(seat, level=STAND_IN)
        events.append(SeatReplaced(seat=number, level=STAND_IN))
    return _with_seat(record, number, seat), tuple(events)


def mark_active(record: GameRecord, number: int) -> GameChange:
    """Note that a seat's player made a move himself, and so is there: a stand-in goes."""
    seat = record.seats[number]
    if not seat.has_player:
        return record, ()
    if seat.level is not None:
        return return_to_seats(record, (number,))
    return (_with_seat(record, number, replace(seat, expiries=0)) if seat.expiries else record), ()


def leave(record: GameRecord, player: Player) -> GameChange:
    """Free the seat of a player before the game begins, or the one kept for him.

    With the last person the table is given up.
    """
    _check_waiting(record)
    if not record.seats_of(player.id) and record.keeps_a_seat_for(player.id):
        return _decline_kept_seat(record, player)
    number = _own_seat(record, player.id)
    after = _with_seat(record, number, FREE)
    event = SeatLeft(seat=number)
    people = after.people()
    if not people:
        after, aborted = _abort(after, "everybody left")
        return after, (event, *aborted)
    if record.creator == player.id:
        after = replace(after, creator=after.seats[people[0]].player_id or "")
    return after, (event,)


def _decline_kept_seat(record: GameRecord, player: Player) -> GameChange:
    number = next(number for number, seat in enumerate(record.seats) if seat.kept_for == player.id)
    return _with_seat(record, number, FREE), (SeatLeft(seat=number),)


def seat_computer(record: GameRecord, player: Player, *, seat: int, level: str) -> GameChange:
    """Put a computer on a seat where no person sits; the creator asks for it before the game begins."""
    _check_waiting(record)
    _check_creator(record, player)
    if not 0 <= seat < len(record.seats):
        raise Refusal("not_found", f"Seats count from 0 to {len(record.seats) - 1}.")
    if record.seats[seat].has_player:
        raise Refusal("seat_taken", f"Somebody sits on seat {seat}.")
    others = [there for number, there in enumerate(record.seats) if number != seat and there.level is None]
    if record.rated and len(others) < MIN_RATED_PLAYERS:
        raise Refusal("rated_game", "A rated game is one between people: this seat is for one of them.")
    return _start_if_full(
        _with_seat(record, seat, computer_seat(level)), SeatReplaced(seat=seat, level=level)
    )


def renew_invites(record: GameRecord, player: Player) -> GameChange:
    """Take new codes for those who are invited, so that the old ones open nothing; for the creator."""
    _check_creator(record, player)
    after = replace(record, invite_code=secrets.token_urlsafe(16), spectator_code=secrets.token_urlsafe(16))
    return after, (InvitesRenewed(),)


def start(record: GameRecord, player: Player) -> GameChange:
    """Begin the game once every seat is taken; the creator asks for it."""
    _check_waiting(record)
    _check_creator(record, player)
    free = [number for number, there in enumerate(record.seats) if there.is_free]
    if free:
        raise Refusal(
            "seats_empty", "Some seats are still free: wait for players or seat computers.", free_seats=free
        )
    return deal(record)


def abort(record: GameRecord, player: Player) -> GameChange:
    """Give the game up without a result: before it begins the creator, afterwards the last person left."""
    _own_seat(record, player.id)
    if record.status is Status.WAITING:
        _check_creator(record, player)
        return _abort(record, "the creator gave it up")
    if record.status.is_over:
        raise Refusal("game_over", GAME_OVER)
    others = [seat for seat in record.people() if record.seats[seat].player_id != player.id]
    if others or record.rated:
        raise Refusal("already_started", "Others play on: resign instead.")
    return _abort(record, "the last player gave it up")


def abort_idle(record: GameRecord) -> GameChange:
    """Give up a game in which nobody has moved for too long."""
    return _abort(record, "nobody moved for too long")


def _abort(record: GameRecord, reason: str) -> GameChange:
    return replace(record, status=Status.ABORTED, reason=ABORTED), (GameAborted(reason=reason),)


def resign(record: GameRecord, player: Player) -> GameChange:
    """Hand the seats of a player to a computer, or end the game when no person is left (RULES 10.7)."""
    if record.status is Status.WAITING:
        raise Refusal("wrong_phase", "The game has not begun: leave your seat instead.")
    if record.status.is_over:
        raise Refusal("game_over", GAME_OVER)
    game = record.game
    assert game is not None  # noqa: S101 - it has begun
    _own_seat(record, player.id)
    seats = record.seats_of(player.id)
    gone = tuple(
        Resigned(seat=seat, player_id=player.id, kind=record.seats[seat].kind or player.kind)
        for seat in seats
    )
    record = replace(record, resigned=(*record.resigned, *gone))
    if not set(record.people()) - set(seats):
        events, game = play(
            game, EndGame(winners=_winners_without(record, seats), reason=GameEndReason.RESIGNATION)
        )
        return with_game(record, game), events
    after = record
    replaced = []
    for seat in seats:
        after = _with_seat(after, seat, computer_seat(STAND_IN))
        replaced.append(SeatReplaced(seat=seat, level=STAND_IN))
    return after, tuple(replaced)


def delete_player(record: GameRecord, player_id: str) -> GameChange:
    """Take a player who deletes himself from a table: his seats are left, or kept without his name.

    In a running game a computer plays them on; where no other person is left, the game is resigned.
    """
    player = Player(id=player_id, name=FORMER_PLAYER, kind=SeatKind.HUMAN)
    if not record.seats_of(player_id):
        return _decline_kept_seat(record, player) if record.keeps_a_seat_for(player_id) else (record, ())
    if record.status is Status.WAITING:
        return leave(record, player)
    after: GameRecord = record
    events: tuple[LoggedEvent, ...] = ()
    if not record.status.is_over:
        after, events = resign(record, player)
    for number in record.seats_of(player_id):
        seat = replace(
            record.seats[number], name=FORMER_PLAYER, level=after.seats[number].level, is_former=True
        )
        after = _with_seat(after, number, seat)
    return after, events


def _winners_without(record: GameRecord, resigned_seats: tuple[int, ...]) -> tuple[int, ...]:
    """Return the seats of the best side that did not resign; none where nobody else played."""
    assert record.game is not None  # noqa: S101 - asked of games that have begun
    lost = {record.variant.side(seat) for seat in resigned_seats}
    totals = {side: total for side, total in enumerate(record.game.totals) if side not in lost}
    if not totals:
        return ()
    best = min(totals.values()) if record.variant.scoring == "penalty" else max(totals.values())
    return tuple(seat for seat in range(len(record.seats)) if totals.get(record.variant.side(seat)) == best)


def _own_seat(record: GameRecord, player_id: str) -> int:
    seats = record.seats_of(player_id)
    if not seats:
        raise Refusal("not_seated", "You do not sit at this table.")
    return seats[0]


def _check_creator(record: GameRecord, player: Player) -> None:
    _own_seat(record, player.id)
    if record.creator != player.id:
        raise Refusal("not_creator", "Only the player who opened the table may do that.")


def _with_seat(record: GameRecord, number: int, seat: Seat) -> GameRecord:
    return replace(record, seats=(*record.seats[:number], seat, *record.seats[number + 1 :]))
