"""Players who look for others, in Redis: all of a pool lies in one slot, for one script."""

from service.store.redis import keys
from service.store.redis.connection import Argument, Connection, script
from service.store.seeks import MATCH_MS, Seek, SeekName, Sought


class SeeksInRedis:
    """The part of the store that brings players together."""

    _redis: Connection

    def seek(self, seek: Seek, *, now: int, until: int, game_id: str) -> Sought:
        """Let somebody look for others until then; with the last one who fits they have met."""
        sought = self._go_on(
            seek.name, now, until, game_id, seek.kind, seek.meets or "", seek.size, seek.body
        )
        assert sought is not None  # noqa: S101 - it was given whole
        return sought

    def renew_seek(self, name: SeekName, *, now: int, until: int, game_id: str) -> Sought | None:
        """Let a seek go on until then, and look anew who fits; None where there is none any more."""
        return self._go_on(name, now, until, game_id)

    def end_seek(self, name: SeekName, *, now: int) -> str | None:
        """End a seek."""
        ended = self._redis.run(script("end_seek"), keys.seeks(name.pool), name.member, now)
        return None if ended is None else ended.decode()

    def _go_on(self, name: SeekName, now: int, until: int, game_id: str, *more: Argument) -> Sought | None:
        arguments = [name.member, name.player_id, now, until, MATCH_MS, game_id, *more]
        told = self._redis.run(script("seek"), keys.seeks(name.pool), *arguments)
        if not told:
            return None
        ends, game, *bodies = told
        return Sought(until=int(ends), game_id=game.decode() or None, bodies=tuple(bodies))
