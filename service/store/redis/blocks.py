"""Blocks in Redis: a sorted set for each player."""

from collections.abc import Sequence

from service.store.blocks import MAX_BLOCKS, Block, BlockStore
from service.store.redis import keys
from service.store.redis.connection import Connection, script


class RedisBlockStore(BlockStore):
    """Stores blocks."""

    _redis: Connection

    def put_block(self, player_id: str, blocked_id: str, *, at: int) -> bool:
        names = [keys.player(player_id), keys.blocks(player_id)]
        return bool(self._redis.run(script("put_block"), names, blocked_id, at, MAX_BLOCKS))

    def delete_block(self, player_id: str, blocked_id: str) -> bool:
        return bool(self._redis.call("ZREM", keys.blocks(player_id), blocked_id))

    def blocks_of(self, player_id: str) -> list[Block]:
        reply = self._redis.call("ZREVRANGE", keys.blocks(player_id), 0, -1, "WITHSCORES")
        return [
            Block(player_id=blocked.decode(), at=int(at))
            for blocked, at in zip(reply[::2], reply[1::2], strict=True)
        ]

    def have_blocked(self, pairs: Sequence[tuple[str, str]]) -> list[bool]:
        found = self._redis.call_all([("ZSCORE", keys.blocks(one), other) for one, other in pairs])
        return [score is not None for score in found]
