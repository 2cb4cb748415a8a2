"""Ratings in memory."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

from service.store.contract import check_page
from service.store.ratings import RATED_RETENTION_MS, RatingUpdate, Standing


@dataclass(slots=True, kw_only=True)
class Pool:
    """The ratings, scores and rated games of a pool."""

    ratings: dict[str, bytes] = field(default_factory=dict)
    scores: dict[str, int] = field(default_factory=dict)
    rated: dict[str, int] = field(default_factory=dict)


class MemoryRatingStore:
    """Ratings in memory."""

    _changed: threading.Condition
    _pools: dict[str, Pool]

    def rate(self, pool: str, game_id: str, ratings: Sequence[RatingUpdate], *, at: int) -> bool:
        with self._changed:
            kept = self._pools.setdefault(pool, Pool())
            if game_id in kept.rated:
                return True
            if any(kept.ratings.get(rating.player_id) != rating.replaces for rating in ratings):
                return False
            kept.rated[game_id] = at
            kept.rated = {game: then for game, then in kept.rated.items() if then >= at - RATED_RETENTION_MS}
            for rating in ratings:
                kept.ratings[rating.player_id] = rating.body
                kept.scores.pop(rating.player_id, None)
                if rating.score is not None:
                    kept.scores[rating.player_id] = rating.score
            return True

    def ratings(self, pool: str, player_ids: Sequence[str]) -> list[bytes | None]:
        with self._changed:
            kept = self._pools.get(pool, Pool())
            return [kept.ratings.get(player_id) for player_id in player_ids]

    def standings(self, pool: str, *, after: Standing | None = None, limit: int) -> list[Standing]:
        check_page(limit=limit)
        with self._changed:
            board = sorted(
                ((score, player_id) for player_id, score in self._pools.get(pool, Pool()).scores.items()),
                reverse=True,
            )
        cursor = None if after is None else (after.score, after.player_id)
        behind = [entry for entry in board if cursor is None or entry < cursor]
        return [Standing(player_id=player_id, score=score) for score, player_id in behind[:limit]]

    def count_above(self, pool: str, scores: Sequence[int]) -> list[int]:
        with self._changed:
            board = list(self._pools.get(pool, Pool()).scores.values())
        return [sum(other > score for other in board) for score in scores]

    def remove_rating(self, pool: str, player_id: str) -> None:
        with self._changed:
            kept = self._pools.get(pool, Pool())
            kept.ratings.pop(player_id, None)
            kept.scores.pop(player_id, None)
