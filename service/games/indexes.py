"""Which lists a game stands in, and keeping it there.

Lists lie outside the game's shard and are written after its commits: at once by whoever
committed, and once more by the projector where that was broken off.
"""

from collections.abc import Iterable

from service.games.record import GameRecord, Status, Visibility
from service.games.timing import kept_until
from service.store.contract import Store
from service.store.lists import GameList


def lists_of(record: GameRecord | None) -> frozenset[GameList]:
    """Return the lists a game belongs in: its players', and those for strangers while they may see it.

    Of either there is one of all games, and one of those that are not over.
    """
    if record is None:
        return frozenset()
    sandbox = record.sandbox
    named = {seat.player_id or seat.kept_for for seat in record.seats if not seat.is_former}
    players = [player for player in named if player is not None]
    lists = {GameList.of_player(player, sandbox=sandbox) for player in players}
    if not record.status.is_over:
        lists.update(GameList.going(player, sandbox=sandbox) for player in players)
    if record.visibility is Visibility.PUBLIC:
        lists.add(GameList.public(sandbox=sandbox))
        if not record.status.is_over:
            lists.add(GameList.going(sandbox=sandbox))
        if record.status is Status.WAITING:
            lists.add(GameList.open(sandbox=sandbox))
    return frozenset(lists)


def have_same_listing(before: GameRecord | None, after: GameRecord) -> bool:
    """Tell whether a change leaves all lists as they are, and how long they are kept."""
    if before is None or before.status is not after.status:
        return False
    # Most changes are moves, which leave everybody where he sits.
    return before.seats is after.seats or lists_of(before) == lists_of(after)


def update_lists(store: Store, before: GameRecord | None, after: GameRecord) -> None:
    """Put a game into the lists where it belongs after a change, and take it out of the others."""
    gone, held = lists_of(before), lists_of(after)
    _write(store, after, gone=gone - held, held=held)


def rebuild_lists(store: Store, record: GameRecord, *, sat: Iterable[str]) -> None:
    """Put a game into the lists where it belongs now; `sat` names all players who ever sat at it."""
    held, sandbox = lists_of(record), record.sandbox
    elsewhere = {GameList.open(sandbox=sandbox), GameList.going(sandbox=sandbox)}
    # A seat may be kept for somebody who never sat.
    for player_id in {*sat, *_players(held)}:
        elsewhere |= {
            GameList.of_player(player_id, sandbox=sandbox),
            GameList.going(player_id, sandbox=sandbox),
        }
    _write(store, record, gone=frozenset(elsewhere) - held, held=held)


def _write(store: Store, record: GameRecord, *, gone: frozenset[GameList], held: frozenset[GameList]) -> None:
    # Who finished a game has not left it: it stands in his list of all games.
    left = {GameList.left_by(player_id) for player_id in _players(gone) - _players(held)}
    store.unlist_game(record.id, lists=gone)
    store.list_game(
        record.id,
        at=record.created_at,
        expires_at=kept_until(record, record.updated_at),
        lists=held | left,
    )


def _players(lists: frozenset[GameList]) -> set[str]:
    return {listing.player_id for listing in lists if listing.player_id is not None}
