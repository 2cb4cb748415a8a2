"""Players, tokens and one-time secrets in Redis: a hash for each player and each secret."""

import secrets
from collections.abc import Sequence
from typing import Final

from service.store.players import PlayerStore, StoredToken, TokenHolder
from service.store.redis import keys
from service.store.redis.connection import Argument, Connection, script

_TAKER_BYTES: Final = 16
_TOKEN: Final = b"token:"


class RedisPlayerStore(PlayerStore):
    """Stores players, tokens and one-time secrets."""

    _redis: Connection

    def put_player(
        self, player_id: str, body: bytes, *, replaces: bytes | None, expires_at: int | None = None
    ) -> bool:
        arguments: list[Argument] = [body, "" if expires_at is None else expires_at]
        if replaces is not None:
            arguments.append(replaces)
        names = [keys.player(player_id), keys.webhooks(player_id), keys.blocks(player_id)]
        return bool(self._redis.run(script("put_player"), names, *arguments))

    def player(self, player_id: str) -> bytes | None:
        return self.players([player_id])[0]

    def players(self, player_ids: Sequence[str]) -> list[bytes | None]:
        return self._redis.call_all([("HGET", keys.player(player_id), "body") for player_id in player_ids])

    def put_token(self, player_id: str, token_hash: str, body: bytes) -> bool:
        field = _TOKEN + token_hash.encode()
        return bool(self._redis.run(script("put_token"), [keys.player(player_id)], field, body))

    def player_by_token(self, player_id: str, token_hash: str) -> TokenHolder | None:
        field = _TOKEN + token_hash.encode()
        player, token = self._redis.call("HMGET", keys.player(player_id), "body", field)
        if player is None or token is None:
            return None
        return TokenHolder(player_id=player_id, player=player, token=token)

    def tokens_of(self, player_id: str) -> list[StoredToken]:
        fields = self._redis.call("HGETALL", keys.player(player_id))
        tokens = [
            StoredToken(token_hash=name.removeprefix(_TOKEN).decode(), body=body)
            for name, body in zip(fields[::2], fields[1::2], strict=True)
            if name.startswith(_TOKEN)
        ]
        return sorted(tokens, key=lambda token: token.token_hash)

    def revoke_token(self, player_id: str, token_hash: str) -> bool:
        return bool(self._redis.call("HDEL", keys.player(player_id), _TOKEN + token_hash.encode()))

    # One-time secrets

    def put_secret(self, kind: str, name_hash: str, body: bytes, *, expires_at: int) -> bool:
        return bool(self._redis.run(script("put_secret"), [keys.secret(kind, name_hash)], body, expires_at))

    def secret(self, kind: str, name_hash: str) -> bytes | None:
        body, taker = self._redis.call("HMGET", keys.secret(kind, name_hash), "body", "taker")
        return body if taker is None else None

    def take_secret(self, kind: str, name_hash: str) -> bytes | None:
        taker = secrets.token_bytes(_TAKER_BYTES)
        body: bytes | None = self._redis.run(script("take_secret"), [keys.secret(kind, name_hash)], taker)
        return body

    def hold_secret(
        self, kind: str, name_hash: str, holder: str, *, expires_at: int, takes_over: bool
    ) -> bool | None:
        held = self._redis.run(
            script("hold_secret"), [keys.secret(kind, name_hash)], holder, expires_at, int(takes_over)
        )
        return None if held is None else bool(held)
