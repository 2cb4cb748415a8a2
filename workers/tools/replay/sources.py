"""Where a replay or a proof is read from: a file, the standard input, or the service itself."""

import argparse
import os
import sys
from pathlib import Path
from typing import Final

from workers.errors import CannotStart

TOKEN_VARIABLE: Final = "RUMMY500_TOKEN"  # noqa: S105 - its name, not its value
_SECONDS: Final = 30.0
_OK: Final = 200


def add_source(parser: argparse.ArgumentParser, what: str) -> None:
    """Declare the argument that names a source."""
    parser.add_argument(
        "source",
        metavar="FILE",
        help=f"{what}: a file, - for the standard input, or an http(s) address, read with the token in "
        f"the environment variable {TOKEN_VARIABLE}",
    )


def read(source: str) -> str:
    """Return the text of a source; raise CannotStart where there is none to be had."""
    if source.startswith(("http://", "https://")):
        return _fetched(source)
    try:
        text = sys.stdin.read() if source == "-" else Path(source).read_text(encoding="utf-8")
    except OSError as error:
        raise CannotStart(f"{source} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise CannotStart(f"{source} is no text in UTF-8.") from None
    return text


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
