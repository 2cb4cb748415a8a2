"""Derives what follows from commits outside their game's shard: what players are told, ratings, lists.

A commit that something follows from marks its game. Whoever committed derives at once, as
well as he can; what was left undone is found by the clock, some seconds later. Whatever is
done here may be done twice, at once or again: it is known by game and version and counts
once. The mark goes when all is done, so that nothing is lost.
"""

import logging
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from service.effects.ratings import RatingUpdater
from service.effects.webhooks import WebhookSender
from service.games.codec import decode_event, decode_record
from service.games.indexes import rebuild_lists
from service.games.notifications import build_notifications
from service.games.record import GameAborted, GameRecord, Logged, SeatJoined, SeatLeft, SeatReplaced
from service.rummy.events import DealEnded, DealStarted, GameEnded, GameStarted
from service.store.accounts import AccountEntry
from service.store.contract import MAX_CURSOR, Store, StoreUnavailable
from service.store.outbox import Behind

#: So many games a round.
_MOST_GAMES: Final = 256
_PAGE: Final = 500
#: How long a derivation that is found undone is left to whoever found it.
LEASE_MS: Final = 10_000
#: One that fails is not tried again for so long: the fault is ours, and a log full of it helps nobody.
FAULT_MS: Final = 10 * 60 * 1000
#: With these the lists change that a game stands in, or how long it is kept there.
_LISTING: Final = frozenset(
    {
        *(SeatJoined.type, SeatLeft.type, SeatReplaced.type),
        *(GameStarted.type, DealStarted.type, DealEnded.type, GameEnded.type, GameAborted.type),
    }
)

log = logging.getLogger(__name__)


class Projector:
    """Sees to all that follows from commits."""

    def __init__(
        self, *, store: Store, now: Callable[[], int], webhooks: WebhookSender | None = None
    ) -> None:
        self._store: Final = store
        self._webhooks: Final = webhooks or WebhookSender(store=store, now=now)
        self._now: Final = now
        self._ratings: Final = RatingUpdater(store)

    def project(self, record: GameRecord, happened: Sequence[Logged] | None) -> None:
        """Derive what follows from the change that made this record, and what happened in it; never raises.

        None says that something may be left from an earlier change: then the log is read
        from there.
        """
        try:
            if happened is None:
                self._derive_all(record.id)
            else:
                self._derive(record, happened)
        except StoreUnavailable as error:
            log.warning("What follows from a change is derived later: %s", error)
        except Exception:
            # The change is made, and the clock will meet the same fault.
            log.exception("Nothing could be derived from game %s at version %d.", record.id, record.version)

    def catch_up(self) -> int:
        """Derive what others left undone; return from how many games.

        Raises StoreUnavailable, after which the next round goes on.
        """
        found = self._store.behind(now=self._now(), limit=_MOST_GAMES)
        for behind in found:
            self._catch_up(behind)
        return len(found)

    def _catch_up(self, behind: Behind) -> None:
        until = self._now() + LEASE_MS
        if not self._store.put_off(behind.game_id, expected_at=behind.at, at=until):
            # Done meanwhile, or another clock has it.
            return
        try:
            self._derive_all(behind.game_id)
        except StoreUnavailable:
            raise
        except Exception:
            # One game that cannot be read must not keep all others waiting.
            log.exception("Nothing could be derived from game %s.", behind.game_id)
            self._store.put_off(behind.game_id, expected_at=until, at=until + FAULT_MS)

    def _derive_all(self, game_id: str) -> None:
        """Derive what follows from all changes since the last that was acknowledged."""
        underived = self._store.underived(game_id)
        if underived is None:
            # Nothing is left, or the game has expired.
            self._store.acknowledge(game_id, version=0)
            return
        record = decode_record(underived.state)
        new = list(self._log(game_id, underived.derived, record.version))
        if any(entry.event.type in _LISTING for entry in new):
            sat = {
                entry.event.player_id
                for entry in self._log(game_id, 0, record.version)
                if isinstance(entry.event, SeatJoined) and entry.event.player_id is not None
            }
            rebuild_lists(self._store, record, sat=sat)
        self._derive(record, new)

    def _derive(self, record: GameRecord, happened: Sequence[Logged]) -> None:
        told = build_notifications(record, happened)
        self._store.append_account_events(
            [
                AccountEntry(
                    player_id=notice.player_id,
                    game_id=notice.game_id,
                    version=notice.version,
                    seq=notice.seq,
                    body=notice.body,
                )
                for notice in told
            ]
        )
        self._webhooks.send(told)
        if any(isinstance(entry.event, GameEnded) for entry in happened):
            self._ratings.count(record, at=self._now())
        self._store.acknowledge(record.id, version=record.version)

    def _log(self, game_id: str, version: int, until: int) -> Iterator[Logged]:
        """Yield the log behind a version, up to another one."""
        after = (version, MAX_CURSOR - 1)
        while page := self._store.events(game_id, after=after, limit=_PAGE):
            yield from (decode_event(stored) for stored in page if stored.version <= until)
            after = (page[-1].version, page[-1].seq)
