"""Verifies replays: legal moves, shuffles that follow from the seeds, correct scores.

The lines of a deal are played as moves, and the resulting events are turned into lines
again; both must be equal. A deal that is still running hides cards and is not verified.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from service.games.record import LoggedEvent
from service.notation.from_record import line_builder_for, result_from_event
from service.notation.lines import (
    Ending,
    Line,
    Opening,
    RecordedDeal,
    Replay,
    Result,
    ScoreLine,
    ScoreRow,
    TurnLine,
)
from service.notation.replaying import DealReplayer, ReplayMismatch
from service.notation.writing import format_cards, format_line
from service.rummy.cards import RANK, Card
from service.rummy.dealing import commitment
from service.rummy.ending import deal_from_seed, start_turn
from service.rummy.errors import ImpossiblePosition, VariantContradiction
from service.rummy.events import GameEnded, PositionGiven
from service.rummy.evolve import deal_from_event
from service.rummy.move_result import MoveResult
from service.rummy.positions import Position, game_from_position
from service.rummy.presets import resolve
from service.rummy.state import DealerDraw, Game, GameEndReason, Stage
from service.rummy.variants import Variant

#: Called for each line that was replayed, with the game after it.
OnLine = Callable[[RecordedDeal, Line, Game], None]


def _ignore_line(_deal: RecordedDeal, _line: Line, _game: Game) -> None:
    """Do nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A fault: where it was read, and a sentence about it."""

    place: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifiedDeal:
    """One verified deal; `events` are those the rules give, as far as it could be replayed.

    `is_proven` is True if commitment, seed and cards agree, which needs a finished deal.
    """

    number: int
    turns: int
    is_proven: bool
    is_running: bool
    events: tuple[LoggedEvent, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """The faults of a replay, in the order found, and its deals."""

    faults: tuple[Fault, ...]
    deals: tuple[VerifiedDeal, ...]


def verify_replay(replay: Replay, on_line: OnLine = _ignore_line) -> Verification:
    """Replay every deal by the rules and return what is wrong with the replay."""
    seats = len(replay.seats)
    try:
        variant = resolve(replay.preset, replay.overrides, seats=seats, is_agreed=True)
    except VariantContradiction as clash:
        part = "Variant" if clash.option in {"preset", "seats"} else "Options"
        return Verification(faults=(Fault(place=replay.where(part), message=clash.message),), deals=())
    verifier = _Verifier(replay, variant, on_line)
    verifier.run()
    return Verification(faults=tuple(verifier.faults), deals=tuple(verifier.deals))


@dataclass(slots=True)
class _Verifier:
    """Verifies one replay, deal by deal."""

    replay: Replay
    variant: Variant
    on_line: OnLine
    faults: list[Fault] = field(default_factory=list)
    deals: list[VerifiedDeal] = field(default_factory=list)
    #: The totals before the next deal, and the result once a deal decides the game.
    totals: tuple[int, ...] = ()
    decided: Result | None = None
    #: False once a deal could not be replayed to its end: the result is then unknown.
    is_followed: bool = True

    def run(self) -> None:
        """Verify the whole replay."""
        self.totals = (0,) * self.variant.sides(self._seats)
        first = self._first_dealer()
        for place, deal in enumerate(self.replay.deals):
            self._order(place, deal.opening, first)
            self._deal(deal, is_last=deal is self.replay.deals[-1])
        self._result()

    @property
    def _seats(self) -> int:
        return len(self.replay.seats)

    def _add_fault(self, place: str, message: str) -> None:
        self.faults.append(Fault(place=place, message=message))

    def _label(self, seat: int) -> str:
        return self.replay.seats[seat].label

    # Who deals, and when

    def _first_dealer(self) -> int | None:
        """Return the first dealer by the rules; None where it was random, which cannot be checked."""
        wanted, draws = self.variant.first_dealer, self.replay.draws
        if isinstance(wanted, int) or wanted == "random":
            if draws:
                self._add_fault(
                    self.replay.where("Drawn for the deal"), "In this game no cards are drawn for the deal."
                )
            return wanted if isinstance(wanted, int) else None
        if not self.replay.deals:
            return None
        dealer = dealer_by_cards(draws, self._seats, lowest=wanted == "low_card")
        if dealer is None:
            self._add_fault(
                self.replay.where("Drawn for the deal"),
                "Every seat must draw a card for the deal, and the tied seats again, until one is first.",
            )
        return dealer

    def _order(self, place: int, opening: Opening, first: int | None) -> None:
        if opening.given is not None:
            if place or not self.replay.sandbox:
                self._add_fault(
                    opening.place, "Only the first deal of a sandbox may start in a given position."
                )
            return
        before = self.replay.deals[place - 1].opening if place else None
        number = before.number + 1 if before else 1
        if opening.number != number:
            self._add_fault(opening.place, f"This is deal {number}, not {opening.number}.")
        dealer = (before.dealer + 1) % self._seats if before else first
        if dealer is not None and opening.dealer != dealer:
            self._add_fault(opening.place, f"{self._label(dealer)} deals, not {self._label(opening.dealer)}.")

    # A deal

    def _deal(self, recorded: RecordedDeal, *, is_last: bool) -> None:
        opening = recorded.opening
        turns = sum(isinstance(line, TurnLine) and not line.resumed for line in recorded.lines)
        running = opening.seed is None
        if self.decided is not None:
            self._add_fault(opening.place, "The game was over before this deal.")
        if running and (not is_last or self.replay.result.ending is not Ending.UNFINISHED or recorded.score):
            self._add_fault(opening.place, f"Deal {opening.number} is over, and its seed is missing.")
        if not running and is_last and self.replay.result.ending is Ending.UNFINISHED and not recorded.score:
            self._add_fault(
                opening.place, f"Deal {opening.number} has a seed, but neither a score nor an end."
            )
        start = None if running else self._start_of(opening)
        events: tuple[LoggedEvent, ...] = ()
        if start is None:
            self._lose_track(recorded)
        else:
            events = self._replay_lines(recorded, start)
        self.deals.append(
            VerifiedDeal(
                number=opening.number,
                turns=turns,
                is_proven=start is not None,
                is_running=running,
                events=events,
            )
        )

    def _start_of(self, opening: Opening) -> MoveResult | None:
        """Return the deal as dealt from its seed; None if the seed does not match the commitment."""
        seed = opening.seed or b""
        if commitment(seed) != opening.commitment:
            self._add_fault(
                opening.where("Seed"), "The commitment is not the SHA-256 of the seed: one of them is wrong."
            )
            return None
        if opening.given is not None:
            return self._start_in_position(opening)
        event = deal_from_seed(
            seed, self.variant, seats=self._seats, deal=opening.number, dealer=opening.dealer
        )
        deal = deal_from_event(event)
        for seat, hand in enumerate(deal.hands):
            self._compare(opening, f"hand {seat}", f"{self._label(seat)}'s hand", opening.hands[seat], hand)
        self._compare(opening, "pile", "the upcard", opening.pile, (event.upcard,))
        self._compare(opening, "stock", "the stock", opening.stock, deal.stock)
        game = Game(
            variant=self.variant,
            seats=self._seats,
            key=b"",
            dealer_draws=(),
            status=Stage.PLAYING,
            deal=deal,
            deals=(),
            totals=self.totals,
        )
        result = MoveResult(game, [event])
        start_turn(result, game.after(opening.dealer))
        return result

    def _compare(
        self,
        opening: Opening,
        part: str,
        name: str,
        recorded: Sequence[Card] | None,
        expected: Sequence[Card],
    ) -> None:
        if recorded is None:
            self._add_fault(opening.where(part), f"The deal is over, and {name} is still hidden.")
        elif tuple(recorded) != tuple(expected):
            self._add_fault(opening.where(part), f"By the seed {name} is {format_cards(expected)}.")

    def _start_in_position(self, opening: Opening) -> MoveResult | None:
        given, hands = opening.given, [hand for hand in opening.hands if hand is not None]
        if given is None or opening.stock is None or len(hands) < len(opening.hands):
            self._add_fault(opening.place, "The deal is over, and a hand or the stock is still hidden.")
            return None
        position = Position(
            hands=tuple(hands),
            discard_pile=opening.pile,
            turn=given.turn,
            stock=opening.stock,
            melds=given.melds,
            known=given.known,
            totals=given.totals,
            dealer=opening.dealer,
            deal=opening.number,
        )
        try:
            (_, event), game = game_from_position(self.variant, seats=self._seats, key=b"", position=position)
        except ImpossiblePosition as fault:
            self._add_fault(opening.where(fault.where), f"No game can be in this position: {fault.message}")
            return None
        assert isinstance(event, PositionGiven)  # noqa: S101 - that is how such a game begins
        return MoveResult(game, [replace(event, commitment=opening.commitment)])

    # What was played

    def _replay_lines(self, recorded: RecordedDeal, start: MoveResult) -> tuple[LoggedEvent, ...]:
        """Replay the lines of the deal, compare them with the expected ones, and keep the totals."""
        opening = recorded.opening
        replayer = DealReplayer(start.game, opening.seed or b"", line_builder_for(opening, self.variant))
        replayer.record(start.events, opening.place)
        compared = 0
        try:
            for number, line in enumerate(recorded.lines, 1):
                replayer.play_line(line)
                self.on_line(recorded, line, replayer.game)
                compared = self._compare_lines(recorded, replayer.line_builder.lines[:number], compared)
            self._compare_lines(recorded, replayer.line_builder.finish(), compared, whole=True)
        except ReplayMismatch as lost:
            self._add_fault(lost.place, lost.message)
            self._lose_track(recorded)
        else:
            self._note_end(recorded, replayer)
        return tuple(replayer.events)

    def _compare_lines(
        self, recorded: RecordedDeal, lines: Sequence[Line], compared: int, *, whole: bool = False
    ) -> int:
        """Compare expected lines with the recorded ones, from `compared` on; return how many agree."""
        for number in range(compared, len(lines)):
            if number >= len(recorded.lines):
                raise ReplayMismatch(
                    self._end_of(recorded), f"A line is missing: {self._as_text(lines[number], recorded)}"
                )
            if lines[number] != recorded.lines[number]:
                raise self._difference(recorded, recorded.lines[number], lines[number])
        if whole and len(lines) < len(recorded.lines):
            line = recorded.lines[len(lines)]
            raise ReplayMismatch(
                line.place, f"By the rules this line does not follow: {self._as_text(line, recorded)}"
            )
        return len(lines)

    def _difference(self, recorded: RecordedDeal, line: Line, expected: Line) -> ReplayMismatch:
        """Return the first difference, at its row or action."""
        place = line.place
        if (
            isinstance(line, ScoreLine)
            and isinstance(expected, ScoreLine)
            and line.went_out == expected.went_out
        ):
            for seat, (one, other) in enumerate(zip(line.rows, expected.rows, strict=False)):
                if one != other:
                    return ReplayMismatch(one.place, f"{self._label(seat)} {_score_in_words(other)}.")
        if isinstance(line, TurnLine) and isinstance(expected, TurnLine):
            pairs = zip(line.actions, expected.actions, strict=False)
            place = next((one.place for one, other in pairs if one != other), place)
        return ReplayMismatch(place, f"By the rules this line is: {self._as_text(expected, recorded)}")

    def _as_text(self, line: Line, recorded: RecordedDeal) -> str:
        return format_line(line, self.replay, recorded.opening.number).strip().replace("\n", "; ")

    def _end_of(self, recorded: RecordedDeal) -> str:
        return recorded.lines[-1].place if recorded.lines else recorded.opening.place

    def _note_end(self, recorded: RecordedDeal, replayer: DealReplayer) -> None:
        self.totals = replayer.game.totals
        ended = next((event for event in replayer.events if isinstance(event, GameEnded)), None)
        if ended is not None:
            self.decided = result_from_event(ended)
        if recorded.score is None and recorded is not self.replay.deals[-1]:
            self._add_fault(self._end_of(recorded), "The deal ends too early here, and another follows.")

    def _lose_track(self, recorded: RecordedDeal) -> None:
        """Continue with the recorded totals: those by the rules are unknown."""
        self.is_followed = False
        score = recorded.score
        if score is not None and len(score.rows) == self._seats:
            sides = {self.variant.side(seat): one.total for seat, one in enumerate(score.rows)}
            self.totals = tuple(sides[side] for side in sorted(sides))

    # What the game came to

    def _result(self) -> None:
        """Compare the result with the one that the last deal decided."""
        result = self.replay.result
        if self.decided is not None:
            if result != self.decided:
                self._add_fault(result.place, f"By the rules the result is: {self._outcome()}.")
        elif self.is_followed and result.ending in {Ending.WON, Ending.DRAWN}:
            if result.reason != GameEndReason.RESIGNATION:
                self._add_fault(result.place, "No deal has decided the game.")
            elif len({self.totals[self.variant.side(seat)] for seat in result.winners}) > 1:
                self._add_fault(result.place, "The winners by a resignation must all have the best total.")

    def _outcome(self) -> str:
        decided = self.decided
        if decided is None or not decided.winners:
            return f"a draw ({decided.reason if decided else None})"
        winners = ", ".join(map(self._label, decided.winners))
        return f"{winners} won ({decided.reason})"


def _score_in_words(expected: ScoreRow) -> str:
    bonus = f", a bonus of {expected.bonus}" if expected.bonus else ""
    return (
        f"has tabled {expected.tabled}, holds {format_cards(expected.hand)} ({expected.held}){bonus}, "
        f"scores {expected.score} and has {expected.total} in all"
    )


def dealer_by_cards(draws: Sequence[DealerDraw], seats: int, *, lowest: bool) -> int | None:
    """Return the first dealer by the cards drawn (RULES 1.6); None if they do not decide it."""
    best = min if lowest else max
    tied, left, again = list(range(seats)), list(draws), 0
    while len(tied) > 1:
        drawn, left = left[: len(tied)], left[len(tied) :]
        if [(draw.seat, draw.again) for draw in drawn] != [(seat, again) for seat in tied]:
            return None
        wanted = best(RANK[draw.card] for draw in drawn)
        tied = [draw.seat for draw in drawn if RANK[draw.card] == wanted]
        again += 1
    return None if left else tied[0]
