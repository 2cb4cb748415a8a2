"""Pages of games, read from the store's lists and filtered. Their cursors stay valid as lists change."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from service.api.auth import Caller
from service.api.parameters import CURSOR
from service.api.problems import invalid
from service.api.services import Services
from service.api.views.rendering import summary
from service.api.views.visibility import viewer_after
from service.games.codec import decode_record
from service.games.indexes import lists_of
from service.games.keeping_apart import blocks_between
from service.games.record import GameRecord, SpectatorAccess, Status, Visibility
from service.games.spectators import is_delayed
from service.runtime.json_object import Json
from service.store.contract import Store
from service.store.lists import GameList, ListEntry

_CURSOR: Final = re.compile(r"([0-9]{1,15})\.([0-9A-Za-z_-]{1,80})")
#: A filter that matches few games must not read a whole list: the page is short instead.
_MAX_READS: Final = 5
#: How many games of a list are read to sort them, the newest ones.
MAX_SORTED: Final = 500
#: Later than any time, and still in the form of a cursor.
_NEVER: Final = 10**15 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class GameFilter:
    """A filter for games; None matches any value."""

    status: str | None = None
    preset: str | None = None
    rated: bool | None = None
    spectators: str | None = None
    free_seats: int | None = None
    #: Whether one of the seats of `player_id` may act.
    my_turn: bool | None = None
    player_id: str | None = None
    #: Without the games of players who have blocked this one.
    reader: str | None = None

    @property
    def excludes_finished(self) -> bool:
        """Whether the filter excludes all games that are over."""
        return self.my_turn is True or (self.status is not None and not Status(self.status).is_over)

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
        if self.my_turn not in {None, bool({*record.seats_of(self.player_id)} & {*record.may_act()})}:
            return False
        if self.free_seats is None:
            return True
        free = sum(seat.may_be_taken("", now) for seat in record.seats)
        return record.status is Status.WAITING and free >= self.free_seats


@dataclass(frozen=True, slots=True, kw_only=True)
class GamePage:
    """A page of a list of games, and the cursor of the next page; None after the last one."""

    records: list[GameRecord]
    next_cursor: str | None

    def render(self, services: Services, caller: Caller, *, brief: bool) -> Json:
        """Return the games as the caller may see them; brief ones have a member of their own.

        A member that is always there has a released form, which holds all the options of the rules.
        """
        now = services.now()
        games = [_summary(record, caller, now=now, brief=brief) for record in self.records]
        return {"games": () if brief else games, "brief": games if brief else ()}


def games_page(  # noqa: PLR0913 - the parameters of a list
    services: Services,
    listing: GameList,
    game_filter: GameFilter,
    *,
    cursor: str | None,
    limit: int,
    order: str = "created",
) -> GamePage:
    """Return a page of the list: by default the games created last come first.

    A page may have fewer games than `limit` and still have a next page. In another order the newest
    `MAX_SORTED` games of the list are read at once and sorted.
    """
    found: list[GameRecord] = []
    after = None if cursor is None else _decode_cursor(cursor)
    if order != "created":
        return _sorted_page(services, listing, game_filter, after=after, limit=limit, order=order)
    now = services.now()
    for _ in range(_MAX_READS):
        wanted = limit - len(found)
        entries = services.store.games_in(listing, after=after, limit=wanted)
        found += _matching(services.store, listing, entries, game_filter, now=now)
        if len(entries) < wanted:
            return GamePage(records=found, next_cursor=None)
        after = entries[-1]
        if len(found) == limit:
            break
    return GamePage(records=found, next_cursor=None if after is None else _encode_cursor(after))


def _sorted_page(  # noqa: PLR0913 - as `games_page`
    services: Services,
    listing: GameList,
    game_filter: GameFilter,
    *,
    after: ListEntry | None,
    limit: int,
    order: str,
) -> GamePage:
    now = services.now()
    entries = services.store.games_in(listing, limit=MAX_SORTED)
    found = sorted(
        (_place_in(order, record), record.id, record)
        for record in _matching(services.store, listing, entries, game_filter, now=now)
    )
    left = [
        (ListEntry(at=place, game_id=game_id), record)
        for place, game_id, record in found
        if after is None or (place, game_id) > (after.at, after.game_id)
    ]
    page = left[:limit]
    return GamePage(
        records=[record for _, record in page],
        next_cursor=_encode_cursor(page[-1][0]) if len(left) > limit else None,
    )


def _place_in(order: str, record: GameRecord) -> int:
    """Return a number that grows along the order: the next deadline first, or the latest change first.

    Games without a deadline come after those with one, the latest change first.
    """
    if order == "deadline" and record.deadline_at is not None:
        return record.deadline_at
    return _NEVER - record.updated_at


def _summary(record: GameRecord, caller: Caller, *, now: int, brief: bool) -> Json:
    viewer = viewer_after(record, caller, None)
    is_watched = (
        record.visibility is Visibility.PUBLIC
        and record.spectators is SpectatorAccess.PUBLIC
        and not is_delayed(record, now)
    )
    return summary(record, viewer, may_watch=viewer is not None or is_watched, brief=brief)


def _encode_cursor(entry: ListEntry) -> str:
    return f"{entry.at}.{entry.game_id}"


def _matching(
    store: Store, listing: GameList, entries: list[ListEntry], game_filter: GameFilter, *, now: int
) -> list[GameRecord]:
    """Return the games that match, without those of players who have blocked the reader.

    Games in which the reader has a seat stay.
    """
    found = [record for record in _load(store, listing, entries) if game_filter.matches(record, now)]
    reader = game_filter.reader
    if reader is None:
        return found
    blocked_by = blocks_between(store, reader, {record.creator for record in found}).blocked_by
    return [record for record in found if record.creator not in blocked_by or record.seats_of(reader)]


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
