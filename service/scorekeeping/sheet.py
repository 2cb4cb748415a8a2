"""A score sheet as stored: the players, the rules, the deals as entered, and the changes made to them.

Scores and totals are not stored: `standing_of` computes them from the deals.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from service.rummy.variants import Variant
from service.runtime.durations import DAY_MS
from service.scorekeeping.deal_entry import DealEntry
from service.store.schema import StoredCodec, StoredValue

#: How long a sheet is kept after its last change.
SHEET_KEPT_MS: Final = 90 * DAY_MS
#: How many changes a sheet remembers, the newest; older ones cannot be undone.
MAX_CHANGES: Final = 300


class ChangeType(StrEnum):
    """What a change did to a deal."""

    RECORDED = "recorded"
    AMENDED = "amended"


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetChange:
    """One change of a sheet; `number` counts from 1 over the life of the sheet.

    `replaced` is the entry that an amendment replaced. `scores` are those of the deal after
    the change, by side, `scores_before` those before it. `undone_at` is when it was undone.
    """

    number: int
    at: int
    type: ChangeType
    deal: int
    scores: tuple[int, ...]
    scores_before: tuple[int, ...] | None = None
    replaced: DealEntry | None = None
    undone_at: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreSheet(StoredValue):
    """A score sheet. Times are milliseconds since the epoch.

    `players` are names, in the order in which they deal; `teams` are the names of two
    teams, where partners sit opposite. `first_dealer` is the player who deals first.
    `owner` is the player whose token may write, `write_hash` the hash of the key that may.
    `changes` is oldest first.
    """

    id: str
    version: int
    created_at: int
    updated_at: int
    variant: Variant
    players: tuple[str, ...]
    write_hash: str
    owner: str | None = None
    teams: tuple[str, ...] = ()
    first_dealer: int = 0
    deals: tuple[DealEntry, ...] = ()
    changes: tuple[SheetChange, ...] = ()

    @property
    def expires_at(self) -> int:
        """When the sheet is deleted if it does not change."""
        return self.updated_at + SHEET_KEPT_MS

    def dealer_of(self, deal: int) -> int:
        """Return the player who deals a deal; the turn passes to the left (RULES 1.7)."""
        return (self.first_dealer + deal - 1) % len(self.players)

    def side_names(self) -> tuple[str, ...]:
        """Return the name of each side: its team's, its players', or its player's."""
        if self.teams:
            return self.teams
        sides = range(self.variant.sides(len(self.players)))
        return tuple(" & ".join(self.players[player] for player in self.players_of(side)) for side in sides)

    def players_of(self, side: int) -> tuple[int, ...]:
        """Return the players of a side."""
        return tuple(player for player in range(len(self.players)) if self.variant.side(player) == side)


_SHEETS: Final = StoredCodec(ScoreSheet)
encode_sheet, decode_sheet = _SHEETS.encode, _SHEETS.decode
