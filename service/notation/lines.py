"""The lines of a replay, as values: what a log and a text are both turned into.

A line holds only what the rules cannot derive from the lines before it: which seat did
what with which cards. How many cards are left or which card must be used follows from
them. `place` is where a line was read, for error messages; comparisons ignore it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, Literal

from service.games.record import SeatKind
from service.rummy.cards import Card
from service.rummy.moves import End
from service.rummy.positions import GivenMeld, GivenTurn
from service.rummy.state import DealerDraw

Renewal = Literal["shuffles", "turns"]
PLACELESS: Final = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draws:
    """A card from the stock, None if hidden; `renewal` is how the pile became the stock first."""

    card: Card | None
    renewal: Renewal | None = None
    place: str = field(default=PLACELESS, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Takes:
    """Cards from the top of the discard pile, the deepest first."""

    cards: tuple[Card, ...]
    place: str = field(default=PLACELESS, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lays:
    """A new meld in order: pairs of a card and what it stands for, if it is a joker."""

    meld_id: str
    cards: tuple[tuple[Card, Card | None], ...]
    place: str = field(default=PLACELESS, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Adds:
    """A card laid off on a meld; `end` is the end of a run."""

    card: Card
    stands_for: Card | None
    meld_id: str
    end: End | None
    place: str = field(default=PLACELESS, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Throws:
    """A discard."""

    card: Card
    place: str = field(default=PLACELESS, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Keeps:
    """A floating player keeps their only card."""

    place: str = field(default=PLACELESS, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Passes:
    """A pass instead of a draw."""

    place: str = field(default=PLACELESS, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Calls:
    """A rummy call: the cards it takes, the called one first, and its position in the pile."""

    cards: tuple[Card, ...]
    position: int
    place: str = field(default=PLACELESS, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class GoesOut:
    """The seat has played its last card."""

    place: str = field(default=PLACELESS, compare=False)


Action = Draws | Takes | Lays | Adds | Throws | Keeps | Passes | Calls | GoesOut


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnLine:
    """The actions of a seat in a turn; `resumed` continues a turn after a note."""

    number: int
    seat: int
    actions: tuple[Action, ...] = ()
    resumed: bool = False
    place: str = field(default=PLACELESS, compare=False)


class NoteKind(StrEnum):
    """The kinds of note, as written."""

    MAY_CALL = "may call"
    LETS_IT_LIE = "lets it lie"
    CLOCK = "the clock plays for"
    STAND_IN = "plays on for"
    BACK = "plays again"
    READY = "is ready"


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteLine:
    """A note about seats, between turns; `level` is that of a computer that stands in."""

    kind: NoteKind
    seats: tuple[int, ...]
    level: str | None = None
    place: str = field(default=PLACELESS, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreRow:
    """The score of a seat in a deal; `total` is that of its side after it."""

    tabled: int
    held: int
    hand: tuple[Card, ...]
    bonus: int
    score: int
    total: int
    place: str = field(default=PLACELESS, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreLine:
    """The score of a deal, a row for each seat; `went_out` is None if no seat went out."""

    went_out: int | None
    rows: tuple[ScoreRow, ...]
    place: str = field(default=PLACELESS, compare=False)


Line = TurnLine | NoteLine | ScoreLine


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenPosition:
    """The parts of a given position beyond hands, stock and pile; totals are by side."""

    known: tuple[tuple[Card, ...], ...]
    melds: tuple[GivenMeld, ...]
    turn: GivenTurn
    totals: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """The start of a deal. Hidden parts are None; `seed` is public once the deal is over.

    Hands are in canonical order; the oldest card of the pile comes first. `given` is set
    where a sandbox started in a given position.
    """

    number: int
    dealer: int
    commitment: str
    seed: bytes | None
    hands: tuple[tuple[Card, ...] | None, ...]
    stock: tuple[Card, ...] | None
    stock_count: int
    pile: tuple[Card, ...]
    given: GivenPosition | None = None
    place: str = field(default=PLACELESS, compare=False)
    places: Mapping[str, str] = field(default_factory=dict, compare=False)

    def where(self, part: str) -> str:
        """Return where a part was read (a member's name, or `hand 0`), else where the deal starts."""
        return self.places.get(part, self.place)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedDeal:
    """A deal as recorded in a replay."""

    opening: Opening
    lines: tuple[Line, ...]

    @property
    def score(self) -> ScoreLine | None:
        """The score of the deal, None if it was not played to its end."""
        return next((line for line in self.lines if isinstance(line, ScoreLine)), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplaySeat:
    """A seat when the game began; `label` is its name in the lines.

    `kind` and `name` are None for a free seat; only computers have a `level`.
    """

    label: str
    kind: SeatKind | None
    name: str | None
    level: str | None = None


class Ending(StrEnum):
    """The state of the game at the end of its replay."""

    WON = "won"
    DRAWN = "drawn"
    GIVEN_UP = "given up"
    UNFINISHED = "unfinished"


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The result of the game: the seats that won, and the reason as in the log."""

    ending: Ending
    winners: tuple[int, ...] = ()
    reason: str | None = None
    place: str = field(default=PLACELESS, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """The replay of a whole game. `begun_at` is in milliseconds since the epoch.

    `seen_by` is the seat for which a running deal is shown: None for a spectator, and
    where nothing is hidden. `draws` are the cards drawn for the first deal.
    """

    game_id: str
    begun_at: int
    preset: str
    overrides: Mapping[str, Any]
    rated: bool
    sandbox: bool
    seats: tuple[ReplaySeat, ...]
    seen_by: int | None
    draws: tuple[DealerDraw, ...]
    deals: tuple[RecordedDeal, ...]
    result: Result
    places: Mapping[str, str] = field(default_factory=dict, compare=False)

    def where(self, part: str) -> str:
        """Return where a part of the heading was read."""
        return self.places.get(part, PLACELESS)
