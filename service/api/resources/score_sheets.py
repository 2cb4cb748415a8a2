"""Score sheets: keep the score of a game with real cards.

A sheet has two links. Its id cannot be guessed, so its path is the link to read; the link to write has a
key besides, of which the store knows the hash.
"""

import secrets
from typing import Final

from flask import Response

from service.api.auth import PLAY, Caller, hash_token
from service.api.idempotency import idempotent, require_random_key
from service.api.parameters import IDEMPOTENCY_KEY, WRITE_KEY
from service.api.requests import client_hash
from service.api.resource import Resource, ResponseSpec
from service.api.resources.games import ETAG, NO_NEWS
from service.api.responses import json_response, no_content, not_modified
from service.api.schemas.moves import NoMembersSchema
from service.api.schemas.score_sheets import (
    CreatedScoreSheetSchema,
    DealEntrySchema,
    NewScoreSheetSchema,
    ScoreSheetSchema,
)
from service.api.services import Services
from service.api.sheet_requests import (
    SheetRequest,
    change_sheet,
    check_write_key,
    sheet_headers,
    sheet_response,
)
from service.api.versions import IF_MATCH, IF_NONE_MATCH, NEWER_THAN, Tags, is_known
from service.api.views.score_sheet import deal_entry, new_sheet, score_sheet_view
from service.rummy.options import MAX_DEALS
from service.runtime.json_object import Json
from service.scorekeeping import changes
from service.scorekeeping.sheet import ScoreSheet
from service.store.ids import new_sheet_id

score_sheets = Resource(
    "score_sheets", __name__, url_prefix="/v1", description="Score keeping for games with real cards."
)

SHEET: Final = "/score-sheets/<string(maxlength=80):sheet_id>"


@score_sheets.operation(
    "POST /score-sheets",
    "createScoreSheet",
    optional_scope=PLAY,
    body=NewScoreSheetSchema,
    parameters=(IDEMPOTENCY_KEY,),
    response=ResponseSpec(
        status=201,
        schema=CreatedScoreSheetSchema,
        description="The sheet, and its links. The write key is shown only once.",
        headers={**ETAG, "Location": "The path of the sheet."},
    ),
    errors=("variant_contradiction",),
)
def create_score_sheet(
    body: Json, *, services: Services, caller: Caller | None, idempotency_key: str | None
) -> Response:
    """Create a score sheet.

    For games with real cards: two to eight players, or two teams, by the rules of any preset with
    any options. No account is needed. Pass the read link on to those who want to look, and the write link to
    those who may enter deals. With a token, its player may enter deals without the key. A retry with the same
    `Idempotency-Key` from the same address, or with the same token, returns the same sheet: use a random key.
    """
    if caller is None:
        require_random_key(idempotency_key)
    owner = client_hash() if caller is None else caller.id
    with idempotent(
        services.store, owner, idempotency_key, holds_secret=True, with_commit=True
    ) as idempotency:
        write_key = secrets.token_urlsafe(32)
        sheet = changes.begin_sheet(
            new_sheet(body),
            sheet_id=new_sheet_id(idempotency.shard),
            write_hash=hash_token(write_key),
            owner=None if caller is None else caller.id,
            now=services.now(),
        )
        response = _created(sheet, write_key)
        services.score_keeper.commit(sheet, idempotency.answer(response))
        return response


@score_sheets.operation(
    f"GET {SHEET}",
    "getScoreSheet",
    parameters=(WRITE_KEY, NEWER_THAN, IF_NONE_MATCH),
    response=ResponseSpec(
        schema=ScoreSheetSchema,
        description="The sheet as it stands.",
        headers=ETAG,
        other_responses=NO_NEWS,
    ),
    errors=("read_only_link", "not_found", "store_unavailable"),
)
def get_score_sheet(
    *,
    services: Services,
    sheet_id: str,
    write_key: str | None,
    newer_than: int | None,
    if_none_match: Tags | None,
) -> Response:
    """Get a score sheet.

    Every deal with its scores and running totals, card by card where cards were entered; who leads, who deals
    next, who won, and the history of changes. The read link is enough; a `write_key` is checked, so that a
    page learns whether it may change the sheet. Send the version you have as `newer_than`: if nothing has
    changed the response is 204. Or send its ETag as `If-None-Match`: then it is 304.
    """
    sheet = services.score_keeper.get(sheet_id)
    if write_key is not None:
        check_write_key(sheet, write_key)
    if newer_than is not None and sheet.version <= newer_than:
        return no_content(sheet_headers(sheet))
    if is_known(sheet.version, if_none_match):
        return not_modified(sheet_headers(sheet))
    return sheet_response(sheet)


@score_sheets.operation(
    f"POST {SHEET}/deals",
    "recordDeal",
    optional_scope=PLAY,
    body=DealEntrySchema,
    parameters=(WRITE_KEY, IF_MATCH, IDEMPOTENCY_KEY),
    response=ResponseSpec(
        status=201, schema=ScoreSheetSchema, description="The sheet with the deal.", headers=ETAG
    ),
    errors=("read_only_link", "not_found", "sheet_finished", "version_conflict", "invalid_deal"),
)
def record_deal(  # noqa: PLR0913 - an argument for each parameter
    body: Json,
    *,
    services: Services,
    caller: Caller | None,
    sheet_id: str,
    write_key: str | None,
    if_match: int | None,
    idempotency_key: str | None,
) -> Response:
    """Record a deal.

    Either `points`, one number for each player (or for each team), or `cards`: what lies on the table and
    what is left in each hand. Cards are counted as in play and shown one by one. Without `If-Match` the deal
    is added after those that others have just added; with it, another version is a conflict, so that one deal
    is not entered twice.
    """
    sheet_request = SheetRequest(
        caller=caller,
        sheet_id=sheet_id,
        write_key=write_key,
        if_match=if_match,
        idempotency_key=idempotency_key,
    )
    entry = deal_entry(body)
    return change_sheet(
        services, sheet_request, lambda sheet, now: changes.record_deal(sheet, entry, now=now), 201
    )


@score_sheets.operation(
    f"PUT {SHEET}/deals/<int(min=1,max={MAX_DEALS}):number>",
    "amendDeal",
    optional_scope=PLAY,
    body=DealEntrySchema,
    parameters=(WRITE_KEY, IF_MATCH),
    response=ResponseSpec(schema=ScoreSheetSchema, description="The sheet as amended.", headers=ETAG),
    errors=("read_only_link", "not_found", "version_conflict", "invalid_deal"),
)
def amend_deal(  # noqa: PLR0913 - an argument for each parameter
    body: Json,
    *,
    services: Services,
    caller: Caller | None,
    sheet_id: str,
    number: int,
    write_key: str | None,
    if_match: int | None,
) -> Response:
    """Amend a deal.

    Replaces what was entered for a deal: totals and winner are as if it had been entered so from the start.
    What it replaces stays in the history, and undoDeal brings it back.
    """
    sheet_request = SheetRequest(caller=caller, sheet_id=sheet_id, write_key=write_key, if_match=if_match)
    entry = deal_entry(body)
    return change_sheet(
        services, sheet_request, lambda sheet, now: changes.amend_deal(sheet, number, entry, now=now)
    )


@score_sheets.operation(
    f"POST {SHEET}/undo",
    "undoDeal",
    optional_scope=PLAY,
    body=NoMembersSchema,
    parameters=(WRITE_KEY, IF_MATCH, IDEMPOTENCY_KEY),
    response=ResponseSpec(
        schema=ScoreSheetSchema, description="The sheet as it was before the change.", headers=ETAG
    ),
    errors=("read_only_link", "not_found", "nothing_to_undo", "version_conflict"),
)
def undo_deal(  # noqa: PLR0913 - an argument for each parameter
    body: Json,
    *,
    services: Services,
    caller: Caller | None,
    sheet_id: str,
    write_key: str | None,
    if_match: int | None,
    idempotency_key: str | None,
) -> Response:
    """Undo the last change.

    Takes back the newest deal or amendment that is not undone yet; repeat it to go back further. The history
    keeps what was undone.
    """
    del body
    sheet_request = SheetRequest(
        caller=caller,
        sheet_id=sheet_id,
        write_key=write_key,
        if_match=if_match,
        idempotency_key=idempotency_key,
    )
    return change_sheet(services, sheet_request, lambda sheet, now: changes.undo_change(sheet, now=now))


def _created(sheet: ScoreSheet, write_key: str) -> Response:
    path = f"/v1/score-sheets/{sheet.id}"
    body = {
        "sheet": score_sheet_view(sheet),
        "read_link": path,
        "write_link": f"{path}?write_key={write_key}",
        "write_key": write_key,
    }
    return json_response(body, 201, {**sheet_headers(sheet), "Location": path})
