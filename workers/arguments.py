"""Types of arguments that several subcommands share."""

import argparse
import json
from collections.abc import Callable
from typing import Any


def whole_number(minimum: int, maximum: int | None = None) -> Callable[[str], int]:
    """Return the type of an argument that is a whole number in a range."""

    def parse(text: str) -> int:
        if not text.isdecimal() or int(text) < minimum or (maximum is not None and int(text) > maximum):
            span = f"{minimum} or more" if maximum is None else f"from {minimum} to {maximum}"
            raise argparse.ArgumentTypeError(f"must be a whole number {span}, not {text!r}")
        return int(text)

    return parse


def json_object(text: str) -> dict[str, Any]:
    """Return a JSON object given as an argument."""
    try:
        parsed = json.loads(text)
    except ValueError:
        parsed = None
    if not isinstance(parsed, dict):
        raise argparse.ArgumentTypeError(f"must be a JSON object, not {text!r}")
    return parsed
