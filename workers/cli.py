"""The `rummy500` command: imports the module of a subcommand and runs it.

A subcommand is a module with a docstring, `add_arguments(parser)` and `run(arguments)`, which
returns the exit status. Only the module of the chosen subcommand is imported, so that `--help` is quick.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import Final, Protocol, cast

from service import __version__
from service.config import SettingError
from workers.errors import CannotStart, WrongArguments


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A subcommand: its module, and its line in `rummy500 --help`."""

    module: str
    summary: str


SERVICE: Final[Mapping[str, Command]] = MappingProxyType(
    {
        "run": Command(
            module="workers.processes.run", summary="start every process of the service on this machine"
        ),
        "api": Command(module="workers.processes.api", summary="serve the HTTP API"),
        "turns": Command(module="workers.processes.rq_worker", summary="play the computers' turns"),
        "thinker": Command(
            module="workers.processes.thinker", summary="play the turns of computers that search"
        ),
        "adviser": Command(module="workers.processes.adviser", summary="compute hints and reviews"),
        "webhooks": Command(module="workers.processes.webhook_worker", summary="deliver webhooks"),
        "scheduler": Command(
            module="workers.processes.scheduler", summary="act on deadlines and requeue lost jobs"
        ),
    }
)
TOOLS: Final[Mapping[str, Command]] = MappingProxyType(
    {
        "conformance": Command(
            module="workers.tools.conformance.conformance_command",
            summary="play whole games over HTTP and check every answer",
        ),
        "arena": Command(
            module="workers.tools.arena.arena_command", summary="compare computer players over mirrored deals"
        ),
        "deal-endings": Command(
            module="workers.tools.deal_endings", summary="count how deals of computer players end"
        ),
        "replay": Command(
            module="workers.tools.replay.replay_command", summary="play a replay again and check it"
        ),
        "verify-deal": Command(
            module="workers.tools.replay.verify_deal",
            summary="verify that a deal was fixed before play (commit-reveal proof)",
        ),
        "sheet": Command(
            module="workers.tools.sheet", summary="print a score sheet or the rules of a preset as PDF"
        ),
        "reports": Command(
            module="workers.tools.report_list", summary="list what players reported about others"
        ),
        "vapid-key": Command(
            module="workers.tools.vapid_key", summary="print a new private key for Web Push"
        ),
        "openapi": Command(module="workers.tools.openapi_document", summary="print the OpenAPI document"),
        "completion": Command(module="workers.tools.completion", summary="print a shell completion script"),
    }
)
COMMANDS: Final[Mapping[str, Command]] = MappingProxyType({**SERVICE, **TOOLS})

#: What commands were called before; accepted for one release.
OLD_NAMES: Final[Mapping[str, str]] = MappingProxyType(
    {"check": "verify-deal", "clock": "scheduler", "simulate": "conformance", "worker": "turns"}
)

INTERRUPTED: Final = 130
_HELP: Final = frozenset({"-h", "--help", "help"})


class Subcommand(Protocol):
    """What the module of a subcommand defines."""

    @staticmethod
    def add_arguments(parser: argparse.ArgumentParser) -> None:
        """Declare the arguments of the subcommand."""

    @staticmethod
    def run(arguments: argparse.Namespace) -> int:
        """Do the work and return the exit status."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one subcommand and return its exit status."""
    name, *rest = _normalized(sys.argv[1:] if argv is None else list(argv))
    subcommand = load(name)
    parser = argparse.ArgumentParser(
        prog=f"rummy500 {name}",
        description=subcommand.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    subcommand.add_arguments(parser)
    arguments = parser.parse_args(rest)
    try:
        return subcommand.run(arguments)
    except WrongArguments as reason:
        parser.error(str(reason))
    except (CannotStart, SettingError) as reason:
        print(f"rummy500 {name}: {reason}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED


def load(name: str) -> Subcommand:
    """Import the module of a subcommand."""
    return cast("Subcommand", import_module(COMMANDS[name].module))


def _normalized(given: list[str]) -> list[str]:
    """Return a subcommand and its arguments; `help NAME` becomes `NAME --help`.

    Prints help or refuses the arguments, and exits, when they name no subcommand.
    """
    if given and given[0] in _HELP:
        named = [name for name in given[1:2] if name not in _HELP]
        given = [*named, "--help"]
    if given and (new := OLD_NAMES.get(given[0])):
        print(
            f"rummy500: {given[0]} is now called {new}; the next release removes the old name.",
            file=sys.stderr,
        )
        given = [new, *given[1:]]
    parser = argparse.ArgumentParser(
        prog="rummy500",
        description="Rummy 500 as an HTTP service.",
        epilog=f"{_listed('the service', SERVICE)}\n\n{_listed('tools', TOOLS)}\n\n"
        "`rummy500 help COMMAND` shows the options of a command.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"Rummy 500 {__version__}")
    parser.add_argument("command", choices=COMMANDS, metavar="COMMAND", help="one of those listed below")
    return [str(parser.parse_args(given[:1]).command), *given[1:]]


def _listed(title: str, commands: Mapping[str, Command]) -> str:
    width = max(map(len, COMMANDS))
    lines = (f"  {name:<{width}}  {command.summary}" for name, command in commands.items())
    return "\n".join([f"{title}:", *lines])


if __name__ == "__main__":
    sys.exit(main())
