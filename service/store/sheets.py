"""Score sheets of games with real cards: a value with a version, changed by compare-and-set.

A sheet has neither a log nor due times:

    s0aVw9Uy...    {"id": "s0aVw9Uy...", "version": 8, "players": ["Ana", "Ben"], "deals": [...], ...}
"""

from dataclasses import dataclass
from typing import Protocol

from service.store.answers import Answer, Reservation
from service.store.ids import is_sheet_id, shard_of


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetCommit:
    """One atomic write to one score sheet, with the meaning that a `Commit` gives to its members."""

    sheet_id: str
    expected_version: int
    body: bytes
    expires_at: int
    answer: tuple[Reservation, Answer] | None = None

    def __post_init__(self) -> None:
        """Raise ValueError for what cannot be written in one step."""
        if not is_sheet_id(self.sheet_id):
            raise ValueError("This is not the id of a score sheet.")
        if self.expected_version < 0:
            raise ValueError("A version is at least 0.")
        if self.answer is not None and self.answer[0].key.shard != shard_of(self.sheet_id):
            raise ValueError("The Idempotency-Key lies outside the sheet's shard.")


class SheetStore(Protocol):
    """Stores score sheets."""

    def sheet(self, sheet_id: str) -> bytes | None:
        """Return a score sheet as last committed, or None."""
        ...

    def commit_sheet(self, commit: SheetCommit) -> None:
        """Write sheet, answer and expiry in one step.

        Raises `StaleVersion` if the sheet is at another version (or exists, if it was to be
        created), and `ReservationLost` if the answer's reservation is no longer held.
        """
        ...
