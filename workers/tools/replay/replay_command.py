"""Play a replay again and check every move, every shuffle and every score.

Reads an answer of getReplayText or getReplay. The rules play each deal again from the seed that was shown at
its end. Each difference is reported with its line or event, and the exit status is 1.
"""

import argparse
import json
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
from workers.errors import CannotStart, WrongArguments
from workers.tools.replay.json_form import Unreadable, member_faults, parse_json_replay
from workers.tools.replay.sources import add_source, read

_MAX_FAULTS_SHOWN = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the subcommand."""
    add_source(parser, "the replay, as text or JSON")
    parser.add_argument("--step", action="store_true", help="show the table after every line")
    parser.add_argument("--quiet", action="store_true", help="print only errors")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    """Check the replay and print the result; returns 0 if it is correct."""
    if arguments.json and (arguments.step or arguments.quiet):
        raise WrongArguments("--json cannot be combined with --step or --quiet.")
    text = read(arguments.source)
    try:
        checked = check(text, step=arguments.step)
    except (NotationError, Unreadable) as fault:
        raise CannotStart(str(fault)) from None
    if arguments.json:
        print(as_json(checked))
        return 1 if checked.faults else 0
    if not arguments.quiet:
        for line in summary(checked):
            print(line)
    for one in checked.faults[:_MAX_FAULTS_SHOWN]:
        print(f"{one.place}: {one.message}", file=sys.stderr)
    if len(checked.faults) > _MAX_FAULTS_SHOWN:
        print(f"... and {len(checked.faults) - _MAX_FAULTS_SHOWN} more", file=sys.stderr)
    return 1 if checked.faults else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """A replay with its verified deals and its faults."""

    replay: Replay
    deals: tuple[VerifiedDeal, ...]
    faults: tuple[Fault, ...]


def check(text: str, *, step: bool = False) -> Checked:
    """Check a replay in either form. `step` prints each line and the table after it.

    Raises NotationError or Unreadable for a text that is not a replay.
    """
    if not text.lstrip().startswith("{"):
        replay = parse_replay(text)
        verification = verify_replay(replay, _stepping(replay) if step else _show_nothing)
        return Checked(replay=replay, deals=verification.deals, faults=verification.faults)
    recorded = parse_json_replay(text)
    verification = verify_replay(recorded.replay, _stepping(recorded.replay) if step else _show_nothing)
    # After a wrong move the members of its events are wrong too, and would only repeat the fault.
    faults = (*recorded.faults, *verification.faults) or tuple(member_faults(recorded, verification))
    return Checked(replay=recorded.replay, deals=verification.deals, faults=faults)


def as_json(checked: Checked) -> str:
    """Return the result as JSON."""
    result = checked.replay.result
    document = {
        "correct": not checked.faults,
        "preset": checked.replay.preset,
        "players": [seat.label for seat in checked.replay.seats],
        "ending": str(result.ending),
        "winners": list(result.winners),
        "deals": [
            {
                "deal": deal.number,
                "turns": deal.turns,
                "running": deal.is_running,
                "proven": deal.is_proven,
                "scores": recorded.score and [row.score for row in recorded.score.rows],
            }
            for deal, recorded in zip(checked.deals, checked.replay.deals, strict=False)
        ],
        "errors": [{"place": fault.place, "message": fault.message} for fault in checked.faults],
    }
    return json.dumps(document)


def summary(checked: Checked) -> Iterator[str]:
    """Yield the result in lines for a person."""
    replay = checked.replay
    names = ", ".join(seat.label for seat in replay.seats)
    result = replay.result
    winners = ", ".join(replay.seats[seat].label for seat in result.winners)
    outcome = f"{winners} won" if result.ending is Ending.WON else str(result.ending)
    yield f"{replay.preset}, {rfc3339(replay.begun_at)[:10]}, {names}: {outcome}"
    for deal, recorded in zip(checked.deals, replay.deals, strict=False):
        turns = f"deal {deal.number}: {deal.turns} turn{'' if deal.turns == 1 else 's'}"
        if deal.is_running:
            yield f"  {turns}, still running; it can be checked after its end"
        elif deal.is_proven:
            yield f"  {turns}{_scores(replay, recorded)}"
    if not checked.faults:
        yield (
            "Correct: all moves are legal, all shuffles follow from their seeds, scores and result agree."
            if any(not deal.is_running for deal in checked.deals)
            else "No errors found, but no deal has ended yet."
        )


def _scores(replay: Replay, recorded: RecordedDeal) -> str:
    scored = recorded.score
    if scored is None:
        return ", not played to its end"
    points = (f"{seat.label} {one.score}" for seat, one in zip(replay.seats, scored.rows, strict=False))
    return f", {', '.join(points)}"


def _show_nothing(_deal: RecordedDeal, _line: Line, _game: Game) -> None:
    """Show nothing."""


def _stepping(replay: Replay) -> OnLine:
    """Return a function that shows each line and the table after it; at a terminal it waits for Enter."""
    waits = sys.stdin.isatty() and sys.stdout.isatty()
    seen: list[int] = []

    def show(recorded: RecordedDeal, line: Line, game: Game) -> None:
        if recorded.opening.number not in seen:
            seen.append(recorded.opening.number)
            print(f"\nDeal {recorded.opening.number}, dealt by {replay.seats[recorded.opening.dealer].label}")
        print(format_line(line, replay, recorded.opening.number))
        for text in format_table(game, [seat.label for seat in replay.seats]):
            print(f"        {text}")
        if waits:
            input()

    return show


def format_table(game: Game, labels: Sequence[str]) -> Iterator[str]:
    """Yield the hands, the melds, the pile with its top card last, and the size of the stock."""
    deal = game.deal
    for label, hand in zip(labels, deal.hands, strict=True):
        yield f"{label}: {format_cards(hand)}"
    for meld in deal.melds:
        laid = " ".join(format_laid_card(one.card, one.stands_for) for one in meld.cards)
        yield f"{meld.id} of {labels[meld.owner]}: {laid}"
    yield f"pile: {format_cards(deal.discard_pile)}; stock: {len(deal.stock)}"
