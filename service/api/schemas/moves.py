"""The bodies of moves, and the list of legal moves.

Schemas check the form only. A card that is not held, a meld of two cards or a
position of another card is refused by the rules, with the number of the rule.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from marshmallow import ValidationError, pre_load, validate

from service.api.schemas.base import (
    CARD_SENTENCE,
    MAX_INT32,
    Boolean,
    CardCode,
    Const,
    CustomField,
    Enum,
    Integer,
    List,
    Nested,
    RequestSchema,
    ResponseSchema,
    RunEnd,
    SeatNumber,
    String,
    TaggedUnion,
)
from service.rummy.cards import ORDER
from service.rummy.take_uses import MAX_USES
from service.runtime.json_object import Json

_MAX_ID_LENGTH: Final = 64


def _position() -> Integer:
    return Integer(
        "Its position in `discard_pile`; 0 is the oldest card. Needed only if the pile holds the card twice. "
        "Any other number is refused with `card_not_in_pile`.",
        # A number below 0 was always valid here, and the rules refuse it.
        minimum=-MAX_INT32,
        load_default=None,
        allow_none=True,
    )


class StandsFor(CustomField):
    """The cards that jokers stand for, by the codes of the jokers."""

    def __init__(self, *, metadata: Mapping[str, Any] | None = None) -> None:
        super().__init__(
            load_default=dict,
            metadata={
                "description": "The card that each joker among the cards stands for.",
                "example": {"X1": "7C"},
                **(metadata or {}),
            },
        )

    def _deserialize(self, value: Any, *args: Any, **kwargs: Any) -> dict[str, str]:  # noqa: ANN401 - JSON
        del args, kwargs
        if not isinstance(value, dict):
            raise ValidationError('Send a JSON object, such as {"X1": "7C"}.')
        wrong = {
            joker: [CARD_SENTENCE]
            for joker, card in value.items()
            if joker not in ORDER or not isinstance(card, str) or card not in ORDER
        }
        if wrong:
            raise ValidationError(wrong)
        return value

    def components(self) -> Json:
        """Return the component, which melds and calls share."""
        card = {"$ref": "#/components/schemas/Card"}
        return {"StandsFor": {"type": "object", "propertyNames": card, "additionalProperties": card}}

    def json_schema(self) -> Json:
        """Return what is allowed as JSON Schema."""
        return {"$ref": "#/components/schemas/StandsFor"}


class NoMembersSchema(RequestSchema):
    """No members: send `{}` or no body."""


class TakeDiscardBodySchema(RequestSchema):
    """The discard to take; all newer ones come with it."""

    card = CardCode("The card to take.", required=True)
    position = _position()


class LayMeldBodySchema(RequestSchema):
    """A new meld from the hand."""

    cards = List(CardCode(), "All cards of the meld, in any order.", required=True)
    stands_for = StandsFor()
    ace = RunEnd(
        "The end of the run that the ace stands at; needed only if both are possible. Default: `high`.",
        load_default=None,
        allow_none=True,
    )


class LayOffBodySchema(RequestSchema):
    """A card to add to a meld."""

    card = CardCode("The card from the hand.", required=True)
    meld_id = String(
        "The id of the meld. Always send it.",
        load_default=None,
        allow_none=True,
        validate=validate.Length(max=_MAX_ID_LENGTH, error=f"Send {_MAX_ID_LENGTH} characters at most."),
    )
    end = RunEnd(
        "The end of the run to add it to; needed only if both are possible.",
        load_default=None,
        allow_none=True,
    )
    stands_for = CardCode("The card that a joker stands for.", load_default=None, allow_none=True)


class DiscardBodySchema(RequestSchema):
    """The card to discard."""

    card = CardCode("The card from the hand.", required=True)


class MeldUseSchema(LayMeldBodySchema):
    """Use the called card in a new meld."""

    type = Const("meld")


class LayOffUseSchema(LayOffBodySchema):
    """Lay the called card off on a meld."""

    type = Const("lay_off")


class CallRummyBodySchema(RequestSchema):
    """A discard that the others missed, and how to use it at once."""

    card = CardCode("The card to call.", required=True)
    position = _position()
    use = TaggedUnion(
        "CallUse",
        {"lay_off": LayOffUseSchema, "meld": MeldUseSchema},
        "How the card is used at once.",
        required=True,
    )

    @pre_load
    def add_called_card(self, given: Any, **_: Any) -> Any:  # noqa: ANN401 - JSON of any shape
        """Return the body with the called card in a lay-off that does not repeat it."""
        if not isinstance(given, dict) or "card" not in given:
            return given
        use = given.get("use")
        if isinstance(use, dict) and use.get("type") == "lay_off" and "card" not in use:
            return {**given, "use": {**use, "card": given["card"]}}
        return given


#: The method of every operation that makes a move.
MOVE_METHOD: Final = "POST"


@dataclass(frozen=True, slots=True)
class MoveOperation:
    """A type of move: the operation that makes it, its path and its body."""

    operation_id: str
    path: str
    body: type[RequestSchema]
    sentence: str


#: The operation of each type of move.
MOVES: Final[dict[str, MoveOperation]] = {
    "draw_stock": MoveOperation("drawStock", "draw-stock", NoMembersSchema, "Draw from the stock."),
    "take_discard": MoveOperation(
        "takeDiscard", "take-discard", TakeDiscardBodySchema, "Take a discard and all newer ones."
    ),
    "meld": MoveOperation("layMeld", "melds", LayMeldBodySchema, "Lay a new meld."),
    "lay_off": MoveOperation("layOff", "lay-offs", LayOffBodySchema, "Add a card to a meld."),
    "discard": MoveOperation(
        "discardCard", "discard", DiscardBodySchema, "Discard a card; this ends the turn."
    ),
    "pass": MoveOperation("passDraw", "pass", NoMembersSchema, "Pass the draw, or a rummy call."),
    "keep": MoveOperation(
        "keepCard", "keep", NoMembersSchema, "Keep the one card after floating; this ends the turn."
    ),
    "call_rummy": MoveOperation(
        "callRummy", "rummy-calls", CallRummyBodySchema, 'Call "Rummy!" on a discard.'
    ),
    "next_deal": MoveOperation(
        "readyForNextDeal", "next-deal", NoMembersSchema, "Declare that you are ready for the next deal."
    ),
}


class LayingMeldSchema(ResponseSchema):
    """A meld to lay, as playTurn takes it."""

    type = Const("meld")
    cards = List(CardCode(), "All cards of the meld.")
    stands_for = StandsFor(metadata={"sometimes": True})
    ace = RunEnd(
        "The end of the run that the ace stands at, if both are possible.", metadata={"sometimes": True}
    )


class LayingOffSchema(ResponseSchema):
    """A card to lay off, as playTurn takes it."""

    type = Const("lay_off")
    card = CardCode("The card.")
    meld_id = String("The id of the meld.")
    end = RunEnd("The end of the run; absent for a set.", metadata={"sometimes": True})
    stands_for = CardCode("The card that a joker stands for.", metadata={"sometimes": True})


def _moves_before() -> List:
    return List(
        TaggedUnion("LayingMove", {"meld": LayingMeldSchema, "lay_off": LayingOffSchema}, "A move."),
        "Moves to make before it, in order, such as lay-offs that bring a run up to the card; mostly none.",
    )


class MeldOfTakeSchema(LayingMeldSchema):
    """Lay the taken card in a new meld of three cards; a longer one with these cards will do too."""

    first = _moves_before()


class LayOffOfTakeSchema(LayingOffSchema):
    """Lay the taken card off on a meld."""

    first = _moves_before()


#: What a legal take says beside the request that makes it; hints and reviews do not.
_TAKE_MEMBERS: Final[dict[str, Any]] = {
    "cards": List(
        CardCode(),
        "The cards you take: this one and all above it, oldest first. Only in lists of legal moves.",
        metadata={"sometimes": True},
    ),
    "must_use": CardCode(
        "The card that you must lay this turn; null if you may keep it. Only in lists of legal moves.",
        allow_none=True,
        metadata={"sometimes": True},
    ),
    "uses": List(
        TaggedUnion("TakeUse", {"meld": MeldOfTakeSchema, "lay_off": LayOffOfTakeSchema}, "A use."),
        "The smallest ways to lay the card this turn, each legal after the take: one of them at least if "
        "the card must be used. Only in lists of legal moves.",
        metadata={"sometimes": True},
    ),
    "uses_complete": Boolean(
        f"False only if there are more than {MAX_USES} uses. Only in lists of legal moves.",
        metadata={"sometimes": True},
    ),
}


def _legal_move_schema(tag: str, kind: MoveOperation) -> type[ResponseSchema]:
    """Return the schema of a legal move of one type, a member of the union."""
    name = "".join(part.capitalize() for part in tag.split("_"))
    return type(
        f"Legal{name}Schema",
        (ResponseSchema,),
        {
            "__doc__": kind.sentence,
            "type": Const(tag),
            "operation_id": Const(kind.operation_id),
            "method": Const(MOVE_METHOD),
            "path": String(
                "The path to send it to, with the id of the game.",
                metadata={"example": f"/v1/games/g04wqn2XBq0/{kind.path}"},
            ),
            "body": Nested(kind.body, f"Post this body to {kind.operation_id} unchanged."),
            **(_TAKE_MEMBERS if tag == "take_discard" else {}),
        },
    )


_LEGAL_MOVES: Final = {tag: _legal_move_schema(tag, kind) for tag, kind in MOVES.items()}


def legal_move(description: str) -> TaggedUnion:
    """Return a field for a legal move, with the body to post."""
    return TaggedUnion("LegalMove", _LEGAL_MOVES, description)


class LegalMovesSchema(ResponseSchema):
    """All legal moves of one seat."""

    version = Integer("The version of the game in which they are legal.")
    seat = SeatNumber("The seat that may make them.")
    moves = List(
        legal_move("A legal move: send `body` to `path`."),
        "The moves; empty if this seat may not act now.",
    )
    complete = Boolean("False only if there are more than 2,000 moves: check others with `dry_run`.")
    truncated = List(
        Enum("MoveType", tuple(MOVES), "A type of move."), "The types of move that are not listed completely."
    )


MovesByTypeSchema: Final = type(
    "MovesByTypeSchema",
    (ResponseSchema,),
    {
        "__doc__": "The bodies of legal moves, by type. A type of which there is no legal move is absent.",
        **{
            tag: List(
                Nested(kind.body, "A body."),
                f"The bodies to post to {kind.operation_id}.",
                metadata={"sometimes": True},
            )
            for tag, kind in MOVES.items()
        },
    },
)


def included_moves() -> tuple[List, List, Nested]:
    """Return the fields of a response that has the legal moves of the viewer on request."""
    moves = List(
        legal_move("A legal move: post `body` to the operation."),
        "With `include=legal_moves`: the legal moves of your seat; empty if it may not act.",
        metadata={"sometimes": True},
    )
    truncated = List(
        Enum("MoveType", tuple(MOVES), "A type of move."),
        "With either of them: the types of move that are not listed completely; see listLegalMoves.",
        metadata={"sometimes": True},
    )
    by_type = Nested(
        MovesByTypeSchema,
        "With `include=moves_by_type`: the same moves in a much shorter form, their bodies alone.",
        metadata={"sometimes": True},
    )
    return moves, truncated, by_type
