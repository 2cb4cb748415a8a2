"""Lists of games in memory: the twin of `redis_lists`."""

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from service.store.contract import check_page
from service.store.lists import LISTED_MS, GameList, Listed


@dataclass(slots=True, kw_only=True)
class Listing:
    """A list: its games by id, with what orders them."""

    entries: dict[str, int] = field(default_factory=dict)
    expires_at: int


Listings = dict[GameList, Listing]
"""All lists there are."""


class ListsInMemory:
    """The part of the store that keeps lists of games."""

    _now: Callable[[], int]
    _changed: threading.Condition
    _lists: Listings

    def list_game(self, game_id: str, *, at: int, expires_at: int, lists: Iterable[GameList]) -> None:
        """Put a game into lists, or move it there."""
        with self._changed:
            for name in lists:
                listing = self._list(name) or Listing(expires_at=expires_at)
                listing.entries[game_id] = at
                too_old = [old for old, then in listing.entries.items() if then <= at - LISTED_MS]
                for old in too_old:
                    del listing.entries[old]
                listing.expires_at = max(listing.expires_at, expires_at)
                self._lists[name] = listing

    def unlist_game(self, game_id: str, *, lists: Iterable[GameList]) -> None:
        """Take a game out of lists; those that do not hold it stay as they are."""
        with self._changed:
            for name in lists:
                listing = self._list(name)
                if listing is not None:
                    listing.entries.pop(game_id, None)
                    if not listing.entries:
                        del self._lists[name]

    def games_in(self, listing: GameList, *, after: Listed | None = None, limit: int) -> list[Listed]:
        """Return the list behind the cursor, newest first; the higher id first where times are equal."""
        check_page(limit=limit)
        with self._changed:
            found = self._list(listing)
            entries = {} if found is None else found.entries
            cursor = None if after is None else (after.at, after.game_id)
            behind = sorted(
                (
                    (at, game_id)
                    for game_id, at in entries.items()
                    if cursor is None or (at, game_id) < cursor
                ),
                reverse=True,
            )
            return [Listed(game_id=game_id, at=at) for at, game_id in behind[:limit]]

    def _list(self, name: GameList) -> Listing | None:
        listing = self._lists.get(name)
        if listing is not None and listing.expires_at <= self._now():
            del self._lists[name]
            return None
        return listing
