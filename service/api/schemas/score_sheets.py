"""Score sheets of games with real cards: how deals are entered, and what a sheet shows."""

from typing import Any, Final

from marshmallow import ValidationError

from service.api.schemas.base import (
    Boolean,
    CardCode,
    Enum,
    Integer,
    List,
    Name,
    Nested,
    Points,
    RequestSchema,
    ResponseSchema,
    RunEnd,
    SeatNumber,
    String,
    Time,
)
from service.api.schemas.games import deal_end_reason, game_end_reason, meld_kind
from service.api.schemas.moves import LayMeldBodySchema
from service.api.schemas.variants import NewVariantSchema, VariantSchema
from service.rummy.options import MAX_DEALS, MAX_SEATS, MIN_SEATS
from service.scorekeeping.deal_entry import MAX_DEAL_POINTS
from service.scorekeeping.sheet import MAX_CHANGES, ChangeType

#: More than the cards of three packs.
_MAX_CARDS: Final = 200
_TEAMS: Final = 2


def _player(description: str, **options: Any) -> SeatNumber:  # noqa: ANN401 - marshmallow's own options
    return SeatNumber(f"{description} Players count from 0, in the order of the sheet.", **options)


def _side(description: str) -> SeatNumber:
    return SeatNumber(f"{description} A side is a player or, with teams, a team; sides count from 0.")


def _different(names: list[str]) -> None:
    if len(set(names)) < len(names):
        raise ValidationError("Give each a name of its own.")


class NewScoreSheetSchema(RequestSchema):
    """A new score sheet: who plays by which rules."""

    variant = Nested(NewVariantSchema, "The rules.", load_default=lambda: NewVariantSchema().load({}))
    players = List(
        Name("A player's name."),
        "The players in the order in which they sit, clockwise. With teams partners sit opposite.",
        minimum=MIN_SEATS,
        maximum=MAX_SEATS,
        required=True,
    )
    teams = List(
        Name("A team's name."),
        "Names of the two teams, that of the first player first; only with the option `teams: pairs`. "
        "Default: the names of the partners.",
        minimum=_TEAMS,
        maximum=_TEAMS,
        load_default=None,
        allow_none=True,
    )
    first_dealer = _player(
        "The player who deals first. Default: the seat that the option `first_dealer` names, or 0.",
        load_default=None,
        allow_none=True,
    )

    def on_bind_field(self, field_name: str, field_obj: Any) -> None:  # noqa: ANN401 - marshmallow's field
        """Refuse names that occur twice: no one could tell the columns apart."""
        if field_name in {"players", "teams"}:
            field_obj.validators = [*field_obj.validators, _different]


class LaidOffCardSchema(RequestSchema):
    """A card that a player laid off on any meld."""

    card = CardCode("The card.", required=True)
    ace = RunEnd(
        "Of an ace: `low` if it is the lowest card of a run, `high` anywhere else. Needed where that "
        "changes what the ace counts.",
        load_default=None,
        allow_none=True,
    )


class PlayersCardsSchema(RequestSchema):
    """All cards of one player at the end of a deal."""

    melds = List(
        Nested(LayMeldBodySchema, "A meld."),
        "The melds that the player laid, each as it lies in front of the player, without cards of others. "
        "`stands_for` may be left out: jokers fill the places that make it a meld. Four aces that count "
        "extra are one meld of four.",
        maximum=_MAX_CARDS,
        load_default=list,
    )
    lay_offs = List(
        Nested(LaidOffCardSchema, "A card."),
        "The single cards that the player laid off. On which meld they lie does not matter.",
        maximum=_MAX_CARDS,
        load_default=list,
    )
    hand = List(CardCode(), "The cards left in the player's hand.", maximum=_MAX_CARDS, load_default=list)


class DealEntrySchema(RequestSchema):
    """A deal: `points`, or `cards`, which are then counted."""

    points = List(
        Integer("Points.", minimum=-MAX_DEAL_POINTS, maximum=MAX_DEAL_POINTS),
        "What each player counted in this deal, which may be negative; or, with teams, what each team "
        "counted. A bonus for going out is not in it: it is added.",
        maximum=MAX_SEATS,
        load_default=None,
        allow_none=True,
    )
    cards = List(
        Nested(PlayersCardsSchema, "The cards of one player."),
        "The cards of each player. They are counted as in play.",
        maximum=MAX_SEATS,
        load_default=None,
        allow_none=True,
    )
    reason = deal_end_reason(
        "Why the deal ended. Default: what `went_out` and the hands show. With `points` it may be left "
        "out where neither a bonus nor the winner depends on it.",
        load_default=None,
        allow_none=True,
    )
    went_out = _player(
        "The player who went out. With `cards` the empty hand shows it, unless players may float.",
        load_default=None,
        allow_none=True,
    )
    in_one_turn = Boolean(
        "Whether the player who went out had laid no card before that turn (going rummy). Send it only where "
        "`going_rummy` rewards it.",
        load_default=False,
    )


class CountedCardSchema(ResponseSchema):
    """A card and its points."""

    card = CardCode()
    points = Points("What it counts; positive for a card in a hand, too.")
    stands_for = CardCode("What a joker of a meld stands for; null for any other card.", allow_none=True)


class CountedMeldSchema(ResponseSchema):
    """A meld and what its cards count."""

    kind = meld_kind("Set or run.")
    cards = List(Nested(CountedCardSchema, "A card."), "Its cards, those of a run low to high.")
    extra = Points("Points beyond those of its cards, as for four aces; else 0.")


class CountedCardsSchema(ResponseSchema):
    """The cards of a player, counted one by one."""

    melds = List(Nested(CountedMeldSchema, "A meld."), "The melds.")
    lay_offs = List(Nested(CountedCardSchema, "A card."), "The cards laid off.")
    hand = List(Nested(CountedCardSchema, "A card."), "The cards in hand.")
    table_points = Points("Points of all cards on the table.")
    hand_points = Points("Points of the cards in hand, as a positive number.")


class SheetPlayerScoreSchema(ResponseSchema):
    """What a player scored in a deal."""

    points = Points("Points without the bonus.")
    bonus = Points("Bonus for going out.")
    score = Points("Points added to the total.")
    cards = Nested(CountedCardsSchema, "The cards; null for a deal entered as points.", allow_none=True)


class SheetDealSchema(ResponseSchema):
    """A deal of a score sheet."""

    number = Integer("Number of the deal, from 1.", minimum=1, maximum=MAX_DEALS)
    dealer = _player("The player who dealt.")
    scores = List(Points("A score."), "The score of each side in this deal, bonus included.")
    totals = List(Points("A total."), "The total of each side after this deal.")
    players = List(
        Nested(SheetPlayerScoreSchema, "A player."),
        "The score of each player; empty for a deal entered by team.",
    )
    entry = Nested(DealEntrySchema, "The deal as it was entered, in the form that amendDeal accepts.")


class SheetPlayerSchema(ResponseSchema):
    """A player of a score sheet."""

    name = String("The name.")
    side = _side("The side that the player scores for.")


class SheetSideSchema(ResponseSchema):
    """A side: a player or a team."""

    name = String("The name of the player or the team.")
    players = List(_player("A player."), "Its players.")
    total = Points("Its total.")


class NextDealSchema(ResponseSchema):
    """The deal that comes next."""

    number = Integer("Number of the deal, from 1.", minimum=1, maximum=MAX_DEALS)
    dealer = _player("The player who deals it.")


class SheetResultSchema(ResponseSchema):
    """How the game ended."""

    deal = Integer("Number of the deal that decided it.", minimum=1, maximum=MAX_DEALS)
    winners = List(_side("A side."), "The sides that won; empty for a draw.")
    reason = game_end_reason("Why the game is over.")


class SheetChangeSchema(ResponseSchema):
    """A change of a score sheet."""

    number = Integer("Number of the change, from 1.", minimum=1)
    at = Time("When it was made.")
    type = Enum("SheetChangeType", tuple(ChangeType), "What it did to the deal.")
    deal = Integer("Number of the deal.", minimum=1, maximum=MAX_DEALS)
    scores_before = List(
        Points("A score."), "Its scores before the change, by side; null for a new deal.", allow_none=True
    )
    scores = List(Points("A score."), "Its scores after the change, by side.")
    undone_at = Time("When it was undone; null while it stands.", allow_none=True)


class ScoreSheetSchema(ResponseSchema):
    """A score sheet as it stands."""

    id = String("The sheet's id.")
    version = Integer("Increases by one with every change, undo included.", minimum=1)
    created_at = Time("When it was created.")
    updated_at = Time("When it was changed last.")
    expires_at = Time("When it is deleted if it does not change.")
    variant = Nested(VariantSchema, "The rules.")
    players = List(Nested(SheetPlayerSchema, "A player."), "The players, in the order in which they sit.")
    sides = List(Nested(SheetSideSchema, "A side."), "The players or teams that score, with their totals.")
    deals = List(Nested(SheetDealSchema, "A deal."), "The deals, oldest first.")
    leaders = List(
        _side("A side."), "The sides with the best total; several in a tie, none before the first deal."
    )
    next_deal = Nested(NextDealSchema, "The next deal; null if the game is decided.", allow_none=True)
    result = Nested(
        SheetResultSchema,
        "How the game ended; null while it goes on. If an amendment decides it in an earlier deal, the deals "
        "after that one stay on the sheet and in the totals.",
        allow_none=True,
    )
    changes = List(Nested(SheetChangeSchema, "A change."), f"The newest {MAX_CHANGES} changes, oldest first.")


class CreatedScoreSheetSchema(ResponseSchema):
    """A new score sheet and its links."""

    sheet = Nested(ScoreSheetSchema, "The sheet.")
    read_link = String("The path of the sheet, for everyone who may read it.")
    write_link = String("The same with the key, for those who may change it too.")
    write_key = String("The key, returned only once: send it as `write_key` in the query of a change.")
