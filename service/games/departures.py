"""Deleted accounts: the player's name is removed from every game they took part in.

The removal is idempotent: if it is interrupted, a second run completes it. The games
themselves stay, for their other players.
"""

from collections.abc import Iterator
from functools import partial
from typing import Final

from service.games.codec import decode_event, rename_player
from service.games.record import FORMER_PLAYER, SeatJoined
from service.games.refusals import Refusal
from service.games.seating import delete_player
from service.games.table import Table
from service.store.contract import Store
from service.store.lists import GameList, ListEntry

_PAGE: Final = 200


class PlayerRemoval:
    """Removes players from all their games."""

    def __init__(self, *, store: Store, table: Table) -> None:
        self._store: Final = store
        self._table: Final = table

    def remove(self, player_id: str) -> None:
        """Remove the player from every stored game: its seats, and the names in its log."""
        # A game left here moves to the last of these lists, and would be found again.
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
                    self._remove_from(entry.game_id, player_id)
                except Refusal as refusal:
                    # The game has just expired, and the name with it.
                    if refusal.code != "not_found":
                        raise

    def _remove_from(self, game_id: str, player_id: str) -> None:
        """Remove the player from one game; raise Refusal not_found if it has expired."""
        record = self._table.get(game_id)
        sits = any(not record.seats[seat].is_former for seat in record.seats_of(player_id))
        if sits or record.keeps_a_seat_for(player_id):
            # A concurrent change may have logged the name again: read the log up to the new record.
            record = self._table.change(game_id, partial(delete_player, player_id=player_id)).record
        nameless = {
            (stored.version, stored.seq): rename_player(stored, FORMER_PLAYER)
            for stored in self._table.stored_log(record)
            if isinstance(event := decode_event(stored).event, SeatJoined)
            and event.player_id == player_id
            and event.name != FORMER_PLAYER
        }
        if nameless:
            self._store.rewrite_events(game_id, nameless)

    def _games_in(self, listing: GameList) -> Iterator[ListEntry]:
        after: ListEntry | None = None
        while page := self._store.games_in(listing, after=after, limit=_PAGE):
            yield from page
            after = page[-1]
