"""Turns the events of a deal into lines: turns, notes between them, and the score."""

from dataclasses import replace
from typing import Final

from service.games.record import ClockExpired, LoggedEvent, SeatJoined, SeatReady, SeatReplaced
from service.notation.lines import (
    PLACELESS,
    Action,
    Adds,
    Calls,
    Draws,
    GoesOut,
    Keeps,
    Lays,
    Line,
    NoteKind,
    NoteLine,
    Passes,
    Renewal,
    ScoreLine,
    ScoreRow,
    Takes,
    Throws,
    TurnLine,
)
from service.rummy.events import (
    CallWindowOpened,
    CardDiscarded,
    CardKept,
    CardLaidOff,
    DealEnded,
    DiscardTaken,
    MeldLaid,
    PlayerWentOut,
    RummyCalled,
    StockDrawn,
    StockRenewed,
    TurnPassed,
    TurnStarted,
)
from service.rummy.state import DealResult
from service.rummy.variants import Variant


class LineBuilder:
    """Builds the lines of one deal, event by event.

    A turn gets its line with its first action, so that a note about the turn (the clock
    plays) comes before it; a turn without an action gets its line at `finish`.
    """

    def __init__(self, variant: Variant, *, asking: bool = False) -> None:
        """Start a deal; `asking` for one that starts in a call window."""
        self._variant: Final = variant
        self._asking = asking
        self._lines: Final[list[Line]] = []
        self._open = False
        self._running: tuple[int, int] | None = None
        self._begun: tuple[int, str] | None = None
        self._renewal: tuple[Renewal, str] | None = None
        self._turns = 0

    @property
    def lines(self) -> tuple[Line, ...]:
        """The lines so far."""
        return tuple(self._lines)

    def finish(self) -> tuple[Line, ...]:
        """Return the lines of the deal; a turn that has begun without an action gets a line."""
        self._flush()
        return self.lines

    def add(self, event: LoggedEvent, place: str = PLACELESS) -> None:  # noqa: C901, PLR0912 - one arm an event
        """Add an event; events that are not part of the deal are ignored."""
        match event:
            case TurnStarted(seat=seat):
                self._end_turn()
                self._begun = (seat, place)
            case StockRenewed(shuffled=shuffled):
                self._renewal = ("shuffles" if shuffled else "turns", place)
            case StockDrawn(seat=seat, card=card):
                renewal, first = self._renewal or (None, place)
                self._renewal = None
                self._add_action(seat, Draws(card=card, renewal=renewal, place=first))
            case DiscardTaken(seat=seat, cards=cards):
                self._add_action(seat, Takes(cards=cards, place=place))
            case MeldLaid(seat=seat, meld=meld):
                laid = tuple((one.card, one.stands_for) for one in meld.cards)
                self._add_action(seat, Lays(meld_id=meld.id, cards=laid, place=place))
            case CardLaidOff(seat=seat, card=card, stands_for=face, meld_id=meld_id, end=end):
                self._add_action(
                    seat, Adds(card=card, stands_for=face, meld_id=meld_id, end=end, place=place)
                )
            case CardDiscarded(seat=seat, card=card):
                self._add_action(seat, Throws(card=card, place=place))
            case CardKept(seat=seat):
                self._add_action(seat, Keeps(place=place))
            case TurnPassed(seat=seat) if self._asking:
                self._add_note(NoteLine(kind=NoteKind.LETS_IT_LIE, seats=(seat,), place=place))
            case TurnPassed(seat=seat):
                self._add_action(seat, Passes(place=place))
            case CallWindowOpened(asked=asked):
                self._end_turn()
                self._asking = True
                self._add_note(NoteLine(kind=NoteKind.MAY_CALL, seats=asked, place=place))
            case RummyCalled(seat=seat, cards=cards, position=position):
                self._end_turn()
                self._add_action(seat, Calls(cards=cards, position=position, place=place))
            case PlayerWentOut(seat=seat):
                self._add_action(seat, GoesOut(place=place))
            case DealEnded(result=result):
                self._end_turn()
                self._lines.append(score_line(result, self._variant, place))
            case ClockExpired(seat=seat):
                self._add_note(NoteLine(kind=NoteKind.CLOCK, seats=(seat,), place=place))
            case SeatReplaced(seat=seat, level=level):
                self._add_note(NoteLine(kind=NoteKind.STAND_IN, seats=(seat,), level=level, place=place))
            case SeatJoined(seat=seat):
                self._add_note(NoteLine(kind=NoteKind.BACK, seats=(seat,), place=place))
            case SeatReady(seat=seat):
                self._add_note(NoteLine(kind=NoteKind.READY, seats=(seat,), place=place))
            case _:
                # The heading has the start and the end of the whole game.
                return

    def _flush(self) -> None:
        if self._begun is not None:
            seat, place = self._begun
            self._begun = None
            self._turns += 1
            self._lines.append(TurnLine(number=self._turns, seat=seat, place=place))

    def _end_turn(self) -> None:
        self._flush()
        self._open, self._running, self._asking = False, None, False

    def _add_note(self, add: NoteLine) -> None:
        self._open = False
        self._lines.append(add)

    def _add_action(self, seat: int, action: Action) -> None:
        last = self._lines[-1] if self._open else None
        if isinstance(last, TurnLine) and last.seat == seat:
            self._lines[-1] = replace(last, actions=(*last.actions, action))
            return
        resumed = self._running is not None and self._running[1] == seat
        if not resumed:
            self._turns += 1
            self._running, self._begun = (self._turns, seat), None
        self._lines.append(
            TurnLine(number=self._turns, seat=seat, actions=(action,), resumed=resumed, place=action.place)
        )
        self._open = True


def score_line(result: DealResult, variant: Variant, place: str = PLACELESS) -> ScoreLine:
    """Return the result of a deal as a line."""
    return ScoreLine(
        went_out=result.went_out,
        rows=tuple(
            ScoreRow(
                tabled=seat.table_points,
                held=seat.hand_points,
                hand=seat.hand,
                bonus=seat.bonus,
                score=seat.score,
                total=result.totals[variant.side(number)],
                place=place,
            )
            for number, seat in enumerate(result.seats)
        ),
        place=place,
    )
