"""Seat transitions: join, leave, hand a seat to a computer, start, resign, abort.

Every transition is pure: it returns the new record and its events, or raises Refusal.
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
    ResignedSeat,
    Seat,
    SeatJoined,
    SeatKind,
    SeatLeft,
    SeatReplaced,
    SeatReplacement,
    Status,
)
from service.games.refusals import Refusal
from service.rummy.errors import GAME_OVER
from service.rummy.forced_turn import forced_turn
from service.rummy.moves import EndGame
from service.rummy.play import new_game, play
from service.rummy.positions import Position, game_from_position
from service.rummy.sentences import Sentence
from service.rummy.state import Game, GameEndReason, Stage

GameChange = tuple[GameRecord, tuple[LoggedEvent, ...]]

#: The level that plays on for a player who resigned or is absent.
STAND_IN: Final = "steady"
#: After this many expired turns in a row a stand-in takes over.
MAX_EXPIRIES: Final = 3
#: The message for what is possible only before a game is called off.
CALLED_OFF: Final = "The game was called off. Start a rematch or another game."
#: Why a table was aborted before its game began.
EVERYBODY_LEFT: Final = "everybody left"
GIVEN_UP: Final = "the creator gave it up"
NOT_IN_TIME: Final = "it did not begin in time"
#: The message for a table without a free seat.
EVERY_SEAT_TAKEN: Final = "Every seat is taken or reserved for a player of the previous game."
#: A rated game compares at least two players.
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
    """Deal the first cards, or set up a given position."""
    seats = len(record.seats)
    if position is None:
        events, game = new_game(record.variant, seats=seats, key=record.key)
    else:
        events, game = game_from_position(record.variant, seats=seats, key=record.key, position=position)
    return with_game(record, game), events


def with_game(record: GameRecord, game: Game) -> GameRecord:
    """Return the record with a new state of the rules."""
    return replace(record, game=game, status=STATUS_OF_GAME[game.status], ready=(), reason=game.reason)


def play_forced_turn(record: GameRecord, seat: int) -> GameChange:
    """Play the forced turn for a seat: its time is over, or no worker plays it."""
    game = record.game
    assert game is not None  # noqa: S101 - a seat is to act in it
    events: list[LoggedEvent] = []
    for move in forced_turn(game, seat):
        happened, game = play(game, move)
        events.extend(happened)
    return with_game(record, game), tuple(events)


def _check_waiting(record: GameRecord, otherwise: str = "seats can no longer change") -> None:
    """Raise Refusal unless the game waits for players; `otherwise` is what to know once it has begun."""
    if record.status is Status.WAITING:
        return
    if record.status is Status.ABORTED:
        raise Refusal("game_called_off", "The game was called off: join another game, or open one.")
    if record.status is Status.FINISHED:
        raise Refusal("already_started", "The game is over: start a rematch or another game.")
    raise Refusal(
        "already_started", Sentence("game_has_begun", "The game has begun: {otherwise}.", otherwise=otherwise)
    )


def game_over(record: GameRecord) -> Refusal:
    """Return the refusal of what is possible only before the game is over."""
    return Refusal("game_over", CALLED_OFF if record.status is Status.ABORTED else GAME_OVER)


# Who may do what: each raises Refusal for a player who may not. `viewer.may` asks the same functions.


def require_can_return(record: GameRecord, player_id: str) -> None:
    """Refuse a player who has a seat that no stand-in plays."""
    if not any(record.seats[seat].level is not None for seat in record.seats_of(player_id)):
        raise Refusal("seat_taken", "You already have a seat.")


def require_can_leave(record: GameRecord, player_id: str) -> None:
    """Refuse a player who has no seat, nor one reserved for them, in a game that waits for players."""
    _check_waiting(record, "to leave it, resign")
    if not record.keeps_a_seat_for(player_id):
        _own_seat(record, player_id)


def require_can_seat_computers(record: GameRecord, player_id: str) -> None:
    """Refuse all but the player who opened a table that waits for players."""
    _check_waiting(record)
    require_is_creator(record, player_id)
    free = [number for number, seat in enumerate(record.seats) if not seat.has_player]
    if not free:
        raise Refusal("seat_taken", "A player sits on every seat.")
    if all(_is_for_a_player(record, number) for number in free):
        raise _rated_seat()


def _is_for_a_player(record: GameRecord, seat: int) -> bool:
    """Return whether a rated game would have too few players with a computer on the seat."""
    others = [other for number, other in enumerate(record.seats) if number != seat and other.level is None]
    return record.rated and len(others) < MIN_RATED_PLAYERS


def _rated_seat() -> Refusal:
    return Refusal("rated_game", "A rated game needs two players at least: this seat is for one of them.")


def require_can_start(record: GameRecord, player_id: str) -> None:
    """Refuse all but the player who opened a table that waits and is full."""
    _check_waiting(record, "it cannot start again")
    require_is_creator(record, player_id)
    free = [number for number, place in enumerate(record.seats) if place.is_free]
    if free:
        raise Refusal(
            "seats_empty", "Some seats are free: wait for players, or seat computers.", free_seats=free
        )


def require_can_abort(record: GameRecord, player_id: str) -> None:
    """Refuse all but the creator before the game begins, and the last remaining player afterwards."""
    _own_seat(record, player_id)
    if record.status.is_over:
        raise game_over(record)
    if record.status is Status.WAITING:
        require_is_creator(record, player_id)
        return
    others = [seat for seat in record.active_seats() if record.seats[seat].player_id != player_id]
    if _winners_so_far(record) is None and (others or record.rated):
        raise Refusal("already_started", "Other players are still in the game: resign instead.")


def require_can_resign(record: GameRecord, player_id: str) -> None:
    """Refuse a player who has no seat in a running game."""
    if record.status is Status.WAITING:
        raise Refusal("wrong_phase", "The game has not begun: leave the table instead.")
    if record.status.is_over:
        raise game_over(record)
    _own_seat(record, player_id)


def require_can_set_auto_pass(record: GameRecord, player_id: str) -> None:
    """Refuse a player who has no seat in a game that is not over."""
    _own_seat(record, player_id)
    if record.status.is_over:
        raise game_over(record)


def require_is_creator(record: GameRecord, player_id: str) -> None:
    """Refuse all but the player who opened the table."""
    _own_seat(record, player_id)
    if record.creator != player_id:
        raise Refusal("not_creator", "Only the player who opened the table may do that.")


def join(record: GameRecord, player: Player, *, seat: int | None, now: int) -> GameChange:
    """Seat a player: on the given seat, else on their reserved seat, else on the first free one.

    A player with a stand-in gets their seats back instead.
    """
    own = record.seats_of(player.id)
    if own and record.seats[own[0]].level is not None:
        return return_to_seats(record, own)
    _check_waiting(record)
    if own:
        raise Refusal(
            "seat_taken", Sentence("already_seated", "You already sit on seat {seat}.", seat=own[0])
        )
    free = [number for number, place in enumerate(record.seats) if place.may_be_taken(player.id, now)]
    if not free:
        raise Refusal("game_full", EVERY_SEAT_TAKEN)
    if seat is not None and seat not in free:
        numbers = ", ".join(map(str, free))
        raise Refusal(
            "seat_taken",
            Sentence(
                "seat_not_free",
                "Seat {seat} is not free. Free seats: {numbers}.",
                seat=seat,
                numbers=numbers,
            ),
            free_seats=free,
        )
    kept = [number for number in free if record.seats[number].kept_for == player.id]
    number = (kept or free)[0] if seat is None else seat
    if not kept:
        # A rematch of players whom seeks brought together: this one comes by arrangement.
        record = replace(record, was_matched=False)
    for other in kept:
        record = _with_seat(record, other, FREE)
    event = SeatJoined(seat=number, name=player.name, kind=player.kind, player_id=player.id)
    return _start_if_full(_with_seat(record, number, player_seat(player)), event)


def _start_if_full(record: GameRecord, event: LoggedEvent) -> GameChange:
    """Start a game that starts by itself, if this was its last free seat."""
    if record.has_free_seats or not record.starts_when_full:
        return record, (event,)
    begun, events = deal(record)
    return begun, (event, *events)


def return_to_seats(record: GameRecord, seats: tuple[int, ...]) -> GameChange:
    """Give seats back to their player in place of the stand-ins."""
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
                returned=True,
            )
        )
    return record, tuple(events)


def expire_turn(record: GameRecord, number: int) -> GameChange:
    """Count an expired turn; after three in a row a computer stands in for the player.

    A rated game has no stand-ins: the player has then resigned, as otherwise the others would wait for each
    of their turns.
    """
    seat = record.seats[number]
    seat = replace(seat, expiries=seat.expiries + 1)
    expired = ClockExpired(seat=number)
    if seat.expiries < MAX_EXPIRIES or seat.player_id is None:
        return _with_seat(record, number, seat), (expired,)
    if record.rated:
        player = Player(id=seat.player_id, name=seat.name or "", kind=seat.kind or SeatKind.HUMAN)
        after, events = resign(record, player)
        return after, (expired, *events)
    seat = replace(seat, level=STAND_IN)
    return _with_seat(record, number, seat), (
        expired,
        SeatReplaced(seat=number, level=STAND_IN, reason=SeatReplacement.TIME_RAN_OUT),
    )


def mark_active(record: GameRecord, number: int) -> GameChange:
    """Note a move by the player of a seat: the count of expiries restarts, a stand-in leaves."""
    seat = record.seats[number]
    if not seat.has_player:
        return record, ()
    if seat.level is not None:
        return return_to_seats(record, (number,))
    return (_with_seat(record, number, replace(seat, expiries=0)) if seat.expiries else record), ()


def set_auto_pass(record: GameRecord, player: Player, *, auto_pass: bool) -> GameChange:
    """Set whether the service passes rummy calls for a player, at all their seats.

    There is no event: other players must not see it, and it must not overtake their moves.
    """
    require_can_set_auto_pass(record, player.id)
    after = replace(record, same_since=record.same_since or record.version)
    for number in record.seats_of(player.id):
        after = _with_seat(after, number, replace(record.seats[number], auto_pass=auto_pass))
    return after, ()


def leave(record: GameRecord, player: Player) -> GameChange:
    """Free the seat of a player, or the one reserved for them, before the game begins.

    When the last player leaves, the game is aborted.
    """
    require_can_leave(record, player.id)
    if not record.seats_of(player.id):
        return _decline_kept_seat(record, player)
    number = record.seats_of(player.id)[0]
    after = _with_seat(record, number, FREE)
    event = SeatLeft(seat=number)
    people = after.active_seats()
    if not people:
        after, aborted = _abort(after, EVERYBODY_LEFT)
        return after, (event, *aborted)
    if record.creator == player.id:
        after = replace(after, creator=after.seats[people[0]].player_id or "")
    return after, (event,)


def _decline_kept_seat(record: GameRecord, player: Player) -> GameChange:
    number = next(number for number, seat in enumerate(record.seats) if seat.kept_for == player.id)
    return _with_seat(record, number, FREE), (SeatLeft(seat=number),)


def seat_computer(record: GameRecord, player: Player, *, seat: int, level: str) -> GameChange:
    """Put a computer on a seat without a player, at the creator's request before the game begins."""
    require_can_seat_computers(record, player.id)
    if not 0 <= seat < len(record.seats):
        raise Refusal(
            "not_found",
            Sentence("seat_out_of_range", "Seats are numbered 0 to {last}.", last=len(record.seats) - 1),
        )
    if record.seats[seat].has_player:
        raise Refusal("seat_taken", Sentence("seat_has_player", "A player sits on seat {seat}.", seat=seat))
    if _is_for_a_player(record, seat):
        raise _rated_seat()
    return _start_if_full(
        _with_seat(record, seat, computer_seat(level)),
        SeatReplaced(seat=seat, level=level, reason=SeatReplacement.REQUESTED),
    )


def renew_invites(record: GameRecord, player: Player) -> GameChange:
    """Replace the invite codes at the creator's request; the old ones become invalid."""
    require_is_creator(record, player.id)
    after = replace(record, invite_code=secrets.token_urlsafe(16), spectator_code=secrets.token_urlsafe(16))
    return after, (InvitesRenewed(),)


def start(record: GameRecord, player: Player) -> GameChange:
    """Start the game at the creator's request, once every seat is taken."""
    require_can_start(record, player.id)
    return deal(record)


def abort(record: GameRecord, player: Player) -> GameChange:
    """Abort the game: its creator may before it begins, the last remaining player afterwards.

    A rated game of the last remaining player ends as won.
    """
    require_can_abort(record, player.id)
    if record.status is Status.WAITING:
        return _abort(record, GIVEN_UP)
    winners = _winners_so_far(record)
    if winners is not None:
        return _end_resigned(record, winners)
    return _abort(record, "the last player gave it up")


def abort_idle(record: GameRecord) -> GameChange:
    """Abort a game without moves for too long."""
    return _abort(record, "no move for too long")


def abort_unstarted(record: GameRecord) -> GameChange:
    """Abort a table whose game did not begin in time."""
    return _abort(record, NOT_IN_TIME)


def _abort(record: GameRecord, reason: str) -> GameChange:
    return replace(record, status=Status.ABORTED, reason=ABORTED), (GameAborted(reason=reason),)


def resign(record: GameRecord, player: Player) -> GameChange:
    """Hand a player's seats to computers, or end the game if no player is left to play it (RULES 10.7).

    A rated game is over when players of one side alone are left: they have won.
    """
    require_can_resign(record, player.id)
    winners = _winners_so_far(record)
    if winners is not None:
        return _end_resigned(record, winners)
    seats = record.seats_of(player.id)
    gone = tuple(
        ResignedSeat(seat=seat, player_id=player.id, kind=record.seats[seat].kind or player.kind)
        for seat in seats
    )
    record = replace(record, resigned=(*record.resigned, *gone))
    winners = _winners_after(record, seats)
    if winners is not None:
        return _end_resigned(record, winners)
    after = record
    replaced = []
    for seat in seats:
        after = _with_seat(after, seat, computer_seat(STAND_IN))
        replaced.append(SeatReplaced(seat=seat, level=STAND_IN, reason=SeatReplacement.RESIGNED))
    return after, tuple(replaced)


def delete_player(record: GameRecord, player_id: str) -> GameChange:
    """Remove a player who deletes their account: their seats are freed, or keep no name.

    A running game is resigned: a computer plays the seats on, or the game ends.
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


def _winners_so_far(record: GameRecord) -> tuple[int, ...] | None:
    """Return the winners of a rated game in which one side is left; it was stored before that ended games."""
    return _winners_after(record, ()) if record.rated and record.resigned else None


def _end_resigned(record: GameRecord, winners: tuple[int, ...]) -> GameChange:
    assert record.game is not None  # noqa: S101 - it has begun
    events, game = play(record.game, EndGame(winners=winners, reason=GameEndReason.RESIGNATION))
    return with_game(record, game), events


def _winners_after(record: GameRecord, resigned_seats: tuple[int, ...]) -> tuple[int, ...] | None:
    """Return the winners if the game is over without the players of these seats, else None."""
    left = set(record.active_seats()) - set(resigned_seats)
    if not left:
        return _winners_without(record, resigned_seats)
    sides = {record.variant.side(seat) for seat in left}
    if not record.rated or len(sides) > 1:
        return None
    return tuple(seat for seat in range(len(record.seats)) if record.variant.side(seat) in sides)


def _winners_without(record: GameRecord, resigned_seats: tuple[int, ...]) -> tuple[int, ...]:
    """Return the seats of the best side that did not resign; none if there is no other side."""
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
        raise Refusal("not_seated", "You do not have a seat in this game.")
    return seats[0]


def _with_seat(record: GameRecord, number: int, seat: Seat) -> GameRecord:
    return replace(record, seats=(*record.seats[:number], seat, *record.seats[number + 1 :]))
