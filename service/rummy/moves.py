"""Moves: what a player asks for. Moves are imperative; the events they lead to are past."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from service.rummy.cards import Card

Ace = Literal["low", "high"]
End = Literal["low", "high"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawStock:
    """Draw the first card of the stock, renewing an empty stock where the variant does."""

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

    `stands_for` gives the card each joker stands for. `ace` is needed only where an
    ace could be at either end; without it the ace is high.
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
    """Discard a card; this ends the turn."""

    type: ClassVar = "discard"
    seat: int
    card: Card


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass:
    """Pass: skip the draw when there is no stock, or decline a rummy call."""

    type: ClassVar = "pass"
    seat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepCard:
    """Keep the only card in hand after floating; this ends the turn without a discard."""

    type: ClassVar = "keep"
    seat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRummy:
    """Call a missed discard: take it and use it at once."""

    type: ClassVar = "call_rummy"
    seat: int
    card: Card
    use: LayMeld | LayOff
    position: int | None = None


def cards_used(use: LayMeld | LayOff) -> tuple[Card, ...]:
    """Return the cards that a meld or lay-off lays."""
    return use.cards if isinstance(use, LayMeld) else (use.card,)


@dataclass(frozen=True, slots=True, kw_only=True)
class CloseCallWindow:
    """Close the call window: the next seat draws. Made by the service, not by a player."""

    type: ClassVar = "close_call_window"


@dataclass(frozen=True, slots=True, kw_only=True)
class StartNextDeal:
    """Start the next deal. Made by the service once the players are ready."""

    type: ClassVar = "start_next_deal"


@dataclass(frozen=True, slots=True, kw_only=True)
class EndGame:
    """End the game early in favour of the given seats (RULES 10.7). Made by the service."""

    type: ClassVar = "end_game"
    winners: tuple[int, ...]
    reason: str


PlayerMove = DrawStock | TakeDiscard | LayMeld | LayOff | Discard | Pass | KeepCard | CallRummy
ServiceMove = CloseCallWindow | StartNextDeal | EndGame
Move = PlayerMove | ServiceMove
