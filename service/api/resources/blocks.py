"""Blocks: a player keeps another one away."""

from flask import Response

from service.api.auth import PLAY, READ, Caller, decode_account
from service.api.problems import Problem, invalid
from service.api.resource import Resource, ResponseSpec
from service.api.resources.players import existing_player, player_view
from service.api.responses import json_response, no_content
from service.api.schemas.blocks import BlockSchema, BlocksSchema
from service.api.services import Services
from service.runtime.json_object import Json
from service.runtime.timestamps import rfc3339
from service.store.blocks import MAX_BLOCKS

blocks = Resource("blocks", __name__, url_prefix="/v1", description="Players whom you keep away.")

_BLOCK = "/me/blocks/<string(maxlength=64):player_id>"


@blocks.operation(
    "GET /me/blocks",
    "listBlocks",
    scope=READ,
    response=ResponseSpec(schema=BlocksSchema, description="The players whom you have blocked."),
)
def list_blocks(*, services: Services, caller: Caller) -> Response:
    """List my blocks.

    The newest first. A player who deletes their account leaves the list.
    """
    return json_response({"blocks": block_views(services, caller.id)})


@blocks.operation(
    f"PUT {_BLOCK}",
    "blockPlayer",
    scope=PLAY,
    response=ResponseSpec(schema=BlockSchema, description="The block."),
    errors=("not_found", "too_many_blocks"),
)
def block_player(*, services: Services, caller: Caller, player_id: str) -> Response:
    """Block a player.

    Seeks do not match the two of you, a rematch reserves no seat for the other, and no reaction passes
    between you. Tables that you open are to the blocked player as private ones: not listed, and not found
    without an invite code. Running games go on, and a code that is handed on by a player still lets in. The
    blocked player is not notified.
    """
    if player_id == caller.id:
        raise invalid("player_id", "This is you.")
    player = existing_player(services, player_id)
    if not services.store.put_block(caller.id, player_id, at=services.now()):
        raise Problem("too_many_blocks", f"A player may block {MAX_BLOCKS} others: unblock one first.")
    since = _since(services, caller, player_id)
    return json_response({"player": player_view(player), "created_at": rfc3339(since)})


@blocks.operation(
    f"DELETE {_BLOCK}",
    "unblockPlayer",
    scope=PLAY,
    response=ResponseSpec(status=204, schema=None, description="The player is not blocked any more."),
    errors=("not_found",),
)
def unblock_player(*, services: Services, caller: Caller, player_id: str) -> Response:
    """Unblock a player.

    From then on you may meet again.
    """
    if not services.store.delete_block(caller.id, player_id):
        raise Problem("not_found", "You have not blocked this player.")
    return no_content()


def block_views(services: Services, player_id: str) -> list[Json]:
    """Return the blocks of a player, and remove those of players who were deleted."""
    found = services.store.blocks_of(player_id)
    players = services.store.players([block.player_id for block in found])
    views = []
    for block, stored in zip(found, players, strict=True):
        if stored is None:
            services.store.delete_block(player_id, block.player_id)
        else:
            views.append({"player": player_view(decode_account(stored)), "created_at": rfc3339(block.at)})
    return views


def _since(services: Services, caller: Caller, player_id: str) -> int:
    """Return when the caller blocked a player, which may have been before this request."""
    found = services.store.blocks_of(caller.id)
    return next((block.at for block in found if block.player_id == player_id), services.now())
