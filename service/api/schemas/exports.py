"""The export of an account."""

from service.api.schemas.base import Boolean, List, Nested, ResponseSchema, Time
from service.api.schemas.blocks import BlockSchema
from service.api.schemas.game_lists import brief_games
from service.api.schemas.players import MeSchema, TokenSchema
from service.api.schemas.ratings import PlayerRatingSchema
from service.api.schemas.webhooks import WebhookSchema


class ExportSchema(ResponseSchema):
    """Everything that is stored about an account."""

    exported_at = Time("When it was read.")
    me = Nested(MeSchema, "The account, as getMe shows it.")
    tokens = List(Nested(TokenSchema, "A token."), "The tokens, without their secrets.")
    webhooks = List(Nested(WebhookSchema, "A webhook."), "The webhooks, without their secrets.")
    blocks = List(Nested(BlockSchema, "A block."), "The players whom you have blocked.")
    ratings = List(Nested(PlayerRatingSchema, "A rating."), "The ratings.")
    games = brief_games("The newest 500 games and the newest 500 sandboxes.")
    games_complete = Boolean("Whether these are all.")
