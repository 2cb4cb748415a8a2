"""The state of a game: frozen values, replaced and never edited."""

from dataclasses import dataclass
from enum import StrEnum

from service.rummy.cards import HIGH_ACE, RANK, SUIT, Card
from service.rummy.variants import Variant


class Stage(StrEnum):
    """The stage of the whole game: a deal in play, between deals, or finished."""

    PLAYING = "playing"
    DEAL_OVER = "deal_over"
    FINISHED = "finished"


class Phase(StrEnum):
    """The phase of the running turn: what the seat to act must do next."""

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
    """The two kinds of meld."""

    SET = "set"
    RUN = "run"


@dataclass(frozen=True, slots=True, kw_only=True)
class LaidCard:
    """A card on the table: who laid it, and the card a joker stands for (else None)."""

    card: Card
    laid_by: int
    stands_for: Card | None = None

    @property
    def face(self) -> Card:
        """The card it counts as in its meld: itself, or what a joker stands for."""
        return self.stands_for or self.card


@dataclass(frozen=True, slots=True, kw_only=True)
class Meld:
    """A meld on the table; ids are m1, m2 and so on, in the order laid.

    The cards of a run are ordered low to high, those of a set as laid. `laid_at_once`
    is the number of cards with which the meld was made; later ones were laid off.
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

    In phase rummy_call `seat` is the seat that draws next, `discarder` the seat
    that discarded last, and `asked` the seats that may still call or pass. `tabled` is
    True once the turn has laid a card, `tabled_before` where an earlier turn of the seat
    did. `called` marks a turn that began with a rummy call, `floating` one that began
    without a card in hand. `quiet` is True while the turn has made no progress: no card
    laid, none discarded without a draw, none drawn from a stock that is not renewed.
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

    `hands` and `known` are by seat, in canonical order; `known` are the cards that all
    players saw the seat take from the discard pile and that it still holds. The first
    card of `stock` is drawn next; the last card of `discard_pile` is the top discard.
    `quiet_turns` counts consecutive turns without progress; it bounds the deal
    (RULES 7.7).
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
    # Not used any more. Release 0.1.0 reads it, so the next release may stop writing it.
    tabled_since_renewal: bool = True
    quiet_turns: int = 0

    def has_tabled(self, seat: int) -> bool:
        """Return whether the seat has laid a card on the table in this deal."""
        return any(laid.laid_by == seat for meld in self.melds for laid in meld.cards)


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatResult:
    """What a seat had and scored in a deal; `hand_points` is a positive number."""

    table: tuple[Card, ...]
    hand: tuple[Card, ...]
    table_points: int
    hand_points: int
    bonus: int
    score: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DealResult:
    """A finished deal: `reason` is went_out, stock_end or target; `totals` are by side, after it."""

    deal: int
    reason: str
    went_out: int | None
    seats: tuple[SeatResult, ...]
    totals: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DealerDraw:
    """A card drawn for the first deal; `again` is the number of tied draws before it."""

    seat: int
    card: Card
    again: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """A whole game. `key` is secret: 32 bytes from which every shuffle is derived.

    `deal` is the running or the last deal. `winners` are seats: None while the game
    runs, empty when it is a draw.
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


assert RANK[Card("AS")] + 13 == HIGH_ACE  # noqa: S101 - Meld.high relies on it
