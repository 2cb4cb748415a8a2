"""Rule sheets and score sheets to print."""

from typing import Final

from flask import Response

from service.api.document import PDF_TYPE
from service.api.parameters import NAMES, PAPER, PLAYERS
from service.api.problems import invalid
from service.api.resource import Resource, ResponseSpec
from service.api.resources.rules import known_preset
from service.api.resources.score_sheets import SHEET
from service.api.responses import NOT_MODIFIED, PUBLIC, cacheable
from service.api.services import Services
from service.api.versions import IF_NONE_MATCH, Tags
from service.api.views.printed_sheets import columns, kept_score_sheet, preset_rule_sheet, preset_score_sheet
from service.paper.canvas import Paper
from service.rummy.errors import VariantContradiction
from service.rummy.presets import PRESETS

printing = Resource("printing", __name__, url_prefix="/v1", description="Sheets to print, as PDF.")

#: A sheet with names is for those who asked for it.
_PRIVATE: Final = "private, no-cache"


def pdf_spec(description: str) -> ResponseSpec:
    """Return the declaration of a response that is a PDF."""
    return ResponseSpec(
        schema={"type": "string", "format": "binary"},
        description=description,
        media_type=PDF_TYPE,
        headers={"ETag": "A strong tag of the content.", "Content-Disposition": "A name for the file."},
        other_responses={NOT_MODIFIED: ("The sheet is the one that you have.", None)},
    )


def pdf_response(pdf: bytes, name: str, cache_control: str, known: Tags | None) -> Response:
    """Return a PDF to show or to save as `name`, or a 304."""
    response = Response(pdf, content_type=PDF_TYPE)
    response.headers["Content-Disposition"] = f'inline; filename="{name}.pdf"'
    return cacheable(response, cache_control, known)


@printing.operation(
    "GET /rules/<string(maxlength=64):preset>/sheet.pdf",
    "getRuleSheetPdf",
    parameters=(PAPER, IF_NONE_MATCH),
    response=pdf_spec("The rules, on one page."),
    errors=("not_found",),
)
def get_rule_sheet_pdf(*, preset: str, paper: Paper, if_none_match: Tags | None) -> Response:
    """Get the rules of a preset to print.

    As getRules, on one page in two columns.
    """
    return pdf_response(
        preset_rule_sheet(known_preset(preset), paper), f"rules-{preset}", PUBLIC, if_none_match
    )


@printing.operation(
    "GET /rules/<string(maxlength=64):preset>/score-sheet.pdf",
    "getEmptyScoreSheetPdf",
    parameters=(PAPER, PLAYERS, NAMES, IF_NONE_MATCH),
    response=pdf_spec("The score sheet, one landscape page."),
    errors=("not_found", "validation_failed"),
)
def get_empty_score_sheet_pdf(
    *,
    preset: str,
    paper: Paper,
    players: int | None,
    names: tuple[str, ...],
    if_none_match: Tags | None,
) -> Response:
    """Get an empty score sheet to print.

    One landscape page for a game with real cards: a row for each deal, a score and a total for each
    player or team, and what the cards count.
    """
    if players is not None and len(names) > players:
        raise invalid("names", f"Send at most {players} names.")
    places = columns(known_preset(preset), players, names)
    try:
        pdf = preset_score_sheet(preset, paper, places)
    except VariantContradiction as error:
        fewest, most = PRESETS[preset].players
        raise invalid("players", f"Send a number from {fewest} to {most}, as this preset allows.") from error
    return pdf_response(pdf, f"score-sheet-{preset}", _PRIVATE if any(places) else PUBLIC, if_none_match)


@printing.operation(
    f"GET {SHEET}/sheet.pdf",
    "getScoreSheetPdf",
    parameters=(PAPER, IF_NONE_MATCH),
    response=pdf_spec("The score sheet, on one landscape page for up to 27 deals."),
    errors=("not_found", "store_unavailable"),
)
def get_score_sheet_pdf(
    *,
    services: Services,
    sheet_id: str,
    paper: Paper,
    if_none_match: Tags | None,
) -> Response:
    """Get a score sheet to print.

    As getScoreSheet: each deal with its dealer, scores and running totals, and the winner. More deals than
    fit on a page follow on further pages.
    """
    sheet = services.score_keeper.get(sheet_id)
    return pdf_response(kept_score_sheet(sheet, paper), "score-sheet", _PRIVATE, if_none_match)
