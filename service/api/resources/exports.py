"""The export of an account: everything that is stored about it, as one document."""

from typing import Final

from flask import Response

from service.api.auth import TOKENS, Caller
from service.api.resource import Resource, ResponseSpec
from service.api.resources.blocks import block_views
from service.api.resources.leaderboards import rating_views
from service.api.resources.players import own_view
from service.api.resources.tokens import token_views
from service.api.resources.webhooks import webhook_views
from service.api.responses import json_response
from service.api.schemas.exports import ExportSchema
from service.api.services import Services
from service.api.views.game_pages import GameFilter, games_page
from service.runtime.timestamps import rfc3339
from service.store.lists import GameList

exports = Resource("exports", __name__, url_prefix="/v1", description="What is stored about an account.")

_MAX_GAMES: Final = 500


@exports.operation(
    "GET /me/export",
    "exportMe",
    scope=TOKENS,
    response=ResponseSpec(schema=ExportSchema, description="What is stored about the account."),
)
def export_me(*, services: Services, caller: Caller) -> Response:
    """Export my account.

    Everything that is stored about you: profile and settings, tokens and webhooks without their secrets,
    blocks, ratings, and your newest games, sandboxes included. getReplay gives the moves of a game. To
    delete it all, use deleteMe.
    """
    pages = [
        games_page(
            services,
            GameList.of_player(caller.id, sandbox=sandbox),
            GameFilter(),
            cursor=None,
            limit=_MAX_GAMES,
        )
        for sandbox in (False, True)
    ]
    return json_response(
        {
            "exported_at": rfc3339(services.now()),
            "me": own_view(caller, caller.account),
            "tokens": token_views(services.store, caller),
            "webhooks": webhook_views(services.store, caller),
            "blocks": block_views(services, caller.id),
            "ratings": rating_views(services.store, caller.id),
            "games": [game for page in pages for game in page.render(services, caller, brief=True)["brief"]],
            "games_complete": all(page.next_cursor is None for page in pages),
        }
    )
