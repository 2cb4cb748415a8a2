"""Formats replays as text. `openapi/NOTATION.md` has the grammar; `reading` parses it."""

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final, assert_never

from service.games.record import SeatKind
from service.notation.lines import (
    Action,
    Adds,
    Calls,
    Draws,
    Ending,
    GoesOut,
    Keeps,
    Lays,
    Line,
    NoteKind,
    NoteLine,
    Opening,
    Passes,
    RecordedDeal,
    Replay,
    ReplaySeat,
    Result,
    ScoreLine,
    ScoreRow,
    Takes,
    Throws,
    TurnLine,
)
from service.rummy.cards import Card
from service.rummy.positions import GivenMeld, GivenTurn
from service.runtime.timestamps import rfc3339

#: The first line of every replay; the number is that of the notation.
FIRST_LINE: Final = "Rummy 500 replay, notation 1"
INDENT: Final = "    "


def format_replay(replay: Replay) -> str:
    """Return the replay as text, with a line feed after each line."""
    return "".join(f"{line}\n" for line in _Writer(replay).lines())


class _Writer:
    """Formats one replay with the labels of its seats."""

    def __init__(self, replay: Replay) -> None:
        self._replay: Final = replay
        self._labels: Final = tuple(seat.label for seat in replay.seats)
        self._width: Final = max(map(len, self._labels))

    def lines(self) -> Iterator[str]:
        """Yield the text line by line."""
        yield from self._heading()
        for deal in self._replay.deals:
            yield ""
            yield from self._opening(deal.opening)
            yield from self._played(deal)
        yield ""
        yield f"End: {self._result(self._replay.result)}"

    # The heading

    def _heading(self) -> Iterator[str]:
        replay = self._replay
        yield FIRST_LINE
        yield f"Game: {replay.game_id}"
        yield f"Date: {rfc3339(replay.begun_at)}"
        yield f"Variant: {replay.preset}"
        if replay.overrides:
            options = (f"{name} {json.dumps(value)}" for name, value in replay.overrides.items())
            yield f"Options: {', '.join(options)}"
        if replay.rated:
            yield "Rated: yes"
        if replay.sandbox:
            yield "Sandbox: yes"
        for number, seat in enumerate(replay.seats):
            yield f"Seat {number}: {format_seat(seat)}"
        if replay.seen_by is not None:
            yield f"Seen by: {self._labels[replay.seen_by]}"
        yield f"Result: {self._result(replay.result)}"
        for again, drawn in groupby(replay.draws, key=lambda draw: draw.again):
            cards = ", ".join(f"{self._labels[draw.seat]} {draw.card}" for draw in drawn)
            yield f"Drawn for the deal{' again' if again else ''}: {cards}"

    def _result(self, result: Result) -> str:
        why = f" ({result.reason})" if result.reason is not None else ""
        match result.ending:
            case Ending.WON:
                return f"{self._named(result.winners)} won{why}"
            case Ending.DRAWN:
                return f"a draw{why}"
            case _:
                return f"{result.ending}{why}"

    def _named(self, seats: Iterable[int]) -> str:
        return ", ".join(self._labels[seat] for seat in seats)

    # How a deal begins

    def _opening(self, opening: Opening) -> Iterator[str]:
        given = ", from a given position" if opening.given else ""
        yield f"Deal {opening.number}, dealt by {self._labels[opening.dealer]}{given}"
        yield f"Commitment: {opening.commitment}"
        if opening.seed is not None:
            yield f"Seed: {opening.seed.hex()}"
        for seat, hand in enumerate(opening.hands):
            yield self._entry(self._labels[seat], "hidden" if hand is None else format_cards(hand))
        hidden = f"{opening.stock_count} hidden"
        yield self._entry("stock", hidden if opening.stock is None else format_cards(opening.stock))
        yield self._entry("pile", format_cards(opening.pile))
        if opening.given is not None:
            for seat, known in enumerate(opening.given.known):
                if known:
                    yield self._entry(f"known {self._labels[seat]}", format_cards(known))
            for number, meld in enumerate(opening.given.melds, 1):
                yield self._entry(f"m{number} {self._labels[meld.owner]}", self._meld(meld))
            yield self._entry("totals", " ".join(map(str, opening.given.totals)))
            yield self._entry("turn", self._turn(opening.given.turn))

    def _entry(self, name: str, value: str) -> str:
        return f"{INDENT}{name + ':':<{max(self._width, 5) + 1}} {value}"

    def _meld(self, meld: GivenMeld) -> str:
        return " ".join(
            format_laid_card(laid.card, laid.stands_for)
            + ("" if laid.laid_by == meld.owner else f"({self._labels[laid.laid_by]})")
            for laid in meld.cards
        )

    def _turn(self, turn: GivenTurn) -> str:
        parts = [f"{self._labels[turn.seat]} {turn.phase}"]
        if turn.must_use is not None:
            parts.append(f"must_use {turn.must_use}")
        if turn.may_not_discard is not None:
            parts.append(f"may_not_discard {turn.may_not_discard}")
        if turn.discarder is not None:
            parts.append(f"discarder {self._labels[turn.discarder]}")
        if turn.melds_laid:
            parts.append(f"melds_laid {turn.melds_laid}")
        parts.append(f"tabled_before_turn {json.dumps(turn.tabled_before_turn)}")
        return ", ".join(parts)

    # How it goes on

    def _played(self, deal: RecordedDeal) -> Iterator[str]:
        for line in deal.lines:
            if isinstance(line, ScoreLine):
                yield from self._score(line, deal.opening.number)
            else:
                yield self._line(line)

    def _line(self, line: TurnLine | NoteLine) -> str:
        match line:
            case TurnLine(number=number, seat=seat, actions=actions, resumed=resumed):
                named = f"{number:>3}{'...' if resumed else '.'} {self._labels[seat]}"
                return " ".join((named, ", ".join(map(format_action, actions)))).rstrip()
            case NoteLine(kind=kind, seats=seats, level=level):
                return f"{INDENT}* {self._note(kind, seats, level)}"
            case _ as never:
                assert_never(never)

    def _note(self, kind: NoteKind, seats: Sequence[int], level: str | None) -> str:
        match kind:
            case NoteKind.CLOCK:
                return f"{kind} {self._named(seats)}"
            case NoteKind.STAND_IN:
                return f"{level} {kind} {self._named(seats)}"
            case _:
                return f"{self._named(seats)} {kind}"

    def _score(self, score: ScoreLine, number: int) -> Iterator[str]:
        out = "nobody" if score.went_out is None else self._labels[score.went_out]
        yield f"Score of deal {number}, {out} out"
        for seat, one in enumerate(score.rows):
            yield self._entry(self._labels[seat], _format_row(one))


def _format_row(one: ScoreRow) -> str:
    bonus = f", bonus {one.bonus}" if one.bonus else ""
    hand = f" ({format_cards(one.hand)})" if one.hand else ""
    return f"tabled {one.tabled}, held {one.held}{hand}{bonus}, scored {one.score}, total {one.total}"


def format_seat(seat: ReplaySeat) -> str:
    """Return a seat as the heading writes it."""
    if seat.kind is None:
        return f"{seat.label}, free"
    level = f" {seat.level}" if seat.kind is SeatKind.COMPUTER else ""
    return f"{seat.label}, {seat.kind}{level} {json.dumps(seat.name, ensure_ascii=False)}"


def format_action(action: Action) -> str:  # noqa: C901 - one arm an action
    """Return an action of a turn; jokers show what they stand for."""
    match action:
        case Draws(card=card, renewal=None):
            return f"draws {card or '?'}"
        case Draws(card=card, renewal=renewal):
            return f"{renewal} the pile and draws {card or '?'}"
        case Takes(cards=cards):
            return f"takes {format_cards(cards)}"
        case Lays(meld_id=meld_id, cards=laid):
            return f"lays {meld_id} {' '.join(format_laid_card(card, face) for card, face in laid)}"
        case Adds(card=card, stands_for=face, meld_id=meld_id, end=end):
            return f"adds {format_laid_card(card, face)} to {meld_id}{f' {end}' if end else ''}"
        case Throws(card=card):
            return f"throws {card}"
        case Keeps():
            return "keeps the card"
        case Passes():
            return "passes"
        case Calls(cards=cards, position=position):
            return f"calls {format_cards(cards)} from {position}"
        case GoesOut():
            return "goes out"
        case _ as never:
            assert_never(never)


def format_cards(cards: Iterable[Card]) -> str:
    """Return cards separated by spaces; a dash for none."""
    return " ".join(cards) or "-"


def format_laid_card(card: Card, face: Card | None) -> str:
    """Return a laid card, a joker as `X1=7H`."""
    return card if face is None else f"{card}={face}"


def format_line(line: Line, replay: Replay, number: int) -> str:
    """Return a line of a deal as text; a score has further lines for its rows."""
    writer = _Writer(replay)
    if isinstance(line, ScoreLine):
        return "\n".join(writer._score(line, number))  # noqa: SLF001 - its own module
    return writer._line(line)  # noqa: SLF001 - as above
