"""Notifications: short messages to the players of a game about its events.

A notification has the type of its event and carries ids only: the game, the version and
the player's seat, never a card. The player reads the game for details.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import msgspec

from service.games.record import (
    GameAborted,
    GameLogEntry,
    GameRecord,
    LoggedEvent,
    RematchOffered,
    RematchWithdrawn,
    Seat,
    SeatJoined,
    SeatReplaced,
    UnknownEvent,
)
from service.games.seating import STAND_IN
from service.rummy.events import CallWindowOpened, DealEnded, GameEnded, GameStarted, TurnStarted
from service.runtime.json_object import Json
from service.runtime.timestamps import rfc3339
from service.store.schema import SCHEMA

#: Events that every player of the game is notified of.
_TO_ALL: Final = frozenset(
    {GameStarted.type, DealEnded.type, GameEnded.type, GameAborted.type, RematchWithdrawn.type}
)

NOTIFICATION_TYPES: Final = tuple(
    sorted({*_TO_ALL, TurnStarted.type, CallWindowOpened.type, RematchOffered.type})
)
"""Every type of notification."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Notification:
    """A message to one player about one event; `at` is in milliseconds, `seat` is the player's."""

    player_id: str
    type: str
    game_id: str
    version: int
    seq: int
    at: int
    seat: int

    @property
    def body(self) -> bytes:
        """The notification as it is stored."""
        return msgspec.json.encode(
            {
                "schema": SCHEMA,
                "type": self.type,
                "game_id": self.game_id,
                "version": self.version,
                "seq": self.seq,
                "at": rfc3339(self.at),
                "seat": self.seat,
            }
        )


_SHOWN: Final = ("type", "game_id", "version", "seq", "at", "seat")


def decode_notification(body: bytes) -> Json | None:
    """Return what a player sees of a stored notification; None for a type of a newer release."""
    stored: Json = msgspec.json.decode(body)
    return {name: stored[name] for name in _SHOWN} if stored["type"] in NOTIFICATION_TYPES else None


def build_notifications(record: GameRecord, log: Sequence[GameLogEntry]) -> tuple[Notification, ...]:
    """Return the notifications for the newest entries of the log, in their order.

    `record` is the game after these entries; earlier occupants of seats are found by
    going back through them. There are none for a sandbox whose creator holds every seat,
    and a player with a stand-in gets only those that go to all players.
    """
    if record.seats_held:
        return ()
    seats = list(record.seats)
    found: list[Notification] = []
    for entry in reversed(log):
        recipients = [seat for seat in _recipients(seats, entry.event) if not seats[seat].is_former]
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
            for seat in reversed(recipients)
            if (player_id := seats[seat].player_id) is not None
        )
        if isinstance(entry.event, SeatReplaced):
            seats[entry.event.seat] = _before_replaced(record, seats[entry.event.seat], entry.event.seat)
        elif isinstance(entry.event, SeatJoined):
            # A player who joins a running game comes back: before this, a stand-in played the seat.
            seats[entry.event.seat] = replace(seats[entry.event.seat], level=STAND_IN)
    return tuple(reversed(found))


def _before_replaced(record: GameRecord, seat: Seat, number: int) -> Seat:
    """Return a seat as it was before a computer took over: its player resigned, or got a stand-in."""
    for gone in record.resigned:
        if gone.seat == number and seat.player_id is None:
            return replace(seat, player_id=gone.player_id, level=None)
    return replace(seat, level=None)


def _recipients(seats: Sequence[Seat], event: LoggedEvent | UnknownEvent) -> Sequence[int]:
    if isinstance(event, TurnStarted):
        concerned: Sequence[int] = (event.seat,)
    elif isinstance(event, CallWindowOpened):
        concerned = [seat for seat in event.asked if not seats[seat].passes_calls]
    elif isinstance(event, RematchOffered):
        return [seat for seat in range(len(seats)) if seat != event.seat]
    else:
        return range(len(seats)) if event.type in _TO_ALL else ()
    return [seat for seat in concerned if seats[seat].level is None]
