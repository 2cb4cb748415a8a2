"""Lists of games in memory."""

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from service.store.contract import check_page
from service.store.lists import LIST_RETENTION_MS, GameList, ListEntry


@dataclass(slots=True, kw_only=True)
class Listing:
    """A list: game ids and their times."""

    entries: dict[str, int] = field(default_factory=dict)
    expires_at: int


Listings = dict[GameList, Listing]
"""All lists."""


class MemoryListStore:
    """Lists of games in memory."""

    _now: Callable[[], int]
    _changed: threading.Condition
    _lists: Listings

    def list_game(self, game_id: str, *, at: int, expires_at: int, lists: Iterable[GameList]) -> None:
        with self._changed:
            for name in lists:
                listing = self._list(name) or Listing(expires_at=expires_at)
                listing.entries[game_id] = at
                too_old = [old for old, then in listing.entries.items() if then <= at - LIST_RETENTION_MS]
                for old in too_old:
                    del listing.entries[old]
                listing.expires_at = max(listing.expires_at, expires_at)
                self._lists[name] = listing

    def unlist_game(self, game_id: str, *, lists: Iterable[GameList]) -> None:
        with self._changed:
            for name in lists:
                listing = self._list(name)
                if listing is not None:
                    listing.entries.pop(game_id, None)
                    if not listing.entries:
                        del self._lists[name]

    def games_in(self, listing: GameList, *, after: ListEntry | None = None, limit: int) -> list[ListEntry]:
        check_page(limit=limit)
        with self._changed:
            found = self._list(listing)
            entries = {} if found is None else found.entries
            cursor = None if after is None else (after.at, after.game_id)
            page = sorted(
                (
                    (at, game_id)
                    for game_id, at in entries.items()
                    if cursor is None or (at, game_id) < cursor
                ),
                reverse=True,
            )
            return [ListEntry(game_id=game_id, at=at) for at, game_id in page[:limit]]

    def _list(self, name: GameList) -> Listing | None:
        listing = self._lists.get(name)
        if listing is not None and listing.expires_at <= self._now():
            del self._lists[name]
            return None
        return listing
