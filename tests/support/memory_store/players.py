"""Players, tokens and one-time secrets in memory."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from service.store.players import StoredToken, TokenHolder


@dataclass(slots=True, kw_only=True)
class Player:
    """A player with their tokens."""

    body: bytes
    tokens: dict[str, bytes] = field(default_factory=dict)
    expires_at: int | None


@dataclass(slots=True, kw_only=True)
class Secret:
    """A secret, and whether it was taken."""

    body: bytes
    is_taken: bool = False
    holder: str | None = None
    expires_at: int


class MemoryPlayerStore:
    """Players, tokens and one-time secrets in memory."""

    _now: Callable[[], int]
    _changed: threading.Condition
    _players: dict[str, Player]
    _secrets: dict[tuple[str, str], Secret]

    def put_player(
        self, player_id: str, body: bytes, *, replaces: bytes | None, expires_at: int | None = None
    ) -> bool:
        with self._changed:
            player = self._player(player_id)
            stored = None if player is None else player.body
            if stored not in {replaces, body}:
                return False
            tokens = {} if player is None else player.tokens
            self._players[player_id] = Player(body=body, tokens=tokens, expires_at=expires_at)
            return True

    def player(self, player_id: str) -> bytes | None:
        with self._changed:
            player = self._player(player_id)
            return None if player is None else player.body

    def players(self, player_ids: Sequence[str]) -> list[bytes | None]:
        with self._changed:
            return [self.player(player_id) for player_id in player_ids]

    def put_token(self, player_id: str, token_hash: str, body: bytes) -> bool:
        with self._changed:
            player = self._player(player_id)
            if player is None:
                return False
            player.tokens[token_hash] = body
            return True

    def player_by_token(self, player_id: str, token_hash: str) -> TokenHolder | None:
        with self._changed:
            player = self._player(player_id)
            if player is None or token_hash not in player.tokens:
                return None
            return TokenHolder(player_id=player_id, player=player.body, token=player.tokens[token_hash])

    def tokens_of(self, player_id: str) -> list[StoredToken]:
        with self._changed:
            player = self._player(player_id)
            tokens = {} if player is None else player.tokens
            return [StoredToken(token_hash=name, body=tokens[name]) for name in sorted(tokens)]

    def revoke_token(self, player_id: str, token_hash: str) -> bool:
        with self._changed:
            player = self._player(player_id)
            return player is not None and player.tokens.pop(token_hash, None) is not None

    # One-time secrets

    def put_secret(self, kind: str, name_hash: str, body: bytes, *, expires_at: int) -> bool:
        with self._changed:
            kept = self._secret(kind, name_hash)
            if kept is not None:
                return kept.body == body
            self._secrets[kind, name_hash] = Secret(body=body, expires_at=expires_at)
            return True

    def secret(self, kind: str, name_hash: str) -> bytes | None:
        with self._changed:
            kept = self._secret(kind, name_hash)
            return None if kept is None or kept.is_taken else kept.body

    def take_secret(self, kind: str, name_hash: str) -> bytes | None:
        with self._changed:
            kept = self._secret(kind, name_hash)
            if kept is None or kept.is_taken:
                return None
            kept.is_taken = True
            return kept.body

    def hold_secret(
        self, kind: str, name_hash: str, holder: str, *, expires_at: int, takes_over: bool
    ) -> bool | None:
        with self._changed:
            kept = self._secret(kind, name_hash)
            if kept is None or kept.is_taken:
                return None
            if kept.holder not in {None, holder} and not takes_over:
                return False
            kept.holder, kept.expires_at = holder, expires_at
            return True

    # Expired values are removed when they are read. The caller holds the lock.

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
