"""Rematches: the players of a finished game play again."""

from functools import partial

from flask import Response

from service.api.auth import PLAY, Caller
from service.api.idempotency import idempotent_in_game
from service.api.limits import address_hash
from service.api.parameters import IDEMPOTENCY_KEY
from service.api.quotas import check_game
from service.api.resource import RULES, Resource, ResponseSpec
from service.api.resources.games import ETAG, GAME
from service.api.resources.players import as_player
from service.api.responses import game_headers, json_response
from service.api.schemas.games import GameViewSchema
from service.api.schemas.moves import NoMembersSchema
from service.api.services import Services
from service.api.views.visibility import current_game_view, seat_of, viewer_after
from service.games.keeping_apart import blocks_between
from service.games.rematches import join_or_open_rematch, players_of
from service.runtime.json_object import Json

rematches = Resource("rematches", __name__, url_prefix="/v1", description="Rematches.")

_PLACE = {**ETAG, "Location": "The path of the new game."}


@rematches.operation(
    f"POST {GAME}/rematch",
    "rematchGame",
    scope=PLAY,
    body=NoMembersSchema,
    parameters=(IDEMPOTENCY_KEY,),
    response=ResponseSpec(
        status=201,
        schema=GameViewSchema,
        description="The new game, which you opened.",
        headers=_PLACE,
        other_responses={
            200: ("The new game, which another player opened; you have your seat.", GameViewSchema)
        },
    ),
    errors=(
        "not_found",
        "not_seated",
        "game_full",
        "already_started",
        "version_conflict",
        "quota_exceeded",
        RULES,
    ),
)
def rematch_game(
    body: Json, *, services: Services, caller: Caller, game_id: str, idempotency_key: str | None
) -> Response:
    """Play again.

    When a game is over, the first player who asks opens a new one: a new id, the same seats, options,
    clock and computers. The other seats are reserved for ten minutes for the other players, including
    those who resigned. They learn of it from `rematch.offered` in the log of the old game and
    `rematch_id` in its view. A player who then asks, or joins, takes their seat; with the last one the
    game starts. leaveGame declines the seat. If the rematch is aborted before it begins, by a player or
    after a day, `rematch.withdrawn` says so and `rematch_id` is null again. A player with whom there is a
    block, yours or theirs, gets no offer: their seat is free.
    """
    del body
    with idempotent_in_game(services.store, caller.id, idempotency_key, game_id) as idempotency:
        old = services.table.get(game_id)
        if caller.id not in {gone.player_id for gone in old.resigned}:
            seat_of(old, caller, None)
        blocks = blocks_between(services.store, caller.id, players_of(old))
        record, is_new = join_or_open_rematch(
            services.table,
            game_id,
            as_player(caller),
            blocks,
            now=services.now,
            origin=address_hash(),
            check=partial(check_game, services),
        )
        view = current_game_view(services, record, viewer_after(record, caller, None))
        headers = {**game_headers(record), "Location": f"/v1/games/{record.id}"}
        return idempotency.remember(json_response(view, 201 if is_new else 200, headers))
