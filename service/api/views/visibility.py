"""Who may see a game, and from which seat.

Three questions in one place: may this player know that the game exists, may he
watch, and which seat does he look from. A private game is a 404 to a stranger,
the same as one that never was.
"""

import secrets
from dataclasses import dataclass

from service.api.auth import Caller
from service.api.problems import Problem, no_such_game
from service.api.services import Services
from service.api.views.rendering import game_view
from service.games.record import GameRecord, SpectatorAccess, Status, Visibility
from service.games.spectators import as_of, is_delayed
from service.runtime.json_object import Json


@dataclass(frozen=True, slots=True)
class VisibleGame:
    """A game and the seat it is looked at from; None for a spectator.

    `record` is the game as the viewer may see it: of all that is told of a game, nothing may be newer than
    that. `latest` is the version the game is at, and `next_at` when more of it is shown to a spectator who
    sees it late.
    """

    record: GameRecord
    viewer: int | None
    latest: int
    next_at: int | None = None


def visible_game(
    services: Services,
    game_id: str,
    caller: Caller,
    *,
    as_seat: int | None = None,
    invite_code: str | None = None,
) -> VisibleGame:
    """Return the game as the caller may look at it.

    Raises `Problem` not_found for a game that is none of his business, not_seated
    for one that he knows of and may not watch, or for a seat that is not his.
    """
    record = services.table.get(game_id)
    seats = record.seats_of(caller.id)
    if seats:
        return VisibleGame(record, _seat(record, seats, as_seat), record.version)
    if not _belongs_here(record, caller):
        _check_spectator(record, invite_code)
    if as_seat is not None:
        raise Problem("not_seated", "You do not sit at this table, so you look from no seat.")
    return _watched(services, record)


def _watched(services: Services, record: GameRecord) -> VisibleGame:
    """Return the game as spectators see it, which may lie some time back."""
    now = services.now()
    if not is_delayed(record, now):
        return VisibleGame(record, None, record.version)
    late = as_of(record, services.table.whole_log(record), now=now)
    return VisibleGame(late.record, None, record.version, late.next_at)


def require_can_join(services: Services, game_id: str, caller: Caller, invite_code: str | None) -> None:
    """Raise `Problem` not_found unless the caller may sit down at the table, were there a seat.

    The code that lets others watch does not open a private table to players.
    """
    record = services.table.get(game_id)
    if not record.seats_of(caller.id) and not record.keeps_a_seat_for(caller.id):
        _check_known(record, invited=_is(record.invite_code, invite_code))


def seat_of(record: GameRecord, caller: Caller, as_seat: int | None) -> int:
    """Return the seat the caller plays for; raise `Problem` where he has none."""
    seats = record.seats_of(caller.id)
    if not seats:
        if not _belongs_here(record, caller):
            _check_spectator(record, None)
        raise Problem("not_seated", "You do not sit at this table.")
    return _seat(record, seats, as_seat)


def viewer_after(record: GameRecord, caller: Caller, seat: int | None) -> int | None:
    """Return the seat to show a changed game to: the one that acted, if it is still the caller's."""
    seats = record.seats_of(caller.id)
    if not seats:
        return None
    return seat if seat in seats else _seat(record, seats, None)


def online_players(services: Services, record: GameRecord, viewer: int | None) -> dict[str, bool]:
    """Return of each player at the table whether he is here; whoever looks is."""
    players = {seat.player_id for seat in record.seats if seat.player_id is not None and not seat.is_former}
    looking = None if viewer is None else record.seats[viewer].player_id
    online = services.streams.presence.online(players - {looking})
    return online if looking is None else {**online, looking: True}


def current_game_view(services: Services, record: GameRecord, viewer: int | None) -> Json:
    """Return the view of a game that its viewer gets now."""
    return game_view(record, viewer, now=services.now(), online=online_players(services, record, viewer))


def _seat(record: GameRecord, seats: tuple[int, ...], as_seat: int | None) -> int:
    if as_seat is not None:
        if as_seat not in seats:
            raise Problem("not_seated", f"Seat {as_seat} is not yours.")
        return as_seat
    if len(seats) == 1:
        return seats[0]
    # One player holds every seat: without a word the seat to act is meant.
    return next((seat for seat in record.may_act() if seat in seats), seats[0])


def _belongs_here(record: GameRecord, caller: Caller) -> bool:
    """Tell whether the caller may look without a code or a seat: one is kept for him, or he resigned."""
    return record.keeps_a_seat_for(caller.id) or record.was_resigned_by(caller.id)


def _check_spectator(record: GameRecord, invite_code: str | None) -> None:
    invited = _is_invited(record, invite_code)
    _check_known(record, invited=invited)
    # A table that waits for players must be looked at to be joined, and hides nothing yet.
    if record.status is Status.WAITING or record.spectators is SpectatorAccess.PUBLIC:
        return
    if record.spectators is SpectatorAccess.NONE or not invited:
        raise Problem("not_seated", "This game is only for those who sit at its table.")


def _is_invited(record: GameRecord, code: str | None) -> bool:
    """Tell whether the code lets somebody watch: that for spectators, and that for players too."""
    return _is(record.invite_code, code) or (
        record.spectators is not SpectatorAccess.NONE and _is(record.spectator_code, code)
    )


def _is(code: str, told: str | None) -> bool:
    return bool(code and told) and secrets.compare_digest(str(told).encode(), code.encode())


def _check_known(record: GameRecord, *, invited: bool) -> None:
    if record.visibility is Visibility.PRIVATE and not invited:
        raise no_such_game()
