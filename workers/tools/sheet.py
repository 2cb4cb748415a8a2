"""Write a sheet to print as PDF: the rules of a preset on one page, or an empty score sheet.

Names may be in Latin, Greek, Cyrillic, Hebrew, Arabic or Devanagari letters; other characters are left out.
"""

import argparse
import sys
from pathlib import Path

from workers.errors import CannotStart, WrongArguments


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the kinds of sheet, each with its options."""
    kinds = parser.add_subparsers(dest="kind", required=True, metavar="KIND")
    rules = kinds.add_parser("rules", help="the rules, on one page")
    score = kinds.add_parser("score", help="an empty score sheet")
    for kind in (rules, score):
        kind.add_argument("preset", metavar="PRESET", help="the name of a preset, such as classic")
        kind.add_argument("--paper", choices=("A4", "Letter"), default="A4", help="default: A4")
        kind.add_argument(
            "-o", "--output", metavar="FILE", default="-", help="default: standard output, as is -"
        )
    score.add_argument("--players", type=int, metavar="N", help="the number of players")
    score.add_argument("--names", nargs="+", default=[], metavar="NAME", help="the names of the players")


def run(arguments: argparse.Namespace) -> int:
    """Write the sheet."""
    from service.api.views.printed_sheets import columns, preset_rule_sheet, preset_score_sheet
    from service.rummy.errors import VariantContradiction
    from service.rummy.presets import PRESETS

    preset = arguments.preset
    if preset not in PRESETS:
        raise WrongArguments(f"Unknown preset {preset!r}. The presets are {', '.join(PRESETS)}.")
    if arguments.kind == "rules":
        pdf = preset_rule_sheet(preset, arguments.paper)
    else:
        names = tuple(arguments.names)
        if arguments.players is not None and len(names) > arguments.players:
            raise WrongArguments(f"{len(names)} names are too many for {arguments.players} players.")
        try:
            pdf = preset_score_sheet(preset, arguments.paper, columns(preset, arguments.players, names))
        except VariantContradiction as error:
            fewest, most = PRESETS[preset].players
            allowed = f"{fewest}" if fewest == most else f"{fewest} to {most}"
            raise WrongArguments(f"The preset {preset} is for {allowed} players.") from error
    _write(arguments.output, pdf)
    return 0


def _write(output: str, pdf: bytes) -> None:
    if output != "-":
        try:
            Path(output).write_bytes(pdf)
        except OSError as error:
            raise CannotStart(f"Cannot write {output}: {error.strerror}.") from error
    elif sys.stdout.isatty():
        raise WrongArguments("A PDF does not belong on a terminal: name a file with -o.")
    else:
        sys.stdout.buffer.write(pdf)
