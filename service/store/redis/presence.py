"""Who is here, in Redis: a sorted set a player, his visits by their end."""

from collections.abc import Sequence
from typing import Final

from service.store.contract import CAME
from service.store.presence import LEFT, Visit
from service.store.redis import keys
from service.store.redis.change_notifier import WAKE_LENGTH
from service.store.redis.connection import Command, Connection, script

_REFUSED: Final = 0
_NEWLY: Final = 2


class VisitsInRedis:
    """The part of the store that knows who is here."""

    _redis: Connection

    def visit(self, visit: Visit, *, now: int, until: int, most: int | None = None) -> bool:
        """Note that a player is here until then; False where `most` visits of the kind are there already."""
        lua = script("visit")
        names, arguments = _asked(visit, now, until, most)
        outcome = self._redis.run(lua, names, *arguments)
        if outcome == _NEWLY:
            # As behind a commit: a hint, and outside the player's slot.
            wake = ("MAXLEN", "~", WAKE_LENGTH, "*", "g", visit.player_id, "v", CAME)
            self._redis.call("XADD", keys.WAKE, *wake)
        return bool(outcome != _REFUSED)

    def renew_visits(self, visits: Sequence[Visit], *, now: int, until: int) -> None:
        """Note that visits go on, in one round trip."""
        lua = script("visit")
        renewals: list[Command] = [lua.call(*_asked(visit, now, until, None)) for visit in visits]
        self._redis.call_all(renewals, script=lua)

    def end_visit(self, visit: Visit, *, until: int) -> None:
        """End a visit; until then the player still counts as being here."""
        self._redis.run(script("leave"), [keys.visits(visit.player_id)], until, visit.member, LEFT)

    def online(self, player_ids: Sequence[str], *, now: int) -> list[bool]:
        """Tell of each player whether he is here, in one round trip."""
        counts = self._redis.call_all(
            [("ZCOUNT", keys.visits(player_id), f"({now}", "+inf") for player_id in player_ids]
        )
        return [count > 0 for count in counts]


def _asked(visit: Visit, now: int, until: int, most: int | None) -> tuple[list[str], list[str | int]]:
    counted = f"{visit.kind}/"
    return [keys.visits(visit.player_id)], [now, until, visit.member, counted, "" if most is None else most]
