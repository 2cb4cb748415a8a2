"""What of a game's log its players are told, wherever they are: thin words, never a card.

A notice has the type of the event it is made from and says where to look: the game, the
version, and the seat it is about. Whoever is told reads the game to know more.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import msgspec

from service.games.record import (
    GameAborted,
    GameRecord,
    Logged,
    LoggedEvent,
    RematchOffered,
    Seat,
    SeatJoined,
    SeatReplaced,
)
from service.games.seating import STAND_IN
from service.rummy.events import CallWindowOpened, DealEnded, GameEnded, GameStarted, TurnStarted
from service.runtime.timestamps import rfc3339

#: What everybody at the table is told.
_TO_ALL: Final = frozenset({GameStarted.type, DealEnded.type, GameEnded.type, GameAborted.type})

NOTIFICATION_TYPES: Final = tuple(
    sorted({*_TO_ALL, TurnStarted.type, CallWindowOpened.type, RematchOffered.type})
)
"""Every type that a notice can have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Notification:
    """One word to one player about one event; `at` is in milliseconds, `seat` is the player's own."""

    player_id: str
    type: str
    game_id: str
    version: int
    seq: int
    at: int
    seat: int

    @property
    def body(self) -> bytes:
        """The notice as players get it, JSON."""
        return msgspec.json.encode(self.members())

    def members(self) -> dict[str, object]:
        """Return the members of the notice's JSON."""
        return {
            "type": self.type,
            "game_id": self.game_id,
            "version": self.version,
            "seq": self.seq,
            "at": rfc3339(self.at),
            "seat": self.seat,
        }


def build_notifications(record: GameRecord, log: Sequence[Logged]) -> tuple[Notification, ...]:
    """Return what players are told of the newest entries of the log, in their order.

    The record is as it was after them; who sat where before is found by going back. Nobody is
    told of a sandbox that he plays alone: he makes every move himself. Nor is a player whom a
    computer stands in for, but of what everybody hears.
    """
    if record.seats_held:
        return ()
    seats = list(record.seats)
    found: list[Notification] = []
    for entry in reversed(log):
        told = [seat for seat in _recipients(seats, entry.event) if not seats[seat].is_former]
        found.extend(
            Notification(
                player_id=player_id,
                type=entry.event.type,
                game_id=record.id,
                version=entry.version,
                seq=entry.seq,
                at=entry.at,
                seat=seat,
            )
            for seat in reversed(told)
            if (player_id := seats[seat].player_id) is not None
        )
        if isinstance(entry.event, SeatReplaced):
            seats[entry.event.seat] = _before_replaced(record, seats[entry.event.seat], entry.event.seat)
        elif isinstance(entry.event, SeatJoined):
            # Whoever comes back to a running game had a stand-in, whose turns were not his.
            seats[entry.event.seat] = replace(seats[entry.event.seat], level=STAND_IN)
    return tuple(reversed(found))


def _before_replaced(record: GameRecord, seat: Seat, number: int) -> Seat:
    """Return a seat as it was before a computer came: its player resigned, or played himself until then."""
    for gone in record.resigned:
        if gone.seat == number and seat.player_id is None:
            return replace(seat, player_id=gone.player_id, level=None)
    return replace(seat, level=None)


def _recipients(seats: Sequence[Seat], event: LoggedEvent) -> Sequence[int]:
    if isinstance(event, TurnStarted):
        concerned: Sequence[int] = (event.seat,)
    elif isinstance(event, CallWindowOpened):
        concerned = event.asked
    elif isinstance(event, RematchOffered):
        return [seat for seat in range(len(seats)) if seat != event.seat]
    else:
        return range(len(seats)) if event.type in _TO_ALL else ()
    return [seat for seat in concerned if seats[seat].level is None]
