"""Players, tokens and secrets in Redis: a hash a player, a hash a secret."""

import secrets
from collections.abc import Sequence
from typing import Final

from service.store.players import StoredToken, TokenHolder
from service.store.redis import keys
from service.store.redis.connection import Argument, Connection, script

_TAKER_BYTES: Final = 16
_TOKEN: Final = b"token:"


class PlayersInRedis:
    """The part of the store that keeps players, tokens and secrets."""

    _redis: Connection

    def put_player(
        self, player_id: str, body: bytes, *, replaces: bytes | None, expires_at: int | None = None
    ) -> bool:
        """Store a player, unless another writer was there first; tell whether it was done."""
        arguments: list[Argument] = [body, "" if expires_at is None else expires_at]
        if replaces is not None:
            arguments.append(replaces)
        names = [keys.player(player_id), keys.webhooks(player_id)]
        return bool(self._redis.run(script("put_player"), names, *arguments))

    def player(self, player_id: str) -> bytes | None:
        """Return the player's body, None where there is no such player."""
        return self.players([player_id])[0]

    def players(self, player_ids: Sequence[str]) -> list[bytes | None]:
        """Return what `player` would, for each id in the order given, in one round trip."""
        return self._redis.call_all([("HGET", keys.player(player_id), "body") for player_id in player_ids])

    def put_token(self, player_id: str, token_hash: str, body: bytes) -> bool:
        """Store a token of an existing player, replacing one of the same hash; False without the player."""
        field = _TOKEN + token_hash.encode()
        return bool(self._redis.run(script("put_token"), [keys.player(player_id)], field, body))

    def player_by_token(self, player_id: str, token_hash: str) -> TokenHolder | None:
        """Return player and token in one round trip, None unless both exist."""
        field = _TOKEN + token_hash.encode()
        player, token = self._redis.call("HMGET", keys.player(player_id), "body", field)
        if player is None or token is None:
            return None
        return TokenHolder(player_id=player_id, player=player, token=token)

    def tokens_of(self, player_id: str) -> list[StoredToken]:
        """Return the player's tokens, ordered by hash."""
        fields = self._redis.call("HGETALL", keys.player(player_id))
        tokens = [
            StoredToken(token_hash=name.removeprefix(_TOKEN).decode(), body=body)
            for name, body in zip(fields[::2], fields[1::2], strict=True)
            if name.startswith(_TOKEN)
        ]
        return sorted(tokens, key=lambda token: token.token_hash)

    def revoke_token(self, player_id: str, token_hash: str) -> bool:
        """Forget a token; tell whether it was there."""
        return bool(self._redis.call("HDEL", keys.player(player_id), _TOKEN + token_hash.encode()))

    # Secrets that open something once

    def put_once(self, kind: str, name_hash: str, body: bytes, *, expires_at: int) -> bool:
        """Keep a secret until it is taken, or until `expires_at`; False where the name is another's."""
        return bool(self._redis.run(script("put_once"), [keys.once(kind, name_hash)], body, expires_at))

    def once(self, kind: str, name_hash: str) -> bytes | None:
        """Return what may still be taken, without taking it; None where there is nothing."""
        body, taker = self._redis.call("HMGET", keys.once(kind, name_hash), "body", "taker")
        return body if taker is None else None

    def take_once(self, kind: str, name_hash: str) -> bytes | None:
        """Return what was kept, to one caller only; None where there is nothing, or nothing any more."""
        taker = secrets.token_bytes(_TAKER_BYTES)
        body: bytes | None = self._redis.run(script("take_once"), [keys.once(kind, name_hash)], taker)
        return body
