"""Print a new private key for Web Push, to be set as VAPID_PRIVATE_KEY.

Browsers subscribe with its public half, so all subscriptions end when it changes.
"""

import argparse

from service.effects.web_push import VapidKey


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the subcommand: there are none."""
    del parser


def run(arguments: argparse.Namespace) -> int:
    """Print a key; return the exit status."""
    del arguments
    print(VapidKey.generate())
    return 0
