"""Print the OpenAPI document, compare it with the committed and the released one, or write either anew.

The document is made from the operations, and the examples in openapi/examples. What was last released lies in
openapi/released: what is committed may add to it, and break nothing.
"""

import argparse
import json
import sys
import time
from difflib import unified_diff
from itertools import islice
from pathlib import Path

DIFFERENCES_SHOWN = 60


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare --check, --write and --release."""
    what = parser.add_mutually_exclusive_group()
    what.add_argument(
        "--check",
        action="store_true",
        help="exit with 1 if openapi/openapi.json differs from the operations, breaks what was released, or "
        "lacks an event",
    )
    what.add_argument("--write", action="store_true", help="write openapi/openapi.json")
    what.add_argument(
        "--release",
        action="store_true",
        help="write openapi/released/v1.json, unless clients of the one before would break",
    )


def run(arguments: argparse.Namespace) -> int:
    """Print, check or write the document."""
    from service.api.document import FOLDER

    made = text()
    path = FOLDER / "openapi.json"
    if arguments.write:
        path.write_text(made, encoding="utf-8")
        return 0
    if arguments.release:
        return _release(made, FOLDER / "released" / "v1.json")
    if not arguments.check:
        print(made, end="")
        return 0
    return max(
        _differs(made, path),
        _breaks(made, FOLDER / "released" / "v1.json"),
        _contradicts(),
    )


def _contradicts() -> int:
    from workers.tools.event_schemas import notice_faults, schema_faults

    faults = [*schema_faults(), *notice_faults()]
    for sentence in faults:
        print(sentence, file=sys.stderr)
    return int(bool(faults))


def _release(made: str, path: Path) -> int:
    if path.exists() and _breaks(made, path):
        return 1
    path.parent.mkdir(exist_ok=True)
    path.write_text(made, encoding="utf-8")
    return 0


def _breaks(made: str, path: Path) -> int:
    from workers.tools.api_compatibility import breaking_changes

    if not path.exists():
        print(f"{path.name} is not there: rummy500 openapi --release", file=sys.stderr)
        return 1
    broken = breaking_changes(json.loads(path.read_text(encoding="utf-8")), json.loads(made))
    for sentence in broken:
        print(sentence, file=sys.stderr)
    if broken:
        print(
            "/v1 grows and never breaks: add beside it what should be otherwise "
            "(CONTRIBUTING.md, The document).",
            file=sys.stderr,
        )
    return int(bool(broken))


def _differs(made: str, path: Path) -> int:
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
    from service.api.document import Document, written
    from service.api.services import Services
    from service.app import create_app
    from service.games.table import Table
    from service.store.redis.store import RedisStore
    from service.streams.connections import Connections

    # The document depends on the operations alone; the store is never asked.
    store = RedisStore.at("redis://localhost")
    table = Table(store=store, turns=Unheard(), now=now)
    streams = Connections(store=store, now=now, slots=1)
    app = create_app(Services(store=store, table=table, now=now, streams=streams))
    return written(app.extensions[Document.NAME].finished())


def now() -> int:
    """Return the time in milliseconds since the epoch."""
    return time.time_ns() // 1_000_000
