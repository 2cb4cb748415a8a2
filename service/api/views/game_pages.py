"""Pages of games: read from the store's lists, filtered, with a cursor that holds while lists change."""

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
#: A filter that fits few games must not read a whole list for one page: the page is then a short one.
_MOST_READS: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class GameFilter:
    """What games somebody looks for; None of anything takes all."""

    status: str | None = None
    preset: str | None = None
    rated: bool | None = None
    spectators: str | None = None
    free_seats: int | None = None

    @property
    def excludes_finished(self) -> bool:
        """Whether the status leaves out all games that are over."""
        return self.status is not None and not Status(self.status).is_over

    def matches(self, record: GameRecord, now: int) -> bool:
        """Tell whether a game is one of them. A seat that is kept for somebody is not free to others."""
        told = (
            (self.status, record.status),
            (self.preset, record.variant.name),
            (self.rated, record.rated),
            (self.spectators, record.spectators),
        )
        if any(wished not in {None, there} for wished, there in told):
            return False
        if self.free_seats is None:
            return True
        free = sum(seat.may_be_taken("", now) for seat in record.seats)
        return record.status is Status.WAITING and free >= self.free_seats


def games_page(
    services: Services, listing: GameList, game_filter: GameFilter, *, cursor: str | None, limit: int
) -> Json:
    """Return a page of the list, newest first, and the cursor of the next.

    A page may hold fewer games than `limit` and still have a next one.
    """
    found: list[GameRecord] = []
    after = None if cursor is None else _read(cursor)
    now = services.now()
    for _ in range(_MOST_READS):
        wanted = limit - len(found)
        entries = services.store.games_in(listing, after=after, limit=wanted)
        found += [
            record for record in _loaded(services.store, listing, entries) if game_filter.matches(record, now)
        ]
        if len(entries) < wanted:
            return _page(found, None)
        after = entries[-1]
        if len(found) == limit:
            break
    return _page(found, after)


def _page(found: list[GameRecord], after: ListEntry | None) -> Json:
    next_cursor = None if after is None else f"{after.at}.{after.game_id}"
    return {"games": [summary(record) for record in found], "next_cursor": next_cursor}


def _read(cursor: str) -> ListEntry:
    form = _CURSOR.fullmatch(cursor)
    if form is None:
        raise invalid(CURSOR.name, "Send next_cursor of the page before.")
    return ListEntry(at=int(form[1]), game_id=form[2])


def _loaded(store: Store, listing: GameList, entries: list[ListEntry]) -> Iterator[GameRecord]:
    """Yield the games of the entries; one that has expired is taken off the list.

    Lists are written after the commits they follow, and two may come in the wrong order: a game
    that does not belong in the list, as it stands now, is passed over. If it is over it never
    will, and is taken off too.
    """
    stored = store.load_many([entry.game_id for entry in entries])
    for entry, game in zip(entries, stored, strict=True):
        record = None if game is None else decode_record(game.state)
        if record is not None and listing in lists_of(record):
            yield record
        elif record is None or record.status.is_over:
            store.unlist_game(entry.game_id, lists=[listing])
