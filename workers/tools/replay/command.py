"""Play a game again from its replay, and check it: every move, every shuffle, every score.

Reads what getReplayText or getReplay answered. The rules play each turn anew from the seeds that were shown
at the end of each deal; whatever does not agree is told with its line, and the exit status is 1.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from service.notation.cursor import NotationError
from service.notation.lines import Ending, Line, RecordedDeal, Replay
from service.notation.reading import parse_replay
from service.notation.verify import Fault, OnLine, VerifiedDeal, verify_replay
from service.notation.writing import format_cards, format_laid_card, format_line
from service.rummy.state import Game
from service.runtime.timestamps import rfc3339
from workers.errors import CannotStart
from workers.tools.replay.json_form import Unreadable, json_replay_of, unlike
from workers.tools.replay.sources import add_source, read

_MOST_FAULTS_TOLD = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the subcommand."""
    add_source(parser, "the replay, as text or JSON")
    parser.add_argument("--step", action="store_true", help="show after every line what lies where")
    parser.add_argument("--quiet", action="store_true", help="print only what is wrong")


def run(arguments: argparse.Namespace) -> int:
    """Check the replay; 0 if nothing is wrong with it."""
    text = read(arguments.source)
    try:
        checked = check(text, step=arguments.step)
    except (NotationError, Unreadable) as fault:
        raise CannotStart(str(fault)) from None
    if not arguments.quiet:
        for line in summary(checked):
            print(line)
    for one in checked.faults[:_MOST_FAULTS_TOLD]:
        print(f"{one.place}: {one.message}", file=sys.stderr)
    if len(checked.faults) > _MOST_FAULTS_TOLD:
        print(f"and {len(checked.faults) - _MOST_FAULTS_TOLD} more.", file=sys.stderr)
    return 1 if checked.faults else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """A replay, what was made of its deals, and all that is wrong with it."""

    replay: Replay
    deals: tuple[VerifiedDeal, ...]
    faults: tuple[Fault, ...]


def check(text: str, *, step: bool = False) -> Checked:
    """Return what is wrong with a replay in either form.

    Raises NotationError or Unreadable for what is no replay. `step` prints each line and what lies where.
    """
    if not text.lstrip().startswith("{"):
        replay = parse_replay(text)
        verification = verify_replay(replay, _stepping(replay) if step else _in_silence)
        return Checked(replay=replay, deals=verification.deals, faults=verification.faults)
    told = json_replay_of(text)
    verification = verify_replay(told.replay, _stepping(told.replay) if step else _in_silence)
    # Where the moves themselves are wrong, their members are so too, and would only repeat it.
    faults = (*told.faults, *verification.faults) or tuple(unlike(told, verification))
    return Checked(replay=told.replay, deals=verification.deals, faults=faults)


def summary(checked: Checked) -> Iterator[str]:
    """Yield what was checked, in lines for a person."""
    replay = checked.replay
    names = ", ".join(seat.label for seat in replay.seats)
    result = replay.result
    winners = ", ".join(replay.seats[seat].label for seat in result.winners)
    came_to = f"{winners} won" if result.ending is Ending.WON else str(result.ending)
    yield f"{replay.preset}, {rfc3339(replay.begun_at)[:10]}, {names}: {came_to}"
    for deal, told in zip(checked.deals, replay.deals, strict=False):
        turns = f"deal {deal.number}: {deal.turns} turn{'' if deal.turns == 1 else 's'}"
        if deal.is_running:
            yield f"  {turns}, still running; it can be checked when it is over"
        elif deal.is_proven:
            yield f"  {turns}{_scores(replay, told)}"
    if not checked.faults:
        yield (
            "Every move is lawful, every shuffle follows from its seed, scores and result agree."
            if any(not deal.is_running for deal in checked.deals)
            else "Nothing is wrong, and no deal is over yet."
        )


def _scores(replay: Replay, told: RecordedDeal) -> str:
    scored = told.score
    if scored is None:
        return ", not played to its end"
    points = (f"{seat.label} {one.score}" for seat, one in zip(replay.seats, scored.rows, strict=False))
    return f", {', '.join(points)}"


def _in_silence(_deal: RecordedDeal, _line: Line, _game: Game) -> None:
    """Show nothing."""


def _stepping(replay: Replay) -> OnLine:
    """Return what shows each line and the table after it; at a terminal it waits for Enter."""
    waits = sys.stdin.isatty() and sys.stdout.isatty()
    seen: list[int] = []

    def show(told: RecordedDeal, line: Line, game: Game) -> None:
        if told.opening.number not in seen:
            seen.append(told.opening.number)
            print(f"\nDeal {told.opening.number}, dealt by {replay.seats[told.opening.dealer].label}")
        print(format_line(line, replay, told.opening.number))
        for text in table_in_words(game, [seat.label for seat in replay.seats]):
            print(f"        {text}")
        if waits:
            input()

    return show


def table_in_words(game: Game, labels: Sequence[str]) -> Iterator[str]:
    """Yield what lies where: hands, melds, the top of the pile last, and how many are left in the stock."""
    deal = game.deal
    for label, hand in zip(labels, deal.hands, strict=True):
        yield f"{label}: {format_cards(hand)}"
    for meld in deal.melds:
        laid = " ".join(format_laid_card(one.card, one.stands_for) for one in meld.cards)
        yield f"{meld.id} of {labels[meld.owner]}: {laid}"
    yield f"pile: {format_cards(deal.discard_pile)}; stock: {len(deal.stock)}"
