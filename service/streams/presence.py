"""Who is here: whoever has a stream open, or made a request a moment ago."""

import logging
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from service.store.contract import Store, StoreUnavailable
from service.store.presence import Visit

log = logging.getLogger(__name__)

REQUEST_MS: Final = 45_000
"""So long after a request a player counts as being here."""

_NOTED_MS: Final = 15_000
#: Views are asked for far more often than people come and go.
_KNOWN_MS: Final = 1000
_MOST_KNOWN: Final = 10_000


class Presence:
    """What this process knows of who is here; the store knows it over all processes."""

    def __init__(self, store: Store, now: Callable[[], int]) -> None:
        self._store: Final = store
        self._now: Final = now
        self._lock: Final = threading.Lock()
        self._noted: Final[dict[str, int]] = {}
        self._known: Final[dict[str, tuple[int, bool]]] = {}

    def seen(self, player_id: str) -> None:
        """Note that a player made a request: a write every quarter of a minute at most, which may fail."""
        now = self._now()
        with self._lock:
            if _is_fresh(self._noted.get(player_id), now, _NOTED_MS):
                return
            _make_room(self._noted)
            self._noted[player_id] = now
        try:
            self._store.visit(Visit(player_id=player_id, kind="request"), now=now, until=now + REQUEST_MS)
        except StoreUnavailable as error:
            log.warning("It is not noted that somebody is here: %s", error)
        self.know({player_id: True})

    def of(self, player_ids: Iterable[str]) -> dict[str, bool]:
        """Return of each player whether he is here, as it was within the last second."""
        asked = list(dict.fromkeys(player_ids))
        now = self._now()
        with self._lock:
            found = {player_id: self._known.get(player_id, (None, False)) for player_id in asked}
        known = {
            player_id: is_online
            for player_id, (moment, is_online) in found.items()
            if _is_fresh(moment, now, _KNOWN_MS)
        }
        unknown = [player_id for player_id in asked if player_id not in known]
        if unknown:
            known |= self._asked(unknown)
        return known

    def _asked(self, player_ids: Sequence[str]) -> dict[str, bool]:
        try:
            online = self._store.online(player_ids, now=self._now())
        except StoreUnavailable as error:
            # A word beside the game: whatever it goes with is told all the same.
            log.warning("It is not known who is here: %s", error)
            return dict.fromkeys(player_ids, False)
        found = dict(zip(player_ids, online, strict=True))
        self.know(found)
        return found

    def know(self, online: Mapping[str, bool]) -> None:
        """Take note of who was found to be here."""
        now = self._now()
        with self._lock:
            _make_room(self._known)
            self._known.update({player_id: (now, is_online) for player_id, is_online in online.items()})


def _is_fresh(moment: int | None, now: int, life_ms: int) -> bool:
    """Tell whether a moment was just now; one that a clock put into the future was not."""
    return moment is not None and 0 <= now - moment < life_ms


def _make_room(kept: dict[str, Any]) -> None:
    """Forget the older half where too much is kept; what is forgotten is asked for anew."""
    if len(kept) >= _MOST_KNOWN:
        for name in list(kept)[: _MOST_KNOWN // 2]:
            del kept[name]
