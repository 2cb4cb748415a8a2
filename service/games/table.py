"""Where moves meet the store: load, let the rules decide, compare and set, tell others.

Web requests, workers and the clock all come through here, so that a person's move,
a computer's and the clock's are made in one way and only one of them can win.
"""

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

from service.games.codec import decode_event, decode_record, encode_event, encode_record
from service.games.indexes import have_same_listing, update_lists
from service.games.notifications import build_notifications
from service.games.opening import NewGame, open_table
from service.games.record import GameRecord, Logged, LoggedEvent, Player, SeatReady, Status
from service.games.refusals import Refusal, VersionConflict
from service.games.seating import GameChange, expire_turn, mark_active, play_forced_turn, with_game
from service.games.timing import computer_turn_begins, due_at, kept_until, with_deadlines
from service.rummy.errors import GAME_OVER, IllegalMove
from service.rummy.legal_moves import LegalMoves, legal_moves
from service.rummy.moves import CloseCallWindow, Move, ServiceMove, StartNextDeal
from service.rummy.play import play
from service.rummy.whole_turns import WholeTurn, play_turn
from service.runtime import metrics
from service.store.contract import (
    Answer,
    Commit,
    Reservation,
    StaleVersion,
    Store,
    StoredEvent,
    StoreUnavailable,
)
from service.store.ids import is_game_id, new_game_id

Transition = Callable[[GameRecord], GameChange]

log = logging.getLogger(__name__)

#: Each time a change is overtaken, somebody else's was made. Eight seats cannot do that so often by
#: themselves: whoever is told of a conflict then competes with a crowd, and had better look again.
_MOST_TRIES: Final = 64

#: What follows from a commit is left to whoever made it for so long; then the clock sees to it.
_DERIVED_WITHIN_MS: Final = 5_000


_LOG_PAGE: Final = 1000


class TurnQueue(Protocol):
    """Hands computers' turns to workers. A message may get lost: the clock finds what is due."""

    def enqueue(self, game_id: str, version: int, attempt: int) -> None:
        """Ask for the computer's turn that began at the version; never raises."""
        ...


class ChangeProjector(Protocol):
    """Derives what follows from changes outside the game. What is not done the clock finds."""

    def project(self, record: GameRecord, happened: Sequence[Logged] | None) -> None:
        """Derive what follows from the change that made this record, and what happened in it; never raises.

        None says that something may be left from an earlier change, which comes first.
        """
        ...


class NullProjector:
    """Leaves all projections to the scheduler."""

    def project(self, record: GameRecord, happened: Sequence[Logged] | None) -> None:
        """Do nothing now."""


NULL_PROJECTOR: Final = NullProjector()


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A game after a change, and what happened."""

    record: GameRecord
    events: tuple[Logged, ...]


#: Makes the answer that is stored with a change, under the request's Idempotency-Key; None without one.
Answering = Callable[[Outcome], tuple[Reservation, Answer] | None]


def no_answer(_: Outcome) -> None:
    """Store no answer: for changes that nobody sends twice."""


class Table:
    """Everything that may be done to a game.

    Methods raise `Refusal` (who, which version) and `IllegalMove` (the rules); after both the
    game is as it was. After `StoreUnavailable` a change may have been made all the same. A
    change made by somebody else in between refuses this one, unless the method says otherwise.
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

    def open(
        self, new: NewGame, creator: Player, *, shard: int | None = None, answering: Answering = no_answer
    ) -> Outcome:
        """Open a table, and begin the game when every seat is taken.

        `shard` is that of the request's Idempotency-Key, so that game and answer are
        written together.
        """
        game_id = new_game_id(shard)
        return self.begin(
            lambda now: open_table(new, game_id=game_id, creator=creator, now=now), answering=answering
        )

    def begin(self, opening: Callable[[int], GameChange], *, answering: Answering = no_answer) -> Outcome:
        """Write the first version of a game, which `opening` makes at the time it is given.

        Raises VersionConflict where there is a game with its id already.
        """
        now = self._now()
        record, events = opening(now)
        return self._commit(None, with_deadlines(None, record, now=now), events, now=now, answering=answering)

    def get(self, game_id: str) -> GameRecord:
        """Return a game; raise Refusal `not_found`."""
        stored = self._store.load(game_id) if is_game_id(game_id) else None
        if stored is None:
            raise Refusal("not_found", "There is no such game.")
        return decode_record(stored.state)

    def events(self, game_id: str, *, after: tuple[int, int] | None, limit: int) -> list[Logged]:
        """Return the log behind the cursor (version, seq), whole and unredacted, oldest first."""
        return [decode_event(stored) for stored in self._store.events(game_id, after=after, limit=limit)]

    def whole_log(self, record: GameRecord) -> Iterator[Logged]:
        """Yield the log up to the version of the record, whole and unredacted."""
        return map(decode_event, self.stored_log(record))

    def stored_log(self, record: GameRecord) -> Iterator[StoredEvent]:
        """Yield the log up to the version of the record, as it is stored."""
        after = None
        while page := self._store.events(record.id, after=after, limit=_LOG_PAGE):
            yield from (stored for stored in page if stored.version <= record.version)
            after = (page[-1].version, page[-1].seq)

    def change(
        self,
        game_id: str,
        transition: Transition,
        *,
        if_match: int | None = None,
        answering: Answering = no_answer,
        before: GameRecord | None = None,
    ) -> Outcome:
        """Change who sits where, by one of the transitions of `service.games.seating`.

        Asked for without a version, it is judged again when somebody else was quicker, as
        if it had come a moment later: of two who sit down at once, both may get a seat.
        Given `before`, it is made in that very state of the game or not at all.
        """
        return self._judged(
            game_id,
            transition,
            if_match=if_match,
            answering=answering,
            before=before,
            again=lambda _: if_match is None and before is None,
        )

    def play(  # noqa: PLR0913 - a move, and what its request says of it
        self,
        game_id: str,
        move: Move | WholeTurn,
        *,
        if_match: int | None = None,
        answering: Answering = no_answer,
        before: GameRecord | None = None,
        enqueue: bool = True,
    ) -> Outcome:
        """Make a move, or a whole turn as one change.

        `before` spares a read to whoever has just loaded the game. A worker sets `enqueue`
        False: it goes on to the next computer itself. In a call window, where several may
        act, a person's move is judged again when another was quicker: two may pass at once,
        and of two callers one is told that he lost.
        """

        def made(record: GameRecord) -> GameChange:
            after, events = self._played(record, move)
            if not enqueue or isinstance(move, ServiceMove):
                return after, events
            after, back = mark_active(after, move.seat)
            return after, (*back, *events)

        return self._judged(
            game_id,
            made,
            if_match=if_match,
            answering=answering,
            before=before,
            enqueue=enqueue,
            again=lambda overtaken: enqueue and overtaken.in_call_window,
        )

    def dry_run(self, record: GameRecord, move: Move | WholeTurn) -> IllegalMove | None:
        """Return the refusal a move would meet now, None if it is lawful; nothing changes."""
        try:
            self._played(record, move)
        except IllegalMove as refusal:
            return refusal
        return None

    def _played(self, record: GameRecord, move: Move | WholeTurn) -> GameChange:
        if record.status is Status.ABORTED:
            raise IllegalMove("game_over", "The game was given up: open another one.")
        if record.game is None:
            raise IllegalMove("wrong_phase", "The game has not begun: wait until it does.")
        try:
            if isinstance(move, WholeTurn):
                events, game = play_turn(record.game, move)
            else:
                events, game = play(record.game, move)
        except IllegalMove as refusal:
            if refusal.code == "call_window_open" and record.deadline_at is not None:
                wait = max(0, record.deadline_at - self._now())
                details = {**refusal.details, "retry_after_ms": wait}
                raise IllegalMove(refusal.code, refusal.message, **details) from refusal
            raise
        return with_game(record, game), events

    def ready(
        self,
        game_id: str,
        player_id: str,
        *,
        if_match: int | None = None,
        answering: Answering = no_answer,
    ) -> Outcome:
        """Say for all seats of a player that he is ready; with the last one the next deal begins.

        Two may say so at once: who comes second is judged again.
        """

        def declared(record: GameRecord) -> GameChange:
            seats = record.seats_of(player_id)
            after, events = declared_ready(record, seats)
            for seat in reversed(seats):
                after, back = mark_active(after, seat)
                events = (*back, *events)
            return after, events

        return self._judged(
            game_id,
            declared,
            if_match=if_match,
            answering=answering,
            again=lambda _: True,
        )

    # What the clock does

    def expire(self, before: GameRecord) -> Outcome | None:
        """Act at the deadline of the running turn, call window or wait; None where none has passed.

        Raises VersionConflict when somebody was quicker. Computers asked for a call must
        have been heard before.
        """
        now = self._now()
        if before.deadline_at is None or before.deadline_at > now or before.game is None:
            return None
        if before.status is Status.DEAL_OVER:
            after, events = next_deal(before)
        elif before.in_call_window:
            events, game = play(before.game, CloseCallWindow())
            after = with_game(before, game)
        else:
            after, events = _expired_turn(before)
        return self._change(before, after, events)

    # Writing

    def _judged(  # noqa: PLR0913 - a change, and what its request says of it
        self,
        game_id: str,
        transition: Transition,
        *,
        if_match: int | None,
        answering: Answering,
        again: Callable[[GameRecord], bool],
        before: GameRecord | None = None,
        enqueue: bool = True,
    ) -> Outcome:
        """Judge a change and make it; overtaken by another, judge it anew where `again` says so.

        `again` is asked about the state that was overtaken. `before` is judged the first time,
        in place of what a read would find.
        """
        tries = 0
        while True:
            record = before or self.get(game_id)
            check_version(record, if_match)
            after, events = transition(record)
            try:
                return self._change(record, after, events, answering=answering, enqueue=enqueue)
            except VersionConflict:
                tries += 1
                if tries == _MOST_TRIES or not again(record):
                    raise
                before = None

    def _change(
        self,
        before: GameRecord,
        after: GameRecord,
        events: Sequence[LoggedEvent],
        *,
        answering: Answering = no_answer,
        enqueue: bool = True,
    ) -> Outcome:
        now = self._now()
        if after.status is Status.DEAL_OVER and not after.may_act():
            after, more = next_deal(after)
            events = (*events, *more)
        after = replace(after, version=before.version + 1, updated_at=now)
        after = with_deadlines(before, after, now=now)
        return self._commit(before, after, events, now=now, answering=answering, enqueue=enqueue)

    def _commit(  # noqa: PLR0913 - a change, and what its request says of it
        self,
        before: GameRecord | None,
        after: GameRecord,
        events: Sequence[LoggedEvent],
        *,
        now: int,
        answering: Answering,
        enqueue: bool = True,
    ) -> Outcome:
        logged = tuple(
            Logged(version=after.version, seq=seq, at=now, event=event) for seq, event in enumerate(events)
        )
        outcome = Outcome(record=after, events=logged)
        is_listed = have_same_listing(before, after)
        is_followed = not is_listed or bool(build_notifications(after, logged))
        try:
            is_behind = self._store.commit(
                Commit(
                    game_id=after.id,
                    expected_version=after.version - 1,
                    state=encode_record(after),
                    events=tuple(encode_event(event, at=now) for event in events),
                    due_at=due_at(before, after, now=now),
                    derive_at=now + _DERIVED_WITHIN_MS if is_followed else None,
                    expires_at=kept_until(after, now),
                    answer=answering(outcome),
                )
            )
        except StaleVersion as stale:
            if stale.current is None:
                raise Refusal("not_found", "There is no such game.") from stale
            metrics.COMMITS.labels("conflict").inc()
            raise VersionConflict(stale.current) from stale
        metrics.COMMITS.labels("done").inc()
        for event in events:
            metrics.EVENTS.labels(event.type).inc()
        if enqueue and computer_turn_begins(before, after):
            # A turn that is lost is found by the clock.
            self._turns.enqueue(after.id, after.version, 0)
        if is_followed and (is_listed or self._list(before, after)):
            self._projector.project(after, None if is_behind else logged)
        return outcome

    def _list(self, before: GameRecord | None, after: GameRecord) -> bool:
        """Put the game into its lists, and never fail; tell whether it was done.

        The change is made, and whoever asked must hear of it. The clock finds the rest.
        """
        try:
            update_lists(self._store, before, after)
        except StoreUnavailable as error:
            log.warning("Game %s could not be listed: %s", after.id, error)
            return False
        return True


def check_version(record: GameRecord, if_match: int | None) -> None:
    """Raise VersionConflict unless a move made for the version may be played now.

    Where several seats act side by side, any version since the phase began will do.
    """
    if if_match is None or if_match == record.version:
        return
    together = record.status is Status.DEAL_OVER or record.in_call_window
    if not (together and record.phase_version <= if_match < record.version):
        raise VersionConflict(record.version)


def lawful_moves(record: GameRecord, seat: int) -> LegalMoves:
    """Return the moves of the rules that a seat may make now; none before and after the game."""
    if record.game is None or record.status is not Status.PLAYING:
        return LegalMoves(moves=())
    return legal_moves(record.game, seat)


def declared_ready(record: GameRecord, seats: Sequence[int]) -> GameChange:
    """Note that seats are ready for the next deal."""
    if record.status.is_over:
        raise IllegalMove("game_over", GAME_OVER)
    if record.status is not Status.DEAL_OVER:
        raise IllegalMove("wrong_phase", "The deal is not over yet: play on.")
    new = [seat for seat in seats if seat not in record.ready]
    if not new:
        raise IllegalMove("wrong_phase", "You have said so already: the others are not ready yet.")
    return (
        replace(record, ready=tuple(sorted((*record.ready, *new)))),
        tuple(SeatReady(seat=seat) for seat in new),
    )


def next_deal(record: GameRecord) -> GameChange:
    """Deal again."""
    assert record.game is not None  # noqa: S101 - a deal has just ended
    events, game = play(record.game, StartNextDeal())
    return with_game(record, game), events


def _expired_turn(record: GameRecord) -> GameChange:
    """Play the least turn for the seat whose time is over."""
    assert record.game is not None  # noqa: S101 - its deadline has passed
    seat = record.game.deal.turn.seat
    record, noted = expire_turn(record, seat)
    after, events = play_forced_turn(record, seat)
    return after, (*noted, *events)
