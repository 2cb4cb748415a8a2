"""Players, their tokens, and secrets that can be used once.

A player's record holds the body and one field for each token, under the token's hash:

    body            {"id": "p3fPFoc2...", "name": "Cal", "kind": "human", "created_at": 1796080369159, ...}
    token:ec798c3f  {"id": "tad2ee30...", "name": "first", "scopes": ["games:read", ...], ...}
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredToken:
    """A token of a player: its hash, and the body that the caller stored."""

    token_hash: str
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenHolder:
    """The player that a token belongs to, with the bodies of player and token."""

    player_id: str
    player: bytes
    token: bytes


class PlayerStore(Protocol):
    """Stores players, tokens and one-time secrets."""

    def put_player(
        self, player_id: str, body: bytes, *, replaces: bytes | None, expires_at: int | None = None
    ) -> bool:
        """Store a player by compare-and-set; return False if another writer was first.

        `replaces` is the body that was read, None for a new player. A body that is stored
        already counts as success. The player and all tokens expire at `expires_at`; None
        keeps them for ever.
        """
        ...

    def player(self, player_id: str) -> bytes | None:
        """Return the player's body, or None."""
        ...

    def players(self, player_ids: Sequence[str]) -> list[bytes | None]:
        """Return the result of `player` for each id, in this order, in one round trip."""
        ...

    def delete_player(self, player_id: str) -> bool:
        """Delete a player with their tokens, log, ratings, webhooks, blocks and lists of games.

        Returns whether the player existed. For a second call, also one repeated after a broken
        connection, that may be False.
        """
        ...

    def put_token(self, player_id: str, token_hash: str, body: bytes) -> bool:
        """Store a token of a player, replacing one with the same hash; False without the player."""
        ...

    def player_by_token(self, player_id: str, token_hash: str) -> TokenHolder | None:
        """Return player and token in one round trip, None unless both exist.

        A token names its player (`<player id>.<secret>`), so both lie in one record.
        """
        ...

    def tokens_of(self, player_id: str) -> list[StoredToken]:
        """Return the player's tokens, ordered by hash."""
        ...

    def revoke_token(self, player_id: str, token_hash: str) -> bool:
        """Delete a token; return whether it existed, with the reservation of `delete_player`."""
        ...

    # One-time secrets

    def put_secret(self, kind: str, name_hash: str, body: bytes, *, expires_at: int) -> bool:
        """Store a secret until it expires or is taken; return False if the name is in use.

        The store knows the secret by its hash only. A taken secret keeps its name until its
        expiry. A body that is stored already counts as success.
        """
        ...

    def secret(self, kind: str, name_hash: str) -> bytes | None:
        """Return a secret that can still be taken, without taking it, or None."""
        ...

    def take_secret(self, kind: str, name_hash: str) -> bytes | None:
        """Take a secret: return its body to one caller, None to all others."""
        ...

    def hold_secret(
        self, kind: str, name_hash: str, holder: str, *, expires_at: int, takes_over: bool
    ) -> bool | None:
        """Hold a secret that was not taken, and set its expiry; it can be read and held again.

        Returns False if another holder has it, unless `takes_over`; None if it is gone or was taken.
        """
        ...
