"""What a replay says, line by line: the values that a log and a text both turn into.

A line holds what the rules cannot work out from the lines before it: who did what
with which cards. How many cards are left, which card is owed and the like follow.
`place` is where something was read, to be named when it is wrong; it takes no part
in comparing.
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
    """A card from the stock; None where it is hidden. `renewal` tells what was done to the pile first."""

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
    """A new meld as it lies: pairs of a card and what it stands for, if it is a joker."""

    meld_id: str
    cards: tuple[tuple[Card, Card | None], ...]
    place: str = field(default=PLACELESS, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Adds:
    """A card laid off on a meld; `end` is where it lies in a run."""

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
    """The one card of a floating player, kept."""

    place: str = field(default=PLACELESS, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Passes:
    """Doing without a draw."""

    place: str = field(default=PLACELESS, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Calls:
    """A rummy call: the cards it takes, the one called first, and where that lay, 0 the oldest."""

    cards: tuple[Card, ...]
    position: int
    place: str = field(default=PLACELESS, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class GoesOut:
    """The last card has gone."""

    place: str = field(default=PLACELESS, compare=False)


Action = Draws | Takes | Lays | Adds | Throws | Keeps | Passes | Calls | GoesOut


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnLine:
    """What a seat did in a turn; `resumed` goes on with the turn of that number after a note."""

    number: int
    seat: int
    actions: tuple[Action, ...] = ()
    resumed: bool = False
    place: str = field(default=PLACELESS, compare=False)


class NoteKind(StrEnum):
    """What a note tells."""

    MAY_CALL = "may call"
    LETS_IT_LIE = "lets it lie"
    CLOCK = "the clock plays for"
    STAND_IN = "plays on for"
    BACK = "plays again"
    READY = "is ready"


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteLine:
    """Something that is no turn: about the seats named; `level` is that of a computer that stands in."""

    kind: NoteKind
    seats: tuple[int, ...]
    level: str | None = None
    place: str = field(default=PLACELESS, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreRow:
    """What a seat scored in a deal; `total` is its side's after it."""

    tabled: int
    held: int
    hand: tuple[Card, ...]
    bonus: int
    score: int
    total: int
    place: str = field(default=PLACELESS, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreLine:
    """The end of a deal, with a row for each seat; `went_out` is None where nobody did."""

    went_out: int | None
    rows: tuple[ScoreRow, ...]
    place: str = field(default=PLACELESS, compare=False)


Line = TurnLine | NoteLine | ScoreLine


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenPosition:
    """What a position tells beyond hands, stock and pile; totals are by side."""

    known: tuple[tuple[Card, ...], ...]
    melds: tuple[GivenMeld, ...]
    turn: GivenTurn
    totals: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """How a deal begins. What is hidden is None; `seed` is known once the deal is over.

    Hands are in canonical order, the pile has the oldest card first. `given` is set
    where a sandbox began in a position.
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
        """Return where a part was read: a member's name, or `hand 0`; else where the deal begins."""
        return self.places.get(part, self.place)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedDeal:
    """A deal as told."""

    opening: Opening
    lines: tuple[Line, ...]

    @property
    def score(self) -> ScoreLine | None:
        """The deal's score, None where it was not played to its end."""
        return next((line for line in self.lines if isinstance(line, ScoreLine)), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplaySeat:
    """Who sat on a seat when the game began; `label` is what lines call the seat.

    `kind` and `name` are None for a seat that was still free, `level` for all but computers.
    """

    label: str
    kind: SeatKind | None
    name: str | None
    level: str | None = None


class Ending(StrEnum):
    """How a game stands at the end of its replay."""

    WON = "won"
    DRAWN = "drawn"
    GIVEN_UP = "given up"
    UNFINISHED = "unfinished"


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What came of the game: seats that won, and why it is over, in the words of the log."""

    ending: Ending
    winners: tuple[int, ...] = ()
    reason: str | None = None
    place: str = field(default=PLACELESS, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """A whole game. `begun_at` is in milliseconds since the epoch.

    `seen_by` is the seat that a running deal is told for: None for somebody without a
    seat, or where nothing is hidden. `draws` are the cards drawn for the first deal.
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
