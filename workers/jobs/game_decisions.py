"""Reads the players' decisions from the log of a finished game, with the state before each."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from service.games.record import (
    ClockExpired,
    GameLogEntry,
    LoggedEvent,
    SeatJoined,
    SeatReplaced,
    UnknownEvent,
)
from service.rummy.events import (
    EVENT_TYPES,
    CallWindowOpened,
    CardDiscarded,
    CardKept,
    CardLaidOff,
    DealStarted,
    DiscardTaken,
    Event,
    GameStarted,
    MeldLaid,
    PositionGiven,
    RummyCalled,
    StockDrawn,
    StockRenewed,
    TurnPassed,
    TurnStarted,
)
from service.rummy.evolve import begin, evolve
from service.rummy.moves import (
    CallRummy,
    Discard,
    DrawStock,
    KeepCard,
    LayMeld,
    LayOff,
    Pass,
    PlayerMove,
    TakeDiscard,
)
from service.rummy.state import Game


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A move of a player: `before` is the game it was made in, `turn` the turn's number in the deal."""

    version: int
    deal: int
    turn: int
    move: PlayerMove
    before: Game


def decisions_of(key: bytes, log: Iterable[GameLogEntry], seats: Sequence[int]) -> Iterator[Decision]:
    """Yield the players' decisions at these seats, without moves of the clock and of substitutes.

    Passes that the service made for a player are no decisions either.

    The log must be complete and unredacted; `key` is the key of its game.
    """
    reader = _LogReader(key, frozenset(seats))
    for logged in log:
        decision = reader.read(logged)
        if decision is not None:
            yield decision


@dataclass(slots=True)
class _LogReader:
    """Reads a log event by event, and keeps the state of the game before each move."""

    key: bytes
    seats: frozenset[int]
    game: Game | None = None
    start: GameStarted | None = None
    #: The game before the first event of a move that has several, and the call that it began with.
    before: Game | None = None
    called: RummyCalled | None = None
    turn: int = 0
    away: set[int] = field(default_factory=set)
    by_clock: bool = False
    #: The version in which the last call window opened. A pass in it was automatic.
    opened: int | None = None

    def read(self, logged: GameLogEntry) -> Decision | None:
        """Read an event; return the decision it resulted from, if any."""
        event = logged.event
        if isinstance(event, UnknownEvent):
            return None
        self._note(event)
        if isinstance(event, CallWindowOpened):
            self.opened, self.by_clock = logged.version, False
        if isinstance(event, GameStarted) or event.type not in EVENT_TYPES:
            return None
        decision = None
        if isinstance(event, StockRenewed | RummyCalled):
            self.before = self.game
            self.called = event if isinstance(event, RummyCalled) else None
        else:
            decision = self._decision(event, logged.version)
            self.before = self.called = None
        self.game = self._after(event)  # type: ignore[arg-type] # EVENT_TYPES is what `evolve` takes
        return decision

    def _note(self, event: LoggedEvent) -> None:
        match event:
            case GameStarted():
                self.start = event
            case SeatReplaced(seat=seat):
                self.away.add(seat)
            case SeatJoined(seat=seat):
                self.away.discard(seat)
            case ClockExpired():
                self.by_clock = True
            case TurnStarted() | RummyCalled():
                self.turn, self.by_clock = self.turn + 1, False
            case DealStarted():
                self.turn = 0
            case PositionGiven():
                # A given position begins within a turn.
                self.turn = 1
            case _:
                return

    def _decision(self, event: LoggedEvent, version: int) -> Decision | None:
        move, before = _move(event, self.called), self.before or self.game
        if move is None or before is None or self.by_clock:
            return None
        if isinstance(move, Pass) and version == self.opened:
            return None
        if move.seat not in self.seats or move.seat in self.away:
            return None
        return Decision(version=version, deal=before.deal.number, turn=self.turn, move=move, before=before)

    def _after(self, event: Event) -> Game | None:
        if self.game is not None:
            return evolve(self.game, event)
        if self.start is not None and isinstance(event, DealStarted | PositionGiven):
            return begin(self.key, self.start, event)
        return None


def match_listed(move: PlayerMove, moves: Iterable[PlayerMove]) -> PlayerMove:
    """Return the listed move that equals the move, or the move itself if the list was truncated."""
    return next((listed for listed in moves if _is_same(listed, move)), move)


def _is_same(listed: PlayerMove, move: PlayerMove) -> bool:
    if _meaning(listed) != _meaning(move):
        return False
    uses = [one.use if isinstance(one, CallRummy) else one for one in (listed, move)]
    ends = [use.end for use in uses if isinstance(use, LayOff)]
    # A list names the end of a run only if the card fits both.
    return not ends or ends[0] in {None, ends[1]}


def _meaning(move: PlayerMove) -> object:
    """Return a normal form of a move, without the end of a run."""
    match move:
        case LayMeld(cards=cards, stands_for=stands_for):
            return sorted(cards), sorted(stands_for.items())
        case LayOff(card=card, meld_id=meld_id, stands_for=stands_for):
            return card, meld_id, stands_for
        case CallRummy(card=card, position=position, use=use):
            return card, position, _meaning(use)
        case _:
            return move


def _move(event: LoggedEvent, called: RummyCalled | None) -> PlayerMove | None:
    """Return the move that an event resulted from, or None."""
    match event:
        case StockDrawn(seat=seat):
            return DrawStock(seat=seat)
        case DiscardTaken(seat=seat, card=card, position=position):
            return TakeDiscard(seat=seat, card=card, position=position)
        case MeldLaid() | CardLaidOff():
            use = _tabled(event)
            if called is None:
                return use
            return CallRummy(seat=called.seat, card=called.card, position=called.position, use=use)
        case CardDiscarded(seat=seat, card=card):
            return Discard(seat=seat, card=card)
        case CardKept(seat=seat):
            return KeepCard(seat=seat)
        case TurnPassed(seat=seat):
            return Pass(seat=seat)
        case _:
            return None


def _tabled(event: MeldLaid | CardLaidOff) -> LayMeld | LayOff:
    if isinstance(event, CardLaidOff):
        return LayOff(
            seat=event.seat,
            card=event.card,
            meld_id=event.meld_id,
            end=event.end,
            stands_for=event.stands_for,
        )
    laid = event.meld.cards
    return LayMeld(
        seat=event.seat,
        cards=tuple(one.card for one in laid),
        stands_for={one.card: one.stands_for for one in laid if one.stands_for is not None},
    )
