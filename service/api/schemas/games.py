"""Games: what a new one is asked for with, and what a viewer sees of one."""

from typing import Any, Final

from marshmallow import ValidationError, validate

from service.api.schemas.base import (
    MAX_SAFE_INTEGER,
    Boolean,
    CardCode,
    CustomField,
    DurationMs,
    Enum,
    Integer,
    List,
    Nested,
    Points,
    RequestSchema,
    ResponseSchema,
    SeatNumber,
    String,
    Time,
)
from service.api.schemas.meta import level_name
from service.api.schemas.variants import NewVariantSchema, VariantSchema
from service.games.record import ABORTED, THINKING_MS, SeatKind, SpectatorAccess, Status, Visibility
from service.games.timing import CALL_WINDOW_MS
from service.rummy.scoring import STOCK_END, WENT_OUT
from service.rummy.state import GameEndReason, MeldKind, Phase
from service.rummy.variants import MAX_DEALS, MAX_SEATS, MIN_SEATS
from service.runtime.durations import DAY_MS, HOUR_MS
from service.runtime.json_object import Json

PHASES: Final = tuple(Phase)
SEAT_KINDS: Final = tuple(SeatKind)
_GAME_END_REASONS: Final = (*GameEndReason, ABORTED)
PRESENCE: Final = ("online", "offline")
_HIGHEST_SEAT: Final = MAX_SEATS - 1
_MAX_CARDS: Final = 108
_MAX_SEED_LENGTH: Final = 200
MAX_PACE_MS: Final = 60_000
MIN_THINKING_MS: Final = 20
MAX_THINKING_MS: Final = 5_000


class Seed(CustomField):
    """What the shuffles of a sandbox game come from: a string or a whole number."""

    def _deserialize(self, value: Any, *args: Any, **kwargs: Any) -> str:  # noqa: ANN401 - JSON
        del args, kwargs
        if (
            isinstance(value, bool)
            or not isinstance(value, str | int)
            or not 1 <= len(str(value)) <= _MAX_SEED_LENGTH
        ):
            raise ValidationError(f"Send a string of 1 to {_MAX_SEED_LENGTH} characters, or a whole number.")
        return str(value)

    def components(self) -> Json:
        """Return what a seed may be. As a string it may be longer than a number that all languages hold."""
        text = {"type": "string", "minLength": 1, "maxLength": _MAX_SEED_LENGTH}
        number = {
            "type": "integer",
            "format": "int64",
            "minimum": -MAX_SAFE_INTEGER,
            "maximum": MAX_SAFE_INTEGER,
        }
        return {"Seed": {"oneOf": [text, number]}}

    def json_schema(self) -> Json:
        """Return what is allowed as JSON Schema."""
        return {"anyOf": [{"$ref": "#/components/schemas/Seed"}, {"type": "null"}]}


def _cards(description: str, **options: Any) -> List:  # noqa: ANN401 - marshmallow's own options
    return List(CardCode(), description, **options)


def _visibility(description: str, **options: Any) -> Enum:  # noqa: ANN401 - marshmallow's own options
    return Enum("Visibility", tuple(Visibility), description, **options)


def _spectators(description: str, **options: Any) -> Enum:  # noqa: ANN401 - marshmallow's own options
    return Enum("Spectators", tuple(SpectatorAccess), description, **options)


def _phase(description: str, **options: Any) -> Enum:  # noqa: ANN401 - marshmallow's own options
    return Enum("Phase", PHASES, description, **options)


def game_end_reason(description: str, **options: Any) -> Enum:  # noqa: ANN401 - marshmallow's own options
    """Return a field for why a game is over."""
    return Enum("GameEndReason", _GAME_END_REASONS, description, **options)


class OpponentSchema(RequestSchema):
    """A computer at the table."""

    level = level_name("How it plays.", load_default="steady")


class NewClockSchema(RequestSchema):
    """How long players have; what is left out has no limit, a call window apart."""

    turn_ms = Integer(
        "For a whole turn.", minimum=100, maximum=14 * DAY_MS, load_default=None, allow_none=True
    )
    call_window_ms = Integer(
        f'For calling "Rummy!"; without it {CALL_WINDOW_MS}.',
        minimum=0,
        maximum=HOUR_MS,
        load_default=None,
        allow_none=True,
    )
    next_deal_ms = Integer(
        "Until the next deal starts by itself.",
        minimum=0,
        maximum=DAY_MS,
        load_default=None,
        allow_none=True,
    )


class GivenCardSchema(RequestSchema):
    """A card on the table of a given position."""

    card = CardCode(required=True)
    laid_by = SeatNumber("Who laid it; without it the owner of the meld.", load_default=None, allow_none=True)
    stands_for = CardCode("What a joker stands for.", load_default=None, allow_none=True)


class GivenMeldSchema(RequestSchema):
    """A meld of a given position; ids are m1, m2.. in the order given."""

    owner = SeatNumber("Who made the meld.", required=True)
    cards = List(Nested(GivenCardSchema, "A card."), "Its cards, a run's low to high.", required=True)


class GivenTurnSchema(RequestSchema):
    """The running turn of a given position."""

    seat = SeatNumber("Whose turn it is.", load_default=0)
    phase = _phase("How far the turn is.", load_default="draw")
    must_use = CardCode("The card that must still be used this turn.", load_default=None, allow_none=True)
    may_not_discard = CardCode("The card that may not be thrown back.", load_default=None, allow_none=True)
    discarder = SeatNumber("Who threw the last card, in `rummy_call`.", load_default=None, allow_none=True)
    melds_laid = Integer("New melds laid this turn.", minimum=0, maximum=_MAX_CARDS, load_default=0)
    tabled_before_turn = Boolean(
        "Whether the seat had tabled a card before this turn; without it as the melds tell.",
        load_default=None,
        allow_none=True,
    )


class PositionSchema(RequestSchema):
    """A position to begin from, in a sandbox."""

    hands = List(
        _cards("A hand."),
        "The hands by seat, of any size.",
        minimum=MIN_SEATS,
        maximum=MAX_SEATS,
        required=True,
    )
    discard_pile = _cards("The discard pile, oldest first.", load_default=list)
    stock = _cards(
        "The stock, drawn first card first. Without it every card not named, in seeded order; with it, also "
        "empty, cards not named are out of play.",
        load_default=None,
        allow_none=True,
    )
    melds = List(Nested(GivenMeldSchema, "A meld."), "What is on the table.", load_default=list)
    turn = Nested(GivenTurnSchema, "The running turn.", load_default=lambda: GivenTurnSchema().load({}))
    known = List(
        _cards("Cards of one hand."),
        "Cards in the hands that everybody saw taken, by seat.",
        load_default=None,
        allow_none=True,
    )
    totals = List(
        Points("A total."),
        "Totals before this deal: by seat, or by team.",
        load_default=None,
        allow_none=True,
    )
    dealer = SeatNumber("Who dealt.", load_default=None, allow_none=True)
    deal = Integer("The number of the deal.", minimum=1, maximum=MAX_DEALS, load_default=1)


class NewGameSchema(RequestSchema):
    """A table to be opened."""

    variant = Nested(NewVariantSchema, "The rules.", load_default=lambda: NewVariantSchema().load({}))
    seats = Integer(
        "How many play. Without it as many as the opponents or the position ask for.",
        minimum=2,
        maximum=MAX_SEATS,
        load_default=None,
        allow_none=True,
    )
    opponents = List(
        Nested(OpponentSchema, "A computer."),
        "Computers, in the seats after yours.",
        maximum=_HIGHEST_SEAT,
        load_default=list,
    )
    visibility = _visibility("Whether strangers find it.", load_default="private")
    spectators = _spectators(
        "Who may watch: nobody, whoever has `spectator_code`, or everybody. A private game asks for a code "
        "in any case.",
        load_default="none",
    )
    spectator_delay_ms = Integer(
        "How far what spectators see lies back: views, events and replays alike.",
        minimum=0,
        maximum=HOUR_MS,
        load_default=0,
    )
    rated = Boolean("Whether it counts for ratings.", load_default=False)
    computer_pace_ms = Integer(
        "How long a computer waits before each of its turns.",
        minimum=0,
        maximum=MAX_PACE_MS,
        load_default=0,
    )
    thinking_ms = Integer(
        "How long a computer that searches, such as `expert`, may think about a turn; the others take "
        "milliseconds.",
        minimum=MIN_THINKING_MS,
        maximum=MAX_THINKING_MS,
        load_default=THINKING_MS,
    )
    clock = Nested(
        NewClockSchema,
        "How long players have. Null: as long as they like. Without it: null with one person or in a "
        "sandbox, else two minutes a turn and 30 seconds between deals.",
        allow_none=True,
    )
    sandbox = Boolean("A game for trying things out; the members below need it.", load_default=False)
    seed = Seed(
        load_default=None,
        allow_none=True,
        metadata={"description": "The same seed and moves give the same game. Sandbox only."},
    )
    position = Nested(PositionSchema, "Where to begin. Sandbox only.", load_default=None, allow_none=True)
    seats_held = Enum(
        "SeatsHeld",
        ("creator",),
        "`creator`: you sit on every seat, and say with `as_seat` which one you are. Sandbox only.",
        load_default=None,
        allow_none=True,
    )


class JoinSchema(RequestSchema):
    """Where to sit down."""

    seat = SeatNumber("The seat; without it the first free one.", load_default=None, allow_none=True)
    invite_code = String(
        "Opens a private game.",
        load_default=None,
        allow_none=True,
        validate=validate.Length(max=64, error="Send 64 characters at most."),
    )


class TurnSchema(ResponseSchema):
    """Who may act now, and what binds him."""

    seat = SeatNumber("Whose turn it is; null between deals.", allow_none=True)
    may_act = List(SeatNumber(), "Every seat that may act now.")
    must_use = CardCode("The card that must be tabled this turn.", allow_none=True)
    may_not_discard = CardCode("The card that may not be thrown back this turn.", allow_none=True)
    deadline_at = Time("When the service acts for those who did not; null without a clock.", allow_none=True)
    phase_version = Integer("The version at which this phase began.")


class ViewerSchema(ResponseSchema):
    """For whom this was made."""

    role = Enum("ViewerRole", ("player", "spectator"), "Whether the viewer plays.")
    seat = SeatNumber("The viewer's seat; null for spectators.", allow_none=True)


class YouSchema(ResponseSchema):
    """What only the viewer sees."""

    hand = _cards("The viewer's hand.")


class SeatedSchema(ResponseSchema):
    """Who sits on a seat."""

    id = String("The player's id.")
    name = String("The player's name.")


class PlaceSchema(ResponseSchema):
    """Who sits where."""

    seat = SeatNumber("Its number, from 0.")
    player = Nested(SeatedSchema, "Who sits there; null for a computer and for a free seat.", allow_none=True)
    kind = Enum("SeatKind", SEAT_KINDS, "Who decides its moves; null while it is free.", allow_none=True)
    level = level_name("The computer's level; null where none plays.", allow_none=True)
    team = Integer("Its team; null where everybody plays alone.", allow_none=True)
    kept_for = Nested(SeatedSchema, "For whom a free seat is kept, in a rematch.", allow_none=True)
    kept_until = Time("Until when it is; then anybody may sit down.", allow_none=True)


class SeatSchema(PlaceSchema):
    """A seat as everybody at the table sees it."""

    presence = Enum(
        "Presence",
        PRESENCE,
        "Whether its player is connected; null for a computer and for a free seat. Beside the game: it "
        "changes without a new version.",
        allow_none=True,
    )
    hand_count = Integer("How many cards it holds.")
    known_cards = _cards("Cards in its hand that everybody saw taken.")
    table_points = Points("What its cards on the table count in this deal.")
    total = Points("Its total, or its team's, from the deals before.")


class TeamSchema(ResponseSchema):
    """A team."""

    seats = List(SeatNumber(), "Who plays in it.")
    total = Points("Its total from the deals before.")


class LaidCardSchema(ResponseSchema):
    """A card on the table."""

    card = CardCode()
    laid_by = SeatNumber("The seat that laid it, and gets its points.")
    stands_for = CardCode("What a joker stands for; null for any other card.", allow_none=True)


class MeldSchema(ResponseSchema):
    """A meld on the table."""

    id = String("What layOff calls it: m1, m2, in the order laid.", metadata={"example": "m1"})
    owner = SeatNumber("The seat that laid it.")
    kind = Enum("MeldKind", tuple(MeldKind), "What makes it a meld.")
    cards = List(Nested(LaidCardSchema, "A card."), "Its cards; a run's stand low to high.")


class SeatResultSchema(ResponseSchema):
    """What a seat had at the end of a deal. Hands are open now."""

    table = _cards("What it tabled.")
    hand = _cards("What it still held.")
    table_points = Points("What the tabled cards count.")
    hand_points = Points("What the cards in hand count, as a positive number.")
    bonus = Points("What going out added.")
    score = Points("What the deal adds to its total.")


class DealResultSchema(ResponseSchema):
    """A finished deal."""

    deal = Integer("Its number, from 1.", minimum=1)
    reason = Enum("DealEndReason", (WENT_OUT, STOCK_END), "Why it ended.")
    went_out = SeatNumber("The seat that went out; null when nobody did.", allow_none=True)
    seats = List(Nested(SeatResultSchema, "A seat."), "What each seat had, by seat.")
    totals = List(Points("A total."), "Totals after it: by seat, or by team.")


class ClockSchema(ResponseSchema):
    """How long players have; null where there is no limit."""

    turn_ms = DurationMs("For a whole turn.", allow_none=True)
    call_window_ms = DurationMs(f'For calling "Rummy!"; null means {CALL_WINDOW_MS}.', allow_none=True)
    next_deal_ms = DurationMs("Until the next deal starts by itself.", allow_none=True)


class GameSummarySchema(ResponseSchema):
    """A game in a list."""

    id = String("The game's id.")
    version = Integer("Rises by one with every change; 0 to spectators who are not shown anything yet.")
    status = Enum("GameStatus", tuple(Status), "Where the game stands.")
    variant = Nested(VariantSchema, "The rules it is played by.")
    seats = List(Nested(PlaceSchema, "A seat."), "Who sits where.")
    visibility = _visibility("Whether strangers find it.")
    spectators = _spectators("Who may watch.")
    spectator_delay_ms = Integer("How far what spectators see lies back.")
    rated = Boolean("Whether it counts for ratings.")
    sandbox = Boolean("Whether it is only for trying things out.")
    created_at = Time("When it was opened.")
    updated_at = Time("When it last changed.")
    expires_at = Time("When it vanishes if nothing happens.", allow_none=True)


class GameViewSchema(GameSummarySchema):
    """A game as this viewer may see it."""

    seats = List(Nested(SeatSchema, "A seat."), "Who sits where, and what lies open of it.")
    phase = _phase("What the running turn waits for; null outside turns.", allow_none=True)
    deal = Integer("The number of the deal; null before the first.", minimum=1, allow_none=True)
    dealer = SeatNumber("The seat that dealt; null before the first deal.", allow_none=True)
    turn = Nested(TurnSchema, "Who may act; null when nobody may.", allow_none=True)
    viewer = Nested(ViewerSchema, "For whom this was made.")
    you = Nested(YouSchema, "What only you see; null for spectators and before the deal.", allow_none=True)
    teams = List(
        Nested(TeamSchema, "A team."), "The teams; null where everybody plays alone.", allow_none=True
    )
    stock_count = Integer("How many cards are in the stock; null before the deal.", allow_none=True)
    discard_pile = _cards("The discard pile, oldest first.")
    melds = List(Nested(MeldSchema, "A meld."), "All melds on the table.")
    winners = List(SeatNumber(), "Who won; empty for a draw, null while the game runs.", allow_none=True)
    reason = game_end_reason("Why the game is over; null while it runs.", allow_none=True)
    deals = List(Nested(DealResultSchema, "A deal."), "The finished deals.")
    seats_held = Enum("SeatsHeld", ("creator",), "Whether the creator holds every seat.", allow_none=True)
    computer_pace_ms = DurationMs("How long a computer waits before each of its turns.")
    thinking_ms = DurationMs("How long a computer that searches may think about a turn.")
    clock = Nested(ClockSchema, "How long players have; null for as long as they like.", allow_none=True)
    rematch_id = String("The game that plays this one again, once somebody asked for it.", allow_none=True)
    invite_code = String(
        "What lets others into a private game; only shown to those who sit there.", allow_none=True
    )
    spectator_code = String(
        "What lets others watch, and not more; only shown to those who sit there. Null where nobody may.",
        allow_none=True,
    )
    server_time = Time("The time here.")


class GamesSchema(ResponseSchema):
    """One page of a list of games."""

    games = List(Nested(GameSummarySchema, "A game."), "The games, newest first.")
    next_cursor = String("Where the next page begins; null on the last one.", allow_none=True)
