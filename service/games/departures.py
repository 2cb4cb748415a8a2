"""A player deletes himself: his name is taken from every table he ever sat at.

Whatever is done here may be done twice, and a second time goes on where the first was
broken off. The game itself stays whole for those who played it.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Final

from service.games.codec import encode_event
from service.games.record import FORMER_PLAYER, SeatJoined
from service.games.refusals import Refusal
from service.games.seating import delete_player
from service.games.table import Table
from service.store.contract import Store
from service.store.lists import GameList, Listed

_PAGE: Final = 200


class PlayerRemoval:
    """Takes players from tables for good."""

    def __init__(self, *, store: Store, table: Table) -> None:
        self._store: Final = store
        self._table: Final = table

    def take(self, player_id: str) -> None:
        """Take the player from every game that is kept: seats, and the log's words of who sat down."""
        # A game that he leaves here goes to the last of the lists, where it would be met again.
        done: set[str] = set()
        for listing in (
            GameList.of_player(player_id),
            GameList.of_player(player_id, sandbox=True),
            GameList.left_by(player_id),
        ):
            for entry in self._games_in(listing):
                if entry.game_id in done:
                    continue
                done.add(entry.game_id)
                try:
                    self._take_from(entry.game_id, player_id)
                except Refusal as refusal:
                    # A game that has just expired holds no name any more.
                    if refusal.code != "not_found":
                        raise

    def _take_from(self, game_id: str, player_id: str) -> None:
        """Take the player from one game; raise Refusal not_found where it is no more."""
        record = self._table.get(game_id)
        sits = any(not record.seats[seat].is_former for seat in record.seats_of(player_id))
        if sits or record.keeps_a_seat_for(player_id):
            # What overtook this may have logged his name once more: the log is read up to the new record.
            record = self._table.change(game_id, partial(delete_player, player_id=player_id)).record
        nameless = {
            (logged.version, logged.seq): encode_event(
                replace(logged.event, name=FORMER_PLAYER), at=logged.at
            )
            for logged in self._table.whole_log(record)
            if isinstance(logged.event, SeatJoined)
            and logged.event.player_id == player_id
            and logged.event.name != FORMER_PLAYER
        }
        if nameless:
            self._store.rewrite_events(game_id, nameless)

    def _games_in(self, listing: GameList) -> Iterator[Listed]:
        after: Listed | None = None
        while page := self._store.games_in(listing, after=after, limit=_PAGE):
            yield from page
            after = page[-1]
