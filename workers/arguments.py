"""Types of arguments that several subcommands take."""

import argparse
import json
from collections.abc import Callable
from typing import Any


def whole_number(least: int, most: int | None = None) -> Callable[[str], int]:
    """Return the type of an argument that is a whole number in a range."""

    def read(text: str) -> int:
        if not text.isdecimal() or int(text) < least or (most is not None and int(text) > most):
            span = f"{least} or more" if most is None else f"from {least} to {most}"
            raise argparse.ArgumentTypeError(f"must be a whole number {span}, not {text!r}")
        return int(text)

    return read


def json_object(text: str) -> dict[str, Any]:
    """Return a JSON object given as an argument."""
    try:
        read = json.loads(text)
    except ValueError:
        read = None
    if not isinstance(read, dict):
        raise argparse.ArgumentTypeError(f"must be a JSON object, not {text!r}")
    return read
