"""Playing again."""

from flask import Response

from service.api.answers import answer, game_headers
from service.api.auth import PLAY, Caller
from service.api.idempotency import once_in_game
from service.api.parameters import IDEMPOTENCY_KEY
from service.api.resource import RULES, Gives, Resource
from service.api.resources.games import ETAG, GAME
from service.api.resources.players import as_player
from service.api.schemas.games import GameViewSchema
from service.api.schemas.moves import NoMembersSchema
from service.api.services import parts
from service.api.views.visibility import current_game_view, seat_of, viewer_after
from service.games.rematches import join_or_open_rematch
from service.runtime.json_object import Json

rematches = Resource("rematches", __name__, url_prefix="/v1", description="Playing again.")

_PLACE = {**ETAG, "Location": "The path of the new game."}


@rematches.operation(
    f"POST {GAME}/rematch",
    "rematchGame",
    scope=PLAY,
    body=NoMembersSchema,
    parameters=(IDEMPOTENCY_KEY,),
    gives=Gives(
        status=201,
        schema=GameViewSchema,
        description="The new game, which you have opened.",
        headers=_PLACE,
        also={200: ("The new game, which another opened before you; you sit at it now.", GameViewSchema)},
    ),
    refuses=("not_found", "not_seated", "game_full", "already_started", "version_conflict", RULES),
)
def rematch_game(body: Json, *, caller: Caller, game_id: str, idempotency_key: str | None) -> Response:
    """Play again.

    Once a game is over, the first who asks opens a new one: a new id, the same seats, rules, clock and
    computers. The other seats are kept ten minutes for those who played, also for whoever resigned;
    `rematch.offered` in the old game's log and `rematch_id` in its view tell them. Whoever asks then, or
    joins, sits down, and with the last one the game begins. leaveGame declines.
    """
    del body
    with once_in_game(caller, idempotency_key, game_id) as hold:
        old = parts().table.get(game_id)
        if caller.id not in {gone.player_id for gone in old.resigned}:
            seat_of(old, caller, None)
        record, made = join_or_open_rematch(parts().table, game_id, as_player(caller), now=parts().now)
        view = current_game_view(record, viewer_after(record, caller, None))
        headers = {**game_headers(record), "Location": f"/v1/games/{record.id}"}
        return hold.keep(answer(view, 201 if made else 200, headers))
