"""Seeks in memory."""

import threading
from dataclasses import dataclass, replace
from typing import Final

from service.store.seeks import MATCH_RETENTION_MS, Seek, SeekKey, SeekState

_TWO: Final = 2


@dataclass(slots=True, kw_only=True)
class WaitingSeek:
    """A seek, its arrival and end, and its match."""

    seek: Seek
    at: int
    until: int
    game_id: str | None = None
    group: tuple[SeekKey, ...] = ()

    def extend(self, until: int, blocked: tuple[str, ...]) -> None:
        """Wait until then with this list of blocked players, unless matched."""
        self.seek = replace(self.seek, blocked=blocked)
        if self.game_id is None:
            self.until = until

    def fits(self, other: "WaitingSeek") -> bool:
        """Return whether the two accept each other."""
        one, two = self.seek, other.seek
        return (
            one.name.player_id != two.name.player_id
            and one.meets in {None, two.kind}
            and two.meets in {None, one.kind}
            and one.name.player_id not in two.blocked
            and two.name.player_id not in one.blocked
        )


SeekPool = dict[SeekKey, WaitingSeek]
"""The seeks of a pool."""


class MemorySeekStore:
    """Seeks in memory."""

    _changed: threading.Condition
    _seeks: dict[str, SeekPool]

    def seek(self, seek: Seek, *, now: int, until: int, game_id: str) -> SeekState:
        with self._changed:
            pool = self._pool(seek.name.pool, now)
            is_new = seek.name not in pool
            seeker = pool.setdefault(seek.name, WaitingSeek(seek=seek, at=now, until=until))
            seeker.extend(until, seek.blocked)
            if is_new or seek.size > _TWO:
                _match(pool, seeker, now, game_id)
            return _state(pool, seeker)

    def renew_seek(
        self, name: SeekKey, *, now: int, until: int, game_id: str, blocked: tuple[str, ...] = ()
    ) -> SeekState | None:
        with self._changed:
            pool = self._pool(name.pool, now)
            seeker = pool.get(name)
            if seeker is None:
                return None
            seeker.extend(until, blocked)
            if seeker.seek.size > _TWO:
                _match(pool, seeker, now, game_id)
            return _state(pool, seeker)

    def end_seek(self, name: SeekKey, *, now: int) -> str | None:
        with self._changed:
            pool = self._pool(name.pool, now)
            seeker = pool.get(name)
            if seeker is None:
                return None
            if seeker.game_id is None:
                del pool[name]
            return seeker.game_id or ""

    def _pool(self, name: str, now: int) -> SeekPool:
        """Return the seeks of a pool that are not over. The caller holds the lock."""
        pool = self._seeks.setdefault(name, {})
        for over in [name for name, seeker in pool.items() if seeker.until <= now]:
            del pool[over]
        return pool


def _match(pool: SeekPool, seeker: WaitingSeek, now: int, game_id: str) -> None:
    """Match a seek with others that fit, if there are enough."""
    if seeker.game_id is not None:
        return
    group = [seeker]
    waiting = [other for other in pool.values() if other.game_id is None and other is not seeker]
    for other in sorted(waiting, key=lambda other: (other.at, other.seek.name.member)):
        if len(group) < seeker.seek.size and all(other.fits(member) for member in group):
            group.append(other)
    if len(group) == seeker.seek.size:
        for member in group:
            member.game_id, member.until = game_id, now + MATCH_RETENTION_MS
            member.group = tuple(one.seek.name for one in group)


def _state(pool: SeekPool, seeker: WaitingSeek) -> SeekState:
    met = [pool.get(name) for name in seeker.group] or [seeker]
    bodies = tuple(b"" if other is None else other.seek.body for other in met)
    return SeekState(until=seeker.until, game_id=seeker.game_id, bodies=bodies)
