"""Who may see a game, and from which seat.

For each caller, this module decides whether they may know that the game exists, whether they
may watch it, and which seat they see it from. To a stranger, a private game is a 404, as if it
did not exist; so is every game of a player who has blocked the caller.
"""

import secrets
from dataclasses import dataclass

from service.api.auth import Caller
from service.api.problems import Problem, no_such_game
from service.api.services import Services, current_services
from service.api.views.move_entries import included_moves
from service.api.views.rendering import game_view
from service.games.record import GameRecord, SpectatorAccess, Status, Visibility
from service.games.spectators import as_of, is_delayed
from service.runtime.json_object import Json


@dataclass(frozen=True, slots=True)
class VisibleGame:
    """A game as a viewer may see it; `viewer` is their seat, None for a spectator.

    Nothing newer than `record` may be shown to the viewer. `latest` is the current version of the game, and
    `next_at` the time when a delayed spectator sees more of it.
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
    """Return the game as the caller may see it.

    Raises `Problem` not_found if the caller may not know of the game, and not_seated if
    they may not watch it or the seat is not theirs.
    """
    record = services.table.get(game_id)
    seats = record.seats_of(caller.id)
    if seats:
        return VisibleGame(record, _seat(record, seats, as_seat), record.version)
    if not _may_watch_uninvited(record, caller):
        _check_spectator(services, record, caller, invite_code)
    if as_seat is not None:
        raise Problem("not_seated", "You do not have a seat in this game.")
    return watched(services, record)


def watched(services: Services, record: GameRecord) -> VisibleGame:
    """Return the game as spectators see it, which may be delayed."""
    now = services.now()
    if not is_delayed(record, now):
        return VisibleGame(record, None, record.version)
    delayed = as_of(record, services.table.whole_log(record), now=now)
    return VisibleGame(delayed.record, None, record.version, delayed.next_at)


def require_can_join(services: Services, game_id: str, caller: Caller, invite_code: str | None) -> None:
    """Raise `Problem` not_found unless the caller may join the game if a seat is free.

    The code for spectators does not let a player join.
    """
    record = services.table.get(game_id)
    if not record.seats_of(caller.id) and not record.keeps_a_seat_for(caller.id):
        _check_known(services, record, caller, invited=_matches(record.invite_code, invite_code))


def seat_of(record: GameRecord, caller: Caller, as_seat: int | None) -> int:
    """Return the seat the caller plays; raise `Problem` if they have none."""
    seats = record.seats_of(caller.id)
    if not seats:
        if not _may_watch_uninvited(record, caller):
            _check_spectator(current_services(), record, caller, None)
        raise Problem("not_seated", "You do not have a seat in this game.")
    return _seat(record, seats, as_seat)


def viewer_after(record: GameRecord, caller: Caller, seat: int | None) -> int | None:
    """Return the seat to see a changed game from: the one that acted, if it is still the caller's."""
    seats = record.seats_of(caller.id)
    if not seats:
        return None
    return seat if seat in seats else _seat(record, seats, None)


def online_players(services: Services, record: GameRecord, viewer: int | None) -> dict[str, bool]:
    """Return whether each player of the game is connected; the viewer is."""
    players = {seat.player_id for seat in record.seats if seat.player_id is not None and not seat.is_former}
    viewing = None if viewer is None else record.seats[viewer].player_id
    online = services.streams.presence.online(players - {viewing})
    return online if viewing is None else {**online, viewing: True}


def current_game_view(
    services: Services,
    record: GameRecord,
    viewer: int | None,
    *,
    include: frozenset[str] = frozenset(),
    player_id: str | None = None,
) -> Json:
    """Return the game as its viewer sees it now, with the presence of its players and what they ask for.

    `player_id` is the viewer's, who may have no seat yet.
    """
    online = online_players(services, record, viewer)
    may_be_watched = record.spectators is not SpectatorAccess.NONE
    view = {
        **game_view(record, viewer, now=services.now(), online=online, player_id=player_id),
        "spectator_count": services.streams.presence.spectators(record.id) if may_be_watched else None,
    }
    return {**view, **included_moves(record, viewer, include)} if include else view


def _seat(record: GameRecord, seats: tuple[int, ...], as_seat: int | None) -> int:
    if as_seat is not None:
        if as_seat not in seats:
            raise Problem("not_seated", f"Seat {as_seat} is not yours.")
        return as_seat
    if len(seats) == 1:
        return seats[0]
    # One player holds every seat: by default, the seat to act.
    return next((seat for seat in record.may_act() if seat in seats), seats[0])


def _may_watch_uninvited(record: GameRecord, caller: Caller) -> bool:
    """Return whether the caller may watch without a code: a seat is reserved for them, or they resigned."""
    return record.keeps_a_seat_for(caller.id) or record.was_resigned_by(caller.id)


def _check_spectator(services: Services, record: GameRecord, caller: Caller, invite_code: str | None) -> None:
    invited = _is_invited(record, invite_code)
    _check_known(services, record, caller, invited=invited)
    # A waiting game must be visible to be joined, and has nothing to hide yet.
    if record.status is Status.WAITING or record.spectators is SpectatorAccess.PUBLIC:
        return
    if record.spectators is SpectatorAccess.NONE or not invited:
        raise Problem("not_seated", "Only the players may see this game.")


def _is_invited(record: GameRecord, code: str | None) -> bool:
    """Return whether the code allows watching: that for spectators, or that for players."""
    return _matches(record.invite_code, code) or (
        record.spectators is not SpectatorAccess.NONE and _matches(record.spectator_code, code)
    )


def _matches(code: str, sent: str | None) -> bool:
    return bool(code and sent) and secrets.compare_digest(str(sent).encode(), code.encode())


def _check_known(services: Services, record: GameRecord, caller: Caller, *, invited: bool) -> None:
    if invited:
        return
    if record.visibility is Visibility.PRIVATE or any(
        services.store.have_blocked([(record.creator, caller.id)])
    ):
        raise no_such_game()
