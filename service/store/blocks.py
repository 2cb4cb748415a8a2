"""Blocks: the players whom a player wants nothing to do with.

A player's blocks are player ids by the time of blocking, newest first:

    p5oyS8YbD1nWTw0gU5rJbvUOQdP   1796080471842
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

MAX_BLOCKS: Final = 500
"""How many players one player may block: a seek carries the whole list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A blocked player, and since when."""

    player_id: str
    at: int


class BlockStore(Protocol):
    """Stores whom a player has blocked."""

    def put_block(self, player_id: str, blocked_id: str, *, at: int) -> bool:
        """Block a player; one who is blocked already keeps the first time.

        Returns False if the player does not exist, or has `MAX_BLOCKS` blocks and this would be another
        one. Blocks expire with their player.
        """
        ...

    def delete_block(self, player_id: str, blocked_id: str) -> bool:
        """Unblock a player; return whether they were blocked, with the reservation of `delete_player`."""
        ...

    def blocks_of(self, player_id: str) -> list[Block]:
        """Return the player's blocks, newest first; equal times by id, descending."""
        ...

    def have_blocked(self, pairs: Sequence[tuple[str, str]]) -> list[bool]:
        """Return for each pair whether the first player has blocked the second; in one round trip."""
        ...
