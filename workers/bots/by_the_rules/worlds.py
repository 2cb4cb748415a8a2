"""Worlds: whole games that agree with all that one seat may know."""

from collections.abc import Sequence
from random import Random
from typing import Final

from service.rummy.cards import Card, in_order
from service.rummy.legal_moves import LegalMoves
from service.rummy.state import Deal, Game, Phase, Stage, Turn
from service.rummy.variants import Variant
from service.rummy.views import View
from workers.bots.seat_view import Sight

#: In a world of our own nothing is a secret, and nothing is shuffled from a key but a renewed stock.
_NO_KEY: Final = bytes(32)


class Worlds:
    """Makes up what a seat cannot see: other hands and the order of the stock.

    What was seen to be taken stays in the hand that took it; everything else unseen may lie
    anywhere. Only the view is looked at, so that games which differ in hidden cards have
    the same worlds.
    """

    def __init__(self, view: View, legal: LegalMoves, variant: Variant) -> None:
        """Look at the view of a seat that may act; raises ValueError for a viewer without a seat."""
        self._sight: Final = Sight.of(view, variant)
        self._turn: Final = _turn(self._sight, legal)
        unseen = self._sight.unseen.items()
        self._unseen: Final = tuple(card for card, copies in unseen for _ in range(copies))

    @property
    def sight(self) -> Sight:
        """What the seat sees."""
        return self._sight

    def world(self, chance: Random) -> Game:
        """Return a game that could be this one."""
        view, sight = self._sight.view, self._sight
        pool = list(self._unseen)
        chance.shuffle(pool)
        hands = tuple(
            sight.hand
            if seat == sight.seat
            else in_order((*other.known_cards, *_taken(pool, sight.hidden_cards(seat))))
            for seat, other in enumerate(view.seats)
        )
        deal = Deal(
            number=view.deal,
            dealer=view.dealer,
            hands=hands,
            known=tuple(seat.known_cards for seat in view.seats),
            # Where a sandbox keeps cards out of play, there are more unseen ones than places.
            stock=tuple(pool[: view.stock_count]),
            discard_pile=view.discard_pile,
            melds=view.melds,
            turn=self._turn,
        )
        return Game(
            variant=sight.variant,
            seats=len(view.seats),
            key=_NO_KEY,
            dealer_draws=(),
            status=Stage.PLAYING,
            deal=deal,
            deals=(),
            totals=view.totals,
        )


def _taken(pool: list[Card], count: int) -> Sequence[Card]:
    taken = pool[:count]
    del pool[:count]
    return taken


def _turn(sight: Sight, legal: LegalMoves) -> Turn:
    """Return the running turn, as far as its moves depend on it."""
    view = sight.view
    seen, phase = view.turn, view.phase
    assert seen is not None  # noqa: S101 - a seat that may act does so in a turn
    assert phase is not None  # noqa: S101 - as above
    calling = phase is Phase.RUMMY_CALL
    melds_laid, floating = sight.turn_so_far(legal.moves)
    return Turn(
        seat=seen.seat,
        phase=phase,
        must_use=seen.must_use,
        may_not_discard=seen.may_not_discard,
        melds_laid=melds_laid,
        tabled_before=any(laid.laid_by == sight.seat for meld in view.melds for laid in meld.cards),
        floating=floating,
        quiet=phase is not Phase.MELD,
        discarder=(seen.seat - 1) % len(view.seats) if calling else None,
        asked=seen.may_act if calling else (),
    )
