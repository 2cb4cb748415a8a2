"""Blocks between players: no matchmaking, no rematch offer and no reaction passes between the two."""

from collections.abc import Collection
from dataclasses import dataclass

from service.store.contract import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class BlocksOfPlayer:
    """Whom of some players a player has blocked, and who has blocked the player."""

    blocked: frozenset[str] = frozenset()
    blocked_by: frozenset[str] = frozenset()

    @property
    def apart(self) -> frozenset[str]:
        """The players between whom and this one there is a block, whoever set it."""
        return self.blocked | self.blocked_by


def blocks_between(store: Store, player_id: str, others: Collection[str]) -> BlocksOfPlayer:
    """Return the blocks between a player and others, in one round trip."""
    found = sorted({other for other in others if other != player_id})
    if not found:
        return BlocksOfPlayer()
    pairs = [(player_id, other) for other in found] + [(other, player_id) for other in found]
    are_blocked = store.have_blocked(pairs)
    return BlocksOfPlayer(
        blocked=frozenset(other for other, is_so in zip(found, are_blocked, strict=False) if is_so),
        blocked_by=frozenset(
            other for other, is_so in zip(found, are_blocked[len(found) :], strict=True) if is_so
        ),
    )
