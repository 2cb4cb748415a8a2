"""Print the OpenAPI document, compare it with the committed one, or write that anew.

The document is made from the operations, and the examples in openapi/examples.
"""

import argparse
import sys
import time
from difflib import unified_diff
from itertools import islice

DIFFERENCES_SHOWN = 60


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare --check and --write."""
    what = parser.add_mutually_exclusive_group()
    what.add_argument(
        "--check", action="store_true", help="exit with 1 if openapi/openapi.json differs from the operations"
    )
    what.add_argument("--write", action="store_true", help="write openapi/openapi.json")


def run(arguments: argparse.Namespace) -> int:
    """Print, check or write the document."""
    from service.api.document import FOLDER

    made = text()
    path = FOLDER / "openapi.json"
    if arguments.write:
        path.write_text(made, encoding="utf-8")
        return 0
    if not arguments.check:
        print(made, end="")
        return 0
    committed = path.read_text(encoding="utf-8") if path.exists() else ""
    if committed == made:
        return 0
    changes = unified_diff(
        committed.splitlines(), made.splitlines(), "openapi/openapi.json", "the operations"
    )
    print("\n".join(islice(changes, DIFFERENCES_SHOWN)), file=sys.stderr)
    print("openapi/openapi.json is not what the operations say: rummy500 openapi --write", file=sys.stderr)
    return 1


class Unheard:
    """A queue of computers' turns for a table where nobody plays."""

    def enqueue(self, game_id: str, version: int, attempt: int) -> None:
        """Let the turn go."""


def text() -> str:
    """Return the document as it is committed and served."""
    from threading import BoundedSemaphore

    from service.api.document import Document, written
    from service.api.parts import Parts
    from service.app import create_app
    from service.store.memory_store import MemoryStore
    from service.table import Table

    # The document says what operations there are, whatever they work with.
    store = MemoryStore(now)
    table = Table(store=store, turns=Unheard(), now=now)
    app = create_app(Parts(store=store, table=table, now=now, waiters=BoundedSemaphore(1)))
    return written(app.extensions[Document.NAME].finished())


def now() -> int:
    """Return the time in milliseconds since the epoch."""
    return time.time_ns() // 1_000_000
