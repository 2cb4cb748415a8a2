"""Cards as values: two-letter codes such as ``7H``, ``TD``, ``AS``; jokers ``X1``..``X6``.

A card is its code and nothing else. With several packs each code occurs as often, and the
copies are interchangeable (RULES 1.2).
"""

from collections.abc import Iterable
from typing import Final, NewType

Card = NewType("Card", str)

RANKS: Final = "A23456789TJQK"
SUITS: Final = "CDHS"
ACE: Final = 1
TEN: Final = 10
KING: Final = 13
#: The place in a run of an ace above the king.
HIGH_ACE: Final = 14
#: Two for each of three packs.
MAX_JOKERS: Final = 6

PACK: Final[tuple[Card, ...]] = tuple(Card(rank + suit) for suit in SUITS for rank in RANKS)
JOKERS: Final[tuple[Card, ...]] = tuple(Card(f"X{n}") for n in range(1, MAX_JOKERS + 1))

#: Rank of each card, ace 1 to king 13; a joker has rank 0.
RANK: Final[dict[Card, int]] = {card: RANKS.index(card[0]) + 1 for card in PACK} | dict.fromkeys(JOKERS, 0)
#: Suit of each card, 0 to 3 in the order of `SUITS`; a joker has suit -1.
SUIT: Final[dict[Card, int]] = {card: SUITS.index(card[1]) for card in PACK} | dict.fromkeys(JOKERS, -1)
#: Place of each card in canonical order: clubs, diamonds, hearts, spades, each ace to king, then jokers.
ORDER: Final[dict[Card, int]] = {card: place for place, card in enumerate(PACK + JOKERS)}
#: The card of a suit at a place of a run: places 1 and 14 are both the ace, place 15 is the two of a run that
#: goes round the corner, and place 0 is none.
FACE: Final[tuple[tuple[Card, ...], ...]] = tuple(
    (Card(""), *(Card(rank + suit) for rank in RANKS + RANKS)) for suit in SUITS
)

QUEEN_OF_SPADES: Final = Card("QS")

_RANK_NAMES = (
    "joker ace two three four five six seven eight nine ten jack queen king".split()  # noqa: SIM905 - reads as a row
)
_SUIT_NAMES = ("clubs", "diamonds", "hearts", "spades")


def is_joker(card: Card) -> bool:
    """Return whether the card is a joker."""
    return card[0] == "X"


def cards(codes: str) -> tuple[Card, ...]:
    """Return the cards of codes separated by spaces, in the order given.

    Raises ValueError for a code that is not a card.

    >>> cards("7H TD X1")
    ('7H', 'TD', 'X1')
    """
    return tuple(card(code) for code in codes.split())


def card(code: str) -> Card:
    """Return the card of a code.

    Raises ValueError for a code that is not a card.
    """
    if code not in ORDER:
        msg = f"{code!r} is not a card. Write a rank and a suit, such as 7H or TD, or a joker, X1 to X6."
        raise ValueError(msg)
    return Card(code)


def long_name(card: Card) -> str:
    """Return the name of a card in words.

    >>> long_name(Card("7H"))
    'seven of hearts'
    """
    if is_joker(card):
        return f"joker {card}"
    return f"{_RANK_NAMES[RANK[card]]} of {_SUIT_NAMES[SUIT[card]]}"


def in_order(cards: Iterable[Card]) -> tuple[Card, ...]:
    """Return the cards in canonical order: clubs to spades, ace to king, jokers last."""
    return tuple(sorted(cards, key=ORDER.__getitem__))


def full_pack(*, packs: int, jokers_per_pack: int) -> tuple[Card, ...]:
    """Return every card of the game in canonical order (RULES 11.2).

    Each further pack's 52 cards follow those before; all jokers come last.
    """
    return PACK * packs + JOKERS[: packs * jokers_per_pack]


def without(cards: Iterable[Card], gone: Iterable[Card]) -> tuple[Card, ...]:
    """Return the cards without one copy of each card in `gone`.

    Raises ValueError when a card of `gone` is not among them.
    """
    left = list(cards)
    for card in gone:
        left.remove(card)
    return tuple(left)
