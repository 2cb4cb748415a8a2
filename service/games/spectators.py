"""The delayed game: what spectators see of a game with a spectator delay.

It is rebuilt from the log, so that a spectator's views, events and replays all stop at
the same entry and show nothing later. Seats, and everything before the first deal, are
shown without delay.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from service.games.record import (
    ABORTED,
    GameAborted,
    GameLogEntry,
    GameRecord,
    RematchOffered,
    RematchWithdrawn,
    SeatReady,
    Status,
)
from service.games.seating import STATUS_OF_GAME
from service.rummy.events import (
    CallWindowOpened,
    DealEnded,
    DealStarted,
    Event,
    GameStarted,
    RummyCalled,
    TurnStarted,
)
from service.rummy.evolve import replay

#: Events that begin a phase, in which other seats may act.
_BEGINS_A_PHASE: Final = (GameStarted, TurnStarted, CallWindowOpened, RummyCalled, DealEnded)


@dataclass(frozen=True, slots=True, kw_only=True)
class DelayedGame:
    """A game at an earlier version, and when the next entry becomes visible; None if there is none."""

    record: GameRecord
    next_at: int | None


def is_delayed(record: GameRecord, now: int) -> bool:
    """Return whether spectators may not see the current version yet."""
    return record.game is not None and now - record.spectator_delay_ms < record.updated_at


def first_dealt_version(log: Iterable[GameLogEntry]) -> int | None:
    """Return the version of the first deal, after which the delay applies; None before it."""
    return next((entry.version for entry in log if isinstance(entry.event, GameStarted)), None)


def as_of(record: GameRecord, log: Iterable[GameLogEntry], *, now: int) -> DelayedGame:
    """Return the game as spectators may see it now; `log` is its whole log."""
    entries = list(log)
    until = now - record.spectator_delay_ms
    dealt = first_dealt_version(entries) or record.version
    # Whole versions only: a tag that names one must never stand for two views.
    for place, entry in enumerate(entries):
        if entry.version >= dealt and entry.at > until:
            return DelayedGame(
                record=_stood(record, entries[:place]), next_at=entry.at + record.spectator_delay_ms
            )
    return DelayedGame(record=record, next_at=None)


def _stood(record: GameRecord, log: list[GameLogEntry]) -> GameRecord:
    """Return the record as it was after these entries of the log; version 0 if there are none."""
    played = [logged.event for logged in log if isinstance(logged.event, Event)]
    game = replay(record.key, played) if played else None
    phase_version, ready, rematch_id, aborted = 1, set[int](), None, False
    for logged in log:
        match logged.event:
            case SeatReady(seat=seat):
                ready.add(seat)
            case DealStarted():
                ready.clear()
            case RematchOffered(rematch_id=offered):
                rematch_id = offered
            case RematchWithdrawn():
                rematch_id = None
            case GameAborted():
                aborted = True
            case event if isinstance(event, _BEGINS_A_PHASE):
                phase_version = logged.version
            case _:
                pass
    status = Status.WAITING if game is None else STATUS_OF_GAME[game.status]
    over = aborted or status is Status.FINISHED
    return replace(
        record,
        version=log[-1].version if log else 0,
        updated_at=log[-1].at if log else record.created_at,
        status=Status.ABORTED if aborted else status,
        game=game,
        ready=tuple(sorted(ready)),
        phase_version=phase_version,
        deadline_at=None,
        expires_at=record.expires_at if over else None,
        reason=ABORTED if aborted else game.reason if game else None,
        rematch_id=rematch_id,
        seats=tuple(replace(seat, expiries=0) for seat in record.seats),
    )
