"""Melds: as they are laid, as they lie on the table, and lay-offs on them."""

from typing import Final

from workers.bots.engine.card_bits import HIGH, JOKER, LANE, RANKS, count

#: Where a lay-off goes: onto a set, or onto an end of a run.
ON_SET: Final = -1
LOW_END: Final = 0
HIGH_END: Final = 1


class MeldToLay:
    """A new meld: `naturals` are its cards, `twins` second copies among them, `wild` the faces of jokers.

    `suit` is -1 for a set; `low` and `high` are the places of a run, or the rank of a set, twice.
    """

    __slots__ = (
        "high",
        "low",
        "naturals",
        "size",
        "suit",
        "twins",
        "wild",
    )

    def __init__(self, suit: int, low: int, high: int, naturals: int, twins: int, wild: int) -> None:
        self.suit: int = suit
        self.low: int = low
        self.high: int = high
        self.naturals: int = naturals
        self.twins: int = twins
        self.wild: int = wild
        #: How many cards it spends.
        self.size: int = high - low + 1 if suit >= 0 else count(naturals) + count(twins) + count(wild)

    def spends(self, code: int) -> bool:
        """Return whether the card is among those laid."""
        return self.wild != 0 if code == JOKER else (self.naturals >> code & 1) == 1


class CardToLayOff:
    """A card for a meld, given by its index; `face` is what the card is or a joker stands for."""

    __slots__ = (
        "code",
        "end",
        "face",
        "meld",
    )

    def __init__(self, meld: int, code: int, face: int, end: int) -> None:
        self.meld: int = meld
        self.code: int = code
        self.face: int = face
        self.end: int = end


class MeldOnTable:
    """A meld on the table. `suit` is -1 for a set, `faces` are its suits, `opens` the faces that fit."""

    __slots__ = (
        "faces",
        "high",
        "low",
        "opens",
        "owner",
        "size",
        "suit",
    )

    def __init__(self, owner: int, suit: int, low: int, high: int, faces: int, size: int) -> None:
        self.owner: int = owner
        self.suit: int = suit
        self.low: int = low
        self.high: int = high
        self.faces: int = faces
        self.size: int = size
        self.opens: int = 0

    def copy(self) -> "MeldOnTable":
        """Return a copy."""
        new = MeldOnTable(self.owner, self.suit, self.low, self.high, self.faces, self.size)
        new.opens = self.opens
        return new


def as_laid(lay: MeldToLay, owner: int) -> MeldOnTable:
    """Return the new meld as it lies on the table."""
    faces = 0
    if lay.suit < 0:
        shown = (lay.naturals | lay.wild) >> lay.low
        faces = (shown & 1) | (shown >> 14 & 2) | (shown >> 28 & 4) | (shown >> 42 & 8)
    return MeldOnTable(owner, lay.suit, lay.low, lay.high, faces, lay.size)


def span_mask(suit: int, low: int, high: int) -> int:
    """Return the mask of the cards of a run; a high ace as an ace."""
    wide = (1 << high + 1) - (1 << low)
    return ((wide | wide >> HIGH) & RANKS) << suit * LANE
