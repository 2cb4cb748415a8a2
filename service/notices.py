"""What of a game's log its players are told, wherever they are: thin words, never a card.

A notice has the type of the event it is made from and says where to look: the game, the
version, and the seat it is about. Whoever is told reads the game to know more.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

import msgspec

from service.record import GameAborted, GameRecord, Logged, LoggedEvent, RematchOffered
from service.rummy.events import CallWindowOpened, DealEnded, GameEnded, GameStarted, TurnStarted

#: What everybody at the table is told.
_TO_ALL: Final = frozenset({GameStarted.type, DealEnded.type, GameEnded.type, GameAborted.type})

NOTICE_TYPES: Final = tuple(sorted({*_TO_ALL, TurnStarted.type, CallWindowOpened.type, RematchOffered.type}))
"""Every type that a notice can have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
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
        at = datetime.fromtimestamp(self.at / 1000, UTC).isoformat(timespec="milliseconds")
        return {
            "type": self.type,
            "game_id": self.game_id,
            "version": self.version,
            "seq": self.seq,
            "at": at.replace("+00:00", "Z"),
            "seat": self.seat,
        }


def notices(record: GameRecord, log: Iterable[Logged]) -> tuple[Notice, ...]:
    """Return what players are told of entries of the log, in its order, by who sits where in the record.

    Nobody is told of a sandbox that he plays alone: he makes every move himself. Nor is a
    player whom a computer stands in for, but of what everybody hears.
    """
    if record.seats_held:
        return ()
    return tuple(
        Notice(
            player_id=player_id,
            type=entry.event.type,
            game_id=record.id,
            version=entry.version,
            seq=entry.seq,
            at=entry.at,
            seat=seat,
        )
        for entry in log
        for seat in _seats_told(record, entry.event)
        if (player_id := record.seats[seat].player_id) is not None and not record.seats[seat].is_former
    )


def _seats_told(record: GameRecord, event: LoggedEvent) -> Sequence[int]:
    if isinstance(event, TurnStarted):
        concerned: Sequence[int] = (event.seat,)
    elif isinstance(event, CallWindowOpened):
        concerned = event.asked
    elif isinstance(event, RematchOffered):
        return [seat for seat in range(len(record.seats)) if seat != event.seat]
    else:
        return range(len(record.seats)) if event.type in _TO_ALL else ()
    return [seat for seat in concerned if record.seats[seat].level is None]
