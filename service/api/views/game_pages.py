"""Pages of games, read from the store's lists and filtered. Their cursors stay valid as lists change."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from service.api.parameters import CURSOR
from service.api.problems import invalid
from service.api.services import Services
from service.api.views.rendering import summary
from service.games.codec import decode_record
from service.games.indexes import lists_of
from service.games.record import GameRecord, Status
from service.runtime.json_object import Json
from service.store.contract import Store
from service.store.lists import GameList, ListEntry

_CURSOR: Final = re.compile(r"([0-9]{1,15})\.([0-9A-Za-z_-]{1,80})")
#: A filter that matches few games must not read a whole list: the page is short instead.
_MAX_READS: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class GameFilter:
    """A filter for games; None matches any value."""

    status: str | None = None
    preset: str | None = None
    rated: bool | None = None
    spectators: str | None = None
    free_seats: int | None = None

    @property
    def excludes_finished(self) -> bool:
        """Whether the status excludes all games that are over."""
        return self.status is not None and not Status(self.status).is_over

    def matches(self, record: GameRecord, now: int) -> bool:
        """Return whether the game matches. Seats reserved for a player do not count as free."""
        conditions = (
            (self.status, record.status),
            (self.preset, record.variant.name),
            (self.rated, record.rated),
            (self.spectators, record.spectators),
        )
        if any(wanted not in {None, actual} for wanted, actual in conditions):
            return False
        if self.free_seats is None:
            return True
        free = sum(seat.may_be_taken("", now) for seat in record.seats)
        return record.status is Status.WAITING and free >= self.free_seats


def games_page(
    services: Services, listing: GameList, game_filter: GameFilter, *, cursor: str | None, limit: int
) -> Json:
    """Return a page of the list, newest first, with the cursor of the next page.

    A page may have fewer games than `limit` and still have a next page.
    """
    found: list[GameRecord] = []
    after = None if cursor is None else _decode_cursor(cursor)
    now = services.now()
    for _ in range(_MAX_READS):
        wanted = limit - len(found)
        entries = services.store.games_in(listing, after=after, limit=wanted)
        found += [
            record for record in _load(services.store, listing, entries) if game_filter.matches(record, now)
        ]
        if len(entries) < wanted:
            return _render_page(found, None)
        after = entries[-1]
        if len(found) == limit:
            break
    return _render_page(found, after)


def _render_page(found: list[GameRecord], after: ListEntry | None) -> Json:
    next_cursor = None if after is None else f"{after.at}.{after.game_id}"
    return {"games": [summary(record) for record in found], "next_cursor": next_cursor}


def _decode_cursor(cursor: str) -> ListEntry:
    match = _CURSOR.fullmatch(cursor)
    if match is None:
        raise invalid(CURSOR.name, "Send next_cursor of the previous page.")
    return ListEntry(at=int(match[1]), game_id=match[2])


def _load(store: Store, listing: GameList, entries: list[ListEntry]) -> Iterator[GameRecord]:
    """Yield the games of the entries, and remove expired ones from the list.

    Lists are written after commits, possibly in another order. So a game whose current record
    does not belong in the list is skipped. If it is over, it is removed from the list too.
    """
    stored = store.load_many([entry.game_id for entry in entries])
    for entry, game in zip(entries, stored, strict=True):
        record = None if game is None else decode_record(game.state)
        if record is not None and listing in lists_of(record):
            yield record
        elif record is None or record.status.is_over:
            store.unlist_game(entry.game_id, lists=[listing])
