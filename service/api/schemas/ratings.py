"""Leaderboards and players' profiles."""

from service.api.schemas.base import Enum, Integer, List, Nested, Points, ResponseSchema, String, Time
from service.api.schemas.meta import level_name
from service.api.schemas.players import PlayerSchema
from service.store.ratings import POOLS


def _pool(description: str) -> Enum:
    return Enum("Pool", POOLS, description)


class RatingSchema(ResponseSchema):
    """A rating: an estimate of strength from the results of rated games."""

    rank = Integer(
        "Rank on the leaderboard, from 1; equal scores share a rank. For a player who is not on it yet, the "
        "rank that the score would have."
    )
    rating = Points("The estimated strength: 1500 before the first game; higher is better.")
    deviation = Points("The uncertainty of the estimate: 500 before the first game, less after each.")
    score = Points("The score that determines the rank: `rating` minus three times `deviation`.")
    games = Integer("Number of rated games that counted.")
    wins = Integer("Number of rated games that counted and were won.")


class LeaderboardEntrySchema(RatingSchema):
    """An entry of a leaderboard: a player or a computer level."""

    player = Nested(PlayerSchema, "The player; null for a computer.", allow_none=True)
    level = level_name("The computer's level; null for players.", allow_none=True)


class LeaderboardSchema(ResponseSchema):
    """A page of a leaderboard. It may have fewer entries than `limit` and still have a next page."""

    pool = _pool("The pool of players who are rated together.")
    entries = List(Nested(LeaderboardEntrySchema, "An entry."), "The entries, best first.")
    next_cursor = String("The cursor of the next page; null on the last page.", allow_none=True)


class PlayerRatingSchema(RatingSchema):
    """A player's rating in a pool."""

    pool = _pool("The pool of players who are rated together.")


class ProfileSchema(PlayerSchema):
    """A player with their ratings, as others see them."""

    created_at = Time("When the account was created.")
    ratings = List(
        Nested(PlayerRatingSchema, "A rating."), "A rating for each pool in which the player has games."
    )
