"""What a player may ask for. Moves are imperative; what comes of them are events."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from service.rummy.cards import Card

Ace = Literal["low", "high"]
End = Literal["low", "high"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawStock:
    """Draw the first card of the stock; with an empty stock, renew it where the variant does."""

    type: ClassVar = "draw_stock"
    seat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeDiscard:
    """Take a card of the discard pile and all above it.

    `position` counts from 0, the oldest; needed only where the card lies there twice.
    """

    type: ClassVar = "take_discard"
    seat: int
    card: Card
    position: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LayMeld:
    """Lay cards from the hand as a new meld, in any order.

    `stands_for` tells the card each joker stands for. `ace` is needed only where an
    ace could stand at both ends; without it, it stands high.
    """

    type: ClassVar = "meld"
    seat: int
    cards: tuple[Card, ...]
    stands_for: Mapping[Card, Card] = field(default_factory=dict)
    ace: Ace | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LayOff:
    """Add one card to a meld on the table.

    `end` is needed only where the card fits both ends of a run; `stands_for` for a
    joker only.
    """

    type: ClassVar = "lay_off"
    seat: int
    card: Card
    meld_id: str | None = None
    end: End | None = None
    stands_for: Card | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Discard:
    """Throw a card onto the discard pile; it ends the turn."""

    type: ClassVar = "discard"
    seat: int
    card: Card


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass:
    """Do without a draw when there is no stock, or without a rummy call."""

    type: ClassVar = "pass"
    seat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepCard:
    """Keep the one card in hand after floating; it ends the turn without a discard."""

    type: ClassVar = "keep"
    seat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRummy:
    """Call a discard that was missed: take it and use it at once."""

    type: ClassVar = "call_rummy"
    seat: int
    card: Card
    use: LayMeld | LayOff
    position: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CloseCallWindow:
    """The time to call is over: the next seat draws. Asked for by the service, not by a player."""

    type: ClassVar = "close_call_window"


@dataclass(frozen=True, slots=True, kw_only=True)
class StartNextDeal:
    """Deal again after a finished deal. Asked for by the service once the players are ready."""

    type: ClassVar = "start_next_deal"


@dataclass(frozen=True, slots=True, kw_only=True)
class EndGame:
    """End the game before its time, for the seats named (RULES 10.7). Asked for by the service."""

    type: ClassVar = "end_game"
    winners: tuple[int, ...]
    reason: str


PlayerMove = DrawStock | TakeDiscard | LayMeld | LayOff | Discard | Pass | KeepCard | CallRummy
ServiceMove = CloseCallWindow | StartNextDeal | EndGame
Move = PlayerMove | ServiceMove
