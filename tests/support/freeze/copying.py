"""Copies of all that a release keeps: a readable line for each key, and the data folder itself."""

import base64
import json
import tarfile
import time
from pathlib import Path
from typing import Any

import redis

#: Where Valkey keeps what it was given, in the data folder.
LOG_FOLDER = "appendonlydir"
#: The stream of wake-ups is thousands of entries long, and all alike.
WAKES = b"rummy:wake"
FEW = 8


def text(value: bytes) -> Any:
    """Return bytes as JSON can hold them: as text where they are text."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(value).decode()}


def _value(connection: redis.Redis, key: bytes, kind: str) -> Any:
    match kind:
        case "string":
            return text(connection.get(key))
        case "hash":
            return {name.decode(): text(value) for name, value in sorted(connection.hgetall(key).items())}
        case "zset":
            return {
                member.decode(): score for member, score in connection.zrange(key, 0, -1, withscores=True)
            }
        case "set":
            return sorted(member.decode() for member in connection.smembers(key))
        case "list":
            return [text(value) for value in connection.lrange(key, 0, -1)]
        case "stream":
            return [
                [entry_id.decode(), {name.decode(): text(value) for name, value in fields.items()}]
                for entry_id, fields in connection.xrange(key)
            ]
    raise AssertionError(f"{key!r} is a {kind}")


def dump(connection: redis.Redis) -> list[dict[str, Any]]:
    """Return every key with its type, how long it had to live, and its value."""
    connection.xtrim(WAKES, maxlen=FEW, approximate=False)
    lines = []
    for key in sorted(connection.scan_iter(count=1000)):
        kind = connection.type(key).decode()
        left = connection.pttl(key)
        value = _value(connection, key, kind)
        lines.append(
            {"key": key.decode(), "type": kind, "ms_left": None if left < 0 else left, "value": value}
        )
    return lines


def write_lines(lines: list[dict[str, Any]], path: Path) -> None:
    with path.open("w", encoding="utf-8") as file:
        for line in lines:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")


def persist(connection: redis.Redis) -> None:
    """Let nothing expire any more, and write all that is kept into one small file."""
    for key in connection.scan_iter(count=1000):
        connection.persist(key)
    connection.bgrewriteaof()
    while True:
        told = connection.info("persistence")
        if not told["aof_rewrite_in_progress"] and not told["aof_rewrite_scheduled"]:
            assert told["aof_last_bgrewrite_status"] == "ok", told
            return
        time.sleep(0.05)


def pack(folder: Path, archive: Path) -> None:
    """Write what Valkey keeps in a data folder into an archive."""

    def plain(entry: tarfile.TarInfo) -> tarfile.TarInfo:
        # Nothing of the machine that froze it.
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = ""
        return entry

    with tarfile.open(archive, "w:xz", preset=9) as tar:
        tar.add(folder / LOG_FOLDER, LOG_FOLDER, filter=plain)
