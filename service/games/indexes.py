"""The lists of games, and which of them a game belongs to.

Lists are outside the game's shard and are written after a commit: by the committing
process, or by the projector if that process was interrupted.
"""

from collections.abc import Iterable

from service.games.record import GameRecord, Status, Visibility
from service.games.timing import kept_until
from service.games.usage import owners_of, update_usage, usage_of_game
from service.store.contract import Store
from service.store.lists import GameList


def lists_of(record: GameRecord | None) -> frozenset[GameList]:
    """Return the lists of a game: those of its players, and the public ones if it is public.

    Each comes twice: one of all games, and one of the games that are not over.
    """
    if record is None:
        return frozenset()
    sandbox = record.sandbox
    named = {seat.player_id or seat.kept_for for seat in record.seats if not seat.is_former}
    players = [player for player in named if player is not None]
    lists = {GameList.of_player(player, sandbox=sandbox) for player in players}
    if not record.status.is_over:
        lists.update(GameList.unfinished(player, sandbox=sandbox) for player in players)
    if record.visibility is Visibility.PUBLIC:
        lists.add(GameList.public(sandbox=sandbox))
        if not record.status.is_over:
            lists.add(GameList.unfinished(sandbox=sandbox))
        if record.status is Status.WAITING:
            lists.add(GameList.open(sandbox=sandbox))
    return frozenset(lists)


def have_same_listing(before: GameRecord | None, after: GameRecord) -> bool:
    """Return whether a change leaves the lists of a game, and their expiry, as they are."""
    if before is None or before.status is not after.status:
        return False
    # Most changes are moves, which keep the very tuple of seats.
    return before.seats is after.seats or (
        lists_of(before) == lists_of(after)
        and (owners_of(before), usage_of_game(before)) == (owners_of(after), usage_of_game(after))
    )


def update_lists(store: Store, before: GameRecord | None, after: GameRecord) -> None:
    """Write the lists of a game after a change."""
    gone, held = lists_of(before), lists_of(after)
    _write(store, after, gone=gone - held, held=held)
    update_usage(store, before, after)


def rebuild_lists(store: Store, record: GameRecord, *, sat: Iterable[str]) -> None:
    """Write the lists of a game without its earlier state; `sat` are all players who ever sat at it."""
    held, sandbox = lists_of(record), record.sandbox
    elsewhere = {GameList.open(sandbox=sandbox), GameList.unfinished(sandbox=sandbox)}
    # A seat may be reserved for a player who never sat.
    for player_id in {*sat, *_players(held)}:
        elsewhere |= {
            GameList.of_player(player_id, sandbox=sandbox),
            GameList.unfinished(player_id, sandbox=sandbox),
        }
    _write(store, record, gone=frozenset(elsewhere) - held, held=held)
    update_usage(store, None, record)


def _write(store: Store, record: GameRecord, *, gone: frozenset[GameList], held: frozenset[GameList]) -> None:
    # A finished game stays in the list of all games of its players: only those who left get it here.
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
