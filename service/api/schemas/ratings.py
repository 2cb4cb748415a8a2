"""Boards, and players as others see them."""

from service.api.schemas.base import Enum, Integer, List, Nested, Points, ResponseSchema, String, Time
from service.api.schemas.meta import level_name
from service.api.schemas.players import PlayerSchema
from service.store.ratings import POOLS


def _pool(description: str) -> Enum:
    return Enum("Pool", POOLS, description)


class RatingSchema(ResponseSchema):
    """How good somebody is, as far as games have shown it."""

    rank = Integer("The place on the board, from 1; equal scores share one.")
    rating = Points("The estimate: 1500 before the first game, higher is better.")
    deviation = Points("How far the estimate may well be off: 500 before the first game, less with each.")
    score = Points("What the board goes by: the estimate less three times its deviation.")
    games = Integer("How many rated games it comes from.")
    wins = Integer("How many of them were won.")


class LeaderboardEntrySchema(RatingSchema):
    """A place on a board: a player's, or that of a computer level."""

    player = Nested(PlayerSchema, "The player; null for a computer.", allow_none=True)
    level = level_name("The computer's level; null for players.", allow_none=True)


class LeaderboardSchema(ResponseSchema):
    """A page of a board. It may hold fewer entries than asked for and still have a next one."""

    pool = _pool("Who is rated here among themselves.")
    entries = List(Nested(LeaderboardEntrySchema, "A place."), "The places, the best first.")
    next_cursor = String("Where the next page begins; null on the last one.", allow_none=True)


class PlayerRatingSchema(RatingSchema):
    """A player's rating in a pool."""

    pool = _pool("Among whom.")


class ProfileSchema(PlayerSchema):
    """A player as everybody may know him."""

    created_at = Time("When the player came.")
    ratings = List(Nested(PlayerRatingSchema, "A rating."), "A rating for each pool with games.")
