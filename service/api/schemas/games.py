"""Games: the body that creates one, and the views of one."""

from typing import Any, Final

from marshmallow import validate

from service.api.schemas.base import (
    Boolean,
    CardCode,
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
from service.api.schemas.moves import included_moves
from service.api.schemas.variants import VariantSchema
from service.games.record import ABORTED, SeatKind, SpectatorAccess, Status, Visibility
from service.games.timing import CALL_WINDOW_MS
from service.rummy.scoring import STOCK_END, TARGET_REACHED, WENT_OUT
from service.rummy.state import GameEndReason, MeldKind, Phase
from service.runtime.durations import DAY_MS, HOUR_MS

PHASES: Final = tuple(Phase)
SEAT_KINDS: Final = tuple(SeatKind)
_GAME_END_REASONS: Final = (*GameEndReason, ABORTED)
PRESENCE: Final = ("online", "offline")


def card_list(description: str, **options: Any) -> List:  # noqa: ANN401 - marshmallow's own options
    """Return a field for a list of cards."""
    return List(CardCode(), description, **options)


def visibility_name(description: str, **options: Any) -> Enum:  # noqa: ANN401 - marshmallow's own options
    """Return a field for the visibility of a game."""
    return Enum("Visibility", tuple(Visibility), description, **options)


def spectator_access(description: str, **options: Any) -> Enum:  # noqa: ANN401 - marshmallow's own options
    """Return a field for who may watch."""
    return Enum("Spectators", tuple(SpectatorAccess), description, **options)


def phase_name(description: str, **options: Any) -> Enum:  # noqa: ANN401 - marshmallow's own options
    """Return a field for the phase of a turn."""
    return Enum("Phase", PHASES, description, **options)


def game_end_reason(description: str, **options: Any) -> Enum:  # noqa: ANN401 - marshmallow's own options
    """Return a field for the reason why a game is over."""
    return Enum("GameEndReason", _GAME_END_REASONS, description, **options)


def meld_kind(description: str, **options: Any) -> Enum:  # noqa: ANN401 - marshmallow's own options
    """Return a field for the kind of a meld."""
    return Enum("MeldKind", tuple(MeldKind), description, **options)


def deal_end_reason(description: str, **options: Any) -> Enum:  # noqa: ANN401 - marshmallow's own options
    """Return a field for why a deal ended."""
    return Enum("DealEndReason", (WENT_OUT, STOCK_END, TARGET_REACHED), description, **options)


class OpponentSchema(RequestSchema):
    """A computer player to seat."""

    level = level_name("The computer's level.", load_default="steady")


class NewClockSchema(RequestSchema):
    """Time limits. A member left out means no limit, except for the call window."""

    turn_ms = Integer(
        "Time for a whole turn.", minimum=100, maximum=14 * DAY_MS, load_default=None, allow_none=True
    )
    call_window_ms = Integer(
        f'Time for calling "Rummy!"; default: {CALL_WINDOW_MS}.',
        minimum=0,
        maximum=HOUR_MS,
        load_default=None,
        allow_none=True,
    )
    next_deal_ms = Integer(
        "Time until the next deal starts automatically.",
        minimum=0,
        maximum=DAY_MS,
        load_default=None,
        allow_none=True,
    )


class JoinSchema(RequestSchema):
    """The seat to take."""

    seat = SeatNumber("The seat; default: the first free one.", load_default=None, allow_none=True)
    invite_code = String(
        "The invite code of a private game.",
        load_default=None,
        allow_none=True,
        validate=validate.Length(max=64, error="Send 64 characters at most."),
    )


class AutoPassSchema(RequestSchema):
    """Whether the service passes calls for you."""

    auto_pass = Boolean("True: pass every call at once. False: ask you.", required=True)


class TurnSchema(ResponseSchema):
    """Who may act now, and which cards restrict the turn."""

    seat = SeatNumber("The seat whose turn it is; null between deals.", allow_none=True)
    may_act = List(SeatNumber(), "All seats that may act now.")
    must_use = CardCode("The card that must be melded or laid off this turn.", allow_none=True)
    may_not_discard = CardCode("The card that may not be discarded this turn.", allow_none=True)
    deadline_at = Time(
        "When the service acts for the seats that have not acted; null without a time limit.", allow_none=True
    )
    phase_version = Integer("The version of the game in which this phase began.")


class ViewerSchema(ResponseSchema):
    """The viewer of this game."""

    role = Enum("ViewerRole", ("player", "spectator"), "Whether the viewer is a player or a spectator.")
    seat = SeatNumber("The viewer's seat; null for spectators.", allow_none=True)
    may = List(
        String("An operationId.", metadata={"example": "startGame"}),
        "What the viewer may do now, beside moves (`turn.may_act`, listLegalMoves) and reading: `startGame`, "
        "`resignGame`, `requestHint` and so on. More may be added: ignore what you do not know.",
    )


class YouSchema(ResponseSchema):
    """What only the viewer may see."""

    hand = card_list("The viewer's hand.")
    hand_points = Points("Points of the cards in the hand, as a positive number.")


class SeatedSchema(ResponseSchema):
    """The player of a seat."""

    id = String("The player's id.")
    name = String("The player's name.")


class PlaceSchema(ResponseSchema):
    """A seat and its player."""

    seat = SeatNumber("Number of the seat, from 0.")
    player = Nested(SeatedSchema, "The player; null for a computer and for a free seat.", allow_none=True)
    display_name = String(
        "A name that no other seat of this table has: where two players are called Ann, the second one is "
        "shown as Ann (2). Of a reserved seat it is that of the player; null for a free seat.",
        allow_none=True,
    )
    kind = Enum(
        "SeatKind", SEAT_KINDS, "Who decides the moves of this seat; null while it is free.", allow_none=True
    )
    level = level_name("The computer's level; null if no computer plays this seat.", allow_none=True)
    team = Integer("The team of the seat; null without teams.", allow_none=True)
    kept_for = Nested(
        SeatedSchema, "The player for whom a free seat is reserved, in a rematch.", allow_none=True
    )
    kept_until = Time("When the reservation ends; after it anyone may take the seat.", allow_none=True)


class SeatSchema(PlaceSchema):
    """A seat as all viewers see it."""

    presence = Enum(
        "Presence",
        PRESENCE,
        "Whether the player is connected; null for a computer and for a free seat. It changes without a new "
        "version of the game.",
        allow_none=True,
    )
    expiries = Integer(
        "Turns in a row whose time ran out. At `limits.expired_turns` of getMeta a computer plays the seat "
        "until its player moves on their turn or calls joinGame; in a rated game the player has then "
        "resigned. Spectators with a delay see 0."
    )
    hand_count = Integer("Number of cards in its hand.")
    known_cards = card_list("Cards in its hand that all players saw being taken.")
    table_points = Points("Points of its cards on the table in this deal.")
    total = Points("Total of the seat, or of its team, before this deal.")


class TeamSchema(ResponseSchema):
    """A team."""

    seats = List(SeatNumber(), "The seats of the team.")
    total = Points("Total of the team before this deal.")


class LaidCardSchema(ResponseSchema):
    """A card on the table."""

    card = CardCode()
    laid_by = SeatNumber("The seat that laid the card and scores its points.")
    stands_for = CardCode("The card that a joker stands for; null for any other card.", allow_none=True)


class MeldSchema(ResponseSchema):
    """A meld on the table."""

    id = String("The meld's id, for layOff: m1, m2, ... in the order laid.", metadata={"example": "m1"})
    owner = SeatNumber("The seat that laid the meld.")
    kind = meld_kind("Whether it is a set or a run.")
    cards = List(Nested(LaidCardSchema, "A card."), "Its cards; those of a run from low to high.")
    points = Points(
        "Points of its cards, for all seats that laid them. Present in a game, not in an event.",
        metadata={"sometimes": True},
    )


class SeatResultSchema(ResponseSchema):
    """The result of a seat at the end of a deal, when all hands are shown."""

    table = card_list("The cards it laid on the table.")
    hand = card_list("The cards left in its hand.")
    table_points = Points("Points of the cards on the table.")
    hand_points = Points("Points of the cards in the hand, as a positive number.")
    bonus = Points("Bonus for going out.")
    score = Points("Points added to its total.")


class DealResultSchema(ResponseSchema):
    """A finished deal."""

    deal = Integer("Number of the deal, from 1.", minimum=1)
    reason = deal_end_reason("Why the deal ended.")
    went_out = SeatNumber("The seat that went out; null if none did.", allow_none=True)
    seats = List(Nested(SeatResultSchema, "A seat."), "The result of each seat, by seat.")
    totals = List(Points("A total."), "Totals after the deal, by seat or by team.")


class ClockSchema(ResponseSchema):
    """Time limits; null means no limit."""

    turn_ms = DurationMs("Time for a whole turn.", allow_none=True)
    call_window_ms = DurationMs(f'Time for calling "Rummy!"; null means {CALL_WINDOW_MS}.', allow_none=True)
    next_deal_ms = DurationMs("Time until the next deal starts automatically.", allow_none=True)


class GameSettingsSchema(ResponseSchema):
    """What everyone who knows of a game sees of it."""

    id = String("The game's id.")
    version = Integer(
        "Increases by one with every change; 0 for delayed spectators who cannot see anything yet."
    )
    status = Enum("GameStatus", tuple(Status), "The status of the game.")
    seats = List(Nested(PlaceSchema, "A seat."), "The seats and their players.")
    visibility = visibility_name(
        "`public`: the game is listed and anyone may join. `private`: joining needs the invite code."
    )
    spectators = spectator_access("Who may watch.")
    spectator_delay_ms = Integer("Delay of all that spectators see.")
    rated = Boolean("Whether the game is rated. Which rated games count, and for whom: `/docs/ratings`.")
    sandbox = Boolean("Whether it is a sandbox for experiments.")
    created_at = Time("When the game was created.")
    updated_at = Time("When the game last changed.")
    expires_at = Time("When the game is deleted if it does not change before.", allow_none=True)


class GameViewSchema(GameSettingsSchema):
    """A game as the viewer may see it."""

    variant = Nested(VariantSchema, "The rules of the game.")
    seats = List(Nested(SeatSchema, "A seat."), "The seats, and what all viewers see of them.")
    phase = phase_name("The phase of the current turn; null outside turns.", allow_none=True)
    deal = Integer("Number of the current deal; null before the first.", minimum=1, allow_none=True)
    dealer = SeatNumber("The seat that dealt; null before the first deal.", allow_none=True)
    turn = Nested(TurnSchema, "Who may act; null if the game is not running.", allow_none=True)
    viewer = Nested(ViewerSchema, "The viewer of this game.")
    spectator_count = Integer(
        "How many viewers without a seat have a stream of the game open; null where no one may watch. It "
        "changes without a new version of the game.",
        allow_none=True,
    )
    auto_pass = Boolean(
        "Whether the service passes every call for you (setAutoPass). Only you see it; null for spectators.",
        allow_none=True,
    )
    you = Nested(
        YouSchema, "What only you may see; null for spectators and before the first deal.", allow_none=True
    )
    teams = List(Nested(TeamSchema, "A team."), "The teams; null without teams.", allow_none=True)
    stock_count = Integer("Number of cards in the stock; null before the first deal.", allow_none=True)
    discard_pile = card_list("The discard pile, oldest first.")
    melds = List(Nested(MeldSchema, "A meld."), "All melds on the table.")
    quiet_turns_left = Integer(
        "The deal ends after this many more turns in a row without progress (7.7); null before a deal.",
        minimum=0,
        allow_none=True,
    )
    winners = List(
        SeatNumber(), "The winning seats; empty for a draw, null until the game is over.", allow_none=True
    )
    reason = game_end_reason("Why the game is over; null until then.", allow_none=True)
    deals = List(Nested(DealResultSchema, "A deal."), "The finished deals.")
    seats_held = Enum(
        "SeatsHeld", ("creator",), "`creator`: the creator holds every seat; null otherwise.", allow_none=True
    )
    computer_pace_ms = DurationMs("Time a computer waits before each of its moves.")
    thinking_ms = DurationMs("Time a computer that searches may think about a turn.")
    clock = Nested(ClockSchema, "Time limits; null: none.", allow_none=True)
    rematch_id = String(
        "The rematch of this game; null until one is opened, and again if it is aborted before it begins.",
        allow_none=True,
    )
    invite_code = String("The code for joining a private game; shown to its players only.", allow_none=True)
    spectator_code = String(
        "The code for watching; shown to the players only. Null if no one may watch.",
        allow_none=True,
    )
    server_time = Time("The current time of the server.")
    legal_moves, legal_moves_truncated, moves_by_type = included_moves()
