"""Which lists a game stands in, and keeping it there.

Lists lie outside the game's shard and are written after its commits: at once by whoever
committed, and once more by the deriver where that was broken off.
"""

from collections.abc import Iterable

from service.record import GameRecord, Status
from service.store.base import Store
from service.store.lists import GameList
from service.timing import kept_until


def lists_of(record: GameRecord | None) -> frozenset[GameList]:
    """Return the lists a game belongs in: its players', and those for strangers while they may see it."""
    if record is None:
        return frozenset()
    players = {seat.player_id or seat.kept_for for seat in record.seats if not seat.is_former}
    lists = {GameList.of_player(player, sandbox=record.sandbox) for player in players if player is not None}
    if record.visibility == "public":
        lists.add(GameList.public(sandbox=record.sandbox))
        if record.status is Status.WAITING:
            lists.add(GameList.open(sandbox=record.sandbox))
    return frozenset(lists)


def are_listed_alike(before: GameRecord | None, after: GameRecord) -> bool:
    """Tell whether a change leaves all lists as they are, and how long they are kept."""
    if before is None or before.status is not after.status:
        return False
    # Most changes are moves, which leave everybody where he sits.
    return before.seats is after.seats or lists_of(before) == lists_of(after)


def list_anew(store: Store, before: GameRecord | None, after: GameRecord) -> None:
    """Put a game into the lists where it belongs after a change, and take it out of the others."""
    gone, held = lists_of(before), lists_of(after)
    _write(store, after, gone=gone - held, held=held)


def list_again(store: Store, record: GameRecord, *, sat: Iterable[str]) -> None:
    """Put a game into the lists where it belongs now; `sat` names all players who ever sat at it."""
    held = lists_of(record)
    elsewhere = {GameList.of_player(player_id, sandbox=record.sandbox) for player_id in sat}
    _write(store, record, gone=(elsewhere | {GameList.open(sandbox=record.sandbox)}) - held, held=held)


def _write(
    store: Store, record: GameRecord, *, gone: frozenset[GameList] | set[GameList], held: frozenset[GameList]
) -> None:
    left = {GameList.left_by(listing.player_id) for listing in gone if listing.player_id is not None}
    store.unlist_game(record.id, lists=gone)
    store.list_game(
        record.id,
        at=record.created_at,
        expires_at=kept_until(record, record.updated_at),
        lists=held | left,
    )
