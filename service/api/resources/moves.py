"""Moves: one operation per kind, all handled by `handle_move`. Each function builds the move of a body."""

from collections.abc import Callable
from typing import Any, Final

from flask import Response

from service.api.auth import PLAY
from service.api.move_requests import MoveRequest, handle_move
from service.api.parameters import AS_SEAT, DRY_RUN, IDEMPOTENCY_KEY, INCLUDE, PREFER
from service.api.resource import RULES, Resource, ResponseSpec
from service.api.resources.games import ETAG, GAME
from service.api.resources.players import as_player
from service.api.schemas.events import MoveAnswerSchema, MoveMadeSchema
from service.api.schemas.moves import MOVES, NoMembersSchema
from service.api.schemas.turns import DRAWN, WholeTurnSchema
from service.api.services import Services
from service.api.versions import IF_MATCH
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

moves = Resource("moves", __name__, url_prefix="/v1", description="The moves, one operation per kind.")

MoveBuilder = Callable[[int, Json], PlayerMove]

_RESPONSE: Final = ResponseSpec(
    status=201,
    schema=MoveMadeSchema,
    description="What happened, and the game after the move.",
    headers=ETAG,
    # Client generators give an operation one type for all its responses, that of the lowest status. So the
    # 200 has a schema that covers both.
    other_responses={
        200: (
            "With `dry_run=true`: a `DryRun`. With `Prefer: return=minimal`: a `MinimalMove`, made.",
            MoveAnswerSchema,
        )
    },
)
_PARAMETERS: Final = (DRY_RUN, AS_SEAT, INCLUDE, IF_MATCH, IDEMPOTENCY_KEY, PREFER)
_ERRORS: Final = ("not_found", "not_seated", "version_conflict", RULES)
#: Builds the move of each kind from a body.
_BUILDERS: Final[dict[str, MoveBuilder]] = {}


def move(tag: str) -> Callable[[MoveBuilder], MoveBuilder]:
    """Register the operation of a kind of move; the decorated function builds the move from a body."""
    kind = MOVES[tag]

    def register(build: MoveBuilder) -> MoveBuilder:
        def view(body: Json, *, services: Services, **request: Any) -> Response:  # noqa: ANN401 - as `_PARAMETERS` says
            return handle_move(services, MoveRequest(**request), lambda seat: build(seat, body))

        view.__doc__ = build.__doc__
        moves.operation(
            f"POST {GAME}/{kind.path}",
            kind.operation_id,
            scope=PLAY,
            body=kind.body,
            parameters=_PARAMETERS,
            response=_RESPONSE,
            errors=_ERRORS,
        )(view)
        _BUILDERS[tag] = build
        return build

    return register


@move("draw_stock")
def draw_stock(seat: int, _: Json) -> PlayerMove:
    """Draw from the stock.

    Only you see the card. With an empty stock the rules of the game decide what happens.
    """
    return DrawStock(seat=seat)


@move("take_discard")
def take_discard(seat: int, body: Json) -> PlayerMove:
    """Take a card from the discard pile.

    You also take every card above it. In most games you must use the named card in the same turn: see
    `turn.must_use`. If the pile holds the card twice, give its `position`.
    """
    return TakeDiscard(seat=seat, card=body["card"], position=body["position"])


@move("meld")
def lay_meld(seat: int, body: Json) -> PlayerMove:
    """Lay a new meld.

    Three or more cards from your hand: a set of one rank, or a run in one suit. State what each joker
    stands for.
    """
    return _meld(seat, body)


@move("lay_off")
def lay_off(seat: int, body: Json) -> PlayerMove:
    """Lay a card off on a meld.

    On any meld that the rules of the game allow. The card scores for you. Name the meld if more than one
    takes the card.
    """
    return _lay_off(seat, body)


@move("discard")
def discard_card(seat: int, body: Json) -> PlayerMove:
    """Discard a card.

    It ends your turn. The next player draws, unless other players may call "Rummy!" first.
    """
    return Discard(seat=seat, card=body["card"])


@move("pass")
def pass_draw(seat: int, _: Json) -> PlayerMove:
    """Pass a draw or a call.

    Before the draw: only with an empty stock, where it may end the deal. In a call window: decline to
    call.
    """
    return Pass(seat=seat)


@move("keep")
def keep_card(seat: int, _: Json) -> PlayerMove:
    """Keep your only card when floating.

    It ends your turn without a discard. Only in games with the option `floating`.
    """
    return KeepCard(seat=seat)


@move("call_rummy")
def call_rummy(seat: int, body: Json) -> PlayerMove:
    """Call "Rummy!" on a discard that could have been melded.

    Between a discard and the next draw, if `call_rummy` is on: `turn.may_act` has the seats that may call or
    pass, also the one that draws next. Name the use of the card with the call; its `card` may be left out of
    a lay-off, as the call names it. Your turn then goes on without a draw. The first call that arrives wins.
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

    All moves or none: they are one change with one version. An error names the first illegal move in
    `move` and `errors` (`moves.2`). The moves may stop before the end of the turn, but may not go past
    it. Moves after `draw_stock` are judged by your hand before the draw, whatever card you draw: the
    drawn card can only be discarded, as `drawn`. To use it, call drawStock first and go on when you have
    seen the card. With `dry_run=true` you can lay a turn out move by move: each response shows the game
    behind the moves so far, and nothing is made until you send them without it.
    """
    return handle_move(services, MoveRequest(**request), lambda seat: _turn(seat, body))


def _turn(seat: int, body: Json) -> WholeTurn:
    return WholeTurn(seat=seat, moves=tuple(_entry(seat, move) for move in body["moves"]))


def _entry(seat: int, move: Json) -> TurnMove:
    if move["type"] == "discard" and move["card"] == DRAWN:
        return DiscardDrawn(seat=seat)
    return _BUILDERS[move["type"]](seat, move)


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
    """Report that you are ready for the next deal.

    The next deal starts when all players are ready, or when the time for it in the clock runs out.
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
    """Resign the game.

    A computer plays on with your cards, so that the deal of the other players goes on. If no other player
    is left at the table, the game is over. A rated game is over as soon as players of one side alone are
    left: they have won. A player whose time runs out three times in a row has resigned it, too.
    """
    del body
    move = Resignation(player=as_player(request["caller"]))
    return handle_move(services, MoveRequest(**request), lambda _: move)
