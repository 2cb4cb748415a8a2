"""A score sheet as clients see it, and what they send for one."""

import msgspec

from service.api.copied_rules import check_variant
from service.api.views.rendering import variant_view
from service.runtime.json_object import Json
from service.runtime.timestamps import rfc3339
from service.scorekeeping.changes import NewSheet
from service.scorekeeping.deal_entry import DealEntry
from service.scorekeeping.sheet import ScoreSheet, SheetChange
from service.scorekeeping.standing import ScoredDeal, SheetStanding, standing_of


def new_sheet(body: Json) -> NewSheet:
    """Return the sheet that a validated body asks for."""
    check_variant(body["variant"], seats=len(body["players"]))
    return NewSheet(
        preset=body["variant"]["preset"],
        overrides=body["variant"]["overrides"],
        players=tuple(body["players"]),
        teams=tuple(body["teams"] or ()),
        first_dealer=body["first_dealer"],
    )


def deal_entry(body: Json) -> DealEntry:
    """Return the deal of a validated body."""
    return msgspec.convert(body, DealEntry)


def score_sheet_view(sheet: ScoreSheet) -> Json:
    """Return the sheet as JSON."""
    standing = standing_of(sheet)
    return {
        "id": sheet.id,
        "version": sheet.version,
        "created_at": rfc3339(sheet.created_at),
        "updated_at": rfc3339(sheet.updated_at),
        "expires_at": rfc3339(sheet.expires_at),
        "variant": variant_view(sheet.variant, len(sheet.players)),
        "players": [
            {"name": name, "side": sheet.variant.side(player)} for player, name in enumerate(sheet.players)
        ],
        "sides": [
            {"name": name, "players": sheet.players_of(side), "total": standing.totals[side]}
            for side, name in enumerate(sheet.side_names())
        ],
        "deals": [_deal(deal) for deal in standing.deals],
        "leaders": standing.leaders,
        "next_deal": _next_deal(sheet, standing),
        "result": standing.result,
        "changes": [_change(change) for change in sheet.changes],
    }


def _deal(deal: ScoredDeal) -> Json:
    return {
        "number": deal.number,
        "dealer": deal.dealer,
        "scores": deal.scores,
        "totals": deal.totals,
        "players": deal.players,
        "entry": deal.entry,
    }


def _next_deal(sheet: ScoreSheet, standing: SheetStanding) -> Json | None:
    if standing.result is not None:
        return None
    number = len(sheet.deals) + 1
    return {"number": number, "dealer": sheet.dealer_of(number)}


def _change(change: SheetChange) -> Json:
    return {
        "number": change.number,
        "at": rfc3339(change.at),
        "type": change.type,
        "deal": change.deal,
        "scores_before": change.scores_before,
        "scores": change.scores,
        "undone_at": None if change.undone_at is None else rfc3339(change.undone_at),
    }
