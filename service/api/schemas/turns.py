"""The body of a whole turn: its moves in order, each with its type and its members."""

from typing import Any, Final

from marshmallow import Schema

from service.api.schemas.base import CARD_SENTENCE, Const, Enum, List, RequestSchema, TaggedUnion
from service.api.schemas.moves import MOVES
from service.rummy.cards import ORDER

#: Stands for the card that the turn itself draws from the stock.
DRAWN: Final = "drawn"
#: A turn has at most a draw, a discard, and a move for each card of the largest hand.
_MAX_MOVES: Final = 110


class CardOrDrawn(Enum):
    """The code of a card in the hand, or `drawn` for the card drawn from the stock."""

    def __init__(self, description: str, **options: Any) -> None:  # noqa: ANN401 - marshmallow's own options
        super().__init__("CardOrDrawn", (*ORDER, DRAWN), description, **options)

    def refusal(self, value: Any) -> str:  # noqa: ANN401 - JSON
        """Return the error message for any other value."""
        del value
        return f'{CARD_SENTENCE[:-1]}; or "{DRAWN}" for the card these moves draw from the stock.'


def _entry(tag: str) -> type[Schema]:
    """Return the schema of one type of move: the members of its body, and its type."""
    kind = MOVES[tag]
    members: dict[str, Any] = {"__doc__": kind.sentence, "type": Const(tag)}
    if tag == "discard":
        members["card"] = CardOrDrawn("The card from the hand, or `drawn`.", required=True)
    return type(
        "Turn" + "".join(part.capitalize() for part in tag.split("_")) + "Schema", (kind.body,), members
    )


class WholeTurnSchema(RequestSchema):
    """The moves of one turn, or a part of it, in order."""

    moves = List(
        TaggedUnion(
            "TurnMove",
            {tag: _entry(tag) for tag in MOVES if tag != "next_deal"},
            "A move: its type and the members of its body.",
        ),
        "The moves, in order. None may follow the end of the turn.",
        minimum=1,
        maximum=_MAX_MOVES,
        required=True,
    )
