"""What cards count and how a deal is scored, in few words, from the functions that score a deal."""

from collections.abc import Iterator
from itertools import groupby
from typing import Final

from service.rummy.cards import ACE, JOKERS, RANK, card
from service.rummy.scoring import points
from service.rummy.variants import Variant

_RANKS: Final = "23456789TJQK"
_NAMES: Final = {"T": "10"}
_SUITS: Final = {"S": "of spades", "H": "of hearts", "D": "of diamonds", "C": "of clubs"}
_SCORED: Final = {
    "table_minus_hand": "Score: the cards you laid minus the cards in your hand.",
    "winner_takes_hands": "Score: the player who goes out scores the cards in the other hands.",
    "penalty": "Score: the cards in your hand; the lowest total wins.",
}


def card_key(variant: Variant) -> str:
    """Return what each card counts.

    >>> from service.rummy.presets import resolve
    >>> card_key(resolve("classic", {}, seats=2))
    '2 to 10: their number. J, Q, K: 10. Ace: 15, below a two 1.'
    """
    return " ".join(_values(variant))


def scoring_key(variant: Variant) -> str:
    """Return how a deal is scored."""
    parts = [_SCORED[variant.scoring]]
    if variant.going_out_bonus:
        parts.append(f"Going out: {variant.going_out_bonus} more.")
    return " ".join(parts)


def game_end(variant: Variant) -> str:
    """Return when the game ends."""
    if variant.deals is not None:
        return f"The game has {variant.deals} deal{'' if variant.deals == 1 else 's'}."
    return f"The game is to {variant.target} points."


def _values(variant: Variant) -> Iterator[str]:
    by_number = points(card("2H"), variant) == RANK[card("2H")]

    def worth(rank: str) -> tuple[bool, int]:
        one = card(f"{rank}H")
        counted = points(one, variant)
        is_number = by_number and counted == RANK[one]
        return is_number, 0 if is_number else counted

    for (is_number, counted), ranks in groupby(_RANKS, worth):
        named = [_NAMES.get(rank, rank) for rank in ranks]
        faces = [name for name in named if not name.isdigit()]
        numbers = [name for name in named if name.isdigit()]
        span = [f"{numbers[0]} to {numbers[-1]}" if len(numbers) > 1 else numbers[0]] if numbers else []
        yield f"{', '.join(span + faces)}: {'their number' if is_number else counted}."
    usual = points(card("QH"), variant)
    for suit, named_suit in _SUITS.items():
        if (counted := points(card(f"Q{suit}"), variant)) != usual:
            yield f"Queen {named_suit}: {counted}."
    ace = next(one for one in RANK if RANK[one] == ACE)
    high, low = points(ace, variant), points(ace, variant, low_ace=True)
    yield f"Ace: {high}." if high == low else f"Ace: {high}, below a two {low}."
    if variant.jokers_per_pack:
        yield f"Joker: {points(JOKERS[0], variant)}."
    if variant.four_aces is not None:
        yield f"Four aces: {variant.four_aces}."
