"""What a simulated game can end with besides its end."""

from typing import Any, TypeAlias

Json: TypeAlias = dict[str, Any]


class Wrong(Exception):  # noqa: N818 - what the service did, not what this program failed at
    """An answer contradicts another one or the rules; the message says which and how."""


class GaveUp(Exception):  # noqa: N818 - as Wrong
    """The game was left because somebody stopped the whole simulation."""


def agree(what: str, told: object, reckoned: object) -> None:
    """Raise Wrong unless what the service tells is what follows from all it told before."""
    if told != reckoned:
        raise Wrong(f"{what} is told as {told!r}, but must be {reckoned!r}")
