"""Print the OpenAPI document of this service, with its examples.

Developers check and regenerate the files of a checkout with the options below: openapi/openapi.json is the
committed document, and openapi/released the last released one, which the committed one may extend but not
break.
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
    checkout = parser.add_argument_group("for developers, in a checkout")
    action = checkout.add_mutually_exclusive_group()
    action.add_argument(
        "--check",
        action="store_true",
        help="exit with status 1 if openapi/openapi.json is out of date, breaks what was released, or "
        "lacks an event",
    )
    action.add_argument("--write", action="store_true", help="write openapi/openapi.json")
    action.add_argument(
        "--release",
        action="store_true",
        help="write openapi/released/v1.json, unless that breaks clients of the previous one",
    )


def run(arguments: argparse.Namespace) -> int:
    """Print, check or write the document."""
    from service.api.document import FOLDER

    document = text()
    path = FOLDER / "openapi.json"
    if arguments.write:
        path.write_text(document, encoding="utf-8")
        return 0
    if arguments.release:
        return _release(document, FOLDER / "released" / "v1.json")
    if not arguments.check:
        print(document, end="")
        return 0
    return max(
        _differs(document, path),
        _breaks(document, FOLDER / "released" / "v1.json"),
        _contradicts(),
    )


def _contradicts() -> int:
    from workers.tools.event_schemas import notice_faults, schema_faults

    faults = [*schema_faults(), *notice_faults()]
    for sentence in faults:
        print(sentence, file=sys.stderr)
    return int(bool(faults))


def _release(document: str, path: Path) -> int:
    if path.exists() and _breaks(document, path):
        return 1
    path.parent.mkdir(exist_ok=True)
    path.write_text(document, encoding="utf-8")
    return 0


def _breaks(document: str, path: Path) -> int:
    from workers.tools.api_compatibility import breaking_changes

    if not path.exists():
        print(f"{path.name} does not exist; write it with `rummy500 openapi --release`.", file=sys.stderr)
        return 1
    broken = breaking_changes(json.loads(path.read_text(encoding="utf-8")), json.loads(document))
    for sentence in broken:
        print(sentence, file=sys.stderr)
    if broken:
        print(
            "/v1 never breaks its clients: add something new instead of changing it "
            "(CONTRIBUTING.md, Contracts).",
            file=sys.stderr,
        )
    return int(bool(broken))


def _differs(document: str, path: Path) -> int:
    committed = path.read_text(encoding="utf-8") if path.exists() else ""
    if committed == document:
        return 0
    changes = unified_diff(
        committed.splitlines(), document.splitlines(), "openapi/openapi.json", "the operations"
    )
    print("\n".join(islice(changes, DIFFERENCES_SHOWN)), file=sys.stderr)
    print("openapi/openapi.json is out of date; write it with `rummy500 openapi --write`.", file=sys.stderr)
    return 1


class NoTurnQueue:
    """A queue that drops turns, for a table without games."""

    def enqueue(self, game_id: str, version: int, attempt: int) -> None:
        """Drop the turn."""


def text() -> str:
    """Return the document, as committed and served."""
    from service.api.document import Document, as_text
    from service.api.services import Services
    from service.app import create_app
    from service.games.table import Table
    from service.store.redis.store import RedisStore
    from service.streams.connections import Connections

    # The document depends on the operations alone; no server is contacted.
    store = RedisStore.at("redis://localhost")
    table = Table(store=store, turns=NoTurnQueue(), now=now)
    streams = Connections(store=store, now=now, slots=1)
    app = create_app(Services(store=store, table=table, now=now, streams=streams))
    return as_text(app.extensions[Document.NAME].complete())


def now() -> int:
    """Return the time in milliseconds since the epoch."""
    return time.time_ns() // 1_000_000
