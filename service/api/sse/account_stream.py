"""The stream of an account: what its player is told of all his games, wherever he is."""

from typing import Any

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

_MOST_GAMES = 100


class AccountStream(Stream):
    """What a player is told."""

    def __init__(
        self, services: Services, *, caller: Caller, encoding: Encoding, slot: Slot, after: Cursor | None
    ) -> None:
        #: What was written before is found in the log; what is written from now on is handed over.
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
        told = {"at": rfc3339(self._services.now()), "games": self._games()}
        return [self._frame("snapshot", self._end, told)]

    def _has_all_after(self, cursor: Cursor) -> bool:
        """Tell whether nothing behind the cursor has been dropped from the log."""
        return self._services.store.account_events(self._caller.id, after=cursor, limit=1).gapless

    def _games(self) -> list[Any]:
        page = games_page(
            self._services, GameList.unfinished(self._caller.id), GameFilter(), cursor=None, limit=_MOST_GAMES
        )
        games: list[Any] = page["games"]
        return games

    def _event_frame(self, entry: LogEntry) -> Frame | None:
        told = decode_notification(entry.body)
        return None if told is None else self._frame(told["type"], entry.cursor, told)

    def _frame(self, name: str, cursor: Cursor, told: Json) -> Frame:
        named = {"type": name, "id": f"{cursor[0]}-{cursor[1]}"}
        return Frame(type=name, cursor=cursor, body=encode({**named, **told}))

    def _on_delivered(self, entries: list[LogEntry]) -> None:
        """A player's log says all there is to say."""

    def _check_access(self) -> None:
        """Whoever has a token may hear what its player is told."""
