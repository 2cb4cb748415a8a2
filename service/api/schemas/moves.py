"""The bodies of moves, and the list of those that are lawful now.

Only form is checked here: a card that is not held, two cards for a meld, a
position that names another card are for the rules to refuse, with their number.
"""

from dataclasses import dataclass
from typing import Any, Final

from marshmallow import ValidationError, validate

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
from service.api.schemas.problem import ProblemSchema
from service.rummy.cards import ORDER
from service.runtime.json_object import Json

_MAX_ID_LENGTH: Final = 64


def _position() -> Integer:
    return Integer(
        "Its place in `discard_pile`, 0 the oldest; needed only where the card lies there twice.",
        # A number that is no place is for the rules to refuse, as a place where another card lies.
        minimum=-MAX_INT32,
        load_default=None,
        allow_none=True,
    )


class StandsFor(CustomField):
    """What jokers stand for: the code of a joker, and that of the card."""

    def __init__(self) -> None:
        super().__init__(
            load_default=dict,
            metadata={
                "description": "What each joker among the cards stands for.",
                "example": {"X1": "7C"},
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
        """Return the shape as a component, which melds and calls share."""
        card = {"$ref": "#/components/schemas/Card"}
        return {"StandsFor": {"type": "object", "propertyNames": card, "additionalProperties": card}}

    def json_schema(self) -> Json:
        """Return what is allowed as JSON Schema."""
        return {"$ref": "#/components/schemas/StandsFor"}


class NoMembersSchema(RequestSchema):
    """Nothing needs to be said: send `{}` or no body."""


class TakeDiscardBodySchema(RequestSchema):
    """Which discard to take; every newer card comes with it."""

    card = CardCode("The card to take.", required=True)
    position = _position()


class LayMeldBodySchema(RequestSchema):
    """A new meld from the hand."""

    cards = List(CardCode(), "Every card of the meld, in any order.", required=True)
    stands_for = StandsFor()
    ace = RunEnd(
        "Where the ace stands, only where both ends would do; otherwise it stands high.",
        load_default=None,
        allow_none=True,
    )


class LayOffBodySchema(RequestSchema):
    """One card added to a meld."""

    card = CardCode("The card from the hand.", required=True)
    meld_id = String(
        "The meld it joins: always say it.",
        load_default=None,
        allow_none=True,
        validate=validate.Length(max=_MAX_ID_LENGTH, error=f"Send {_MAX_ID_LENGTH} characters at most."),
    )
    end = RunEnd(
        "The end of the run it joins, only where both would do.",
        load_default=None,
        allow_none=True,
    )
    stands_for = CardCode("What a joker stands for.", load_default=None, allow_none=True)


class DiscardBodySchema(RequestSchema):
    """The card to throw."""

    card = CardCode("The card from the hand.", required=True)


class MeldUseSchema(LayMeldBodySchema):
    """Use of a called card in a new meld."""

    type = Const("meld")


class LayOffUseSchema(LayOffBodySchema):
    """Use of a called card as a lay-off."""

    type = Const("lay_off")


class CallRummyBodySchema(RequestSchema):
    """A discard that was missed, and what to do with it at once."""

    card = CardCode("The card that was missed.", required=True)
    position = _position()
    use = TaggedUnion(
        "CallUse",
        {"lay_off": LayOffUseSchema, "meld": MeldUseSchema},
        "What the card is used for at once.",
        required=True,
    )


@dataclass(frozen=True, slots=True)
class MoveOperation:
    """A kind of move: the operation that makes it, where, and with what body."""

    operation_id: str
    path: str
    body: type[RequestSchema]
    sentence: str


#: Every kind of move by its type.
MOVES: Final[dict[str, MoveOperation]] = {
    "draw_stock": MoveOperation("drawStock", "draw-stock", NoMembersSchema, "Draw from the stock."),
    "take_discard": MoveOperation(
        "takeDiscard", "take-discard", TakeDiscardBodySchema, "Take a discard and what is newer."
    ),
    "meld": MoveOperation("layMeld", "melds", LayMeldBodySchema, "Lay a new meld."),
    "lay_off": MoveOperation("layOff", "lay-offs", LayOffBodySchema, "Add a card to a meld."),
    "discard": MoveOperation("discardCard", "discard", DiscardBodySchema, "Throw a card; ends the turn."),
    "pass": MoveOperation("passDraw", "pass", NoMembersSchema, "Do without a draw, or without a call."),
    "keep": MoveOperation(
        "keepCard", "keep", NoMembersSchema, "Keep the one card after floating; ends the turn."
    ),
    "call_rummy": MoveOperation(
        "callRummy", "rummy-calls", CallRummyBodySchema, "Call a discard that was missed."
    ),
    "next_deal": MoveOperation(
        "readyForNextDeal", "next-deal", NoMembersSchema, "Be ready for the next deal."
    ),
}


def _legal_move_schema(tag: str, kind: MoveOperation) -> type[ResponseSchema]:
    """Return the member of the union of legal moves for one kind of move."""
    name = "".join(part.capitalize() for part in tag.split("_"))
    return type(
        f"Legal{name}Schema",
        (ResponseSchema,),
        {
            "__doc__": kind.sentence,
            "type": Const(tag),
            "operation_id": Const(kind.operation_id),
            "body": Nested(kind.body, f"Post this to {kind.operation_id} as it stands."),
        },
    )


_LEGAL_MOVES: Final = {tag: _legal_move_schema(tag, kind) for tag, kind in MOVES.items()}


def legal_move(description: str) -> TaggedUnion:
    """Return a field for a move that is lawful, with the body to post."""
    return TaggedUnion("LegalMove", _LEGAL_MOVES, description)


class LegalMovesSchema(ResponseSchema):
    """Every lawful move of one seat."""

    version = Integer("The version of the game they are lawful in.")
    seat = SeatNumber("The seat they are for.")
    moves = List(
        legal_move("A lawful move: post `body` to the operation named."),
        "The moves; empty when this seat may not act now.",
    )
    complete = Boolean("False only where there are more than 2,000: `dry_run` answers for the rest.")
    truncated = List(Enum("MoveType", tuple(MOVES), "A kind of move."), "The kinds that were cut off.")


class DryRunSchema(ResponseSchema):
    """Whether a move would be lawful; nothing was done."""

    lawful = Boolean("Whether the rules allow it now.")
    problem = Nested(ProblemSchema, "The refusal that the move would meet.", allow_none=True)
