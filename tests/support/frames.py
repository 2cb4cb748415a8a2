"""Streams as a client reads them."""

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame of server-sent events."""

    type: str | None
    id: str | None
    data: dict[str, Any] | None
    retry: int | None = None

    @property
    def cursor(self) -> tuple[int, int]:
        assert self.id is not None
        version, seq = self.id.split("-")
        return int(version), int(seq)


SILENCE = Frame("ping", None, None)
"""What a stream sends when it has nothing else; its time is left out."""


def frame_of(text: str) -> Frame:
    """Read one frame, without the empty line that ends it."""
    fields: dict[str, str] = {}
    for line in text.split("\n"):
        name, _, value = line.partition(":")
        if name:
            assert name in {"id", "event", "data", "retry"}, line
            assert name not in fields, f"{name} comes twice: {text}"
            fields[name] = value.removeprefix(" ")
    data = json.loads(fields["data"]) if "data" in fields else None
    assert data is None or data["type"] == fields["event"], "the two names of a frame differ"
    if fields.get("event") == "ping":
        assert data.keys() == {"type", "server_time"}
        return SILENCE
    retry = int(fields["retry"]) if "retry" in fields else None
    return Frame(fields.get("event"), fields.get("id"), data, retry)


class Frames:
    """The frames of a stream, read from its chunks one by one."""

    def __init__(self, chunks):
        self._chunks = iter(chunks)
        self._rest = ""
        self.retry_ms = None

    def __iter__(self):
        return self

    def __next__(self) -> Frame:
        """Return the next frame; raise StopIteration at the end."""
        while True:
            while "\n\n" not in self._rest:
                self._rest += next(self._chunks).decode()
            text, _, self._rest = self._rest.partition("\n\n")
            frame = frame_of(text)
            if frame.retry is None:
                return frame
            self.retry_ms = frame.retry

    def until(self, *types: str) -> list[Frame]:
        """Return the frames up to the first of one of these types, silence left out."""
        found = []
        for frame in self:
            if frame != SILENCE:
                found.append(frame)
            if frame.type in types:
                return found
        raise AssertionError(f"the stream ended before {types}: {[one.type for one in found]}")

    def log(self, count: int) -> list[Frame]:
        """Return the next so many events of the log, whatever is said beside it."""
        found: list[Frame] = []
        while len(found) < count:
            frame = next(self)
            if frame.id is not None:
                found.append(frame)
        return found
