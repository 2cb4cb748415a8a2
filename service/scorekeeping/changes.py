"""Changes of a score sheet: begin it, record a deal, amend one, undo the last change."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from service.games.refusals import Refusal
from service.rummy.errors import VariantContradiction
from service.rummy.presets import resolve
from service.scorekeeping.deal_entry import DealEntry, check_entry
from service.scorekeeping.deal_score import score_entry
from service.scorekeeping.sheet import MAX_CHANGES, ChangeType, ScoreSheet, SheetChange
from service.scorekeeping.standing import standing_of


@dataclass(frozen=True, slots=True, kw_only=True)
class NewSheet:
    """What a new sheet begins with. Without a `first_dealer` it is the seat that the variant names, or 0."""

    preset: str
    overrides: Mapping[str, Any]
    players: tuple[str, ...]
    teams: tuple[str, ...] = ()
    first_dealer: int | None = None


def begin_sheet(new: NewSheet, *, sheet_id: str, write_hash: str, owner: str | None, now: int) -> ScoreSheet:
    """Return a sheet without deals, at version 1.

    Raises VariantContradiction for options that do not go together, and Refusal for players,
    teams or a dealer that do not go with them.
    """
    try:
        variant = resolve(new.preset, new.overrides, seats=len(new.players))
    except VariantContradiction as error:
        if error.option != "seats":
            raise
        raise _refusal("variant_contradiction", "players", error.message) from error
    if new.teams and variant.teams == "none":
        raise _refusal(
            "validation_failed",
            "teams",
            "These rules have no teams: leave teams out, or set the option teams: pairs.",
        )
    first_dealer = new.first_dealer
    if first_dealer is None:
        first_dealer = variant.first_dealer if isinstance(variant.first_dealer, int) else 0
    if first_dealer >= len(new.players):
        raise _refusal(
            "validation_failed", "first_dealer", f"The players count from 0 to {len(new.players) - 1}."
        )
    return ScoreSheet(
        id=sheet_id,
        version=1,
        created_at=now,
        updated_at=now,
        variant=variant,
        players=new.players,
        teams=new.teams,
        first_dealer=first_dealer,
        write_hash=write_hash,
        owner=owner,
    )


def record_deal(sheet: ScoreSheet, entry: DealEntry, *, now: int) -> ScoreSheet:
    """Return the sheet with one more deal; raise Refusal if the game is decided or the deal cannot be."""
    if standing_of(sheet).result is not None:
        raise Refusal(
            "sheet_finished",
            "The game is decided. If a score is wrong, amend its deal or undo the last change; "
            "for another game begin a new sheet.",
        )
    entry = check_entry(entry, sheet.variant, players=len(sheet.players))
    return _changed(sheet, len(sheet.deals) + 1, entry, now=now)


def amend_deal(sheet: ScoreSheet, deal: int, entry: DealEntry, *, now: int) -> ScoreSheet:
    """Return the sheet with another entry for a deal; raise Refusal if it has no such deal."""
    if not 1 <= deal <= len(sheet.deals):
        raise Refusal("not_found", f"The sheet has {len(sheet.deals)} deals; recordDeal adds one.")
    entry = check_entry(entry, sheet.variant, players=len(sheet.players))
    return _changed(sheet, deal, entry, now=now)


def undo_change(sheet: ScoreSheet, *, now: int) -> ScoreSheet:
    """Return the sheet as it was before the newest change that is not undone yet."""
    place = _newest(sheet)
    if place is None:
        raise Refusal("nothing_to_undo", "The sheet has no change to undo.")
    change = sheet.changes[place]
    before = () if change.replaced is None else (change.replaced,)
    deals = (*sheet.deals[: change.deal - 1], *before, *sheet.deals[change.deal :])
    undone = replace(change, undone_at=now)
    changes = (*sheet.changes[:place], undone, *sheet.changes[place + 1 :])
    return replace(sheet, version=sheet.version + 1, updated_at=now, deals=deals, changes=changes)


def _newest(sheet: ScoreSheet) -> int | None:
    """Return the place of the newest change that is not undone."""
    places = (place for place, change in enumerate(sheet.changes) if change.undone_at is None)
    return max(places, default=None)


def _changed(sheet: ScoreSheet, deal: int, entry: DealEntry, *, now: int) -> ScoreSheet:
    """Return the sheet with this entry for a deal, which may be one more."""
    players = len(sheet.players)
    replaced = sheet.deals[deal - 1] if deal <= len(sheet.deals) else None
    before = None if replaced is None else score_entry(replaced, sheet.variant, players=players)
    change = SheetChange(
        number=sheet.changes[-1].number + 1 if sheet.changes else 1,
        at=now,
        type=ChangeType.RECORDED if replaced is None else ChangeType.AMENDED,
        deal=deal,
        scores=score_entry(entry, sheet.variant, players=players).sides,
        scores_before=None if before is None else before.sides,
        replaced=replaced,
    )
    return replace(
        sheet,
        version=sheet.version + 1,
        updated_at=now,
        deals=(*sheet.deals[: deal - 1], entry, *sheet.deals[deal:]),
        changes=(*sheet.changes, change)[-MAX_CHANGES:],
    )


def _refusal(code: str, field: str, message: str) -> Refusal:
    return Refusal(code, message, errors=[{"field": field, "message": message}])
