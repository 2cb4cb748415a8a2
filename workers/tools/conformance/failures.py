"""Why a game of the conformance client ends early."""

from typing import Any, TypeAlias

Json: TypeAlias = dict[str, Any]


class Discrepancy(Exception):  # noqa: N818 - what the service did, not what this program failed at
    """An answer contradicts another one or the rules; the message says which and how."""


class Stopped(Exception):  # noqa: N818 - as Discrepancy
    """The game was left because the whole run was stopped."""


def check_equal(what: str, received: object, expected: object) -> None:
    """Raise Discrepancy unless the service sent what follows from all that it sent before."""
    if received != expected:
        raise Discrepancy(f"{what} is {received!r}, expected {expected!r}")
