"""The body of createGame. A position may be copied from what getGame or getReplay returns.

Members of a game that say nothing about the cards are accepted there and ignored, so that a client
need not pick them out; any other unknown member is an error.
"""

from collections.abc import Callable
from typing import Any, Final

from marshmallow import Schema, ValidationError, fields, pre_load, validate, validates_schema

from service.api.schemas.base import (
    MAX_SAFE_INTEGER,
    Boolean,
    CardCode,
    CustomField,
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
from service.api.schemas.events import DealStartedSchema, PositionGivenSchema
from service.api.schemas.games import (
    GameViewSchema,
    MeldSchema,
    NewClockSchema,
    OpponentSchema,
    SeatSchema,
    TeamSchema,
    TurnSchema,
    ViewerSchema,
    YouSchema,
    card_list,
    meld_kind,
    phase_name,
    spectator_access,
    visibility_name,
)
from service.api.schemas.variants import NewVariantSchema
from service.games.record import THINKING_MS
from service.rummy.options import MAX_DEALS, MAX_SEATS, MIN_SEATS
from service.runtime.durations import HOUR_MS
from service.runtime.json_object import Json

_HIGHEST_SEAT: Final = MAX_SEATS - 1
#: All cards of three packs with two jokers each.
_MAX_CARDS: Final = 162
_MAX_SEED_LENGTH: Final = 200
#: The longest text that is accepted to be ignored.
_MAX_SEEN_LENGTH: Final = 200
MAX_PACE_MS: Final = 60_000
MIN_THINKING_MS: Final = 20
MAX_THINKING_MS: Final = 5_000


class Ignored(CustomField):
    """A member of a game as getGame or getReplay returns it, of which nothing is read."""

    def __init__(self, seen: fields.Field[Any]) -> None:
        super().__init__(
            load_default=None,
            allow_none=True,
            metadata={
                "description": "Ignored. It is here because a game that you copy has it.",
                "ignored": True,
            },
        )
        self._seen = seen

    def json_schema(self) -> Json:
        """Return the JSON type of the member."""
        match self._seen:
            case Time():
                return {"type": ["string", "null"], "format": "date-time", "maxLength": _MAX_SEEN_LENGTH}
            case Integer():
                return {
                    "type": ["integer", "null"],
                    "format": "int64",
                    "minimum": -MAX_SAFE_INTEGER,
                    "maximum": MAX_SAFE_INTEGER,
                }
            case Boolean():
                return {"type": ["boolean", "null"]}
            case fields.String():
                return {"type": ["string", "null"], "maxLength": _MAX_SEEN_LENGTH}
            case List():
                return {"type": ["array", "null"], "items": {}}
            case _:
                return {"type": ["object", "null"], "additionalProperties": True}

    def _deserialize(self, value: Any, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - JSON
        del args, kwargs
        allowed, sentence = _TYPES[self.json_schema()["type"][0]]
        if not isinstance(value, allowed) or (isinstance(value, bool) and allowed is not bool):
            raise ValidationError(sentence)
        if isinstance(value, int) and abs(value) > MAX_SAFE_INTEGER:
            raise ValidationError(sentence)
        if isinstance(value, str) and len(value) > _MAX_SEEN_LENGTH:
            raise ValidationError(f"Send {_MAX_SEEN_LENGTH} characters at most.")


_TYPES: Final[dict[str, tuple[type, str]]] = {
    "string": (str, "Send a string."),
    "integer": (int, "Send a whole number."),
    "boolean": (bool, "Send true or false."),
    "array": (list, "Send an array."),
    "object": (dict, "Send a JSON object."),
}


def copied_from(*shown: type[ResponseSchema]) -> Callable[[type[Schema]], type[Schema]]:
    """Let a body have every member of these responses: what it does not declare itself is ignored."""

    def extend(body: type[Schema]) -> type[Schema]:
        for response in shown:
            for name, field in response().fields.items():
                body._declared_fields.setdefault(name, Ignored(field))  # noqa: SLF001 - marshmallow has no other way
        return body

    return extend


class Seed(CustomField):
    """The seed of a sandbox game's shuffles: a string or a whole number."""

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
        """Return the schema of a seed. The number is limited to those that all languages hold exactly."""
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


class GivenCardSchema(RequestSchema):
    """A card on the table in a given position."""

    card = CardCode(required=True)
    laid_by = SeatNumber(
        "The seat that laid it; default: the owner of the meld.", load_default=None, allow_none=True
    )
    stands_for = CardCode("The card that a joker stands for.", load_default=None, allow_none=True)


@copied_from(MeldSchema)
class GivenMeldSchema(RequestSchema):
    """A meld in a given position; ids are m1, m2, ... in the order given."""

    id = String(
        "Its id, if you copy it: must be that of its place.",
        load_default=None,
        allow_none=True,
        validate=validate.Length(max=_MAX_SEEN_LENGTH, error=f"Send {_MAX_SEEN_LENGTH} characters at most."),
    )
    kind = meld_kind(
        "Whether it is a set or a run, if you copy it: must be what the cards make.",
        load_default=None,
        allow_none=True,
    )
    owner = SeatNumber("The seat that laid the meld.", required=True)
    cards = List(
        Nested(GivenCardSchema, "A card."), "Its cards; those of a run from low to high.", required=True
    )


@copied_from(TurnSchema)
class GivenTurnSchema(RequestSchema):
    """The current turn in a given position."""

    seat = SeatNumber(
        "The seat whose turn it is. Null is refused: it is what a game shows between deals.",
        load_default=0,
        allow_none=True,
    )
    phase = phase_name("The phase of the turn.", load_default="draw")
    must_use = CardCode(
        "The card that must still be melded or laid off this turn.", load_default=None, allow_none=True
    )
    may_not_discard = CardCode(
        "The card that may not be discarded this turn.", load_default=None, allow_none=True
    )
    discarder = SeatNumber(
        "In phase `rummy_call`: the seat that made the last discard.", load_default=None, allow_none=True
    )
    melds_laid = Integer(
        "Number of melds already laid this turn.", minimum=0, maximum=_MAX_CARDS, load_default=0
    )
    tabled_before_turn = Boolean(
        "Whether the seat had laid cards on the table before this turn. Default: as the melds show.",
        load_default=None,
        allow_none=True,
    )
    tabled_before = Boolean(
        "The same by the name that the event `position.given` has.", load_default=None, allow_none=True
    )


@copied_from(SeatSchema)
class GivenSeatSchema(RequestSchema):
    """What you see of a seat, as a game shows it."""

    hand_count = Integer(
        "Number of cards in its hand; where you do not know them they are dealt.",
        maximum=_MAX_CARDS,
        load_default=None,
        allow_none=True,
    )
    known_cards = card_list("Cards in its hand that all players saw being taken.", load_default=list)
    total = Points("Total of the seat, or of its team, before this deal.", load_default=None, allow_none=True)


@copied_from(ViewerSchema)
class GivenViewerSchema(RequestSchema):
    """From which seat the position was seen."""

    seat = SeatNumber("The seat that `you` is about.", load_default=None, allow_none=True)


@copied_from(YouSchema)
class GivenHandSchema(RequestSchema):
    """Your hand, as a game shows it."""

    hand = card_list("Your hand.", required=True)


@copied_from(TeamSchema)
class GivenTeamSchema(RequestSchema):
    """A team, as a game shows it."""

    total = Points("Total of the team before this deal.", required=True)


@copied_from(GameViewSchema, PositionGivenSchema, DealStartedSchema)
class PositionSchema(RequestSchema):
    """A position for a sandbox game to start from.

    You may also send a whole game, as getGame returns it to you, or the event `deal.started` or
    `position.given` of a replay. Hands that you do not see are dealt from the cards that you do not see,
    by the seed. The game then shows the same, except that `quiet_turns_left` starts again, `deals` is empty,
    and in a call window all seats that may call are asked.
    """

    hands = List(
        card_list("A hand.", allow_none=True),
        "The hands by seat, of any size; needed unless `seats` is there. A hand that is null is dealt: "
        "`known` or `seats` have the cards of it that you know.",
        minimum=MIN_SEATS,
        maximum=MAX_SEATS,
        load_default=None,
        allow_none=True,
    )
    seats = List(
        Nested(GivenSeatSchema, "A seat."),
        "The seats as a game shows them: the sizes of the hands, known cards and totals.",
        minimum=MIN_SEATS,
        maximum=MAX_SEATS,
        load_default=None,
        allow_none=True,
    )
    viewer = Nested(
        GivenViewerSchema, "Whose hand `you` has, as a game shows it.", load_default=None, allow_none=True
    )
    you = Nested(
        GivenHandSchema, "Your hand, as a game shows it; needs `viewer`.", load_default=None, allow_none=True
    )
    teams = List(
        Nested(GivenTeamSchema, "A team."),
        "The teams with their totals, as a game shows them.",
        load_default=None,
        allow_none=True,
    )
    phase = phase_name(
        "The phase, as a game shows it, if `turn` has none.", load_default=None, allow_none=True
    )
    variant = Nested(
        NewVariantSchema,
        "The rules of the game that you copy, if the new game has no `variant`.",
        load_default=None,
        allow_none=True,
    )
    stock_count = Integer(
        "Number of cards in the stock, if you do not name them; the cards left over are out of play. "
        "Default: all cards not named elsewhere.",
        maximum=_MAX_CARDS,
        load_default=None,
        allow_none=True,
    )
    upcard = CardCode(
        "The only card of the discard pile, as the event `deal.started` shows it.",
        load_default=None,
        allow_none=True,
    )
    discard_pile = card_list("The discard pile, oldest first.", load_default=list)
    stock = card_list(
        "The stock, first card drawn first. Default: all cards not named elsewhere, in seeded order. With a "
        "stock, even an empty one, cards not named are out of play.",
        load_default=None,
        allow_none=True,
    )
    melds = List(Nested(GivenMeldSchema, "A meld."), "The melds on the table.", load_default=list)
    turn = Nested(
        GivenTurnSchema,
        "The current turn; after a copied `deal.started` that of the seat behind the dealer. Null is "
        "refused: it is what a game that is over shows.",
        load_default=lambda: GivenTurnSchema().load({}),
        allow_none=True,
    )
    known = List(
        card_list("Cards of one hand."),
        "Cards in each hand that all players saw being taken, by seat.",
        load_default=None,
        allow_none=True,
    )
    totals = List(
        Points("A total."),
        "Totals before this deal, by seat or by team.",
        load_default=None,
        allow_none=True,
    )
    dealer = SeatNumber("The seat that dealt.", load_default=None, allow_none=True)
    deal = Integer("Number of the deal.", minimum=1, maximum=MAX_DEALS, load_default=1)

    @pre_load
    def read_turn(self, sent: Any, **options: Any) -> Any:  # noqa: ANN401 - JSON
        """Complete the turn by what a copied game or event says of it elsewhere."""
        del options
        if not isinstance(sent, dict):
            return sent
        turn, phase = sent.get("turn"), sent.get("phase")
        if isinstance(turn, dict) and phase is not None and "phase" not in turn:
            return {**sent, "turn": {**turn, "phase": phase}}
        hands, dealer = sent.get("hands"), sent.get("dealer")
        if "turn" not in sent and "upcard" in sent and isinstance(hands, list) and type(dealer) is int:
            return {**sent, "turn": {"seat": (dealer + 1) % max(1, len(hands))}}
        return sent

    @validates_schema
    def check_hands(self, body: Json, **options: Any) -> None:  # noqa: ANN401 - marshmallow's own
        """Check that the hands, or what is seen of them, are there."""
        del options
        if body["hands"] is None and body["seats"] is None:
            raise ValidationError({"hands": ["This member is needed."]})
        count = len(body["hands"] or body["seats"])
        if body["seats"] is not None and len(body["seats"]) != count:
            raise ValidationError({"seats": [f"Send an entry for each of the {count} hands."]})
        if body["you"] is None:
            return
        seat = None if body["viewer"] is None else body["viewer"]["seat"]
        if seat is None or seat >= count:
            raise ValidationError({"viewer": ["Send the seat that `you` is about."]})


class GameVersionSchema(RequestSchema):
    """A game, and one of its versions."""

    game_id = String(
        "The id of the game.",
        required=True,
        validate=validate.Length(max=_MAX_SEEN_LENGTH, error=f"Send {_MAX_SEEN_LENGTH} characters at most."),
    )
    version = Integer("The version, such as that of an event of its replay.", minimum=1, required=True)


class NewGameSchema(RequestSchema):
    """A new game."""

    variant = Nested(NewVariantSchema, "The rules.", load_default=lambda: NewVariantSchema().load({}))
    seats = Integer(
        "Number of seats. Default: as many as the opponents or the position need.",
        minimum=2,
        maximum=MAX_SEATS,
        load_default=None,
        allow_none=True,
    )
    opponents = List(
        Nested(OpponentSchema, "A computer."),
        "Computer players, in the seats after yours.",
        maximum=_HIGHEST_SEAT,
        load_default=list,
    )
    visibility = visibility_name(
        "`public`: the game is listed and anyone may join. `private`: joining needs the invite code.",
        load_default="private",
    )
    spectators = spectator_access(
        "Who may watch. `none`: no one. `invite`: players with the `spectator_code`. `public`: everyone, "
        "but a private game needs a code in any case.",
        load_default="none",
    )
    spectator_delay_ms = Integer(
        "Delay of all that spectators see: views, events and replays.",
        minimum=0,
        maximum=HOUR_MS,
        load_default=0,
    )
    rated = Boolean(
        "Whether the game is rated. At a table that players arrange, it counts only between established "
        "players (`ratings` of getMeta); others find rated games by createSeek. A rated game is over "
        "when players of one side alone are left. More: `/docs/ratings`.",
        load_default=False,
    )
    computer_pace_ms = Integer(
        "Time a computer waits before each of its moves, so that people can follow them.",
        minimum=0,
        maximum=MAX_PACE_MS,
        load_default=0,
    )
    thinking_ms = Integer(
        "Time a computer that searches, such as `expert`, may think about a turn; the others need "
        "milliseconds.",
        minimum=MIN_THINKING_MS,
        maximum=MAX_THINKING_MS,
        load_default=THINKING_MS,
    )
    clock = Nested(
        NewClockSchema,
        "Time limits; null: none. Default: none in a sandbox or with one human or bot; otherwise two minutes "
        "per turn and 30 seconds between deals.",
        allow_none=True,
    )
    sandbox = Boolean(
        "Whether it is a sandbox for experiments; the members below need one.", load_default=False
    )
    seed = Seed(
        load_default=None,
        allow_none=True,
        metadata={"description": "The same seed and moves give the same game. Sandbox only."},
    )
    position = Nested(
        PositionSchema,
        "The position to start from; it may be a game that you saw. Sandbox only.",
        load_default=None,
        allow_none=True,
    )
    position_of = Nested(
        GameVersionSchema,
        "Instead of `position`: start from a game that is over, which you may see, as it stood at a version, "
        "with all its cards and its rules. Sandbox only.",
        load_default=None,
        allow_none=True,
    )
    seats_held = Enum(
        "SeatsHeld",
        ("creator",),
        "`creator`: you hold every seat and choose one with `as_seat`. Sandbox only.",
        load_default=None,
        allow_none=True,
    )

    @pre_load
    def read_variant(self, sent: Any, **options: Any) -> Any:  # noqa: ANN401 - JSON
        """Take the rules from a copied game, unless they are given."""
        del options
        if isinstance(sent, dict) and sent.get("position_of") is not None:
            _leave_out(sent, ("position", "variant", "seats"))
        position = sent.get("position") if isinstance(sent, dict) else None
        if not isinstance(position, dict) or position.get("variant") is None or "variant" in sent:
            return sent
        return {**sent, "variant": position["variant"]}


def _leave_out(sent: Json, names: tuple[str, ...]) -> None:
    """Raise ValidationError for members that the game of `position_of` decides."""
    given = [name for name in names if sent.get(name) is not None]
    if given:
        raise ValidationError({name: ["Leave it out: the game of position_of decides it."] for name in given})
