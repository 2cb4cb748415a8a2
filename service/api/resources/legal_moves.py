"""The legal moves of a seat, as requests ready to send."""

from flask import Response

from service.api.auth import READ, Caller
from service.api.parameters import AS_SEAT
from service.api.resource import Resource, ResponseSpec
from service.api.resources.games import GAME
from service.api.responses import PRIVATE, json_response
from service.api.schemas.moves import LegalMovesSchema
from service.api.services import Services
from service.api.views.move_entries import legal_moves_view
from service.api.views.visibility import seat_of

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

    Each entry is the request that makes the move: its operation, method and path, and the body to send
    unchanged. The list is empty when your seat may not act.
    """
    record = services.table.get(game_id)
    return json_response(legal_moves_view(record, seat_of(record, caller, as_seat)), headers=PRIVATE)
