"""Every name of a key in Redis, made in one place.

What stands between { and } decides the slot of a cluster. A game's keys, the
answers given in it and its shard's list of what is due share the tag of the
shard; all of a player shares the tag of the player. A script touches one tag.
"""

from typing import Final

from service.store.contract import IdempotencyKey
from service.store.ids import shard_of
from service.store.lists import GameList

WAKE: Final = "rummy:wake"
"""Stream of (game, version), written after commits; outside every shard."""

PING: Final = "rummy:ping"
"""Written by `ping`, to see whether it can be."""


def game(game_id: str) -> str:
    """Hash: version, state, and the trail of the last commits' ids; how far behind, see `behind`."""
    return f"{_shard(shard_of(game_id))}game:{game_id}"


def events(game_id: str) -> str:
    """Stream: the game's log, ids `<version>-<seq>`."""
    return f"{_shard(shard_of(game_id))}events:{game_id}"


def answer(key: IdempotencyKey) -> str:
    """String: a reservation, then the answer."""
    # Ids hold no slash, so no two keys meet, whatever a client writes behind the last one.
    return f"{_shard(key.shard)}answer:{key.game_id or '-'}/{key.player_id}/{key.name}"


def due(shard: int) -> str:
    """Sorted set: game ids by the time they are due."""
    return f"{_shard(shard)}due"


def attempts(shard: int) -> str:
    """Hash: game id to the count of leases, where it is not 0."""
    return f"{_shard(shard)}attempts"


def behind(shard: int) -> str:
    """Sorted set: game ids from whose commits something must still be derived, by when that is overdue."""
    return f"{_shard(shard)}behind"


def player(player_id: str) -> str:
    """Hash: the player's body, and a field for each token."""
    return f"{_player(player_id)}player"


def once(kind: str, name_hash: str) -> str:
    """Hash: the body of a secret, and who took it."""
    return f"rummy:once:{kind}:{name_hash}"


def work(name: str) -> str:
    """String: how far a piece of work has come."""
    return f"rummy:work:{name}"


def account(player_id: str) -> str:
    """Stream: what the player was told."""
    return f"{_player(player_id)}account"


def told(player_id: str) -> str:
    """Hash: game id to the place in its log up to which the player was told."""
    return f"{_player(player_id)}told"


def visits(player_id: str) -> str:
    """Sorted set: what shows that the player is here, by its end."""
    return f"{_player(player_id)}visits"


def count(name: str, window: int) -> str:
    """String: a number. All windows of a name lie in one slot."""
    return f"rummy:{{hits:{name}}}:{window}"


def webhooks(player_id: str) -> str:
    """Hash: webhook id to the webhook; it ends with the player."""
    return f"{_player(player_id)}webhooks"


DELIVERIES: Final = "rummy:{deliveries}:deliveries"
"""Hash: delivery id to what is to be delivered."""

DELIVERIES_DUE: Final = "rummy:{deliveries}:due"
"""Sorted set: delivery ids by when somebody must see to them."""


def ratings(pool: str) -> str:
    """Hash: player id to the rating in a pool."""
    return f"{_pool(pool)}ratings"


def board(pool: str) -> str:
    """Sorted set: player ids of a pool by score."""
    return f"{_pool(pool)}board"


def rated(pool: str) -> str:
    """Sorted set: the games that have counted in a pool, by when they did."""
    return f"{_pool(pool)}rated"


def seeks(pool: str) -> list[str]:
    """Hash: all that is known of a pool's seeks; sorted sets: those who wait by arrival, all by their end."""
    return [f"rummy:{{seeks:{pool}}}:{name}" for name in ("seeks", "waiting", "ends")]


def games(listing: GameList) -> str:
    """Sorted set: game ids by time."""
    owner = "rummy:" if listing.player_id is None else _player(listing.player_id)
    return f"{owner}{listing.name}{':sandbox' if listing.sandbox else ''}"


def _shard(shard: int) -> str:
    return f"rummy:{{s{shard:02x}}}:"


def _pool(pool: str) -> str:
    # No player's id has a colon in it, so that no pool shares his slot.
    return f"rummy:{{pool:{pool}}}:"


def _player(player_id: str) -> str:
    return f"rummy:{{{player_id}}}:"
