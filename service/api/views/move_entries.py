"""The JSON of legal moves: the operation of each, its path and the body to post."""

from typing import assert_never

from service.api.schemas.moves import MOVE_METHOD, MOVES
from service.games.record import GameRecord, Status
from service.games.table_moves import lawful_moves, takes_of
from service.rummy.legal_moves import LegalMoves
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
from service.rummy.take_uses import Take
from service.runtime.json_object import Json


def legal_moves_view(record: GameRecord, seat: int) -> Json:
    """Return the legal moves of a seat, as listLegalMoves returns them."""
    allowed = lawful_moves(record, seat)
    return {
        "version": record.version,
        "seat": seat,
        "moves": _entries(record, seat, allowed),
        "complete": allowed.complete,
        "truncated": allowed.truncated,
    }


def included_moves(record: GameRecord, viewer: int | None, include: frozenset[str]) -> Json:
    """Return the members about legal moves that a response includes; spectators have no moves."""
    if not include & {"legal_moves", "moves_by_type"}:
        return {}
    allowed = LegalMoves(moves=()) if viewer is None else lawful_moves(record, viewer)
    members: Json = {"legal_moves_truncated": allowed.truncated}
    if "legal_moves" in include:
        members["legal_moves"] = () if viewer is None else _entries(record, viewer, allowed)
    if "moves_by_type" in include:
        members["moves_by_type"] = _bodies_by_type(record, viewer, allowed)
    return members


def _bodies_by_type(record: GameRecord, viewer: int | None, allowed: LegalMoves) -> dict[str, list[Json]]:
    if viewer is not None and _is_awaited(record, viewer):
        return {"next_deal": [{}]}
    bodies: dict[str, list[Json]] = {}
    for move in allowed.moves:
        bodies.setdefault(move.type, []).append(body_of(move))
    return bodies


def _is_awaited(record: GameRecord, seat: int) -> bool:
    """Return whether the next deal waits for the seat."""
    return record.status is Status.DEAL_OVER and seat in record.may_act()


def _entries(record: GameRecord, seat: int, allowed: LegalMoves) -> list[Json]:
    if _is_awaited(record, seat):
        return [_entry_of_type("next_deal", record.id, {})]
    takes = {take.position: take for take in takes_of(record, seat)}
    return [
        {**move_entry(move, record.id), **_take_members(takes[move.position])}
        if isinstance(move, TakeDiscard) and move.position is not None
        else move_entry(move, record.id)
        for move in allowed.moves
    ]


def move_entry(move: PlayerMove, game_id: str) -> Json:
    """Return a move as an entry of the list: its operation, and the request that makes it."""
    return _entry_of_type(move.type, game_id, body_of(move))


def _take_members(take: Take) -> Json:
    """Return what a take brings and what for, as further members of its entry."""
    return {
        "cards": take.cards,
        "must_use": take.must_use,
        "uses": [
            {**_laying_move(use.move), "first": [_laying_move(move) for move in use.first]}
            for use in take.uses
        ],
        "uses_complete": take.uses_complete,
    }


def _laying_move(move: LayMeld | LayOff) -> Json:
    """Return a meld or lay-off as playTurn takes it."""
    return {"type": move.type, **body_of(move)}


def _entry_of_type(tag: str, game_id: str, body: Json) -> Json:
    operation = MOVES[tag]
    return {
        "type": tag,
        "operation_id": operation.operation_id,
        "method": MOVE_METHOD,
        "path": f"/v1/games/{game_id}/{operation.path}",
        "body": body,
    }


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
