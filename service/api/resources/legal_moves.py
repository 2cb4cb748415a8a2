"""The legal moves of a seat, as bodies ready to post."""

from typing import assert_never

from flask import Response

from service.api.auth import READ, Caller
from service.api.parameters import AS_SEAT
from service.api.resource import Resource, ResponseSpec
from service.api.resources.games import GAME
from service.api.responses import PRIVATE, json_response
from service.api.schemas.moves import MOVES, LegalMovesSchema
from service.api.services import Services
from service.api.views.visibility import seat_of
from service.games.record import GameRecord, Status
from service.games.table_moves import lawful_moves
from service.rummy.moves import (
    CallRummy,
    Discard,
    DrawStock,
    KeepCard,
    LayMeld,
    LayOff,
    Pass,
    PlayerMove,
    TakeDiscard,
)
from service.runtime.json_object import Json

legal_moves = Resource("legal moves", __name__, url_prefix="/v1", description="What a seat may do now.")


@legal_moves.operation(
    f"GET {GAME}/legal-moves",
    "listLegalMoves",
    scope=READ,
    parameters=(AS_SEAT,),
    response=ResponseSpec(schema=LegalMovesSchema, description="Exactly the legal moves of your seat."),
    errors=("not_found", "not_seated"),
)
def list_legal_moves(*, services: Services, caller: Caller, game_id: str, as_seat: int | None) -> Response:
    """List every legal move.

    Each entry names the operation of the move and the body to post to it, unchanged. The list is empty
    when your seat may not act.
    """
    record = services.table.get(game_id)
    return json_response(_legal_moves_view(record, seat_of(record, caller, as_seat)), headers=PRIVATE)


def _legal_moves_view(record: GameRecord, seat: int) -> Json:
    allowed = lawful_moves(record, seat)
    found = [move_entry(move) for move in allowed.moves]
    if record.status is Status.DEAL_OVER and seat in record.may_act():
        found = [_entry_of_type("next_deal", {})]
    return {
        "version": record.version,
        "seat": seat,
        "moves": found,
        "complete": allowed.complete,
        "truncated": allowed.truncated,
    }


def move_entry(move: PlayerMove) -> Json:
    """Return a move as an entry of the list: its operation and the body to post."""
    return _entry_of_type(move.type, body_of(move))


def _entry_of_type(tag: str, body: Json) -> Json:
    return {"type": tag, "operation_id": MOVES[tag].operation_id, "body": body}


def body_of(move: PlayerMove) -> Json:
    """Return the body of the move, without members that may be omitted."""
    match move:
        case DrawStock() | Pass() | KeepCard():
            return {}
        case TakeDiscard(card=card, position=position):
            return _without_nulls(card=card, position=position)
        case Discard(card=card):
            return {"card": card}
        case LayMeld(cards=cards, stands_for=stands_for, ace=ace):
            return _without_nulls(cards=cards, stands_for=dict(stands_for) or None, ace=ace)
        case LayOff(card=card, meld_id=meld_id, end=end, stands_for=stands_for):
            return _without_nulls(card=card, meld_id=meld_id, end=end, stands_for=stands_for)
        case CallRummy(card=card, position=position, use=use):
            return _without_nulls(card=card, position=position, use={"type": use.type, **body_of(use)})
        case _:
            assert_never(move)


def _without_nulls(**members: object) -> Json:
    return {name: value for name, value in members.items() if value is not None}
