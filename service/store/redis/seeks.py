"""Seeks in Redis: a pool lies in one slot, so one script can match it."""

from service.store.redis import keys
from service.store.redis.connection import Argument, Connection, script
from service.store.seeks import MATCH_RETENTION_MS, Seek, SeekKey, SeekState, SeekStore


class RedisSeekStore(SeekStore):
    """Stores and matches seeks."""

    _redis: Connection

    def seek(self, seek: Seek, *, now: int, until: int, game_id: str) -> SeekState:
        wanted = (seek.kind, seek.meets or "", seek.size, seek.body)
        state = self._run(seek.name, now, until, game_id, seek.blocked, *wanted)
        assert state is not None  # noqa: S101 - only a renewal can find no seek
        return state

    def renew_seek(
        self, name: SeekKey, *, now: int, until: int, game_id: str, blocked: tuple[str, ...] = ()
    ) -> SeekState | None:
        return self._run(name, now, until, game_id, blocked)

    def end_seek(self, name: SeekKey, *, now: int) -> str | None:
        ended = self._redis.run(script("end_seek"), keys.seeks(name.pool), name.member, now)
        return None if ended is None else ended.decode()

    def _run(
        self,
        name: SeekKey,
        now: int,
        until: int,
        game_id: str,
        blocked: tuple[str, ...],
        *wanted: Argument,
    ) -> SeekState | None:
        # Between spaces, so that the script finds an id and no part of one.
        listed = f" {' '.join(blocked)} "
        arguments = [name.member, name.player_id, now, until, MATCH_RETENTION_MS, game_id, listed, *wanted]
        reply = self._redis.run(script("seek"), keys.seeks(name.pool), *arguments)
        if not reply:
            return None
        ends, game, *bodies = reply
        return SeekState(until=int(ends), game_id=game.decode() or None, bodies=tuple(bodies))
