"""The state of a game: frozen values, replaced and never edited."""

from dataclasses import dataclass
from enum import StrEnum

from service.rummy.cards import HIGH_ACE, RANK, SUIT, Card
from service.rummy.variants import Variant


class Stage(StrEnum):
    """Where the game as a whole stands."""

    PLAYING = "playing"
    DEAL_OVER = "deal_over"
    FINISHED = "finished"


class Phase(StrEnum):
    """What the running turn waits for."""

    DRAW = "draw"
    MELD = "meld"
    RUMMY_CALL = "rummy_call"


class GameEndReason(StrEnum):
    """Why a game is over (RULES 10): what decided it, or that players resigned."""

    TARGET = "target"
    DEALS = "deals"
    DEAL_LIMIT = "deal_limit"
    TIE = "tie"
    RESIGNATION = "resignation"


class MeldKind(StrEnum):
    """What makes a meld a meld."""

    SET = "set"
    RUN = "run"


@dataclass(frozen=True, slots=True, kw_only=True)
class LaidCard:
    """A card on the table: who laid it, and what a joker stands for (None for any other card)."""

    card: Card
    laid_by: int
    stands_for: Card | None = None

    @property
    def face(self) -> Card:
        """The card it counts as in its meld."""
        return self.stands_for or self.card


@dataclass(frozen=True, slots=True, kw_only=True)
class Meld:
    """A meld on the table; ids are m1, m2.. in the order laid.

    A run's cards stand low to high, a set's in the order laid. `laid_at_once` is
    how many cards came down together when it was made.
    """

    id: str
    owner: int
    kind: MeldKind
    cards: tuple[LaidCard, ...]
    laid_at_once: int

    @property
    def low(self) -> int:
        """The place of a run's lowest card, 1 for a low ace."""
        return RANK[self.cards[0].face]

    @property
    def high(self) -> int:
        """The place of a run's highest card, 14 for a high ace."""
        return self.low + len(self.cards) - 1

    @property
    def suit(self) -> int:
        """The suit of a run."""
        return SUIT[self.cards[0].face]

    @property
    def rank(self) -> int:
        """The rank of a set."""
        return RANK[self.cards[0].face]


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """The running turn.

    In phase rummy_call `seat` is the seat that draws next, `discarder` the one
    that just threw, and `asked` the seats that may still call or pass. `called`
    marks a turn that began with a rummy call. `floating` marks a turn begun
    without a card in hand. `quiet` holds while the turn has brought nothing on: no card
    drawn from the stock, none tabled, none spent from the hand without a draw.
    """

    seat: int
    phase: Phase
    must_use: Card | None = None
    may_not_discard: Card | None = None
    melds_laid: int = 0
    tabled: bool = False
    tabled_before: bool = False
    floating: bool = False
    called: bool = False
    quiet: bool = True
    discarder: int | None = None
    asked: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Deal:
    """One deal, from the shuffle to the scoring.

    `hands` and `known` (cards seen to be taken from the pile and not played since)
    are in canonical order, by seat. The first card of `stock` is drawn next; the
    last card of `discard_pile` is the upcard. `quiet_turns` counts the turns in a row
    that brought nothing on; it bounds the deal (RULES 7.7).
    """

    number: int
    dealer: int
    hands: tuple[tuple[Card, ...], ...]
    known: tuple[tuple[Card, ...], ...]
    stock: tuple[Card, ...]
    discard_pile: tuple[Card, ...]
    melds: tuple[Meld, ...]
    turn: Turn
    renewals: int = 0
    tabled_since_renewal: bool = True
    quiet_turns: int = 0

    def has_tabled(self, seat: int) -> bool:
        """Tell whether a card on the table was laid by the seat."""
        return any(laid.laid_by == seat for meld in self.melds for laid in meld.cards)


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatResult:
    """What a seat had and scored in a deal; points of the hand are positive numbers."""

    table: tuple[Card, ...]
    hand: tuple[Card, ...]
    table_points: int
    hand_points: int
    bonus: int
    score: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DealResult:
    """A finished deal: `reason` is went_out or stock_end; totals are by side, after the deal."""

    deal: int
    reason: str
    went_out: int | None
    seats: tuple[SeatResult, ...]
    totals: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DealerDraw:
    """A card drawn for the first deal; `again` counts the re-draws among the tied before it."""

    seat: int
    card: Card
    again: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """A whole game. `key` is its secret: 32 bytes from which every shuffle is derived.

    `deal` is the running or the last deal. `winners` are seats: None while the game
    runs, empty when it is drawn.
    """

    variant: Variant
    seats: int
    key: bytes
    dealer_draws: tuple[DealerDraw, ...]
    status: Stage
    deal: Deal
    deals: tuple[DealResult, ...]
    totals: tuple[int, ...]
    winners: tuple[int, ...] | None = None
    reason: str | None = None

    def after(self, seat: int) -> int:
        """Return the seat to the left of a seat."""
        return (seat + 1) % self.seats

    def side(self, seat: int) -> int:
        """Return the side a seat scores for."""
        return self.variant.side(seat)


assert RANK[Card("AS")] + 13 == HIGH_ACE  # noqa: S101 - Meld.high counts on it
