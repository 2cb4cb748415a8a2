"""Players who look for others, in memory: the twin of `redis_seeks`."""

import threading
from dataclasses import dataclass
from typing import Final

from service.store.seeks import MATCH_MS, Seek, SeekName, Sought

_TWO: Final = 2


@dataclass(slots=True, kw_only=True)
class Seeker:
    """A seek, when it came and ends, and what became of it."""

    seek: Seek
    at: int
    until: int
    game_id: str | None = None
    group: tuple[SeekName, ...] = ()

    def go_on(self, until: int) -> None:
        """Wait until then, unless the game is found already."""
        if self.game_id is None:
            self.until = until

    def fits(self, other: "Seeker") -> bool:
        """Tell whether the two may sit at one table."""
        one, two = self.seek, other.seek
        return (
            one.name.player_id != two.name.player_id
            and one.meets in {None, two.kind}
            and two.meets in {None, one.kind}
        )


Seekers = dict[SeekName, Seeker]
"""The seeks of a pool."""


class SeeksInMemory:
    """The part of the store that brings players together."""

    _changed: threading.Condition
    _seeks: dict[str, Seekers]

    def seek(self, seek: Seek, *, now: int, until: int, game_id: str) -> Sought:
        """Let somebody look for others until then; with the last one who fits they have met."""
        with self._changed:
            pool = self._pool(seek.name.pool, now)
            newcomer = seek.name not in pool
            seeker = pool.setdefault(seek.name, Seeker(seek=seek, at=now, until=until))
            seeker.go_on(until)
            if newcomer or seek.size > _TWO:
                _look(pool, seeker, now, game_id)
            return _told(pool, seeker)

    def renew_seek(self, name: SeekName, *, now: int, until: int, game_id: str) -> Sought | None:
        """Let a seek go on until then, and look anew who fits; None where there is none any more."""
        with self._changed:
            pool = self._pool(name.pool, now)
            seeker = pool.get(name)
            if seeker is None:
                return None
            seeker.go_on(until)
            if seeker.seek.size > _TWO:
                _look(pool, seeker, now, game_id)
            return _told(pool, seeker)

    def end_seek(self, name: SeekName, *, now: int) -> str | None:
        """End a seek."""
        with self._changed:
            pool = self._pool(name.pool, now)
            seeker = pool.get(name)
            if seeker is None:
                return None
            if seeker.game_id is None:
                del pool[name]
            return seeker.game_id or ""

    def _pool(self, name: str, now: int) -> Seekers:
        """Return the seeks of a pool that are not over. The lock is held."""
        pool = self._seeks.setdefault(name, {})
        for over in [name for name, seeker in pool.items() if seeker.until <= now]:
            del pool[over]
        return pool


def _look(pool: Seekers, seeker: Seeker, now: int, game_id: str) -> None:
    """Bring a seeker together with those who fit, where there are enough of them."""
    if seeker.game_id is not None:
        return
    group = [seeker]
    waiting = [other for other in pool.values() if other.game_id is None and other is not seeker]
    for other in sorted(waiting, key=lambda other: (other.at, other.seek.name.member)):
        if len(group) < seeker.seek.size and all(other.fits(member) for member in group):
            group.append(other)
    if len(group) == seeker.seek.size:
        for member in group:
            member.game_id, member.until = game_id, now + MATCH_MS
            member.group = tuple(one.seek.name for one in group)


def _told(pool: Seekers, seeker: Seeker) -> Sought:
    met = [pool.get(name) for name in seeker.group] or [seeker]
    bodies = tuple(b"" if other is None else other.seek.body for other in met)
    return Sought(until=seeker.until, game_id=seeker.game_id, bodies=bodies)
