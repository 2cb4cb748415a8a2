"""Blocks in memory."""

import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence

from service.store.blocks import MAX_BLOCKS, Block


class MemoryBlockStore(ABC):
    """Blocks in memory."""

    _changed: threading.Condition
    _blocks: dict[str, dict[str, int]]

    @abstractmethod
    def player(self, player_id: str) -> bytes | None:
        """Return the player's body."""

    def put_block(self, player_id: str, blocked_id: str, *, at: int) -> bool:
        with self._changed:
            blocked = self._blocked_by(player_id)
            if self.player(player_id) is None or (blocked_id not in blocked and len(blocked) >= MAX_BLOCKS):
                return False
            self._blocks.setdefault(player_id, {}).setdefault(blocked_id, at)
            return True

    def delete_block(self, player_id: str, blocked_id: str) -> bool:
        with self._changed:
            return self._blocked_by(player_id).pop(blocked_id, None) is not None

    def blocks_of(self, player_id: str) -> list[Block]:
        with self._changed:
            found = sorted(
                ((at, blocked) for blocked, at in self._blocked_by(player_id).items()), reverse=True
            )
            return [Block(player_id=blocked, at=at) for at, blocked in found]

    def have_blocked(self, pairs: Sequence[tuple[str, str]]) -> list[bool]:
        with self._changed:
            return [other in self._blocked_by(one) for one, other in pairs]

    def _blocked_by(self, player_id: str) -> dict[str, int]:
        if self.player(player_id) is None:
            # Blocks expire with their player.
            self._blocks.pop(player_id, None)
        return self._blocks.get(player_id, {})
