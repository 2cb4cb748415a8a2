"""Seeks: find other players for the same game."""

from flask import Response

from service.api.auth import PLAY, Caller
from service.api.copied_rules import check_variant
from service.api.idempotency import idempotent
from service.api.new_games import clock_of, seat_count
from service.api.parameters import IDEMPOTENCY_KEY
from service.api.quotas import count_seek
from service.api.resource import Resource, ResponseSpec
from service.api.resources.players import as_player
from service.api.responses import json_response, no_content
from service.api.schemas.seeks import ANY, NewSeekSchema, SeekSchema
from service.api.services import Services
from service.api.views.rendering import variant_view
from service.games.matchmaking import Matchmaker, SeekResult, WantedGame
from service.games.timing import DEFAULT_TIME_CONTROL, RENEW_SEEK_MS
from service.rummy.presets import resolve
from service.runtime.json_object import Json
from service.runtime.timestamps import rfc3339

seeks = Resource("seeks", __name__, url_prefix="/v1", description="Find other players for the same game.")

_SEEK = "/seeks/<string(maxlength=80):seek_id>"


@seeks.operation(
    "POST /seeks",
    "createSeek",
    scope=PLAY,
    body=NewSeekSchema,
    parameters=(IDEMPOTENCY_KEY,),
    response=ResponseSpec(
        status=201, schema=SeekSchema, description="The seek; it may have found its game already."
    ),
    errors=("variant_contradiction", "quota_exceeded"),
)
def create_seek(body: Json, *, services: Services, caller: Caller, idempotency_key: str | None) -> Response:
    """Seek a game with others.

    Matches players who want the same rules, seats and clock, rated or not, against people, bots or anyone. A
    seek lasts 30 seconds: renew it every few seconds, until it has a `game_id`. That game has started,
    with you in it; it is public and allows no spectators. The stream of your account announces it as
    well.
    """
    with idempotent(services.store, caller.id, idempotency_key) as idempotency:
        count_seek(services, caller.id)
        found = _matchmaker(services).seek(
            _wanted(body), as_player(caller), meets=_meets(body["opponent_kind"])
        )
        return idempotency.remember(json_response(_seek_view(found), 201))


@seeks.operation(
    f"PUT {_SEEK}",
    "renewSeek",
    scope=PLAY,
    response=ResponseSpec(
        schema=SeekSchema, description="The seek; with `game_id` once it has found its game."
    ),
    errors=("not_found",),
)
def renew_seek(*, services: Services, caller: Caller, seek_id: str) -> Response:
    """Renew a seek.

    For another 30 seconds; it keeps its place in the queue. A seek that is not renewed in time ends
    without a game; a match can be read for an hour.
    """
    return json_response(_seek_view(_matchmaker(services).renew(seek_id, caller.id)))


@seeks.operation(
    f"DELETE {_SEEK}",
    "cancelSeek",
    scope=PLAY,
    response=ResponseSpec(status=204, schema=None, description="The seek is over."),
    errors=("not_found", "already_started"),
)
def cancel_seek(*, services: Services, caller: Caller, seek_id: str) -> Response:
    """Cancel a seek.

    Not possible after it has found its game.
    """
    _matchmaker(services).cancel(seek_id, caller.id)
    return no_content()


def _matchmaker(services: Services) -> Matchmaker:
    return Matchmaker(store=services.store, table=services.table, now=services.now)


def _wanted(body: Json) -> WantedGame:
    check_variant(body["variant"], seats=seat_count(body))
    return WantedGame(
        preset=body["variant"]["preset"],
        overrides=body["variant"]["overrides"],
        seats=seat_count(body),
        rated=body["rated"],
        clock=clock_of(body, default=DEFAULT_TIME_CONTROL),
    )


def _meets(kind: str) -> str | None:
    return None if kind == ANY else kind


def _seek_view(found: SeekResult) -> Json:
    ticket = found.ticket
    wanted = ticket.wanted
    return {
        "id": found.id,
        "status": "waiting" if found.record is None else "matched",
        "game_id": found.record and found.record.id,
        "variant": variant_view(resolve(wanted.preset, wanted.overrides, seats=wanted.seats), wanted.seats),
        "seats": wanted.seats,
        "opponent_kind": ticket.meets or ANY,
        "rated": wanted.rated,
        "clock": wanted.clock,
        "renew_after_ms": RENEW_SEEK_MS,
        "expires_at": rfc3339(found.until),
    }
