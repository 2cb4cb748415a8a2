"""Reports: notify the operator of a player."""

import secrets

from flask import Response

from service.api.auth import PLAY, Caller
from service.api.idempotency import idempotent
from service.api.parameters import IDEMPOTENCY_KEY
from service.api.problems import invalid
from service.api.resource import Resource, ResponseSpec
from service.api.resources.players import existing_player
from service.api.responses import json_response
from service.api.schemas.reports import NewReportSchema, ReportSchema
from service.api.services import Services
from service.games.player_reports import PlayerReport, encode_report
from service.games.refusals import Refusal
from service.games.rematches import players_of
from service.runtime.json_object import Json
from service.runtime.timestamps import rfc3339

reports = Resource("reports", __name__, url_prefix="/v1", description="Notify the operator of a player.")


@reports.operation(
    "POST /players/<string(maxlength=64):player_id>/reports",
    "reportPlayer",
    scope=PLAY,
    body=NewReportSchema,
    parameters=(IDEMPOTENCY_KEY,),
    response=ResponseSpec(status=201, schema=ReportSchema, description="The report, as it is kept."),
    errors=("not_found",),
)
def report_player(
    body: Json, *, services: Services, caller: Caller, player_id: str, idempotency_key: str | None
) -> Response:
    """Report a player.

    The operator of the service reads reports; they are kept for 90 days. The player is not notified and
    never learns who reported them. To keep a player away at once, block them (blockPlayer).
    """
    with idempotent(services.store, caller.id, idempotency_key) as idempotency:
        if player_id == caller.id:
            raise invalid("player_id", "This is you.")
        existing_player(services, player_id)
        if body["game_id"] is not None:
            _check_game(services, body["game_id"], {caller.id, player_id})
        now = services.now()
        report = PlayerReport(
            id=f"r{secrets.token_hex(12)}",
            reporter=caller.id,
            player=player_id,
            reason=body["reason"],
            at=now,
            text=body["text"],
            game_id=body["game_id"],
        )
        services.store.add_report(encode_report(report), at=now)
        return idempotency.remember(json_response({"id": report.id, "created_at": rfc3339(now)}, 201))


def _check_game(services: Services, game_id: str, both: set[str]) -> None:
    try:
        played = both <= players_of(services.table.get(game_id))
    except Refusal:
        played = False
    if not played:
        raise invalid("game_id", "Name a game in which you and this player sat, or none.")
