"""The forced turn: what the clock plays for a player whose time has run out."""

from typing import Final

from service.rummy.cards import Card
from service.rummy.drawing import can_draw_stock
from service.rummy.laying import cards_to_settle
from service.rummy.legal_moves import legal_moves, seats_to_act
from service.rummy.melds import MIN_MELD_SIZE
from service.rummy.moves import Discard, DrawStock, KeepCard, LayMeld, LayOff, Pass, PlayerMove
from service.rummy.must_use import needs_own_meld
from service.rummy.play import play
from service.rummy.possible_melds import possible_melds
from service.rummy.scoring import points
from service.rummy.state import Game, Phase

#: More melds than any hand can lay.
_NO_LIMIT: Final = 1_000_000


def forced_turn(game: Game, seat: int) -> tuple[PlayerMove, ...]:
    """Return the moves that finish the seat's turn with as little as possible.

    Draw from the stock if the seat has not drawn, or pass where it cannot; use the card
    that must be used, with the fewest cards; then discard the card worth most among those
    that may be discarded. Each move is legal after the one before. Empty where the seat
    may not act. In a call window it is a pass, even for the seat that draws next.
    """
    if game.deal.turn.phase is Phase.RUMMY_CALL:
        return (forced_move(game, seat),) if seat in seats_to_act(game) else ()
    moves: list[PlayerMove] = []
    while seat in seats_to_act(game):
        moves.append(forced_move(game, seat))
        _, game = play(game, moves[-1])
    return tuple(moves)


def forced_move(game: Game, seat: int) -> PlayerMove:
    """Return the first move of the seat's forced turn; the seat must be one that may act."""
    turn = game.deal.turn
    if turn.phase is Phase.RUMMY_CALL:
        return Pass(seat=seat)
    if turn.phase is Phase.DRAW:
        return DrawStock(seat=seat) if can_draw_stock(game) else Pass(seat=seat)
    if turn.must_use is not None:
        return _settle(game, seat, turn.must_use)
    return _end(game, seat)


def _settle(game: Game, seat: int, owed: Card) -> PlayerMove:
    """Return the first move of the cheapest way to use the card that must be used.

    Laying it off takes one card, a chain of lay-offs one card a step, and a meld three; where
    lay-offs need a meld first, that is one of three cards that leaves the rest usable. Every
    position that the rules allow has one of these (RULES 2.7).
    """
    needed = cards_to_settle(game, owed) or 0
    if needed > MIN_MELD_SIZE and needs_own_meld(game.deal, seat, game.variant):
        return _meld_before(game, seat, owed, needed - MIN_MELD_SIZE)
    steps = [move for move in legal_moves(game, seat).moves if isinstance(move, LayOff)]
    for step in sorted(steps, key=lambda step: step.card != owed):
        _, after = play(game, step)
        if after.deal.turn.must_use is None or cards_to_settle(after, owed) == needed - 1:
            return step
    meld = next(
        meld
        for meld in possible_melds(game.deal.hands[seat], game.variant, with_card=owed)
        if len(meld.cards) == MIN_MELD_SIZE
    )
    return LayMeld(seat=seat, cards=meld.cards, stands_for=meld.stands_for, ace=meld.ace)


def _meld_before(game: Game, seat: int, owed: Card, needed: int) -> PlayerMove:
    """Return a meld after which `needed` cards use the card that must be used (RULES 4.6)."""
    melds = [move for move in legal_moves(game, seat, limit=_NO_LIMIT).moves if isinstance(move, LayMeld)]
    return next(
        meld
        for meld in melds
        if len(meld.cards) == MIN_MELD_SIZE
        and owed not in meld.cards
        and cards_to_settle(play(game, meld)[1], owed) == needed
    )


def _end(game: Game, seat: int) -> PlayerMove:
    """Return the discard of the card worth most among those that may be discarded.

    Where no card may be discarded, the only card in hand is kept or laid off: one of the
    three is always legal (RULES 2.9).
    """
    moves = legal_moves(game, seat).moves
    throws = [move for move in moves if isinstance(move, Discard)]
    if throws:
        return max(throws, key=lambda throw: points(throw.card, game.variant))
    return next(move for move in moves if isinstance(move, KeepCard | LayOff))
