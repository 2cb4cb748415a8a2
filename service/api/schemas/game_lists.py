"""Games in lists: how each stands, with all its rules or briefly."""

from service.api.schemas.base import (
    Boolean,
    Integer,
    List,
    Nested,
    Points,
    ResponseSchema,
    SeatNumber,
    String,
    Time,
)
from service.api.schemas.games import GameSettingsSchema, game_end_reason
from service.api.schemas.variants import OverridesSchema, VariantSchema, preset_name


class ListedGameSchema(GameSettingsSchema):
    """A game in a list, and how it stands if you have a seat or may watch it without delay."""

    my_seat = SeatNumber("Your seat; null without one.", allow_none=True)
    my_turn = Boolean("Whether your seat may act.")
    may_act = List(SeatNumber(), "All seats that may act now.")
    deadline_at = Time(
        "When the service acts for the seats that have not acted; null without a time limit.", allow_none=True
    )
    deal = Integer("Number of the current deal; null before the first.", minimum=1, allow_none=True)
    totals = List(
        Points("A total."),
        "Totals by seat or by team, without the running deal; null before the start.",
        allow_none=True,
    )
    winners = List(
        SeatNumber(), "The winning seats; empty for a draw, null until the game is over.", allow_none=True
    )
    reason = game_end_reason("Why the game is over; null until then.", allow_none=True)


class GameSummarySchema(ListedGameSchema):
    """A game in a list, with all its rules."""

    variant = Nested(VariantSchema, "The rules of the game.")


class BriefGameSchema(ListedGameSchema):
    """A game in a brief list: preset and overrides give its rules; getMeta lists the options."""

    preset = preset_name("The preset on which the rules are based.")
    overrides = Nested(OverridesSchema, "Options that differ from the preset.")


def brief_games(description: str) -> List:
    """Return a field for games in a brief list."""
    return List(Nested(BriefGameSchema, "A game."), description)


class GamesSchema(ResponseSchema):
    """One page of a list of games."""

    games = List(Nested(GameSummarySchema, "A game."), "The games; by default those created last come first.")
    brief = brief_games("With `brief=true`: the games; `games` is then empty.")
    next_cursor = String("The cursor of the next page; null on the last page.", allow_none=True)
