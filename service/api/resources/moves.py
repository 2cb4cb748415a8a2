"""Moves: one operation a kind, all made in one way. Each function only says which move its body means."""

from collections.abc import Callable
from typing import Any, Final

from flask import Response

from service.api.auth import PLAY
from service.api.move_requests import MoveRequest, handle_move
from service.api.parameters import AS_SEAT, DRY_RUN, IDEMPOTENCY_KEY, IF_MATCH
from service.api.resource import RULES, Resource, ResponseSpec
from service.api.resources.games import ETAG, GAME
from service.api.resources.players import as_player
from service.api.schemas.events import MoveAnswerSchema, MoveMadeSchema
from service.api.schemas.moves import MOVES, NoMembersSchema
from service.api.schemas.turns import DRAWN, WholeTurnSchema
from service.api.services import Services
from service.games.table_moves import ReadyForNextDeal, Resignation
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
from service.rummy.whole_turns import DiscardDrawn, TurnMove, WholeTurn
from service.runtime.json_object import Json

moves = Resource("moves", __name__, url_prefix="/v1", description="The moves, an operation each.")

Make = Callable[[int, Json], PlayerMove]

_RESPONSE: Final = ResponseSpec(
    status=201,
    schema=MoveMadeSchema,
    description="What happened, and the game after it.",
    headers=ETAG,
    # Generators give an operation one type for all its answers, that of the lowest status: a verdict alone
    # there would be what every move is read as.
    other_responses={
        200: ("With `dry_run=true`: a `DryRun`, whether the rules would allow it.", MoveAnswerSchema)
    },
)
_PARAMETERS: Final = (DRY_RUN, AS_SEAT, IF_MATCH, IDEMPOTENCY_KEY)
_ERRORS: Final = ("not_found", "not_seated", "version_conflict", RULES)
#: What the body of each kind of move means.
_MAKES: Final[dict[str, Make]] = {}


def move(tag: str) -> Callable[[Make], Make]:
    """Register the operation for a kind of move; the function under it says which move a body means."""
    kind = MOVES[tag]

    def register(make: Make) -> Make:
        def view(body: Json, *, services: Services, **request: Any) -> Response:  # noqa: ANN401 - as `_PARAMETERS` says
            return handle_move(services, MoveRequest(**request), lambda seat: make(seat, body))

        view.__doc__ = make.__doc__
        moves.operation(
            f"POST {GAME}/{kind.path}",
            kind.operation_id,
            scope=PLAY,
            body=kind.body,
            parameters=_PARAMETERS,
            response=_RESPONSE,
            errors=_ERRORS,
        )(view)
        _MAKES[tag] = make
        return make

    return register


@move("draw_stock")
def draw_stock(seat: int, _: Json) -> PlayerMove:
    """Draw from the stock.

    The card is yours alone to see. With an empty stock the game's rules say what happens.
    """
    return DrawStock(seat=seat)


@move("take_discard")
def take_discard(seat: int, body: Json) -> PlayerMove:
    """Take a card of the discard pile.

    Every newer card comes with it. As a rule the card you name must be used in the same turn; `turn.must_use`
    tells. Where the card lies there twice, say which by its `position`.
    """
    return TakeDiscard(seat=seat, card=body["card"], position=body["position"])


@move("meld")
def lay_meld(seat: int, body: Json) -> PlayerMove:
    """Lay a new meld.

    Three cards or more from your hand: of one rank, or of one suit in order. Say what each joker stands for.
    """
    return _meld(seat, body)


@move("lay_off")
def lay_off(seat: int, body: Json) -> PlayerMove:
    """Add a card to a meld.

    To any meld the game's rules let you add to. The card counts for you. Name the meld where more than one
    takes it.
    """
    return _lay_off(seat, body)


@move("discard")
def discard_card(seat: int, body: Json) -> PlayerMove:
    """Throw a card onto the discard pile.

    It ends your turn. The next player is to draw, or others are asked first whether they call "Rummy!".
    """
    return Discard(seat=seat, card=body["card"])


@move("pass")
def pass_draw(seat: int, _: Json) -> PlayerMove:
    """Do without a draw, or without a call.

    Before the draw: only with an empty stock, where it may end the deal. While others are asked for a call:
    say that you make none.
    """
    return Pass(seat=seat)


@move("keep")
def keep_card(seat: int, _: Json) -> PlayerMove:
    """Keep the one card in hand after floating.

    It ends your turn without a discard. Only in games with `floating`.
    """
    return KeepCard(seat=seat)


@move("call_rummy")
def call_rummy(seat: int, body: Json) -> PlayerMove:
    """Call "Rummy!" on a discard that was missed.

    Between a discard and the next draw, in games that play it. Say at once what the card is used for; then
    your turn goes on without a draw. The first call that arrives wins.
    """
    use = _CALL_USES[body["use"]["type"]](seat, body["use"])
    return CallRummy(seat=seat, card=body["card"], position=body["position"], use=use)


def _meld(seat: int, body: Json) -> LayMeld:
    return LayMeld(seat=seat, cards=tuple(body["cards"]), stands_for=body["stands_for"], ace=body["ace"])


def _lay_off(seat: int, body: Json) -> LayOff:
    return LayOff(
        seat=seat,
        card=body["card"],
        meld_id=body["meld_id"],
        end=body["end"],
        stands_for=body["stands_for"],
    )


_CALL_USES: Final[dict[str, Callable[[int, Json], LayMeld | LayOff]]] = {"meld": _meld, "lay_off": _lay_off}


@moves.operation(
    f"POST {GAME}/turns",
    "playTurn",
    scope=PLAY,
    body=WholeTurnSchema,
    parameters=_PARAMETERS,
    response=_RESPONSE,
    errors=_ERRORS,
)
def play_turn(body: Json, *, services: Services, **request: Any) -> Response:  # noqa: ANN401 - as `_PARAMETERS` says
    """Play a whole turn at once.

    All moves or none: they become one change with one version. A refusal names the first move that the rules
    refuse, in `move` and `errors` (`moves.2`). The moves need not end the turn; nothing may follow its end.
    What comes after `draw_stock` is judged by your hand before the draw, whatever you draw: the drawn card
    can only be thrown, as `drawn`. To use it, drawStock first and play on when you have seen it.
    """
    return handle_move(services, MoveRequest(**request), lambda seat: _turn(seat, body))


def _turn(seat: int, body: Json) -> WholeTurn:
    return WholeTurn(seat=seat, moves=tuple(_entry(seat, move) for move in body["moves"]))


def _entry(seat: int, move: Json) -> TurnMove:
    if move["type"] == "discard" and move["card"] == DRAWN:
        return DiscardDrawn(seat=seat)
    return _MAKES[move["type"]](seat, move)


@moves.operation(
    f"POST {GAME}/{MOVES['next_deal'].path}",
    MOVES["next_deal"].operation_id,
    scope=PLAY,
    body=NoMembersSchema,
    parameters=_PARAMETERS,
    response=_RESPONSE,
    errors=_ERRORS,
)
def ready_for_next_deal(body: Json, *, services: Services, **request: Any) -> Response:  # noqa: ANN401 - as `_PARAMETERS` says
    """Be ready for the next deal.

    Cards are dealt when all people are ready, or when the clock's time for it is over.
    """
    del body
    move = ReadyForNextDeal(player_id=request["caller"].id)
    return handle_move(services, MoveRequest(**request), lambda _: move)


@moves.operation(
    f"POST {GAME}/resignation",
    "resignGame",
    scope=PLAY,
    body=NoMembersSchema,
    parameters=_PARAMETERS,
    response=_RESPONSE,
    errors=_ERRORS,
)
def resign_game(body: Json, *, services: Services, **request: Any) -> Response:  # noqa: ANN401 - as `_PARAMETERS` says
    """Resign.

    A computer plays on with your cards, so that the others' deal stays whole. When you were the last person
    at the table the game is over.
    """
    del body
    move = Resignation(player=as_player(request["caller"]))
    return handle_move(services, MoveRequest(**request), lambda _: move)
