"""Player presence: a player is online with an open stream or a recent request."""

import logging
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from service.store.contract import Store, StoreUnavailable
from service.store.presence import PresenceLease

log = logging.getLogger(__name__)

REQUEST_MS: Final = 45_000
"""How long a player counts as online after a request."""

_RECORD_MS: Final = 15_000
# Views are requested far more often than presence changes.
_CACHE_MS: Final = 1000
_MAX_CACHED: Final = 10_000


def watched(game_id: str) -> str:
    """Return the owner of the leases of a game's spectators."""
    return f"watched-{game_id}"


class Presence:
    """A short cache of who is online, for this process; the store knows it for all processes."""

    def __init__(self, store: Store, now: Callable[[], int]) -> None:
        self._store: Final = store
        self._now: Final = now
        self._lock: Final = threading.Lock()
        self._recorded: Final[dict[str, int]] = {}
        self._online: Final[dict[str, tuple[int, bool]]] = {}
        self._spectators: Final[dict[str, tuple[int, int]]] = {}

    def record_request(self, player_id: str) -> None:
        """Record that a player made a request: at most one write in 15 seconds, which may fail."""
        now = self._now()
        with self._lock:
            if _is_fresh(self._recorded.get(player_id), now, _RECORD_MS):
                return
            _make_room(self._recorded)
            self._recorded[player_id] = now
        try:
            self._store.acquire_presence(
                PresenceLease(player_id=player_id, kind="request"), now=now, until=now + REQUEST_MS
            )
        except StoreUnavailable as error:
            log.warning("A player's presence could not be recorded: %s", error)
        self.update({player_id: True})

    def online(self, player_ids: Iterable[str]) -> dict[str, bool]:
        """Return for each player whether they were online within the last second."""
        wanted = list(dict.fromkeys(player_ids))
        now = self._now()
        with self._lock:
            cached = {player_id: self._online.get(player_id, (None, False)) for player_id in wanted}
        found = {
            player_id: is_online
            for player_id, (moment, is_online) in cached.items()
            if _is_fresh(moment, now, _CACHE_MS)
        }
        missing = [player_id for player_id in wanted if player_id not in found]
        if missing:
            found |= self._load(missing)
        return found

    def spectators(self, game_id: str) -> int:
        """Return how many viewers without a seat had a stream of the game open within the last second."""
        now = self._now()
        with self._lock:
            moment, count = self._spectators.get(game_id, (None, 0))
        if _is_fresh(moment, now, _CACHE_MS):
            return count
        try:
            count = self._store.count_leases(watched(game_id), now=now)
        except StoreUnavailable as error:
            log.warning("Spectators could not be counted: %s", error)
            return 0
        with self._lock:
            _make_room(self._spectators)
            self._spectators[game_id] = (now, count)
        return count

    def update(self, online: Mapping[str, bool]) -> None:
        """Cache the presence of these players."""
        now = self._now()
        with self._lock:
            _make_room(self._online)
            self._online.update({player_id: (now, is_online) for player_id, is_online in online.items()})

    def _load(self, player_ids: Sequence[str]) -> dict[str, bool]:
        try:
            online = self._store.online(player_ids, now=self._now())
        except StoreUnavailable as error:
            # Presence is secondary: the view it belongs to is answered without it.
            log.warning("Presence could not be read: %s", error)
            return dict.fromkeys(player_ids, False)
        found = dict(zip(player_ids, online, strict=True))
        self.update(found)
        return found


def _is_fresh(moment: int | None, now: int, life_ms: int) -> bool:
    """Return whether a moment lies within the last `life_ms`; one in the future does not."""
    return moment is not None and 0 <= now - moment < life_ms


def _make_room(cache: dict[str, Any]) -> None:
    """Drop the older half of a full cache; dropped values are loaded again."""
    if len(cache) >= _MAX_CACHED:
        for name in list(cache)[: _MAX_CACHED // 2]:
            del cache[name]
