"""Playing a deal out quickly, by habits that resemble those of people who play well enough.

The habits look at one hand and the table alone: take deep where a meld comes of it, lay
what can be laid, keep what goes together, throw what is dear. They are for worlds that
are made up, and are meant to be quick, not strong.
"""

from collections.abc import Sequence
from random import Random
from typing import Final

from service.rummy.cards import KING, RANK, SUIT, Card, is_joker
from service.rummy.drawing import can_draw_stock, lawful_takes
from service.rummy.legal import legal_moves, seats_to_act
from service.rummy.moves import Discard, DrawStock, KeepCard, LayMeld, LayOff, Pass, PlayerMove, TakeDiscard
from service.rummy.play import play
from service.rummy.possible_melds import possible_melds
from service.rummy.scoring import points
from service.rummy.state import Game, Phase, Status

#: So many moves are looked at; where jokers make thousands of melds, the first do as well.
_LOOKS_AT: Final = 60
_NEAR: Final = 2
#: What a card counts against throwing it, for each other that it goes with.
_LINK: Final = 4.0
#: No hand is worth more to hold than a joker.
_JOKER: Final = 40.0


def played_out(game: Game, chance: Random) -> Game:
    """Return the game after its deal was played to the end."""
    while game.status is Status.PLAYING:
        seat = seats_to_act(game)[0]
        _, game = play(game, habit(game, seat, chance))
    return game


def habit(game: Game, seat: int, chance: Random) -> PlayerMove:
    """Return what the seat would do without much thought."""
    match game.deal.turn.phase:
        case Phase.RUMMY_CALL:
            return Pass(seat=seat)
        case Phase.DRAW:
            return _draw(game, seat)
        case Phase.MELD:
            return _next(game, seat, chance)


def _draw(game: Game, seat: int) -> PlayerMove:
    """Take the deepest card that makes a meld with the hand and those above it, else draw."""
    pile, hand = game.deal.discard_pile, game.deal.hands[seat]
    for position in reversed(lawful_takes(game, seat)):
        pool = (*hand, *pile[position:])
        if next(possible_melds(pool, game.variant, with_card=pile[position]), None) is not None:
            return TakeDiscard(seat=seat, card=pile[position], position=position)
    return DrawStock(seat=seat) if can_draw_stock(game) else Pass(seat=seat)


def _next(game: Game, seat: int, chance: Random) -> PlayerMove:
    moves = legal_moves(game, seat, limit=_LOOKS_AT).moves
    melds = [move for move in moves if isinstance(move, LayMeld)]
    if melds:
        return max(melds, key=lambda meld: sum(points(card, game.variant) for card in meld.cards))
    lay_offs = [move for move in moves if isinstance(move, LayOff)]
    throws = [move for move in moves if isinstance(move, Discard)]
    # A joker is kept for a meld, unless it must go.
    first = next((move for move in lay_offs if not is_joker(move.card)), None)
    if first is not None or not throws:
        return first or next((move for move in moves if isinstance(move, KeepCard)), moves[0])
    hand = game.deal.hands[seat]
    return max(throws, key=lambda throw: _wish_to_throw(throw.card, hand, game) + chance.random())


def _wish_to_throw(card: Card, hand: Sequence[Card], game: Game) -> float:
    if is_joker(card):
        return -_JOKER
    return 0.5 * points(card, game.variant) - _LINK * links(card, hand)


def links(card: Card, hand: Sequence[Card]) -> int:
    """Return how many cards of a hand a card goes with: of its rank, or near it in its suit."""
    return sum(goes_with(card, other) for other in hand) - 1


def goes_with(card: Card, other: Card) -> bool:
    """Tell whether two cards could lie in one meld of three; a card goes with itself."""
    if is_joker(other) or RANK[card] == RANK[other]:
        return True
    apart = abs(RANK[card] - RANK[other])
    # An ace is near the king too.
    return SUIT[card] == SUIT[other] and (apart <= _NEAR or apart >= KING - _NEAR)
