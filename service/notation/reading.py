"""Parses a text into a replay: strict about words, lenient about spaces between them.

This checks only the form, line by line; `verify` checks the game against the rules.
"""

import json
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from service.games.record import SeatKind
from service.notation import words
from service.notation.cursor import Cursor
from service.notation.lines import (
    Action,
    Ending,
    GivenPosition,
    Line,
    NoteKind,
    NoteLine,
    Opening,
    RecordedDeal,
    Replay,
    ReplaySeat,
    Result,
    ScoreLine,
    ScoreRow,
    TurnLine,
)
from service.notation.writing import FIRST_LINE
from service.rummy.options import MAX_SEATS, MIN_SEATS
from service.rummy.positions import GivenMeld, GivenTurn
from service.rummy.state import DealerDraw, LaidCard, Phase

if TYPE_CHECKING:
    from service.rummy.cards import Card

_TURN = re.compile(r"(\d{1,4})(\.\.\.|\.) (\S+)(?: (.+))?")
_GIVEN_MELD = re.compile(r"m(\d{1,3}) (\S+): (.+)")
_DEAL = re.compile(r"Deal (\d{1,4}), dealt by (\S+?)(, from a given position)?")
_SCORE = re.compile(r"Score of deal (\d{1,4}), (\S+) out")
_ROW = re.compile(
    r"tabled (-?\d{1,7}), held (\d{1,7})(?: \(([^)]+)\))?(?:, bonus (-?\d{1,7}))?, "
    r"scored (-?\d{1,7}), total (-?\d{1,7})"
)
_SEAT = re.compile(r"(\S+), (?:(free)|(human|bot|computer)(?: ([a-z][a-z0-9_-]*))? (\".*\"))")
_RESULT = re.compile(r"(?:(\S+(?:, \S+)*) (won)|(a draw|given up|unfinished))(?: \((.+)\))?")
_MELD_CARD = re.compile(r"([^=()]+)(?:=([^=()]+))?(?:\(([^()]+)\))?")
_NAMED_AFTER: Final = frozenset({NoteKind.CLOCK, NoteKind.STAND_IN})
_NUMBER_OF_NOTATION: Final = "Rummy 500 replay, notation "


def parse_replay(text: str) -> Replay:
    """Return the replay of a text; raise NotationError for the first line that does not parse."""
    return _Reader(text).replay()


class _Reader(Cursor):
    """Parses one text from top to bottom."""

    # The whole

    def replay(self) -> Replay:
        first = self.next(FIRST_LINE)
        if first != FIRST_LINE:
            known = (
                "this program reads notation 1"
                if first.startswith(_NUMBER_OF_NOTATION)
                else "this is no replay"
            )
            self.fail(f"A replay begins with {FIRST_LINE!r}; {known}.")
        game_id = self.value("Game")
        begun_at = self._time(self.value("Date"))
        preset = self.value("Variant")
        overrides = self._overrides(self.optional("Options"))
        rated = self._flag("Rated")
        sandbox = self._flag("Sandbox")
        seats = self._seats()
        seen_by = self.optional("Seen by")
        seen_by_seat = None if seen_by is None else self.seat(seen_by)
        result = self._result(self.value("Result"))
        draws = self._draws()
        places = dict(self.places)
        deals = []
        while (line := self.peek()) is not None and not line.startswith("End: "):
            deals.append(self._deal())
        end = self._result(self.value("End"))
        if end != result:
            self.fail(f"The result differs from the one in the heading, {result.place}.")
        if self.peek() is not None:
            self.at += 1
            self.fail("Nothing may follow the end.")
        return Replay(
            game_id=game_id,
            begun_at=begun_at,
            preset=preset,
            overrides=overrides,
            rated=rated,
            sandbox=sandbox,
            seats=seats,
            seen_by=seen_by_seat,
            draws=draws,
            deals=tuple(deals),
            result=result,
            places=places,
        )

    # The heading

    def _time(self, text: str) -> int:
        if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", text):
            self.fail("A date is written 2026-09-21T14:13:20.000Z.")
        try:
            at = datetime.fromisoformat(text)
        except ValueError:
            self.fail(f"There is no such date: {text}.")
        return (int(at.astimezone(UTC).timestamp()) * 1000) + at.microsecond // 1000

    def _overrides(self, text: str | None) -> dict[str, Any]:
        overrides: dict[str, Any] = {}
        for part in () if text is None else text.split(", "):
            name, _, value = part.partition(" ")
            if name in overrides:
                self.fail(f"The option {name} is given twice.")
            try:
                overrides[name] = json.loads(value)
            except (ValueError, RecursionError):
                self.fail(f'The value of an option is JSON, such as 300, true or "low"; not {value!r}.')
        return overrides

    def _flag(self, name: str) -> bool:
        value = self.optional(name)
        if value not in (None, "yes"):
            self.fail(f"{name}: must be yes, or be left out.")
        return value == "yes"

    def _seats(self) -> tuple[ReplaySeat, ...]:
        seats: list[ReplaySeat] = []
        while (text := self.optional(f"Seat {len(seats)}")) is not None:
            seat = self._seat_at(text)
            if seat.label in self.labels:
                self.fail(f"Two seats have the label {seat.label}.")
            self.labels[seat.label] = len(seats)
            seats.append(seat)
        if not MIN_SEATS <= len(seats) <= MAX_SEATS:
            self.at += 1
            self.fail(f"Expected Seat {len(seats)}: a game has {MIN_SEATS} to {MAX_SEATS} seats.")
        return tuple(seats)

    def _seat_at(self, text: str) -> ReplaySeat:
        found = _SEAT.fullmatch(text)
        if found is None:
            self.fail(
                'A seat is written: Ana, human "Ana Lee"; or Eva, computer steady "Eva"; or Seat-2, free.'
            )
        label, free, kind, level, _ = found.groups()
        if free:
            return ReplaySeat(label=label, kind=None, name=None)
        if (level is not None) != (kind == SeatKind.COMPUTER):
            self.fail("A computer must have a level, and no other seat may.")
        return ReplaySeat(label=label, kind=SeatKind(kind), name=self._name(), level=level)

    def _name(self) -> str:
        """Return the name at the end of the line just read, with its spaces as they are."""
        raw = self.raw[self.at - 1].rstrip()
        try:
            return str(json.loads(raw[raw.index('"') :]))
        except ValueError:
            self.fail('A name is a JSON string, such as "Ana Lee".')

    def _result(self, text: str) -> Result:
        found = _RESULT.fullmatch(text)
        if found is None:
            self.fail("A result is: Ana won (target); a draw (tie); given up (why); or unfinished.")
        named, won, other, reason = found.groups()
        if won:
            return Result(ending=Ending.WON, winners=self.seats(named), reason=reason, place=self.place)
        ending = Ending.DRAWN if other == "a draw" else Ending(other)
        return Result(ending=ending, reason=reason, place=self.place)

    def _draws(self) -> tuple[DealerDraw, ...]:
        draws: list[DealerDraw] = []
        again = 0
        text = self.optional("Drawn for the deal")
        while text is not None:
            for part in text.split(", "):
                label, _, code = part.partition(" ")
                draws.append(DealerDraw(seat=self.seat(label), card=self.card(code), again=again))
            again += 1
            text = self.optional("Drawn for the deal again")
        return tuple(draws)

    # A deal

    def _deal(self) -> RecordedDeal:
        opening = self._opening()
        lines: list[Line] = []
        while (line := self.peek()) is not None and not line.startswith(("Deal ", "End: ")):
            lines.append(self._line(self.next("a line"), opening.number))
        return RecordedDeal(opening=opening, lines=tuple(lines))

    def _opening(self) -> Opening:
        text = self.next("a deal")
        found = _DEAL.fullmatch(text)
        if found is None:
            self.fail(f"Expected a deal, such as 'Deal 1, dealt by Ana', or the end; not {text!r}.")
        number, dealer, given = int(found[1]), self.seat(found[2]), found[3]
        place = self.place
        self.places = {}
        commitment = self.read(words.parse_digest, self.value("Commitment"))
        seed_text = self.optional("Seed")
        seed = None if seed_text is None else bytes.fromhex(self.read(words.parse_digest, seed_text))
        hands: list[tuple[Card, ...] | None] = []
        for seat, label in enumerate(self.labels):
            text = self.value(label)
            self.places[f"hand {seat}"] = self.place
            hands.append(None if text == "hidden" else self.cards(text))
        stock_text = self.value("stock")
        hidden = re.fullmatch(r"(\d{1,3}) hidden", stock_text)
        stock = None if hidden else self.cards(stock_text)
        pile = self.cards(self.value("pile"))
        return Opening(
            number=number,
            dealer=dealer,
            commitment=commitment,
            seed=seed,
            hands=tuple(hands),
            stock=stock,
            stock_count=int(hidden[1]) if hidden else len(stock or ()),
            pile=pile,
            given=self._given() if given else None,
            place=place,
            places=dict(self.places),
        )

    def _given(self) -> GivenPosition:
        known: list[tuple[Card, ...]] = []
        for label in self.labels:
            text = self.optional(f"known {label}")
            known.append(() if text is None else self.cards(text))
        melds: list[GivenMeld] = []
        while (meld := self._given_meld(len(melds) + 1)) is not None:
            melds.append(meld)
        totals = self.read(_totals, self.value("totals"))
        turn = self._given_turn(self.value("turn"))
        return GivenPosition(known=tuple(known), melds=tuple(melds), turn=turn, totals=totals)

    def _given_meld(self, number: int) -> GivenMeld | None:
        found = _GIVEN_MELD.fullmatch(self.peek() or "")
        if found is None or int(found[1]) != number:
            return None
        self.at += 1
        self.places[f"melds.{number - 1}"] = self.place
        owner = self.seat(found[2])
        return GivenMeld(owner=owner, cards=tuple(self._laid(word, owner) for word in found[3].split()))

    def _laid(self, text: str, owner: int) -> LaidCard:
        found = _MELD_CARD.fullmatch(text)
        if found is None:
            self.fail(f"A card of a meld is written 7H, X1=7H or 7H(Ana), not {text!r}.")
        return LaidCard(
            card=self.card(found[1]),
            laid_by=owner if found[3] is None else self.seat(found[3]),
            stands_for=None if found[2] is None else self.card(found[2]),
        )

    def _given_turn(self, text: str) -> GivenTurn:
        parts = [part.partition(" ") for part in text.split(", ")]
        (label, _, phase), *others = parts
        values = {name: value for name, _, value in others}
        names = {"must_use", "may_not_discard", "discarder", "melds_laid", "tabled_before_turn"}
        if phase not in set(Phase) or len(values) < len(others) or not set(values) <= names:
            self.fail("A turn is written: Ana meld, must_use 7H, melds_laid 1, tabled_before_turn false.")
        return GivenTurn(
            seat=self.seat(label),
            phase=Phase(phase),
            must_use=self.card(values["must_use"]) if "must_use" in values else None,
            may_not_discard=self.card(values["may_not_discard"]) if "may_not_discard" in values else None,
            discarder=self.seat(values["discarder"]) if "discarder" in values else None,
            melds_laid=self.read(words.parse_number, values.get("melds_laid", "0")),
            tabled_before_turn=self.read(words.parse_bool, values.get("tabled_before_turn", "")),
        )

    # Its lines

    def _line(self, text: str, deal: int) -> Line:
        if text.startswith("* "):
            return self._note(text.removeprefix("* "))
        if text.startswith("Score "):
            return self._score(text, deal)
        found = _TURN.fullmatch(text)
        if found is None:
            self.fail(
                f"Expected a turn, such as '12. Ana draws 7H, throws KD', a note or a score; not {text!r}."
            )
        number, dots, label, actions = found.groups()
        return TurnLine(
            number=int(number),
            seat=self.seat(label),
            actions=self._actions(actions),
            resumed=dots == "...",
            place=self.place,
        )

    def _actions(self, text: str | None) -> tuple[Action, ...]:
        parts = () if text is None else text.split(", ")
        return tuple(self.read(lambda part: words.parse_action(part, self.place), part) for part in parts)

    def _note(self, text: str) -> NoteLine:
        for kind in NoteKind:
            before, found, after = (part.strip() for part in text.partition(kind))
            names, level = (after, before) if kind in _NAMED_AFTER else (before, after)
            if not found or not names or bool(level) != (kind is NoteKind.STAND_IN):
                continue
            seats = self.seats(names) if kind is NoteKind.MAY_CALL else (self.seat(names),)
            return NoteLine(kind=kind, seats=seats, level=level or None, place=self.place)
        return self.fail(f"Unknown note: {text!r}.")

    def _score(self, text: str, deal: int) -> ScoreLine:
        found = _SCORE.fullmatch(text)
        if found is None or int(found[1]) != deal:
            self.fail(f"A score begins with 'Score of deal {deal}, Ana out', or 'nobody out'.")
        went_out = None if found[2] == "nobody" else self.seat(found[2])
        place = self.place
        rows = tuple(self._row(self.value(label)) for label in self.labels)
        return ScoreLine(went_out=went_out, rows=rows, place=place)

    def _row(self, text: str) -> ScoreRow:
        found = _ROW.fullmatch(text)
        if found is None:
            self.fail("A row of the score is written: tabled 52, held 10 (KD), scored 42, total 42.")
        tabled, held, hand, bonus, score, total = found.groups()
        return ScoreRow(
            tabled=int(tabled),
            held=int(held),
            hand=() if hand is None else self.cards(hand),
            bonus=int(bonus or 0),
            score=int(score),
            total=int(total),
            place=self.place,
        )


def _totals(text: str) -> tuple[int, ...]:
    return tuple(words.parse_number(total) for total in text.split())
