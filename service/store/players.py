"""Players, their tokens, and secrets that open something once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredToken:
    """A token of a player: the hash it is found by, and what the caller keeps about it."""

    token_hash: str
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenHolder:
    """Who a token belongs to, with the bodies of player and token."""

    player_id: str
    player: bytes
    token: bytes


class Players(Protocol):
    """Keeps players, tokens and secrets."""

    def put_player(
        self, player_id: str, body: bytes, *, replaces: bytes | None, expires_at: int | None = None
    ) -> bool:
        """Store a player, unless another writer was there first; tell whether it was done.

        `replaces` is the body that was read, None for a new player. What already
        stands as it should be counts as done. The player and all tokens vanish at
        `expires_at`; None keeps them for ever.
        """
        ...

    def player(self, player_id: str) -> bytes | None:
        """Return the player's body, None where there is no such player."""
        ...

    def players(self, player_ids: Sequence[str]) -> list[bytes | None]:
        """Return what `player` would, for each id in the order given, in one round trip."""
        ...

    def delete_player(self, player_id: str) -> bool:
        """Forget the player with all that is his; tell whether there was one.

        Tokens, log, ratings, webhooks and lists of games go too. Deleted twice, or after a broken
        connection, the answer may be False.
        """
        ...

    def put_token(self, player_id: str, token_hash: str, body: bytes) -> bool:
        """Store a token of an existing player, replacing one of the same hash; False without the player."""
        ...

    def player_by_token(self, player_id: str, token_hash: str) -> TokenHolder | None:
        """Return player and token in one round trip, None unless both exist.

        A token names its player (`<player id>.<secret>`), so that both lie in one record.
        """
        ...

    def tokens_of(self, player_id: str) -> list[StoredToken]:
        """Return the player's tokens, ordered by hash."""
        ...

    def revoke_token(self, player_id: str, token_hash: str) -> bool:
        """Forget a token; tell whether it was there. As `delete_player`, False may be a second time."""
        ...

    # Secrets that open something once

    def put_once(self, kind: str, name_hash: str, body: bytes, *, expires_at: int) -> bool:
        """Keep a secret until it is taken, or until `expires_at`; False where the name is another's.

        The store knows the secret by its hash only. What was taken keeps its name until its end. What
        already stands as it should be counts as done.
        """
        ...

    def once(self, kind: str, name_hash: str) -> bytes | None:
        """Return what may still be taken, without taking it; None where there is nothing."""
        ...

    def take_once(self, kind: str, name_hash: str) -> bytes | None:
        """Return what was kept, to one caller only; None where there is nothing, or nothing any more."""
        ...
