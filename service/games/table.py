"""Changes to games: load, judge, commit with optimistic locking, and start the effects.

Web requests, workers and the scheduler all change games through here, so that the moves of players and
computers and the expiry of deadlines take one path, and only one of several concurrent changes wins.
"""

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol, TypeVar

from service.games.codec import decode_event, decode_record, encode_entry, encode_record
from service.games.indexes import have_same_listing, update_lists
from service.games.notifications import build_notifications
from service.games.opening import NewGame, open_table
from service.games.record import TIMED_EVENTS, GameLogEntry, GameRecord, LoggedEvent, Player, Status
from service.games.refusals import Refusal, VersionConflict
from service.games.seating import GameChange, expire_turn, play_forced_turn, with_game
from service.games.table_moves import (
    MovePreview,
    TableMove,
    apply_move,
    check_version,
    pass_automatically,
    preview_move,
    start_next_deal,
)
from service.games.timing import computer_acts_at_once, due_at, kept_until, with_deadlines
from service.rummy.moves import CloseCallWindow
from service.rummy.play import play
from service.runtime import metrics
from service.store.answers import Answer, Reservation
from service.store.contract import Commit, StaleVersion, Store, StoredEvent, StoreUnavailable
from service.store.ids import is_game_id, new_game_id

Transition = Callable[[GameRecord], GameChange]

log = logging.getLogger(__name__)

#: How many version conflicts a change survives. Eight seats cannot cause that many, so then the conflict is
#: raised.
MAX_CONFLICTS: Final = 64

Committed = TypeVar("Committed")


def until_committed(attempt: Callable[[], Committed], *, if_match: int | None) -> Committed:
    """Return the result of an attempt to read, judge and commit a change.

    It is made again after a conflict, unless the request named the version that it is for.
    """
    for _ in range(MAX_CONFLICTS - 1):
        try:
            return attempt()
        except VersionConflict:
            if if_match is not None:
                raise
    return attempt()


#: How long the process that committed has to project a change; after that the scheduler does.
_PROJECTED_WITHIN_MS: Final = 5_000

_LOG_PAGE: Final = 1000


class TurnQueue(Protocol):
    """Hands computers' turns to workers. Messages may be lost: the scheduler finds what is due."""

    def enqueue(self, game_id: str, version: int, attempt: int) -> None:
        """Enqueue the computer's turn that began at the version; never raises."""
        ...


class ChangeProjector(Protocol):
    """Projects the effects of changes. What it does not finish, the scheduler finds in the outbox."""

    def project(self, record: GameRecord, events: Sequence[GameLogEntry] | None) -> None:
        """Project the effects of the change that led to this record by these events; never raises.

        `events` is None if effects of earlier changes are pending, which come first.
        """
        ...


class NullProjector:
    """Leaves all projections to the scheduler."""

    def project(self, record: GameRecord, events: Sequence[GameLogEntry] | None) -> None:
        """Do nothing now."""


NULL_PROJECTOR: Final = NullProjector()


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedChange:
    """A judged change of a game, ready to be committed: the next record, and what happened.

    `before` is the record it was judged in, None for the first version of a game. With `by_computer` a
    computer made it.
    """

    before: GameRecord | None
    record: GameRecord
    happened: tuple[LoggedEvent, ...]
    by_computer: bool = False

    @property
    def events(self) -> tuple[GameLogEntry, ...]:
        """What happened, as the log of this version holds it."""
        version, at = self.record.version, self.record.updated_at
        timed = [seq for seq, event in enumerate(self.happened) if isinstance(event, TIMED_EVENTS)]
        # An earlier one of the same change has ended in it.
        begun = timed[-1] if timed and self.record.status is Status.PLAYING else None
        return tuple(
            GameLogEntry(
                version=version,
                seq=seq,
                at=at,
                event=event,
                deadline_at=self.record.deadline_at if seq == begun else None,
            )
            for seq, event in enumerate(self.happened)
        )


#: The response to a request with an Idempotency-Key, stored together with the change it reports.
KeyedAnswer = tuple[Reservation, Answer]


class Table:
    """Reads and changes games.

    A change has two steps: `prepare...` judges it and writes nothing; `commit` writes it together with the
    stored answer, and fails if another change came first. `open`, `begin`, `change`, `play`
    and `expire` do both, for callers that store no answer.

    Methods raise `Refusal` (who, which version) and `IllegalMove` (the rules); after either the game is
    unchanged. After `StoreUnavailable` a change may have been written all the same.
    """

    def __init__(
        self,
        *,
        store: Store,
        turns: TurnQueue,
        now: Callable[[], int],
        projector: ChangeProjector = NULL_PROJECTOR,
    ) -> None:
        self._store: Final = store
        self._turns: Final = turns
        self._now: Final = now
        self._projector: Final = projector

    # Reading

    def get(self, game_id: str) -> GameRecord:
        """Return a game; raise Refusal `not_found`."""
        stored = self._store.load(game_id) if is_game_id(game_id) else None
        if stored is None:
            raise Refusal("not_found", "There is no such game.")
        return decode_record(stored.state)

    def events(self, game_id: str, *, after: tuple[int, int] | None, limit: int) -> list[GameLogEntry]:
        """Return the log after the cursor (version, seq), complete and unredacted, oldest first."""
        return [decode_event(stored) for stored in self._store.events(game_id, after=after, limit=limit)]

    def whole_log(self, record: GameRecord) -> Iterator[GameLogEntry]:
        """Yield the log up to the version of the record, complete and unredacted."""
        return map(decode_event, self.stored_log(record))

    def stored_log(self, record: GameRecord) -> Iterator[StoredEvent]:
        """Yield the log up to the version of the record, as stored."""
        after = None
        while page := self._store.events(record.id, after=after, limit=_LOG_PAGE):
            yield from (stored for stored in page if stored.version <= record.version)
            after = (page[-1].version, page[-1].seq)

    # Judging

    def prepare_game(self, new: NewGame, creator: Player, *, shard: int | None = None) -> PreparedChange:
        """Open a table, and begin the game if every seat is taken.

        `shard` is that of the request's Idempotency-Key, so that game and answer are written together.
        """
        game_id = new_game_id(shard)
        return self.prepare_first(lambda now: open_table(new, game_id=game_id, creator=creator, now=now))

    def prepare_first(self, opening: Callable[[int], GameChange]) -> PreparedChange:
        """Judge the first version of a game, which `opening` returns for the time it is given."""
        now = self._now()
        record, events = opening(now)
        return PreparedChange(before=None, record=with_deadlines(None, record, now=now), happened=events)

    def prepare(self, before: GameRecord, transition: Transition) -> PreparedChange:
        """Judge a transition, such as those of `service.games.seating`, in a state of the game."""
        after, events = transition(before)
        return self._prepared(before, after, events)

    def prepare_move(
        self, before: GameRecord, move: TableMove, *, by_computer: bool = False
    ) -> PreparedChange:
        """Judge a move in a state of the game."""
        after, events = apply_move(before, move, now=self._now(), by_computer=by_computer)
        return self._prepared(before, after, events, by_computer=by_computer)

    def preview_move(self, before: GameRecord, move: TableMove) -> MovePreview:
        """Return what the player can foresee of a move that `prepare_move` allows.

        The version stays, because nothing is written. The deadlines are those of a move made now.
        """
        preview = preview_move(before, move)
        return replace(preview, record=with_deadlines(before, preview.record, now=self._now()))

    def _prepared(
        self,
        before: GameRecord,
        after: GameRecord,
        events: Sequence[LoggedEvent],
        *,
        by_computer: bool = False,
    ) -> PreparedChange:
        now = self._now()
        after, passes = pass_automatically(after)
        events = (*events, *passes)
        if after.status is Status.DEAL_OVER and not after.may_act():
            after, more = start_next_deal(after)
            events = (*events, *more)
        same_since = None if events else after.same_since
        origin = None if after.status.is_over else after.origin
        after = replace(
            after, version=before.version + 1, updated_at=now, same_since=same_since, origin=origin
        )
        after = with_deadlines(before, after, now=now)
        return PreparedChange(before=before, record=after, happened=tuple(events), by_computer=by_computer)

    # Writing

    def open(self, new: NewGame, creator: Player) -> PreparedChange:
        """Open a table as `prepare_game` does, and commit it."""
        change = self.prepare_game(new, creator)
        self.commit(change)
        return change

    def begin(self, opening: Callable[[int], GameChange]) -> PreparedChange:
        """Commit the first version of a game; raise VersionConflict if its id is in use already."""
        change = self.prepare_first(opening)
        self.commit(change)
        return change

    def change(self, game_id: str, transition: Transition, *, if_match: int | None = None) -> PreparedChange:
        """Change a game by a transition.

        Without a version it is judged again after a conflict, as if the request had come a moment later:
        of two players who sit down at the same time, both may get a seat.
        """

        def attempt() -> PreparedChange:
            record = self.get(game_id)
            check_version(record, if_match)
            change = self.prepare(record, transition)
            self.commit(change)
            return change

        return until_committed(attempt, if_match=if_match)

    def play(self, record: GameRecord, move: TableMove, *, by_computer: bool = False) -> PreparedChange:
        """Make a move in this very state of the game; raise VersionConflict if it is no longer current."""
        change = self.prepare_move(record, move, by_computer=by_computer)
        self.commit(change)
        return change

    def expire(self, record: GameRecord) -> PreparedChange | None:
        """Act on the deadline of the current turn, call window or wait; None if it has not passed.

        Raises VersionConflict if another change came first. Computers that may call must have decided
        before.
        """
        if record.deadline_at is None or record.deadline_at > self._now() or record.game is None:
            return None
        change = self.prepare(record, _expire)
        self.commit(change)
        return change

    def commit(self, change: PreparedChange, answer: KeyedAnswer | None = None) -> None:
        """Write a change and its answer atomically, and start its effects.

        Raises VersionConflict if another change came first, and Refusal `not_found` if the game is gone.
        """
        before, after, events = change.before, change.record, change.events
        now = after.updated_at
        lists_unchanged = have_same_listing(before, after)
        has_effects = not lists_unchanged or bool(build_notifications(after, events))
        try:
            has_pending = self._store.commit(
                Commit(
                    game_id=after.id,
                    expected_version=after.version - 1,
                    state=encode_record(after),
                    events=tuple(map(encode_entry, events)),
                    due_at=due_at(after, now=now),
                    effects_due_at=now + _PROJECTED_WITHIN_MS if has_effects else None,
                    expires_at=kept_until(after, now),
                    answer=answer,
                )
            )
        except StaleVersion as stale:
            if stale.current is None:
                raise Refusal("not_found", "There is no such game.") from stale
            metrics.COMMITS.labels("conflict").inc()
            raise VersionConflict(stale.current) from stale
        metrics.COMMITS.labels("done").inc()
        for event in change.happened:
            metrics.EVENTS.labels(event.type).inc()
        # The worker that moves for one computer goes on to the next by itself. A message that is lost is
        # found by the scheduler.
        if not change.by_computer and computer_acts_at_once(before, after, now=now):
            self._turns.enqueue(after.id, after.version, 0)
        lists_updated = lists_unchanged or self._list(before, after)
        if has_effects and lists_updated:
            self._projector.project(after, None if has_pending else events)

    def _list(self, before: GameRecord | None, after: GameRecord) -> bool:
        """Update the lists of a game; return whether it succeeded. Never raises.

        The change is committed, so the request must succeed. The scheduler completes the rest.
        """
        try:
            update_lists(self._store, before, after)
        except StoreUnavailable as error:
            log.warning("Game %s could not be listed: %s", after.id, error)
            return False
        return True


def _expire(record: GameRecord) -> GameChange:
    """Act in a game whose deadline has passed."""
    assert record.game is not None  # noqa: S101 - its deadline has passed
    if record.status is Status.DEAL_OVER:
        return start_next_deal(record)
    if record.in_call_window:
        events, game = play(record.game, CloseCallWindow())
        return with_game(record, game), events
    seat = record.game.deal.turn.seat
    record, noted = expire_turn(record, seat)
    if record.status.is_over:
        return record, noted
    after, played = play_forced_turn(record, seat)
    return after, (*noted, *played)
