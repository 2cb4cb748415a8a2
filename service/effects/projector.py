"""Runs the effects of commits that lie outside the game's shard: notifications, ratings, lists.

A commit with effects puts its game into the outbox. The committing process projects them
at once; if it does not finish, the scheduler finds the game in the outbox some seconds
later. Every effect is idempotent: it is identified by game and version. The game leaves
the outbox when all its effects are done, so none is lost.
"""

import logging
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from service.effects.rating_updates import RatingUpdater
from service.effects.webhook_sender import WebhookSender
from service.games.codec import decode_event, decode_record
from service.games.indexes import rebuild_lists
from service.games.keeping_apart import blocks_between
from service.games.notifications import Notification, build_notifications
from service.games.record import (
    GameAborted,
    GameLogEntry,
    GameRecord,
    RematchOffered,
    RematchWithdrawn,
    SeatJoined,
    SeatLeft,
    SeatReplaced,
)
from service.games.rematches import withdraw_rematch
from service.games.table import Table
from service.rummy.events import DealEnded, DealStarted, GameEnded, GameStarted
from service.store.accounts import NewAccountEvent
from service.store.contract import MAX_CURSOR, Store, StoreUnavailable
from service.store.outbox import OverdueEffects

#: The most games in one round.
_MAX_GAMES: Final = 256
_PAGE: Final = 500
#: The lease of a process on a pending game.
EFFECTS_LEASE_MS: Final = 10_000
#: Backoff after a bug, so that it does not flood the log.
FAULT_MS: Final = 10 * 60 * 1000
#: Events that change the lists of a game, or how long it stays there.
_LIST_EVENTS: Final = frozenset(
    {
        *(SeatJoined.type, SeatLeft.type, SeatReplaced.type),
        *(GameStarted.type, DealStarted.type, DealEnded.type, GameEnded.type, GameAborted.type),
    }
)

log = logging.getLogger(__name__)


class _NoTurns:
    """The games that effects change are over: no computer moves in them."""

    def enqueue(self, game_id: str, version: int, attempt: int) -> None:
        """Do nothing."""


class Projector:
    """Projects the effects of commits, and marks them done in the outbox."""

    def __init__(
        self, *, store: Store, now: Callable[[], int], webhooks: WebhookSender | None = None
    ) -> None:
        self._store: Final = store
        self._webhooks: Final = webhooks or WebhookSender(store=store, now=now)
        self._now: Final = now
        self._ratings: Final = RatingUpdater(store)
        # The change of one game may be told in another, whose effects are projected in turn.
        self._table: Final = Table(store=store, turns=_NoTurns(), now=now, projector=self)

    def project(self, record: GameRecord, events: Sequence[GameLogEntry] | None) -> None:
        """Project the effects of the change that led to this record by these events; never raises.

        `events` is None if effects of earlier changes are pending: the log is then read
        from the first of them.
        """
        try:
            if events is None:
                self._project_pending(record.id)
            else:
                self._project(record, events)
        except StoreUnavailable as error:
            log.warning("The effects of a change are delayed: %s", error)
        except Exception:
            # The change is committed; the scheduler will retry and log the same bug.
            log.exception("The effects of game %s at version %d failed.", record.id, record.version)

    def catch_up(self) -> int:
        """Project effects that other processes did not finish; return the number of games.

        Raises StoreUnavailable; the next round continues.
        """
        pending = self._store.overdue_effects(now=self._now(), limit=_MAX_GAMES)
        for entry in pending:
            self._catch_up(entry)
        return len(pending)

    def _catch_up(self, overdue: OverdueEffects) -> None:
        until = self._now() + EFFECTS_LEASE_MS
        if not self._store.reschedule_effects(overdue.game_id, expected_at=overdue.at, at=until):
            # Done in the meantime, or leased to another process.
            return
        try:
            self._project_pending(overdue.game_id)
        except StoreUnavailable:
            raise
        except Exception:
            # One unreadable game must not delay all others.
            log.exception("The effects of game %s failed.", overdue.game_id)
            self._store.reschedule_effects(overdue.game_id, expected_at=until, at=until + FAULT_MS)

    def _project_pending(self, game_id: str) -> None:
        """Project the effects of all changes since the last one marked done."""
        pending = self._store.pending_effects(game_id)
        if pending is None:
            # No effect is pending, or the game has expired.
            self._store.mark_effects_done(game_id, version=0)
            return
        record = decode_record(pending.state)
        new = list(self._log(game_id, pending.done_version, record.version))
        if any(entry.event.type in _LIST_EVENTS for entry in new):
            sat = {
                entry.event.player_id
                for entry in self._log(game_id, 0, record.version)
                if isinstance(entry.event, SeatJoined) and entry.event.player_id is not None
            }
            rebuild_lists(self._store, record, sat=sat)
        self._project(record, new)

    def _project(self, record: GameRecord, events: Sequence[GameLogEntry]) -> None:
        notifications = self._without_blocked_offers(record, build_notifications(record, events), events)
        self._store.append_account_events(
            [
                NewAccountEvent(
                    player_id=notification.player_id,
                    game_id=notification.game_id,
                    version=notification.version,
                    seq=notification.seq,
                    body=notification.body,
                )
                for notification in notifications
            ]
        )
        self._webhooks.send(notifications)
        if any(isinstance(entry.event, GameEnded) for entry in events):
            self._ratings.count(record, at=self._now())
        for entry in events:
            if isinstance(entry.event, GameAborted):
                withdraw_rematch(self._table, record, entry.event.reason)
        self._store.mark_effects_done(record.id, version=record.version)

    def _without_blocked_offers(
        self, record: GameRecord, notifications: Sequence[Notification], events: Sequence[GameLogEntry]
    ) -> list[Notification]:
        """Leave out a rematch, offered or withdrawn, between players with a block between them."""
        offers = {
            (entry.version, entry.seq): entry.event.seat
            for entry in events
            if isinstance(entry.event, RematchOffered | RematchWithdrawn) and entry.event.seat is not None
        }
        kept = []
        for notification in notifications:
            seat = offers.get((notification.version, notification.seq))
            offering = None if seat is None else _player_of(record, seat)
            others = [notification.player_id]
            if offering is None or not blocks_between(self._store, offering, others).apart:
                kept.append(notification)
        return kept

    def _log(self, game_id: str, version: int, until: int) -> Iterator[GameLogEntry]:
        """Yield the log after a version, up to another one."""
        after = (version, MAX_CURSOR - 1)
        while page := self._store.events(game_id, after=after, limit=_PAGE):
            yield from (decode_event(stored) for stored in page if stored.version <= until)
            after = (page[-1].version, page[-1].seq)


def _player_of(record: GameRecord, seat: int) -> str | None:
    """Return the player of a seat, also one who resigned."""
    gone = (resigned.player_id for resigned in record.resigned if resigned.seat == seat)
    return record.seats[seat].player_id or next(gone, None)
