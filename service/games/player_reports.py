"""Reports: what a player reports to the operator about another player."""

from dataclasses import dataclass
from typing import Final

from service.store.schema import StoredCodec, StoredValue

REASONS: Final = ("name", "cheating", "stalling", "reactions", "other")


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerReport(StoredValue):
    """A report as stored; `at` is in milliseconds."""

    id: str
    reporter: str
    player: str
    reason: str
    at: int
    text: str = ""
    game_id: str | None = None


_REPORTS: Final = StoredCodec(PlayerReport)
encode_report, decode_report = _REPORTS.encode, _REPORTS.decode
