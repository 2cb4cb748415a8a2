"""Players, tokens and secrets in memory: the twin of `redis_players`."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from service.store.players import StoredToken, TokenHolder


@dataclass(slots=True, kw_only=True)
class Player:
    """A player with his tokens."""

    body: bytes
    tokens: dict[str, bytes] = field(default_factory=dict)
    expires_at: int | None


@dataclass(slots=True, kw_only=True)
class Secret:
    """A secret, and whether it was taken."""

    body: bytes
    is_taken: bool = False
    expires_at: int


class PlayersInMemory:
    """The part of the store that keeps players, tokens and secrets."""

    _now: Callable[[], int]
    _changed: threading.Condition
    _players: dict[str, Player]
    _secrets: dict[tuple[str, str], Secret]

    def put_player(
        self, player_id: str, body: bytes, *, replaces: bytes | None, expires_at: int | None = None
    ) -> bool:
        """Store a player, unless another writer was there first; tell whether it was done."""
        with self._changed:
            player = self._player(player_id)
            stored = None if player is None else player.body
            if stored not in {replaces, body}:
                return False
            tokens = {} if player is None else player.tokens
            self._players[player_id] = Player(body=body, tokens=tokens, expires_at=expires_at)
            return True

    def player(self, player_id: str) -> bytes | None:
        """Return the player's body, None where there is no such player."""
        with self._changed:
            player = self._player(player_id)
            return None if player is None else player.body

    def players(self, player_ids: Sequence[str]) -> list[bytes | None]:
        """Return what `player` would, for each id in the order given."""
        with self._changed:
            return [self.player(player_id) for player_id in player_ids]

    def put_token(self, player_id: str, token_hash: str, body: bytes) -> bool:
        """Store a token of an existing player; False without the player."""
        with self._changed:
            player = self._player(player_id)
            if player is None:
                return False
            player.tokens[token_hash] = body
            return True

    def player_by_token(self, player_id: str, token_hash: str) -> TokenHolder | None:
        """Return player and token, None unless both exist."""
        with self._changed:
            player = self._player(player_id)
            if player is None or token_hash not in player.tokens:
                return None
            return TokenHolder(player_id=player_id, player=player.body, token=player.tokens[token_hash])

    def tokens_of(self, player_id: str) -> list[StoredToken]:
        """Return the player's tokens, ordered by hash."""
        with self._changed:
            player = self._player(player_id)
            tokens = {} if player is None else player.tokens
            return [StoredToken(token_hash=name, body=tokens[name]) for name in sorted(tokens)]

    def revoke_token(self, player_id: str, token_hash: str) -> bool:
        """Forget a token; tell whether it was there."""
        with self._changed:
            player = self._player(player_id)
            return player is not None and player.tokens.pop(token_hash, None) is not None

    # Secrets that open something once

    def put_once(self, kind: str, name_hash: str, body: bytes, *, expires_at: int) -> bool:
        """Keep a secret until it is taken, or until `expires_at`; False where the name is another's."""
        with self._changed:
            kept = self._secret(kind, name_hash)
            if kept is not None:
                return kept.body == body
            self._secrets[kind, name_hash] = Secret(body=body, expires_at=expires_at)
            return True

    def once(self, kind: str, name_hash: str) -> bytes | None:
        """Return what may still be taken, without taking it; None where there is nothing."""
        with self._changed:
            kept = self._secret(kind, name_hash)
            return None if kept is None or kept.is_taken else kept.body

    def take_once(self, kind: str, name_hash: str) -> bytes | None:
        """Return what was kept, to one caller only; None where there is nothing, or nothing any more."""
        with self._changed:
            kept = self._secret(kind, name_hash)
            if kept is None or kept.is_taken:
                return None
            kept.is_taken = True
            return kept.body

    # What has expired is removed when somebody asks for it. The lock is held.

    def _player(self, player_id: str) -> Player | None:
        player = self._players.get(player_id)
        if player is not None and player.expires_at is not None and player.expires_at <= self._now():
            del self._players[player_id]
            return None
        return player

    def _secret(self, kind: str, name_hash: str) -> Secret | None:
        kept = self._secrets.get((kind, name_hash))
        if kept is not None and kept.expires_at <= self._now():
            del self._secrets[kind, name_hash]
            return None
        return kept
