"""Rematches: a new game for the players of a finished one, opened once.

The first player who asks opens it and reserves the other seats; the others join, and
with the last one the game begins. Its id is derived from the secret of the old game:
concurrent requests open the same table, and a request that was interrupted is completed
by the next one.
"""

import hmac
import secrets
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Final

from msgspec import UNSET

from service.games.keeping_apart import BlocksOfPlayer
from service.games.opening import seat_joined_events
from service.games.record import (
    FORMER_PLAYER,
    FREE,
    GameRecord,
    Player,
    RematchEnd,
    RematchOffered,
    RematchWithdrawn,
    Seat,
    SeatJoined,
    SeatKind,
    Status,
)
from service.games.refusals import Refusal, VersionConflict
from service.games.seating import (
    EVERY_SEAT_TAKEN,
    EVERYBODY_LEFT,
    GIVEN_UP,
    MIN_RATED_PLAYERS,
    GameChange,
    computer_seat,
    deal,
    join,
    player_seat,
)
from service.games.table import Table
from service.games.timing import SEAT_KEPT_MS
from service.rummy.sentences import Sentence
from service.store.ids import game_id_from, shard_of
from service.store.schema import FIRST_SCHEMA

_KEY_BYTES: Final = 32


class _AlreadyOffered(Exception):  # noqa: N818 - no error: there is nothing left to do
    """The log of the old game already has the offer, or its end."""


def players_of(old: GameRecord) -> frozenset[str]:
    """Return all players of a game, those who resigned included."""
    seated = {seat.player_id for seat in old.seats if seat.player_id is not None}
    return frozenset(seated | {gone.player_id for gone in old.resigned})


def _allow(_record: GameRecord) -> None:
    """Allow every new table."""


def join_or_open_rematch(  # noqa: PLR0913 - who asks, from where, and what may refuse it
    table: Table,
    game_id: str,
    player: Player,
    blocks: BlocksOfPlayer,
    *,
    now: Callable[[], int],
    origin: str | None = None,
    check: Callable[[GameRecord], None] = _allow,
) -> tuple[GameRecord, bool]:
    """Return the rematch with the player seated at it, and whether they opened it.

    `blocks` are those between the player and the others of the old game. Raises Refusal if the old
    game is not over, the player did not play it, or their seat at the rematch is no longer reserved.
    `check` raises if the player may not open one more table, from the address with the hash `origin`.
    """
    old = _restore_resigned(table, table.get(game_id))
    seat = _seat_of(old, player)
    number = old.rematches + (old.rematch_id is None)
    while True:
        new_id = derive_rematch_id(old, number)

        def opening(at: int, number: int = number, new_id: str = new_id) -> GameChange:
            record, events = open_rematch(old, player, new_id, blocks.apart, at)
            record = replace(record, origin=origin)
            if number > old.rematches:
                check(record)
            return record, events

        try:
            new = table.begin(opening).record
            made = True
        except VersionConflict:
            new, made = _join_rematch(table, new_id, player, blocks, now=now), False
        _record_offer(table, game_id, number, RematchOffered(seat=seat, rematch_id=new_id))
        if new.status is not Status.ABORTED:
            return new, made
        # The latest rematch was aborted before it began; the next one has another id.
        number += 1


def _restore_resigned(table: Table, old: GameRecord) -> GameRecord:
    """Return the game with players who resigned back on their seats: they may want a rematch too."""
    seats = list(old.seats)
    log = table.whole_log(old) if old.resigned else ()
    names = {entry.event.player_id: entry.event.name for entry in log if isinstance(entry.event, SeatJoined)}
    for gone in old.resigned:
        name = names.get(gone.player_id, FORMER_PLAYER)
        if not seats[gone.seat].has_player and name != FORMER_PLAYER:
            seats[gone.seat] = Seat(player_id=gone.player_id, name=name, kind=gone.kind)
    return replace(old, seats=tuple(seats))


def _seat_of(old: GameRecord, player: Player) -> int:
    """Return the player's seat; raise Refusal if they have none or the game is not over."""
    if not old.seats_of(player.id):
        raise Refusal("not_seated", "You do not have a seat in this game.")
    if not old.status.is_over:
        begun = "is not over" if old.status.is_running else "has not begun"
        raise Refusal(
            "wrong_phase",
            Sentence(
                "rematch_too_early",
                "The game {begun}: a rematch is possible at its end.",
                begun=begun,
            ),
        )
    return old.seats_of(player.id)[0]


def derive_rematch_id(old: GameRecord, number: int) -> str:
    """Return the id of a rematch; without the game's key it cannot be guessed."""
    secret = hmac.digest(old.key, f"rematch {number} of {old.id}".encode(), "sha256")
    return game_id_from(secret, shard=shard_of(old.id))


def open_rematch(old: GameRecord, player: Player, new_id: str, apart: frozenset[str], now: int) -> GameChange:
    """Open the table for all players of the old game but those `apart`, whose seats are free.

    The settings stay, the cards do not: even a sandbox is shuffled by chance.
    """
    seats = tuple(FREE if seat.player_id in apart else _rematch_seat(seat, player, now) for seat in old.seats)
    people = sum(seat.has_player or seat.kept_for is not None for seat in seats)
    record = replace(
        old,
        id=new_id,
        version=1,
        status=Status.WAITING,
        created_at=now,
        updated_at=now,
        creator=player.id,
        seats=seats,
        rated=old.rated and people >= MIN_RATED_PLAYERS,
        invite_code=secrets.token_urlsafe(16),
        spectator_code=secrets.token_urlsafe(16),
        key=secrets.token_bytes(_KEY_BYTES),
        game=None,
        ready=(),
        phase_version=1,
        deadline_at=None,
        expires_at=None,
        reason=None,
        starts_when_full=True,
        schema=FIRST_SCHEMA,
        newer=UNSET,
        rematches=0,
        rematch_id=None,
        rematch_of=old.id,
        resigned=(),
    )
    sitting = seat_joined_events(record)
    if record.has_free_seats:
        return record, sitting
    begun, events = deal(record)
    return begun, (*sitting, *events)


def _rematch_seat(seat: Seat, player: Player, now: int) -> Seat:
    """Return a seat of the rematch: taken by the player or a computer, else reserved."""
    if seat.player_id == player.id:
        return player_seat(player)
    if seat.player_id is not None and not seat.is_former:
        return Seat(name=seat.name, kept_for=seat.player_id, kept_until=now + SEAT_KEPT_MS)
    return computer_seat(seat.level) if seat.kind is SeatKind.COMPUTER and seat.level is not None else FREE


def _join_rematch(
    table: Table, new_id: str, player: Player, blocks: BlocksOfPlayer, *, now: Callable[[], int]
) -> GameRecord:
    """Seat the player at the open rematch, unless they sit there or it was aborted."""
    new = table.get(new_id)
    if new.seats_of(player.id) or new.status is Status.ABORTED:
        return new
    if new.creator in blocks.blocked_by and not new.keeps_a_seat_for(player.id):
        # The same answer as if another player had taken the seat.
        raise Refusal("game_full", EVERY_SEAT_TAKEN)
    try:
        return table.change(new_id, partial(join, player=player, seat=None, now=now())).record
    except Refusal as refusal:
        # A concurrent request of the same player may have seated them, or the table was called off.
        new = table.get(new_id)
        if new.seats_of(player.id) or new.status is Status.ABORTED:
            return new
        if refusal.code == "already_started":
            raise Refusal(
                "already_started", "The rematch has begun without you: open another game."
            ) from refusal
        raise


def _record_offer(table: Table, game_id: str, number: int, event: RematchOffered) -> None:
    """Add the offer to the log of the old game, once."""

    def offered(old: GameRecord) -> GameChange:
        if old.rematches >= number:
            raise _AlreadyOffered
        return replace(old, rematches=number, rematch_id=event.rematch_id), (event,)

    try:
        table.change(game_id, offered)
    except _AlreadyOffered:
        return


def withdraw_rematch(table: Table, new: GameRecord, reason: str) -> None:
    """Tell the old game that its rematch was aborted before it began; a second call changes nothing.

    `reason` is that of the `game.aborted` of the rematch.
    """
    why = {EVERYBODY_LEFT: RematchEnd.LEFT, GIVEN_UP: RematchEnd.CALLED_OFF}.get(reason, RematchEnd.EXPIRED)

    def withdrawn(old: GameRecord) -> GameChange:
        if old.rematch_id != new.id:
            raise _AlreadyOffered
        seats = old.seats_of(new.creator) or tuple(
            gone.seat for gone in old.resigned if gone.player_id == new.creator
        )
        event = RematchWithdrawn(rematch_id=new.id, reason=why, seat=seats[0] if seats else None)
        return replace(old, rematch_id=None), (event,)

    if new.rematch_of is None or new.game is not None:
        return
    try:
        table.change(new.rematch_of, withdrawn)
    except _AlreadyOffered:
        return
    except Refusal as refusal:
        # The old game has expired.
        if refusal.code != "not_found":
            raise
