"""What is in use, in memory."""

import threading
from collections.abc import Iterable, Mapping, Sequence

from service.store.usage import UsageEntry


class MemoryUsageStore:
    """What is in use, in memory."""

    _changed: threading.Condition
    _usage: dict[str, dict[str, bytes]]

    def put_usage(self, entries: Iterable[UsageEntry]) -> None:
        with self._changed:
            for entry in entries:
                self._usage.setdefault(entry.owner, {})[entry.name] = entry.body

    def drop_usage(self, owners: Iterable[str], name: str) -> None:
        with self._changed:
            for owner in owners:
                self._usage.get(owner, {}).pop(name, None)

    def usage(self, owners: Sequence[str]) -> list[Mapping[str, bytes]]:
        with self._changed:
            return [dict(self._usage.get(owner, {})) for owner in owners]
