"""Events: what happened, in the past tense. Replaying the events of a game gives its state.

`views.redact` sets secret members to None. Which events have secret members never
depends on hidden cards.
"""

from dataclasses import dataclass
from typing import ClassVar, Final

from service.rummy.cards import Card
from service.rummy.moves import End
from service.rummy.state import DealerDraw, DealResult, Meld, Turn
from service.rummy.variants import Variant


@dataclass(frozen=True, slots=True, kw_only=True)
class GameStarted:
    """The game begins; `dealer_draws` are the cards drawn for the first deal, if any."""

    type: ClassVar = "game.started"
    variant: Variant
    seats: int
    dealer: int
    dealer_draws: tuple[DealerDraw, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DealStarted:
    """Cards were dealt. `hands` (by seat) and `stock` are secret, apart from a player's own hand."""

    type: ClassVar = "deal.started"
    deal: int
    dealer: int
    hands: tuple[tuple[Card, ...] | None, ...]
    upcard: Card
    stock: tuple[Card, ...] | None
    stock_count: int
    commitment: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionGiven:
    """A sandbox game begins in a given position instead of a deal; `hands` and `stock` are secret."""

    type: ClassVar = "position.given"
    deal: int
    dealer: int
    hands: tuple[tuple[Card, ...] | None, ...]
    known: tuple[tuple[Card, ...], ...]
    stock: tuple[Card, ...] | None
    stock_count: int
    discard_pile: tuple[Card, ...]
    melds: tuple[Meld, ...]
    turn: Turn
    totals: tuple[int, ...]
    commitment: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStarted:
    """A turn began: the seat must draw."""

    type: ClassVar = "turn.started"
    deal: int
    seat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StockDrawn:
    """A seat drew from the stock; the card is known to that seat only."""

    type: ClassVar = "stock.drawn"
    seat: int
    card: Card | None
    stock_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StockRenewed:
    """The discard pile became the stock. `order` is secret; its first card is drawn next."""

    type: ClassVar = "stock.renewed"
    shuffled: bool
    order: tuple[Card, ...] | None
    stock_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscardTaken:
    """A seat took a card of the discard pile and all above it: `cards`, oldest first.

    `must_use` is the card it must meld or lay off this turn, `may_not_discard` the card
    it may not discard this turn.
    """

    type: ClassVar = "discard.taken"
    seat: int
    card: Card
    position: int
    cards: tuple[Card, ...]
    must_use: Card | None
    may_not_discard: Card | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MeldLaid:
    """A seat laid a new meld."""

    type: ClassVar = "meld.laid"
    seat: int
    meld: Meld


@dataclass(frozen=True, slots=True, kw_only=True)
class CardLaidOff:
    """A seat laid off a card; `end` is the end of a run, None in a set."""

    type: ClassVar = "card.laid_off"
    seat: int
    meld_id: str
    card: Card
    stands_for: Card | None
    end: End | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CardDiscarded:
    """A seat discarded a card, which ended its turn."""

    type: ClassVar = "card.discarded"
    seat: int
    card: Card


@dataclass(frozen=True, slots=True, kw_only=True)
class CardKept:
    """A floating seat kept its only card, which ended its turn."""

    type: ClassVar = "card.kept"
    seat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnPassed:
    """A seat passed: it skipped its draw, or declined a rummy call."""

    type: ClassVar = "turn.passed"
    seat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CallWindowOpened:
    """The seats asked may call the discards before `next_seat` draws."""

    type: ClassVar = "call_window.opened"
    discarder: int
    next_seat: int
    asked: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RummyCalled:
    """A seat called: it took `cards` from the pile, oldest first, and goes on as if it had drawn.

    `card` lies at `position`; the others lie above it, each the oldest copy above the one before.
    """

    type: ClassVar = "rummy.called"
    seat: int
    card: Card
    position: int
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerWentOut:
    """A seat got rid of its last card; the deal is over."""

    type: ClassVar = "player.went_out"
    seat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DealEnded:
    """The deal was scored."""

    type: ClassVar = "deal.ended"
    result: DealResult


@dataclass(frozen=True, slots=True, kw_only=True)
class GameEnded:
    """The game is over. `winners` are seats; empty for a draw."""

    type: ClassVar = "game.ended"
    winners: tuple[int, ...]
    reason: str


Event = (
    GameStarted
    | DealStarted
    | PositionGiven
    | TurnStarted
    | StockDrawn
    | StockRenewed
    | DiscardTaken
    | MeldLaid
    | CardLaidOff
    | CardDiscarded
    | CardKept
    | TurnPassed
    | CallWindowOpened
    | RummyCalled
    | PlayerWentOut
    | DealEnded
    | GameEnded
)

EVENT_TYPES: Final[dict[str, type[Event]]] = {event.type: event for event in Event.__args__}
