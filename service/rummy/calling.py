"""Calling rummy: which discards may be called, and what a caller takes (RULES 8)."""

from collections.abc import Iterable, Iterator

from service.rummy.cards import Card
from service.rummy.melds import can_lay_off
from service.rummy.must_use import Holding, leaves_enough, makes_a_meld, targets_of
from service.rummy.state import Game
from service.rummy.variants import Variant


def taken_by_call(pile: tuple[Card, ...], position: int, variant: Variant) -> tuple[Card, ...]:
    """Return the cards that a call for a position of the pile takes, oldest first (RULES 8.4)."""
    return pile[position : position + 1] if variant.call_takes == "single_card" else pile[position:]


def anyone_can_call(game: Game, asked: Iterable[int]) -> bool:
    """Return whether to open a call window for the seats.

    Where cards in hand may join a call it always opens: otherwise a closed window would
    show what the players hold. Elsewhere the table and the pile decide, which are public.
    """
    if game.variant.call_rummy == "any_meld":
        return True
    return any(True for seat in asked for _ in public_calls(game, seat))


def public_calls(game: Game, seat: int) -> Iterator[int]:
    """Yield the positions of the pile that the seat may call without a card of its hand."""
    variant, deal = game.variant, game.deal
    pile = deal.discard_pile
    targets = targets_of(deal, seat, variant)
    for position, card in enumerate(pile):
        taken = taken_by_call(pile, position, variant)
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
