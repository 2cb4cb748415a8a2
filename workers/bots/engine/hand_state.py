"""What lies before one seat of a simulated deal."""

from workers.bots.engine.card_bits import JOKER


class Player:
    """A hand, and what its seat has tabled: `hand` is a mask, `twins` second copies, `jokers` their number.

    Plain attributes, not lists by seat: a compiled build keeps the integers of an attribute as they are,
    and makes an object of each that is put into a list.
    """

    __slots__ = (
        "fits",
        "hand",
        "has_tabled",
        "jokers",
        "known",
        "points",
        "size",
        "twins",
    )

    def __init__(self) -> None:
        self.hand: int = 0
        self.twins: int = 0
        self.jokers: int = 0
        self.size: int = 0
        #: What was tabled so far.
        self.points: int = 0
        self.has_tabled: bool = False
        #: Cards all have seen the seat take, and not play since.
        self.known: int = 0
        #: Faces that fit onto the melds that the seat may lay off on.
        self.fits: int = 0

    def copy(self) -> "Player":
        """Return a player of its own that holds the same."""
        new = Player()
        new.hand = self.hand
        new.twins = self.twins
        new.jokers = self.jokers
        new.size = self.size
        new.points = self.points
        new.has_tabled = self.has_tabled
        new.known = self.known
        new.fits = self.fits
        return new

    def give(self, code: int) -> None:
        """Put a card into the hand."""
        self.size += 1
        if code == JOKER:
            self.jokers += 1
            return
        bit = 1 << code
        if self.hand & bit:
            self.twins |= bit
        else:
            self.hand |= bit

    def drop(self, code: int) -> None:
        """Take a card out of the hand."""
        self.size -= 1
        if code == JOKER:
            self.jokers -= 1
            return
        bit = 1 << code
        if self.twins & bit:
            self.twins ^= bit
        else:
            self.hand ^= bit

    def holds(self, code: int) -> int:
        """Return how many copies of a card are in the hand."""
        if code == JOKER:
            return self.jokers
        return (self.hand >> code & 1) + (self.twins >> code & 1)
