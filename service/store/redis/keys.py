"""The names of all keys in Redis.

The text between { and } decides the slot in a cluster. A game's keys, the answers given in it
and its shard's due list share the tag of the shard; so do a score sheet and its answers.
Everything of a player shares the tag of the player. A script touches keys of one tag only.
"""

from typing import Final

from service.store.answers import IdempotencyKey
from service.store.ids import is_sheet_id, shard_of
from service.store.lists import GameList

WAKE: Final = "rummy:wake"
"""Stream of (game, version), appended to after commits; outside all shards."""

MESSAGES: Final = "rummy:{rummy:wake}:messages"
"""Stream of (game, body) with the newest messages; in the slot of `WAKE`, to be read together with it."""

PING: Final = "rummy:ping"
"""Written by `ping` to check that the server accepts writes."""


def game(game_id: str) -> str:
    """Hash: version, state, trail (ids of the last commits), derived and marked (see `outbox`)."""
    return f"{_shard(shard_of(game_id))}game:{game_id}"


def events(game_id: str) -> str:
    """Stream: the game's log, ids `<version>-<seq>`."""
    return f"{_shard(shard_of(game_id))}events:{game_id}"


def sheet(sheet_id: str) -> str:
    """Hash: a score sheet, with the fields of a game that it has: version, state, trail."""
    return f"{_shard(shard_of(sheet_id))}sheet:{sheet_id}"


def subject(subject_id: str) -> str:
    """Return the key of a game or score sheet, by its id."""
    return sheet(subject_id) if is_sheet_id(subject_id) else game(subject_id)


def answer(key: IdempotencyKey) -> str:
    """String: a reservation, later replaced by the answer."""
    # Ids contain no slash, so keys are unique whatever name a client sends.
    return f"{_shard(key.shard)}answer:{key.subject_id or '-'}/{key.player_id}/{key.name}"


def due(shard: int) -> str:
    """Sorted set: game ids by due time."""
    return f"{_shard(shard)}due"


def attempts(shard: int) -> str:
    """Hash: game id to the number of leases, if it is not 0."""
    return f"{_shard(shard)}attempts"


def outbox(shard: int) -> str:
    """Sorted set: ids of games with pending effects, by the time these are overdue."""
    return f"{_shard(shard)}behind"


def player(player_id: str) -> str:
    """Hash: the player's body, and one field for each token."""
    return f"{_player(player_id)}player"


def secret(kind: str, name_hash: str) -> str:
    """Hash: the body of a one-time secret, and its taker."""
    return f"rummy:once:{kind}:{name_hash}"


def advice_job(name: str) -> str:
    """String: an advice job, or the id of one."""
    return f"rummy:work:{name}"


def account(player_id: str) -> str:
    """Stream: the player's account log."""
    return f"{_player(player_id)}account"


def account_progress(player_id: str) -> str:
    """Hash: game id to the last event of its log that is in the player's account log."""
    return f"{_player(player_id)}told"


def presence(player_id: str) -> str:
    """Sorted set: the player's presence leases by their end."""
    return f"{_player(player_id)}visits"


def count(name: str, window: int) -> str:
    """String: the hits in a window. All windows of a name lie in one slot."""
    return f"rummy:{{hits:{name}}}:{window}"


def webhooks(player_id: str) -> str:
    """Hash: webhook id to the webhook; it expires with the player."""
    return f"{_player(player_id)}webhooks"


def blocks(player_id: str) -> str:
    """Sorted set: ids of blocked players by the time of blocking; it expires with the player."""
    return f"{_player(player_id)}blocks"


def usage(owner: str) -> str:
    """Hash: what an account or an address has in use, by the name of the game or seek."""
    return f"{_player(owner)}usage"


REPORTS: Final = "rummy:{reports}:reports"
"""Stream: reports of players, with ids of their time."""

DELIVERIES: Final = "rummy:{deliveries}:deliveries"
"""Hash: delivery id to the delivery."""

DELIVERIES_DUE: Final = "rummy:{deliveries}:due"
"""Sorted set: delivery ids by due time."""


def ratings(pool: str) -> str:
    """Hash: player id to the player's rating in a pool."""
    return f"{_pool(pool)}ratings"


def board(pool: str) -> str:
    """Sorted set: player ids of a pool by score."""
    return f"{_pool(pool)}board"


def rated(pool: str) -> str:
    """Sorted set: the games rated in a pool, by the time of rating."""
    return f"{_pool(pool)}rated"


def seeks(pool: str) -> list[str]:
    """Hash: the seeks of a pool, in fields. Sorted sets: waiting seeks by arrival, all seeks by end."""
    return [f"rummy:{{seeks:{pool}}}:{name}" for name in ("seeks", "waiting", "ends")]


def games(listing: GameList) -> str:
    """Sorted set: game ids by time."""
    owner = "rummy:" if listing.player_id is None else _player(listing.player_id)
    return f"{owner}{listing.name}{':sandbox' if listing.sandbox else ''}"


def _shard(shard: int) -> str:
    return f"rummy:{{s{shard:02x}}}:"


def _pool(pool: str) -> str:
    # Player ids contain no colon, so a pool never shares a player's tag.
    return f"rummy:{{pool:{pool}}}:"


def _player(player_id: str) -> str:
    return f"rummy:{{{player_id}}}:"
