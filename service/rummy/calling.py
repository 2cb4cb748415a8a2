"""Calling rummy: who is asked, which discards may be called, and what a caller takes (RULES 8)."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from service.rummy.cards import Card
from service.rummy.melds import MIN_MELD_SIZE, can_lay_off
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
    """Return the positions of the pile that may be called, oldest first (RULES 8.2)."""
    return range(0 if variant.calls_reach_deeper else max(0, len(pile) - 1), len(pile))


def positions_taken(
    pile: Sequence[Card], position: int, used: Iterable[Card], hand: Iterable[Card], variant: Variant
) -> tuple[int, ...]:
    """Return the positions of the pile that a call takes, oldest first (RULES 8.4).

    `used` are the cards that the call lays; of those above the called one, only cards
    that `hand` lacks are needed.
    """
    if variant.call_takes != "needed":
        return tuple(range(position, len(pile)))
    needed = Counter(used)
    needed[pile[position]] -= 1
    needed -= Counter(hand)
    taken = [position]
    for above in range(position + 1, len(pile)):
        if needed[pile[above]] > 0:
            needed[pile[above]] -= 1
            taken.append(above)
    return tuple(taken)


def cards_that_may_join(game: Game, seat: int) -> tuple[Card, ...]:
    """Return the cards of the hand that a call of the seat may use (RULES 8.2)."""
    return game.deal.hands[seat] if game.variant.call_rummy == "any_meld" else ()


def public_calls(game: Game, seat: int) -> Iterator[int]:
    """Yield the positions of the pile that the seat may call without a card of its hand."""
    variant, deal = game.variant, game.deal
    pile = deal.discard_pile
    targets = targets_of(deal, seat, variant)
    for position in callable_positions(pile, variant):
        card, above = pile[position], pile[position:]
        needed_only = variant.call_takes == "needed"
        size = len(deal.hands[seat])
        lays_off = leaves_enough(size + (1 if needed_only else len(above)), 1, variant) and any(
            can_lay_off(card, meld, variant) for meld in targets
        )
        if lays_off or (
            variant.call_takes != "single_card"
            and leaves_enough(size + (MIN_MELD_SIZE if needed_only else len(above)), MIN_MELD_SIZE, variant)
            and makes_a_meld(card, Holding.of(above), variant)
        ):
            yield position
