"""Cards as bits: one integer holds a hand.

Each suit has a lane of 15 bits: ace to king in bits 0 to 12; bit 13 is the place of a high ace, set
only while runs are searched; bit 14 is always clear, so that no shift carries a run from one suit
into the next. Four lanes fill 60 bits, which a compiled build keeps in a register. A card's code is the
number of its bit. All jokers are alike and have the code `JOKER`. With two packs, second copies are in a
mask of their own.
"""

from typing import Final

#: Whether this is the compiled build.
COMPILED: Final = not __file__.endswith(".py")

LANE: Final = 15
HIGH: Final = 13
JOKER: Final = 60
#: One more than the highest code.
CODES: Final = 61
#: The faces of one lane, ace to king.
RANKS: Final = 0x1FFF
ACES: Final = 1 | 1 << 15 | 1 << 30 | 1 << 45
#: Every face of a pack.
PACK: Final = 0x1FFF | 0x1FFF << 15 | 0x1FFF << 30 | 0x1FFF << 45

_UP_TO_QUEEN: Final = 0xFFF | 0xFFF << 15 | 0xFFF << 30 | 0xFFF << 45


def count(mask: int) -> int:
    """Return how many bits are set."""
    bits = 0
    while mask:
        mask &= mask - 1
        bits += 1
    return bits


if not COMPILED:
    # Much faster in plain Python; in compiled code the loop above is faster than a method call.
    globals()["count"] = int.bit_count


def codes_of(mask: int) -> list[int]:
    """Return the numbers of the bits that are set, lowest first."""
    codes = []
    while mask:
        low = mask & -mask
        codes.append(low.bit_length() - 1)
        mask ^= low
    return codes


def mask_of(codes: list[int]) -> int:
    """Return the mask of distinct cards without jokers."""
    mask = 0
    for code in codes:
        mask |= 1 << code
    return mask


def nth_code(mask: int, number: int) -> int:
    """Return the number of the n-th set bit, counted from 0."""
    # Not a bare underscore, which mypyc keeps as an object.
    for _passed in range(number):
        mask &= mask - 1
    return (mask & -mask).bit_length() - 1


def in_sets(mask: int) -> int:
    """Return the cards of ranks held in three or more suits."""
    ranks = ranks_of_three(mask)
    return mask & (ranks | ranks << 15 | ranks << 30 | ranks << 45) if ranks else 0


def ranks_of_three(mask: int) -> int:
    """Return the ranks held in three or more suits, as one lane."""
    # Compare two suits with the other two: three of a rank are both of one pair and one of the other.
    low, high = mask & 0x3FFFFFFF, mask >> 30
    both, either = low & high, low | high
    return ((both & either >> 15) | (both >> 15 & either)) & 0x1FFF


def in_runs(mask: int, places: int) -> int:
    """Return the cards in runs of three or more; `places` are those that runs may cover."""
    wide = (mask | (mask & ACES) << HIGH) & places
    starts = wide & wide >> 1 & wide >> 2
    if not starts:
        return 0
    wide = starts | starts << 1 | starts << 2
    return (wide | wide >> HIGH & ACES) & PACK


def in_melds(mask: int, places: int) -> int:
    """Return the cards in sets or runs of three or more: `in_sets` and `in_runs` at once."""
    wide = (mask | (mask & ACES) << HIGH) & places
    starts = wide & wide >> 1 & wide >> 2
    found = 0
    if starts:
        wide = starts | starts << 1 | starts << 2
        found = (wide | wide >> HIGH & ACES) & PACK
    low, high = mask & 0x3FFFFFFF, mask >> 30
    both, either = low & high, low | high
    ranks = ((both & either >> 15) | (both >> 15 & either)) & 0x1FFF
    if ranks:
        found |= mask & (ranks | ranks << 15 | ranks << 30 | ranks << 45)
    return found


def linked_cards(mask: int, places: int) -> int:
    """Return the cards with another of their rank or a neighbour of their suit among them.

    `places` are those that runs may cover: if a high ace is among them, ace and king are neighbours.
    """
    clubs, diamonds, hearts, spades = (
        mask & 0x1FFF,
        mask >> 15 & 0x1FFF,
        mask >> 30 & 0x1FFF,
        mask >> 45 & 0x1FFF,
    )
    ranks = (clubs & diamonds) | (hearts & spades) | ((clubs | diamonds) & (hearts | spades))
    wide = (mask | (mask & ACES) << HIGH) & places
    beside = (wide & wide >> 1) | (wide & wide << 1)
    return mask & (ranks | ranks << 15 | ranks << 30 | ranks << 45 | beside | beside >> HIGH & ACES)


def two_apart(mask: int, places: int) -> int:
    """Return the faces two places from one of the cards in its suit: one card completes a run of both."""
    wide = mask | (mask & ACES) << HIGH & places
    found = (wide & _UP_TO_QUEEN) << 2 | wide >> 2 & _UP_TO_QUEEN
    return (found | found >> HIGH & ACES & places >> HIGH) & PACK
