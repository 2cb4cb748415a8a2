"""Score sheets in memory."""

import threading
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

from service.store.answers import Answer, Reservation
from service.store.contract import StaleVersion
from service.store.sheets import SheetCommit


@dataclass(slots=True, kw_only=True)
class Sheet:
    """A score sheet."""

    version: int
    body: bytes
    expires_at: int


class MemorySheetStore:
    """Score sheets in memory."""

    _changed: threading.Condition
    _now: Callable[[], int]
    _sheets: dict[str, Sheet]

    @abstractmethod
    def _keep_answer(self, reservation: Reservation, answer: Answer, *, expires_at: int | None) -> None: ...

    def sheet(self, sheet_id: str) -> bytes | None:
        with self._changed:
            sheet = self._sheet(sheet_id)
            return None if sheet is None else sheet.body

    def commit_sheet(self, commit: SheetCommit) -> None:
        with self._changed:
            sheet = self._sheet(commit.sheet_id)
            version = 0 if sheet is None else sheet.version
            if version != commit.expected_version:
                raise StaleVersion(version or None)
            if commit.answer is not None:
                self._keep_answer(*commit.answer, expires_at=commit.expires_at)
            self._sheets[commit.sheet_id] = Sheet(
                version=version + 1, body=commit.body, expires_at=commit.expires_at
            )

    def _sheet(self, sheet_id: str) -> Sheet | None:
        sheet = self._sheets.get(sheet_id)
        return None if sheet is None or sheet.expires_at <= self._now() else sheet
