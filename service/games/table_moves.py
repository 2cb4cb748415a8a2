"""Moves of players at a table, as pure functions from one record to the next.

`apply_move` judges a move of the rules, a whole turn, readiness for the next deal or a resignation. This
module also decides which versions a move may expect, and whether it is retried after a version conflict.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from service.games.record import GameRecord, LoggedEvent, Player, SeatReady, Status
from service.games.refusals import VersionConflict
from service.games.seating import CALLED_OFF, GameChange, game_over, mark_active, resign, with_game
from service.rummy.errors import IllegalMove
from service.rummy.legal_moves import LegalMoves, legal_moves
from service.rummy.moves import Pass, PlayerMove, StartNextDeal
from service.rummy.play import play
from service.rummy.previews import PreviewEnd, preview_turn
from service.rummy.take_uses import Take, lawful_takes
from service.rummy.whole_turns import WholeTurn, play_turn

#: The message for every move before the game begins.
NOT_BEGUN: Final = "The game has not begun: wait until it does."


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadyForNextDeal:
    """A player is ready for the next deal, with all their seats."""

    player_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Resignation:
    """A player gives up their seats; a computer plays on."""

    player: Player


TableMove = PlayerMove | WholeTurn | ReadyForNextDeal | Resignation


@dataclass(frozen=True, slots=True, kw_only=True)
class MovePreview:
    """The game after a legal move, as far as its player can foresee it; nothing is written.

    `stopped_before` is the index of the first move of a turn that is not in it, None if all are.
    """

    record: GameRecord
    stopped_before: int | None
    reason: PreviewEnd | None


def apply_move(record: GameRecord, move: TableMove, *, now: int, by_computer: bool = False) -> GameChange:
    """Return the game after a move, and its events.

    A player who moves is present: a computer that stood in for them stops. With `by_computer` a computer
    makes the move, which says nothing about the player of the seat.

    Raises IllegalMove, or Refusal `not_seated` for a resignation.
    """
    match move:
        case Resignation(player=player):
            return resign(record, player)
        case ReadyForNextDeal(player_id=player_id):
            seats = record.seats_of(player_id)
            after, events = _mark_ready(record, seats)
        case _:
            seats = () if by_computer else (move.seat,)
            after, events = _play(record, move, now)
    for seat in reversed(seats):
        after, returned = mark_active(after, seat)
        events = (*returned, *events)
    return after, events


def _play(record: GameRecord, move: PlayerMove | WholeTurn, now: int) -> GameChange:
    if record.status is Status.ABORTED:
        raise IllegalMove("game_over", CALLED_OFF)
    if record.game is None:
        raise IllegalMove("wrong_phase", NOT_BEGUN)
    try:
        if isinstance(move, WholeTurn):
            events, game = play_turn(record.game, move)
        else:
            events, game = play(record.game, move)
    except IllegalMove as refusal:
        if refusal.code == "call_window_open" and record.deadline_at is not None:
            details = {**refusal.details, "retry_after_ms": max(0, record.deadline_at - now)}
            raise IllegalMove(refusal.code, refusal.message, **details) from refusal
        raise
    return with_game(record, game), events


def preview_move(record: GameRecord, move: TableMove) -> MovePreview:
    """Return the game after a move that `apply_move` allows.

    It does not show what the service does next, such as passing calls for other players.
    """
    if isinstance(move, ReadyForNextDeal):
        return MovePreview(record=record, stopped_before=0, reason=PreviewEnd.HIDDEN_CARD)
    if isinstance(move, Resignation):
        return MovePreview(record=record, stopped_before=0, reason=PreviewEnd.DEAL_MAY_END)
    assert record.game is not None  # noqa: S101 - the move is legal in it
    turn = move if isinstance(move, WholeTurn) else WholeTurn(seat=move.seat, moves=(move,))
    preview = preview_turn(record.game, turn)
    after, _ = mark_active(with_game(record, preview.game), move.seat)
    return MovePreview(record=after, stopped_before=preview.stopped_before, reason=preview.reason)


def _mark_ready(record: GameRecord, seats: Sequence[int]) -> GameChange:
    if record.status.is_over:
        raise game_over(record)
    if record.status is Status.WAITING:
        raise IllegalMove("wrong_phase", NOT_BEGUN)
    if record.status is not Status.DEAL_OVER:
        raise IllegalMove("wrong_phase", "The deal is not over yet: play on.")
    new = [seat for seat in seats if seat not in record.ready]
    if not new:
        raise IllegalMove("wrong_phase", "You are ready already: wait for the other players.")
    return (
        replace(record, ready=tuple(sorted((*record.ready, *new)))),
        tuple(SeatReady(seat=seat) for seat in new),
    )


def start_next_deal(record: GameRecord) -> GameChange:
    """Start the next deal."""
    assert record.game is not None  # noqa: S101 - a deal has just ended
    events, game = play(record.game, StartNextDeal())
    return with_game(record, game), events


def pass_automatically(record: GameRecord) -> GameChange:
    """Pass the rummy call for every player who lets the service pass, in the order of the seats asked."""
    events: list[LoggedEvent] = []
    while (seat := record.asked_to_pass()) is not None:
        assert record.game is not None  # noqa: S101 - a seat is asked in it
        passed, game = play(record.game, Pass(seat=seat))
        record = with_game(record, game)
        events.extend(passed)
    return record, tuple(events)


def lawful_moves(record: GameRecord, seat: int) -> LegalMoves:
    """Return the moves of the rules that a seat may make now; none before and after the game."""
    if record.game is None or record.status is not Status.PLAYING:
        return LegalMoves(moves=())
    return legal_moves(record.game, seat)


def takes_of(record: GameRecord, seat: int) -> tuple[Take, ...]:
    """Return the takes from the discard pile that a seat may make now, with their uses."""
    if record.game is None or not record.is_drawing(seat):
        return ()
    return lawful_takes(record.game, seat)


def check_version(record: GameRecord, if_match: int | None) -> None:
    """Raise VersionConflict unless a move made for the version may be played now.

    If several seats may act at the same time, any version since the phase began matches. So does one that
    differs from the current one only in what other players set for themselves.
    """
    if if_match is None or (record.same_since or record.version) <= if_match <= record.version:
        return
    if not (_is_concurrent(record) and record.phase_version <= if_match < record.version):
        raise VersionConflict(record.version)


def may_retry(overtaken: GameRecord, move: TableMove, if_match: int | None) -> bool:
    """Return whether a player's move is retried after a version conflict.

    It is if several seats may act at the same time: two may pass a call concurrently, and of two callers
    the second is refused by the rules. A resignation without a version is valid in any state.
    """
    return _is_concurrent(overtaken) or (isinstance(move, Resignation) and if_match is None)


def _is_concurrent(record: GameRecord) -> bool:
    return record.status is Status.DEAL_OVER or record.in_call_window
