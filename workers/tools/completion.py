"""Print a script that completes the commands and options of `rummy500` in a shell.

For bash:  rummy500 completion bash > ~/.local/share/bash-completion/completions/rummy500
For zsh:   rummy500 completion zsh > ~/.zfunc/_rummy500  (a folder in fpath, before compinit)
"""

import argparse

import shtab

from workers.cli import COMMANDS, load

SHELLS = ("bash", "zsh", "fish")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the subcommand."""
    parser.add_argument("shell", choices=SHELLS, metavar="SHELL", help=f"one of {', '.join(SHELLS)}")


def run(arguments: argparse.Namespace) -> int:
    """Print the script."""
    print(shtab.complete(_whole_parser(), shell=arguments.shell))
    return 0


def _whole_parser() -> argparse.ArgumentParser:
    """Return a parser that knows every subcommand; the command itself imports only the one it runs."""
    parser = argparse.ArgumentParser(prog="rummy500")
    parser.add_argument("--version", action="version")
    commands = parser.add_subparsers(metavar="COMMAND")
    commands.add_parser("help", help="show the help of a command").add_argument("command", choices=COMMANDS)
    for name, command in COMMANDS.items():
        subparser = commands.add_parser(name, help=command.summary)
        load(name).add_arguments(subparser)
        for action in subparser._actions:  # noqa: SLF001 - argparse has no public list of them
            if action.metavar == "FILE":
                # The attribute that shtab documents for this.
                action.complete = shtab.FILE  # type: ignore[attr-defined]
    return parser
