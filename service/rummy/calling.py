"""Calling rummy: who is asked, which discards may be called, and what a caller takes (RULES 8)."""

from collections.abc import Iterator

from service.rummy.cards import Card
from service.rummy.melds import can_lay_off
from service.rummy.must_use import Holding, leaves_enough, makes_a_meld, targets_of
from service.rummy.state import Game
from service.rummy.variants import Variant


def seats_to_ask(game: Game, discarder: int) -> tuple[int, ...]:
    """Return the seats that may call after a discard, from the discarder's left; none opens no window.

    Where cards in hand may join a call, all others are asked, always: otherwise a window
    would show what the players hold. Elsewhere the table and the pile decide, which are
    public, and only seats with a call are asked.
    """
    variant = game.variant
    if variant.call_rummy == "off":
        return ()
    others = tuple((discarder + away) % game.seats for away in range(1, game.seats))
    asked = (
        others
        if variant.hands_join_calls
        else tuple(seat for seat in others if next(public_calls(game, seat), None) is not None)
    )
    # The next player alone can as well take the card in their turn, which comes at once.
    return asked if asked != others[:1] or variant.call_beats_take else ()


def callable_positions(pile: tuple[Card, ...], variant: Variant) -> range:
    """Return the positions of the pile that may be called, oldest first (RULES 8.2, 8.4)."""
    newest_only = variant.call_takes == "single_card"
    return range(max(0, len(pile) - 1) if newest_only else 0, len(pile))


def taken_by_call(pile: tuple[Card, ...], position: int) -> tuple[Card, ...]:
    """Return the cards that a call for a position of the pile takes, oldest first (RULES 8.4)."""
    return pile[position:]


def public_calls(game: Game, seat: int) -> Iterator[int]:
    """Yield the positions of the pile that the seat may call without a card of its hand."""
    variant, deal = game.variant, game.deal
    pile = deal.discard_pile
    targets = targets_of(deal, seat, variant)
    for position in callable_positions(pile, variant):
        card = pile[position]
        taken = taken_by_call(pile, position)
        size = len(deal.hands[seat]) + len(taken)
        lays_off = leaves_enough(size, 1, variant) and any(
            can_lay_off(card, meld, variant) for meld in targets
        )
        if lays_off or (
            variant.call_takes != "single_card"
            and leaves_enough(size, 3, variant)
            and makes_a_meld(card, Holding.of(taken), variant)
        ):
            yield position
