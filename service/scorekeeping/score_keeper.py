"""Reads and changes score sheets in the store, with optimistic locking."""

from typing import Final

from service.games.refusals import Refusal, VersionConflict
from service.scorekeeping.sheet import ScoreSheet, decode_sheet, encode_sheet
from service.store.answers import Answer, Reservation
from service.store.contract import StaleVersion, Store
from service.store.sheets import SheetCommit


class ScoreKeeper:
    """Reads and changes score sheets.

    A change is a new value of a sheet, one version higher, that `commit` writes together with
    the stored answer. After a `Refusal` the sheet is unchanged.
    """

    def __init__(self, store: Store) -> None:
        self._store: Final = store

    def get(self, sheet_id: str, *, if_match: int | None = None) -> ScoreSheet:
        """Return a sheet, at the version `if_match` if there is one; raise Refusal `not_found`."""
        stored = self._store.sheet(sheet_id)
        if stored is None:
            raise _no_such_sheet()
        sheet = decode_sheet(stored)
        if if_match not in {None, sheet.version}:
            raise _conflict(sheet.version)
        return sheet

    def commit(self, sheet: ScoreSheet, answer: tuple[Reservation, Answer] | None = None) -> None:
        """Write a changed or new sheet; raise VersionConflict if another change came first."""
        commit = SheetCommit(
            sheet_id=sheet.id,
            expected_version=sheet.version - 1,
            body=encode_sheet(sheet),
            expires_at=sheet.expires_at,
            answer=answer,
        )
        try:
            self._store.commit_sheet(commit)
        except StaleVersion as stale:
            if stale.current is None:
                raise _no_such_sheet() from stale
            raise _conflict(stale.current) from stale


def _no_such_sheet() -> Refusal:
    return Refusal(
        "not_found",
        "There is no such score sheet: check the link. A sheet expires 90 days after its last change.",
    )


def _conflict(current: int) -> VersionConflict:
    return VersionConflict(current, of="score sheet")
