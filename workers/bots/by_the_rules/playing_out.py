"""Trying moves by the rules: a deal is played out by habits that resemble those of people.

The habits look at one hand and the table alone: take deep where a meld comes of it, lay
what can be laid, keep what goes together, throw what is dear. They are for worlds that
are made up, and are meant to be quick, not strong.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from random import Random
from typing import Final

from service.rummy.cards import Card, is_joker
from service.rummy.drawing import can_draw_stock, legal_takes
from service.rummy.errors import IllegalMove
from service.rummy.legal_moves import LegalMoves, legal_moves, seats_to_act
from service.rummy.moves import Discard, DrawStock, KeepCard, LayMeld, LayOff, Pass, PlayerMove, TakeDiscard
from service.rummy.play import play
from service.rummy.possible_melds import possible_melds
from service.rummy.scoring import points
from service.rummy.state import Game, Phase, Stage
from service.rummy.variants import Variant
from service.rummy.views import View
from workers.bots.by_the_rules.worlds import Worlds
from workers.bots.search.monte_carlo import World
from workers.bots.seat_view import links

#: So many moves are looked at; where jokers make thousands of melds, the first do as well.
_LOOKS_AT: Final = 60
#: What a card counts against throwing it, for each other that it goes with.
_LINK: Final = 4.0
#: No hand is worth more to hold than a joker.
_JOKER: Final = 40.0


class PlayOuts:
    """Tries the moves of one seat in one position."""

    def __init__(self, view: View, legal: LegalMoves, variant: Variant, chance: Random) -> None:
        """Look at the view of a seat that may act; raises ValueError for a viewer without a seat."""
        self._worlds: Final = Worlds(view, legal, variant)
        self._chance: Final = chance

    def worlds(self, moves: Sequence[PlayerMove | None]) -> Iterator[World]:
        """Yield worlds to try the moves in; all meet the same luck, and differ by what they are."""
        while True:
            yield partial(self._brings, moves, self._worlds.world(self._chance), self._chance.random())

    def _brings(
        self, moves: Sequence[PlayerMove | None], world: Game, seed: float, place: int
    ) -> float | None:
        move = moves[place]
        assert move is not None  # noqa: S101 - stopping is for who has styles
        try:
            _, after = play(world, move)
        except IllegalMove:
            return None
        return lead(played_out(after, Random(seed)), self._worlds.sight.seat)


def lead(game: Game, seat: int) -> float:
    """Return by how much the last deal brought a seat's side more than the other sides on average."""
    variant = game.variant
    scored: dict[int, int] = {}
    for number, result in enumerate(game.deals[-1].seats):
        side = variant.side(number)
        scored[side] = scored.get(side, 0) + result.score
    own = scored.pop(variant.side(seat))
    ahead = own - sum(scored.values()) / len(scored)
    return -ahead if variant.scoring == "penalty" else ahead


def played_out(game: Game, chance: Random) -> Game:
    """Return the game after its deal was played to the end."""
    while game.status is Stage.PLAYING:
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
    for position in reversed(legal_takes(game, seat)):
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
