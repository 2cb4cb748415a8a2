"""What releases have stored, as `tests.support.freeze` copied it: by key for reading, or thawed in a server.

A release was frozen on some day, and what it stored is full of times: expiries, deadlines, scores of sorted
sets. Tests must pass on any later day, so everything is moved on by the time since then (`thaw`).
"""

import base64
import json
import re
import tarfile
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import httpx
import redis
from rq.serializers import resolve_serializer

from tests.support.freeze.copying import WAKES, dump
from tests.support.freeze.guests import Guest, Keyed, Party

GOLDEN = Path(__file__).resolve().parents[1] / "store" / "golden"

Json = dict[str, Any]

#: A number of thirteen digits that is no part of a word: a time in milliseconds, if it is about then.
_TIME = re.compile(rb"(?<![\w.\"-])1\d{12}(?![\w.\"-])")
_DAY_MS = 24 * 60 * 60 * 1000
_BEFORE_MS, _AFTER_MS = _DAY_MS, 800 * _DAY_MS
#: A seek lives for half a minute: on a busy machine a test may come later than that.
_SLACK_MS = 5 * 60 * 1000

#: Where the bytes lie that the service decodes, by what they are: a pattern of keys, and one of fields.
PLACES = {
    "record": (r"rummy:\{s..\}:game:.*", "state"),
    "log entry": (r"rummy:\{s..\}:events:.*", "e"),
    "player": (r"rummy:\{p.*\}:player", "body"),
    "token": (r"rummy:\{p.*\}:player", "token:.*"),
    "account event": (r"rummy:\{p.*\}:account", "e"),
    "webhook": (r"rummy:\{p.*\}:webhooks", ".*"),
    "delivery": (r"rummy:\{deliveries\}:deliveries", ".*"),
    "device link": (r"rummy:once:device-link:.*", "body"),
    "recovery code": (r"rummy:once:recovery-code:.*", "body"),
    "stream ticket": (r"rummy:once:stream-ticket:.*", "body"),
    "seek": (r"rummy:\{seeks:.*\}:seeks", ".*/body"),
    "rating": (r"rummy:\{pool:.*\}:ratings", ".*"),
    "job": (r"rummy:work:job:.*", ""),
    "score sheet": (r"rummy:\{s..\}:sheet:.*", "state"),
    "answer": (r"rummy:\{s..\}:answer:.*", ""),
}


def raw(value: Any) -> bytes:
    """Return bytes as they were before `copying.text`."""
    return base64.b64decode(value["base64"]) if isinstance(value, dict) else str(value).encode()


@dataclass(frozen=True)
class Stored:
    """Bytes that the service decodes, and where they lay."""

    key: str
    name: str
    body: bytes


@dataclass(frozen=True)
class Golden:
    """All that one release stored."""

    release: str

    def __str__(self) -> str:
        return self.release

    @property
    def folder(self) -> Path:
        return GOLDEN / self.release

    @cached_property
    def lines(self) -> list[Json]:
        """Every key: its type, how long it had to live, and its value."""
        with (self.folder / "keys.jsonl").open(encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    @cached_property
    def told(self) -> Json:
        """Tokens, games, and what was asked for."""
        told: Json = json.loads((self.folder / "guests.json").read_text())
        return told

    def stored(self, what: str) -> list[Stored]:
        """Return all bytes of a kind, one of `PLACES`."""
        pattern, fields = PLACES[what]
        return [
            Stored(line["key"], name, raw(value))
            for line in self.lines
            if re.fullmatch(pattern, line["key"])
            for name, value in _fields(line["value"])
            if re.fullmatch(fields, name.rpartition(" ")[2])
        ]

    def jobs(self) -> list[tuple[str, tuple[object, ...]]]:
        """Return the function and the arguments of each job that RQ held."""
        read = resolve_serializer(None).loads
        found = [
            read(zlib.decompress(raw(line["value"]["data"])))
            for line in self.lines
            if line["key"].startswith("rq:job:")
        ]
        return [(function, tuple(arguments)) for function, _, arguments, _ in found]

    # Thawed

    def unpack(self, folder: Path) -> None:
        """Put the release's data folder where a service can open it."""
        with tarfile.open(self.folder / "folder.tar.xz") as archive:
            archive.extractall(folder, filter="data")

    def thaw(self, connection: redis.Redis) -> None:
        """Bring what a server holds, and what never expires there, to today: as if it was frozen just now."""
        by = round(time.time() * 1000) - self.told["frozen_at"] + _SLACK_MS
        # All at once: the server writes to the disk after each command that comes alone.
        with connection.pipeline(transaction=False) as pipeline:
            for line in self.lines:
                self._move(pipeline, line, by)
                if line["ms_left"] is not None:
                    pipeline.pexpire(line["key"], line["ms_left"] + _SLACK_MS)
            pipeline.execute()

    def _move(self, connection: redis.client.Pipeline, line: Json, by: int) -> None:
        key, value = line["key"], line["value"]
        match line["type"]:
            case "string" if ":answer:" not in key:
                connection.set(key, self._moved(raw(value), by))
            case "hash":
                connection.hset(
                    key, mapping={name: self._moved(raw(body), by) for name, body in value.items()}
                )
            case "zset":
                scores = {
                    name: score + by if self._is_time(score) else score for name, score in value.items()
                }
                connection.zadd(key, scores)
            case "stream" if ":events:" in key:
                connection.delete(key)
                for entry_id, fields in value:
                    connection.xadd(key, {"e": self._moved(raw(fields["e"]), by)}, id=entry_id)
            case _:
                pass

    def _moved(self, body: bytes, by: int) -> bytes:
        def moved(found: re.Match[bytes]) -> bytes:
            at = int(found[0])
            return b"%d" % (at + by) if self._is_time(at) else found[0]

        return _TIME.sub(moved, body)

    def _is_time(self, number: float) -> bool:
        return -_BEFORE_MS < number - self.told["frozen_at"] < _AFTER_MS

    def differs(self, connection: redis.Redis) -> list[str]:
        """Return the keys of a server that are not as they were frozen."""
        there = {line["key"]: line["value"] for line in dump(connection)}
        frozen = {line["key"]: line["value"] for line in self.lines}
        return [
            key
            for key in sorted(there.keys() | frozen.keys())
            if key != WAKES.decode() and there.get(key) != frozen.get(key)
        ]

    # Those who played, at a service that was opened with it

    def guests(self, http: httpx.Client) -> dict[str, Guest]:
        return {name: Guest(http=http, name=name, **told) for name, told in self.told["guests"].items()}

    def parties(self, http: httpx.Client) -> dict[str, Party]:
        """Return who sits in each game, by the game's name."""
        guests = self.guests(http)
        return {
            name: Party(game["id"], [guests[guest] for guest in game["guests"]])
            for name, game in self.told["games"].items()
        }

    def keyed(self) -> list[Keyed]:
        return [Keyed(**request) for request in self.told["keyed"]]


def _fields(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield what a value holds by name; the name of a stream's field begins with its entry's id."""
    match value:
        case {"base64": str()} | str():
            yield "", value
        case dict():
            yield from value.items()
        case list():
            for entry in value:
                if isinstance(entry, list):
                    for name, field in entry[1].items():
                        yield f"{entry[0]} {name}", field
        case _:
            raise AssertionError(value)


def releases() -> list[Golden]:
    """Return every release that was frozen, the oldest first."""
    found = [folder.name for folder in GOLDEN.iterdir() if folder.is_dir() and folder.name[0].isdigit()]
    return [Golden(name) for name in sorted(found, key=lambda name: [int(part) for part in name.split(".")])]
