"""Reads a replay or a proof from a file, from standard input, or from the service."""

import argparse
import os
import re
import sys
from pathlib import Path
from typing import Final

import msgspec

from workers.errors import CannotStart

TOKEN_VARIABLE: Final = "RUMMY500_TOKEN"  # noqa: S105 - the name of a variable, not a token
_SECONDS: Final = 30.0
_OK: Final = 200


def add_source(parser: argparse.ArgumentParser, what: str) -> None:
    """Declare the argument that names the source."""
    parser.add_argument(
        "source",
        metavar="FILE",
        help=f"{what}: a file, - for standard input, or an http(s) URL, read with the token in the "
        f"environment variable {TOKEN_VARIABLE}",
    )


def read(source: str) -> str:
    """Return the text of a source; raises CannotStart if it cannot be read."""
    if source.startswith(("http://", "https://")):
        return _fetched(source)
    try:
        text = sys.stdin.read() if source == "-" else Path(source).read_text(encoding="utf-8")
    except OSError as error:
        raise CannotStart(f"Cannot read {source}: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise CannotStart(f"{source} is not UTF-8 text.") from None
    return text


def describe(error: msgspec.MsgspecError) -> str:
    """Return what is wrong with a JSON document, without the JSON library's terms."""
    return re.sub(r"^Object missing required field (`\w+`)", r"the field \1 is missing", str(error))


def _fetched(address: str) -> str:
    import httpx

    token = os.environ.get(TOKEN_VARIABLE)
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    try:
        answer = httpx.get(address, headers=headers, timeout=_SECONDS)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise CannotStart(f"{address} does not answer: {type(error).__name__}.") from None
    if answer.status_code != _OK:
        hint = "" if token else f" Set {TOKEN_VARIABLE} to your token."
        raise CannotStart(f"{address} answers {answer.status_code}.{hint}")
    return answer.text
