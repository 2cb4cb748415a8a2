"""The `rummy500` command: find the subcommand's module and let it do the work.

A subcommand is a module with a docstring, `add_arguments(parser)` and `run(arguments)`, which
returns the exit status. It is imported only when it is asked for, so that `--help` is quick.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from types import MappingProxyType
from typing import Protocol, cast

from service import __version__
from service.config import SettingError
from workers.errors import CannotStart

# name: its module, and what `rummy500 --help` says about it
COMMANDS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "run": (
            "workers.processes.run",
            "start every part of the service on this machine",
        ),
        "api": ("workers.processes.api", "serve the HTTP API"),
        "worker": ("workers.processes.rq_worker", "play the computers' turns"),
        "thinker": ("workers.processes.thinker", "play the turns of computers that think"),
        "webhooks": ("workers.processes.webhooks", "deliver what players are told to servers of theirs"),
        "adviser": ("workers.processes.adviser", "think about the hints and reviews that players ask for"),
        "clock": ("workers.processes.scheduler", "keep deadlines and find turns that got lost"),
        "simulate": (
            "workers.tools.conformance.command",
            "play whole games over HTTP and check each answer",
        ),
        "arena": ("workers.tools.arena.command", "let computer players meet over mirrored deals"),
        "replay": ("workers.tools.replay.command", "play a game again from its replay and check it"),
        "check": ("workers.tools.replay.verify_deal", "check that a deal was settled before it was played"),
        "openapi": ("workers.tools.openapi_document", "print, check or write the API's document"),
    }
)

INTERRUPTED = 130


class Subcommand(Protocol):
    """What a module must offer to stand in COMMANDS."""

    @staticmethod
    def add_arguments(parser: argparse.ArgumentParser) -> None:
        """Declare the arguments of the subcommand."""

    @staticmethod
    def run(arguments: argparse.Namespace) -> int:
        """Do the work and return the exit status."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one subcommand and return its exit status."""
    given = sys.argv[1:] if argv is None else list(argv)
    name = _chosen(given)
    subcommand = cast("Subcommand", import_module(COMMANDS[name][0]))
    parser = argparse.ArgumentParser(
        prog=f"rummy500 {name}",
        description=subcommand.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    subcommand.add_arguments(parser)
    arguments = parser.parse_args(given[1:])
    try:
        return subcommand.run(arguments)
    except (CannotStart, SettingError) as reason:
        print(f"rummy500 {name}: {reason}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED


def _chosen(given: list[str]) -> str:
    """Return the subcommand's name; a question for help or a wrong name ends the program here."""
    width = max(map(len, COMMANDS))
    listed = "\n".join(f"  {name:<{width}}  {summary}" for name, (_, summary) in COMMANDS.items())
    parser = argparse.ArgumentParser(
        prog="rummy500",
        description="Rummy 500 as an HTTP service.",
        epilog=f"commands:\n{listed}\n\n`rummy500 COMMAND --help` tells more.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"Rummy 500 {__version__}")
    parser.add_argument("command", choices=COMMANDS, metavar="COMMAND")
    return str(parser.parse_args(given[:1]).command)


if __name__ == "__main__":
    sys.exit(main())
