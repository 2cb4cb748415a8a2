"""The cards of one seat in the engine."""

from workers.bots.engine.card_bits import JOKER


class PlayerState:
    """A hand and what its seat has laid: `hand` is a mask, `twins` second copies, `jokers` their number.

    Attributes, not lists by seat: compiled code keeps integers in attributes unboxed, and boxes each
    integer of a list.
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
        #: Points laid so far.
        self.points: int = 0
        self.has_tabled: bool = False
        #: Cards that every player has seen the seat take and not play since.
        self.known: int = 0
        #: Faces that fit onto the melds on which the seat may lay off.
        self.fits: int = 0

    def copy(self) -> "PlayerState":
        """Return a copy."""
        new = PlayerState()
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
        """Add a card to the hand."""
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
        """Remove a card from the hand."""
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
