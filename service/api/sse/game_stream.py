"""The stream of one game for one viewer: events, presence changes, reactions and clock warnings."""

from typing import Final

from service.api.auth import Caller
from service.api.problems import Problem
from service.api.responses import encode
from service.api.services import Services
from service.api.sse.delayed_events import DelayBuffer
from service.api.sse.event_stream import RETRY_READ_SECONDS, Encoding, Frame, Stream, StreamEnded
from service.api.views.move_entries import included_moves
from service.api.views.rendering import event_view, presence_of
from service.api.views.visibility import (
    VisibleGame,
    current_game_view,
    online_players,
    visible_game,
    watched,
)
from service.games.codec import decode_event
from service.games.reactions import decode_reaction
from service.games.record import GameLogEntry, GameRecord, Status, TimeControl
from service.games.refusals import Refusal
from service.games.spectators import first_dealt_version
from service.jobs.advice import AdviceReady, decode_advice_ready
from service.rummy.events import CallWindowOpened, DealEnded, TurnStarted
from service.rummy.views import view_for
from service.runtime.json_object import Json
from service.runtime.timestamps import rfc3339
from service.store.contract import StoredEvent, StoreUnavailable
from service.streams.broker import end_of_version
from service.streams.connections import Slot
from service.streams.subscription import Cursor, LogEntry, Message, PresenceChange

#: Players are warned when a quarter of their time is left, but not earlier than this.
_MAX_WARNING_MS: Final = 30_000
#: After these events the viewer may have another seat, or lose access.
_SEAT_EVENTS: Final = ("seat.joined", "seat.left", "seat.replaced")


class GameStream(Stream):
    """The stream of a game, as its viewer may see it."""

    def __init__(  # noqa: PLR0913 - as Stream, and what the viewer asked for
        self,
        services: Services,
        seen: VisibleGame,
        *,
        caller: Caller,
        as_seat: int | None,
        invite_code: str | None,
        include: frozenset[str],
        encoding: Encoding,
        slot: Slot,
        after: Cursor | None,
    ) -> None:
        subscription = services.streams.broker.subscribe(seen.record.id, end=end_of_version(seen.latest))
        super().__init__(
            services, caller=caller, encoding=encoding, slot=slot, subscription=subscription, after=after
        )
        self._record: GameRecord = seen.record
        self._viewer: int | None = seen.viewer
        # A viewer who holds every seat keeps the same one while the stream is open.
        self._as_seat: Final = seen.viewer if seen.record.seats_held else as_seat
        self._invite_code: Final = invite_code
        self._include: Final = include
        self._sends_views: Final = "game" in include
        #: Whether a snapshot must follow the events delivered last; a resumed stream begins with one.
        self._view_is_due = self._sends_views
        self._sends_moves: Final = "to_act" in include
        #: Whether the viewer's moves must follow the events delivered last, if the seat has to act.
        self._moves_are_due = self._sends_moves
        self._warned_of: int | None = None
        #: The newest event delivered, while `_record` is older than it.
        self._newer_than_record: LogEntry | None = None
        self._delayed = DelayBuffer(seen.record.spectator_delay_ms, None)

    @property
    def _is_delayed(self) -> bool:
        """Whether the viewer sees the game with the spectators' delay."""
        return self._viewer is None and self._record.spectator_delay_ms > 0

    @property
    def _read_cursor(self) -> Cursor | None:
        return self._delayed.end or self._cursor

    @property
    def _context(self) -> Json:
        version = self._record.version if self._cursor is None else self._cursor[0]
        return {"game_id": self._record.id, "version": version}

    def _first_frames(self) -> list[Frame]:
        if self._is_delayed:
            log = self._services.table.whole_log(self._services.table.get(self._record.id))
            self._delayed = DelayBuffer(self._record.spectator_delay_ms, first_dealt_version(log))
        if self._viewer is None:
            self._services.streams.watch(self._slot, self._record.id, self._caller.id)
        online = self._watch_presence()
        # A cursor ahead of the game is from before a failover that lost its events: send a snapshot.
        if self._cursor is not None and self._cursor[0] <= self._record.version:
            return [frame for player in online.items() for frame in self._presence_changed(*player)]
        return [self._first_snapshot()]

    def _first_snapshot(self) -> Frame:
        record = self._record
        # For a delayed spectator the game may not have begun; then it is at version 0.
        newest = (
            self._services.streams.broker.read_page(record.id, end_of_version(record.version - 1))
            if record.version
            else ()
        )
        seq = max(
            (seq for version, seq in (entry.cursor for entry in newest) if version == record.version),
            default=0,
        )
        return self._snapshot((record.version, seq))

    def _snapshot(self, cursor: Cursor) -> Frame:
        """Return the frame of the record; the stream resumes after it from the cursor."""
        self._cursor = cursor
        self._view_is_due = False
        version, seq = cursor
        snapshot = {
            "type": "snapshot",
            "id": f"{version}-{seq}",
            **self._context,
            "seq": seq,
            "at": rfc3339(self._services.now()),
            "game": current_game_view(
                self._services,
                self._record,
                self._viewer,
                include=self._include,
                player_id=self._caller.id,
            ),
        }
        return Frame(type="snapshot", cursor=cursor, body=encode(snapshot))

    def _deliverable(self, entries: list[LogEntry]) -> list[LogEntry]:
        """Delay what a spectator may not see yet, and return what they may, in order."""
        if not self._is_delayed and self._delayed.end is None:
            return entries
        read = self._read_cursor
        news = [entry for entry in entries if read is None or entry.cursor > read]
        self._delayed.add(news, _decoded)
        if any(_decoded(entry).event.type in _SEAT_EVENTS for entry in news):
            self._check_access()  # The spectator may have taken a seat.
        return self._delayed.release(now=self._services.now() if self._is_delayed else None)

    def _reread_log(self) -> None:
        super()._reread_log()
        self._delayed.clear()

    def _event_frame(self, entry: LogEntry) -> Frame | None:
        logged = _decoded(entry)
        if not logged.is_known:
            return None
        if logged.event.type in _SEAT_EVENTS:
            self._check_access()
        viewer = self._viewer
        body = entry.cached(
            ("rendered", viewer), lambda: encode(event_view(logged, viewer, game_id=self._record.id))
        )
        return Frame(type=logged.event.type, cursor=entry.cursor, body=body)

    def _on_delivered(self, entries: list[LogEntry]) -> None:
        self._view_is_due = self._sends_views
        if self._sends_moves and any(map(self._asks_viewer, entries)):
            self._moves_are_due = True
        if (
            self._sends_views
            or self._moves_are_due
            or (self._record.clock is not None and not self._is_delayed)
        ):
            self._newer_than_record = entries[-1]

    def _refresh_record(self) -> bool:
        """Read the record if events newer than it were delivered; return False if the store failed."""
        newest = self._newer_than_record
        if newest is None:
            return True
        try:
            # It is read once for all subscribers in this process who see the same.
            record: GameRecord | None = newest.cached(("record", self._is_delayed), self._read_record)
        except StoreUnavailable:
            return False
        self._record = record or self._record
        self._newer_than_record = None
        return True

    def _read_record(self) -> GameRecord | None:
        try:
            record = self._services.table.get(self._record.id)
        except Refusal:
            return None  # The game has expired.
        return watched(self._services, record).record if self._is_delayed else record

    def _due_views(self) -> list[Frame]:
        """Return the snapshot that is due, unless events before it must be delivered first."""
        if not self._view_is_due or self._has_unread_log or self._cursor is None:
            return []
        version = self._record.version
        if version <= self._cursor[0]:
            self._view_is_due = False  # The record is older only if the game has expired.
            return [self._snapshot(self._cursor)] if version == self._cursor[0] else []
        # The record is newer than the events delivered: more are on their way, or its version has none.
        try:
            more = self._services.streams.broker.read_page(self._record.id, self._cursor)
        except StoreUnavailable:
            return []
        if more and more[0].cursor[0] <= version:
            self._has_unread_log = True
            return []
        return [self._snapshot((version, 0))]

    # Moves

    def _asks_viewer(self, entry: LogEntry) -> bool:
        """Return whether the viewer's seat has to act after the event, and not by a move of its own."""
        match _decoded(entry).event:
            case TurnStarted(seat=seat):
                return seat == self._viewer
            case CallWindowOpened(asked=asked):
                return self._viewer in asked
            case event:
                return isinstance(event, DealEnded)

    def _due_moves(self) -> list[Frame]:
        if not self._moves_are_due or self._has_unread_log:
            return []
        self._moves_are_due = False
        record, seat = self._record, self._viewer
        if seat is None or record.game is None or seat not in record.may_act():
            return []
        return [
            self._advisory(
                "seat.to_act",
                version=record.version,
                seat=seat,
                deadline_at=record.deadline_at and rfc3339(record.deadline_at),
                hand_points=view_for(record.game, seat).hand_points,
                **included_moves(record, seat, frozenset({"moves_by_type"})),
            )
        ]

    # Access

    def _check_access(self) -> None:
        try:
            seen = visible_game(
                self._services,
                self._record.id,
                self._caller,
                as_seat=self._as_seat,
                invite_code=self._invite_code,
            )
        except (Problem, Refusal):
            raise StreamEnded("access_lost") from None
        was_delayed = self._is_delayed
        self._record, self._viewer = seen.record, seen.viewer
        if self._is_delayed and not was_delayed:
            # The viewer gave up their seat. They must reconnect as a delayed spectator.
            raise StreamEnded("rotate")
        self._watch_presence()

    # Presence

    def _watch_presence(self) -> dict[str, bool]:
        """Watch the presence of the other players, and return it."""
        online = online_players(self._services, self._record, self._viewer)
        online.pop(self._caller.id, None)
        self._services.streams.broker.watch_presence(self._subscription, online)
        return online

    def _presence_frames(self, presence: PresenceChange) -> list[Frame]:
        return self._presence_changed(presence.player_id, presence.is_online)

    def _presence_changed(self, player_id: str, is_online: bool) -> list[Frame]:  # noqa: FBT001 - as Presence's
        return [
            self._advisory(
                "presence.changed", seat=number, presence=presence_of(seat, {player_id: is_online})
            )
            for number, seat in enumerate(self._record.seats)
            if seat.player_id == player_id
        ]

    # Messages

    def _message_frames(self, message: Message) -> list[Frame]:
        ready = decode_advice_ready(message.body)
        if ready is not None:
            return self._advice_ready(ready)
        reaction = decode_reaction(message.body)
        if self._viewer is None or not reaction.is_for(self._caller.id, now=self._services.now()):
            return []
        return [self._advisory("reaction.sent", seat=reaction.seat, key=reaction.key)]

    def _advice_ready(self, ready: AdviceReady) -> list[Frame]:
        if ready.player_id != self._caller.id:
            return []
        return [self._advisory("advice.ready", job_id=ready.job_id, kind=ready.kind, status=ready.status)]

    # Clock warnings

    def _due_advisories(self) -> list[Frame]:
        if not self._refresh_record():
            # The record has the deadline of an earlier turn.
            return []
        return [*self._due_views(), *self._due_moves(), *self._due_warnings()]

    def _due_warnings(self) -> list[Frame]:
        deadline_at, left_ms = self._record.deadline_at, self._until_warning_ms()
        if deadline_at is None or left_ms is None or left_ms > 0:
            return []
        self._warned_of = deadline_at
        return [
            self._advisory(
                "clock.warning",
                seats=self._record.may_act(),
                deadline_at=rfc3339(deadline_at),
                left_ms=deadline_at - self._services.now(),
            )
        ]

    def _seconds_to_advisory(self) -> float | None:
        if self._newer_than_record is not None or self._view_is_due or self._moves_are_due:
            return RETRY_READ_SECONDS
        next_at = self._delayed.next_at
        left_ms = self._until_warning_ms() if next_at is None else next_at - self._services.now()
        return None if left_ms is None else left_ms / 1000

    def _until_warning_ms(self) -> int | None:
        """Return the time until the clock warning; None if there is none to send."""
        record = self._record
        limit_ms = _time_limit_ms(record)
        if self._is_delayed or limit_ms is None or record.deadline_at in {None, self._warned_of}:
            return None
        left_ms = record.deadline_at - self._services.now()
        return left_ms - min(_MAX_WARNING_MS, limit_ms // 4) if left_ms > 0 else None


def _time_limit_ms(record: GameRecord) -> int | None:
    """Return the time limit of the current phase; None for call windows, which are too short to warn."""
    clock = record.clock or TimeControl()
    if record.status is Status.DEAL_OVER:
        return clock.next_deal_ms
    return None if record.status is not Status.PLAYING or record.in_call_window else clock.turn_ms


def _decoded(entry: LogEntry) -> GameLogEntry:
    """Return the decoded event, decoded once for all subscribers in this process."""
    version, seq = entry.cursor
    logged: GameLogEntry = entry.cached(
        "logged", lambda: decode_event(StoredEvent(version=version, seq=seq, body=entry.body))
    )
    return logged
