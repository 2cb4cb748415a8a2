"""Who is here, in memory: the twin of `redis_visits`."""

import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence

from service.store.contract import CAME
from service.store.presence import LEFT, Visit


class VisitsInMemory(ABC):
    """The part of the store that knows who is here."""

    _changed: threading.Condition
    _visits: dict[str, dict[str, int]]

    @abstractmethod
    def _spread(self, name: str, version: int) -> None:
        """Tell those who listen. The lock is not held."""

    def visit(self, visit: Visit, *, now: int, until: int, most: int | None = None) -> bool:
        """Note that a player is here until then; False where `most` visits of the kind are there already."""
        with self._changed:
            here = self._here(visit.player_id, now)
            like_it = [member for member in here if member.startswith(f"{visit.kind}/")]
            if most is not None and len(set(like_it) - {visit.member}) >= most:
                return False
            is_news = not here
            self._visits[visit.player_id] = {**here, visit.member: until}
        if is_news:
            self._spread(visit.player_id, CAME)
        return True

    def renew_visits(self, visits: Sequence[Visit], *, now: int, until: int) -> None:
        """Note that visits go on."""
        with self._changed:
            for visit in visits:
                here = self._here(visit.player_id, now)
                self._visits[visit.player_id] = {**here, visit.member: until}

    def end_visit(self, visit: Visit, *, until: int) -> None:
        """End a visit; until then the player still counts as being here."""
        with self._changed:
            here = self._visits.setdefault(visit.player_id, {})
            here.pop(visit.member, None)
            here[LEFT] = until

    def online(self, player_ids: Sequence[str], *, now: int) -> list[bool]:
        """Tell of each player whether he is here."""
        with self._changed:
            return [bool(self._here(player_id, now)) for player_id in player_ids]

    def _here(self, player_id: str, now: int) -> dict[str, int]:
        visits = self._visits.get(player_id, {})
        return {member: until for member, until in visits.items() if until > now}
