"""Replays the lines of one deal as moves, and builds lines from the events again."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import assert_never

from service.games.record import ClockExpired, LoggedEvent, SeatJoined, SeatKind, SeatReady, SeatReplaced
from service.notation.event_lines import LineBuilder
from service.notation.lines import (
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
    ScoreLine,
    Takes,
    Throws,
    TurnLine,
)
from service.rummy.cards import ACE, RANK, Card
from service.rummy.drawing import can_draw_stock, renewed_stock
from service.rummy.errors import IllegalMove
from service.rummy.events import Event
from service.rummy.evolve import evolve
from service.rummy.forced_turn import forced_turn
from service.rummy.moves import (
    Ace,
    CallRummy,
    CloseCallWindow,
    Discard,
    DrawStock,
    KeepCard,
    LayMeld,
    LayOff,
    Move,
    Pass,
    PlayerMove,
    TakeDiscard,
)
from service.rummy.play import play
from service.rummy.state import Game, Phase, Stage


class ReplayMismatch(Exception):  # noqa: N818 - it says what is wrong
    """A line that the rules do not allow, and why; lines after it cannot be checked."""

    def __init__(self, place: str, message: str) -> None:
        super().__init__(message)
        self.place = place
        self.message = message


@dataclass(slots=True)
class DealReplayer:
    """Replays one deal from its lines, starting with the game as dealt; `seed` is of the deal.

    `events` are all events so far, those of the rules and those of the table.
    """

    game: Game
    seed: bytes
    line_builder: LineBuilder
    events: list[LoggedEvent] = field(default_factory=list)
    #: The forced turn of a seat whose time ran out: the next moves must be these.
    by_clock: list[PlayerMove] = field(default_factory=list)

    def record(self, events: Sequence[LoggedEvent], place: str) -> None:
        """Record events."""
        for event in events:
            self.events.append(event)
            self.line_builder.add(event, place)

    def play_line(self, line: Line) -> None:
        """Play a line; raise ReplayMismatch if the rules do not allow it."""
        match line:
            case TurnLine():
                self._turn(line)
            case NoteLine():
                self._note(line)
            case ScoreLine(place=place):
                self._end(place)
            case _ as never:
                assert_never(never)

    # Turns

    def _turn(self, line: TurnLine) -> None:
        actions = list(line.actions)
        calls = bool(actions) and isinstance(actions[0], Calls)
        if self._asking and not calls:
            # The call window closed by time, which has no line of its own.
            self._move(CloseCallWindow(), line.place)
        while actions:
            action = actions.pop(0)
            if isinstance(action, Calls):
                if not actions:
                    raise ReplayMismatch(action.place, "A card that is called must be used at once.")
                self._move(self._call(line.seat, action, actions.pop(0)), action.place)
            elif not isinstance(action, GoesOut):
                self._act(line.seat, action)

    @property
    def _asking(self) -> bool:
        playing = self.game.status is Stage.PLAYING
        return playing and self.game.deal.turn.phase is Phase.RUMMY_CALL

    def _act(self, seat: int, action: Action) -> None:
        move = _move_of(seat, action, self.game)
        if isinstance(move, DrawStock) and self._renewal_is_due:
            # The rules shuffle from the key of the game, which is never published; the seed is.
            renewal = renewed_stock(self.game, self.seed)
            self.game = evolve(self.game, renewal)
            self.record([renewal], action.place)
        self._move(move, action.place)

    @property
    def _renewal_is_due(self) -> bool:
        game = self.game
        drawing = game.status is Stage.PLAYING and game.deal.turn.phase is Phase.DRAW
        return drawing and not game.deal.stock and can_draw_stock(game)

    def _call(self, seat: int, called: Calls, used: Action) -> CallRummy:
        use = _move_of(seat, used, self.game)
        if not isinstance(use, LayMeld | LayOff):
            raise ReplayMismatch(called.place, "A card that is called must be melded or laid off at once.")
        return CallRummy(seat=seat, card=called.cards[0], position=called.position, use=use)

    def _move(self, move: Move, place: str) -> None:
        try:
            events, after = play(self.game, move)
        except IllegalMove as refusal:
            raise ReplayMismatch(
                place, f"{refusal.message} (RULES {refusal.rule}, {refusal.code})"
            ) from refusal
        if self.by_clock:
            self._check_clock(events, place)
        self.game = after
        self.record(events, place)

    def _check_clock(self, events: Sequence[Event], place: str) -> None:
        forced, _ = play(self.game, self.by_clock.pop(0))
        if events != forced:
            raise ReplayMismatch(place, "The clock plays the forced turn, which is another one.")

    # Notes and the end

    def _note(self, note: NoteLine) -> None:
        seat, place = note.seats[0], note.place
        match note.kind:
            case NoteKind.MAY_CALL:
                # The seats that may call follow from the discard; the line is compared with the expected one.
                return
            case NoteKind.LETS_IT_LIE:
                self._move(Pass(seat=seat), place)
            case NoteKind.CLOCK:
                self.by_clock = list(forced_turn(self.game, seat))
                if not self.by_clock:
                    raise ReplayMismatch(
                        place, "It is not the turn of that seat, so its time cannot be over."
                    )
                self.record([ClockExpired(seat=seat)], place)
            case NoteKind.STAND_IN:
                self.record([SeatReplaced(seat=seat, level=note.level or "")], place)
            case NoteKind.BACK:
                self.record([SeatJoined(seat=seat, name="", kind=SeatKind.HUMAN)], place)
            case NoteKind.READY:
                if self.game.status is not Stage.DEAL_OVER:
                    raise ReplayMismatch(
                        place, "A seat cannot be ready for the next deal before this one is over."
                    )
                self.record([SeatReady(seat=seat)], place)
            case _ as never:
                assert_never(never)

    def _end(self, place: str) -> None:
        """End the deal if it ends by a move that has no line."""
        if self._asking:
            self._move(CloseCallWindow(), place)
        if self.game.status is Stage.PLAYING and self.game.deal.turn.phase is Phase.DRAW:
            raise ReplayMismatch(place, "The deal is not over here: a seat must draw.")
        if self.game.status is Stage.PLAYING:
            raise ReplayMismatch(place, "The deal is not over here: a turn is not finished.")


def _move_of(seat: int, action: Action, game: Game) -> PlayerMove:
    match action:
        case Draws():
            return DrawStock(seat=seat)
        case Takes(cards=cards):
            position = len(game.deal.discard_pile) - len(cards)
            return TakeDiscard(seat=seat, card=cards[0], position=position)
        case Lays(cards=laid):
            stands_for = {card: face for card, face in laid if face is not None}
            return LayMeld(
                seat=seat,
                cards=tuple(card for card, _ in laid),
                stands_for=stands_for,
                ace=_ace([face or card for card, face in laid]),
            )
        case Adds(card=card, stands_for=face, meld_id=meld_id, end=end):
            return LayOff(seat=seat, card=card, meld_id=meld_id, end=end, stands_for=face)
        case Throws(card=card):
            return Discard(seat=seat, card=card)
        case Keeps():
            return KeepCard(seat=seat)
        case Passes():
            return Pass(seat=seat)
        case Calls() | GoesOut():
            raise ReplayMismatch(
                action.place, "A call must be the first action of a turn, and going out the last."
            )
        case _ as never:
            assert_never(never)


def _ace(faces: Sequence[Card]) -> Ace | None:
    """Return the end of a run at which its ace is; None without an ace."""
    if len({RANK[face] for face in faces}) == 1 or ACE not in map(RANK.__getitem__, faces):
        return None
    return "low" if RANK[faces[0]] == ACE else "high"
