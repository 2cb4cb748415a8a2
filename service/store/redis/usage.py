"""What is in use, in Redis: a hash for each owner."""

from collections.abc import Iterable, Mapping, Sequence

from service.store.redis import keys
from service.store.redis.connection import Command, Connection
from service.store.usage import UsageEntry, UsageStore


class RedisUsageStore(UsageStore):
    """Stores what is in use."""

    _redis: Connection

    def put_usage(self, entries: Iterable[UsageEntry]) -> None:
        commands: list[Command] = []
        for entry in entries:
            name = keys.usage(entry.owner)
            commands += [
                ("HSET", name, entry.name, entry.body),
                # GT alone never sets the first expiry: a key without one counts as never expiring.
                ("PEXPIREAT", name, entry.expires_at, "NX"),
                ("PEXPIREAT", name, entry.expires_at, "GT"),
            ]
        self._redis.call_all(commands)

    def drop_usage(self, owners: Iterable[str], name: str) -> None:
        self._redis.call_all([("HDEL", keys.usage(owner), name) for owner in owners])

    def usage(self, owners: Sequence[str]) -> list[Mapping[str, bytes]]:
        replies = self._redis.call_all([("HGETALL", keys.usage(owner)) for owner in owners])
        return [
            {name.decode(): body for name, body in zip(reply[::2], reply[1::2], strict=True)}
            for reply in replies
        ]
