"""The stream of an account: notifications of all games of its player."""

from typing import Final

from service.api.auth import Caller
from service.api.responses import encode
from service.api.services import Services
from service.api.sse.event_stream import Encoding, Frame, Stream
from service.api.views.game_pages import GameFilter, games_page
from service.games.notifications import decode_notification
from service.runtime.json_object import Json
from service.runtime.timestamps import rfc3339
from service.store.lists import GameList
from service.streams.connections import Slot
from service.streams.subscription import Cursor, LogEntry

_MAX_GAMES = 100


class AccountStream(Stream):
    """The notifications of one player."""

    def __init__(  # noqa: PLR0913 - as Stream, and what the player asked for
        self,
        services: Services,
        *,
        caller: Caller,
        brief: bool,
        encoding: Encoding,
        slot: Slot,
        after: Cursor | None,
    ) -> None:
        self._brief: Final = brief
        #: Earlier notifications are read from the log; the broker delivers later ones.
        self._end = services.store.account_end(caller.id)
        subscription = services.streams.broker.subscribe(caller.id, end=self._end)
        super().__init__(
            services, caller=caller, encoding=encoding, slot=slot, subscription=subscription, after=after
        )

    @property
    def _context(self) -> Json:
        return {}

    def _first_frames(self) -> list[Frame]:
        if self._cursor is not None and self._cursor <= self._end and self._has_all_after(self._cursor):
            return []
        self._cursor = self._end
        snapshot = {"at": rfc3339(self._services.now()), **self._games()}
        return [self._frame("snapshot", self._end, snapshot)]

    def _has_all_after(self, cursor: Cursor) -> bool:
        """Return whether the log still has all notifications after the cursor."""
        return self._services.store.account_events(self._caller.id, after=cursor, limit=1).gapless

    def _games(self) -> Json:
        listing = GameList.unfinished(self._caller.id)
        page = games_page(self._services, listing, GameFilter(), cursor=None, limit=_MAX_GAMES)
        return page.render(self._services, self._caller, brief=self._brief)

    def _event_frame(self, entry: LogEntry) -> Frame | None:
        members = decode_notification(entry.body)
        return None if members is None else self._frame(members["type"], entry.cursor, members)

    def _frame(self, name: str, cursor: Cursor, members: Json) -> Frame:
        identified = {"type": name, "id": f"{cursor[0]}-{cursor[1]}", **members}
        return Frame(type=name, cursor=cursor, body=encode(identified))

    def _on_delivered(self, entries: list[LogEntry]) -> None:
        """Nothing depends on what was delivered."""

    def _check_access(self) -> None:
        """Every token of the player may read the notifications."""
