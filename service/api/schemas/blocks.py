"""Blocks of a player."""

from service.api.schemas.base import List, Nested, ResponseSchema, Time
from service.api.schemas.players import PlayerSchema


class BlockSchema(ResponseSchema):
    """A block."""

    player = Nested(PlayerSchema, "The blocked player.")
    created_at = Time("When you blocked the player.")


class BlocksSchema(ResponseSchema):
    """All blocks of a player."""

    blocks = List(Nested(BlockSchema, "A block."), "The blocks, newest first.")
