"""Card points, deal scores and the end of a game: RULES 9 and 10, computed from JSON."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from workers.tools.conformance.failures import Discrepancy, Json

RANKS: Final = "A23456789TJQK"
SUITS: Final = "CDHS"
JOKER_POINTS: Final = 15
HIGH_ACE_POINTS: Final = 15
COURT_POINTS: Final = 10
FIVE_POINTS: Final = 5
FOUR_ACES: Final = 4
GOING_RUMMY_POINTS: Final = 10
MOST_DEALS: Final = 200


#: Options whose words decide points, sides or winners, with every word that is computed here.
_WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "ace_value": ("by_place", "always_15", "always_1"),
    "card_values": ("face", "five_point"),
    "four_aces_laid": ("at_once", "over_time"),
    "going_rummy": ("none", "double_bonus", "double", "bonus_10"),
    "scoring": ("table_minus_hand", "winner_takes_hands", "penalty"),
    "stock_end_score": ("none", "minus_hand", "lowest_hand"),
    "target_reached": ("deal_end", "at_once"),
    "teams": ("none", "pairs"),
    "tie": ("until_ahead", "play_on", "draw"),
}
#: Options that are computed with whatever their value is.
_COMPUTED: Final = (
    *("packs", "jokers_per_pack", "hand_size", "four_aces", "going_out_bonus", "no_minus_at_stock_end"),
    *("queen_of_spades", "target", "deals", "must_go_out_to_win", "go_out_breaks_tie"),
)
#: Options that decide which moves are lawful, and no points.
_PLAY_ONLY: Final = (
    *("first_dealer", "deep_draw", "top_discard", "same_card_back", "deepest_card_use", "melds_per_turn"),
    *("set_max", "set_distinct_suits", "ace_in_run", "ace_two_king", "lay_off_targets"),
    *("lay_off_after_meld", "going_out", "taken_card_first", "upcard_stays"),
    *("floating", "stock_empty", "call_rummy", "call_takes", "call_reach"),
)
KNOWN_OPTIONS: Final = frozenset({*_WORDS, *_COMPUTED, *_PLAY_ONLY})


def check_options(options: Json) -> None:
    """Raise Discrepancy for an option, or a word of one, that is not computed here.

    Clients ignore what they do not know. A program that recomputes scores must not.
    """
    if unknown := options.keys() - KNOWN_OPTIONS:
        raise Discrepancy(f"scores cannot be recomputed with unknown options: {', '.join(sorted(unknown))}")
    for name, words in _WORDS.items():
        if options[name] not in words:
            raise Discrepancy(f"scores cannot be recomputed with {name} set to {options[name]!r}")


def whole_pack(options: Json) -> Counter[str]:
    """Return how often each card is in the packs of a game."""
    packs = int(options["packs"])
    pack = Counter({rank + suit: packs for rank in RANKS for suit in SUITS})
    jokers = packs * int(options["jokers_per_pack"])
    pack.update(f"X{number + 1}" for number in range(jokers))
    return pack


def points(card: str, options: Json, *, low_in_run: bool = False) -> int:
    """Return the points of a card; an ace at the low end of a run may count less."""
    if card.startswith("X"):
        return JOKER_POINTS
    if card.startswith("A"):
        if options["ace_value"] == "always_1":
            return 1
        if low_in_run and options["ace_value"] == "by_place":
            return FIVE_POINTS if options["card_values"] == "five_point" else 1
        return HIGH_ACE_POINTS
    if card == "QS" and options["queen_of_spades"] is not None:
        return int(options["queen_of_spades"])
    place = RANKS.index(card[0]) + 1
    if place >= COURT_POINTS:
        return COURT_POINTS
    return FIVE_POINTS if options["card_values"] == "five_point" else place


def hand_points(hand: Iterable[str], options: Json) -> int:
    """Return the points of a hand, as a positive number."""
    return sum(points(card, options) for card in hand)


def table_points(melds: Iterable[Json], seat: int, options: Json) -> int:
    """Return the points of the cards a seat laid; `laid_at_once` is the size of a meld when it was laid."""
    total = 0
    for meld in melds:
        for place, laid in enumerate(meld["cards"]):
            if laid["laid_by"] == seat:
                low = meld["kind"] == "run" and place == 0
                total += points(laid["card"], options, low_in_run=low)
        if _has_four_aces(meld, seat, options):
            total += int(options["four_aces"]) - FOUR_ACES * points("AS", options)
    return total


def _has_four_aces(meld: Json, seat: int, options: Json) -> bool:
    if options["four_aces"] is None or meld["kind"] != "set":
        return False
    own = [
        place
        for place, laid in enumerate(meld["cards"])
        if laid["laid_by"] == seat and str(laid["card"]).startswith("A")
    ]
    if options["four_aces_laid"] == "at_once":
        own = [place for place in own if place < meld["laid_at_once"]]
    return len(own) >= FOUR_ACES


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedEnding:
    """The end of a deal; lists are by seat, `went_out` is None if no player did.

    `unfinished` means that laid cards reached the target.
    `went_rummy` means that the seat that went out had laid nothing before that turn.
    """

    options: Json
    table: Sequence[int]
    hands: Sequence[int]
    went_out: int | None
    went_rummy: bool
    unfinished: bool

    def bonus_and_score(self, seat: int) -> tuple[int, int]:
        """Return the bonus of a seat, and its score including the bonus."""
        plain = self._plain(seat)
        bonus = self._bonus(plain) if seat == self.went_out else 0
        return bonus, plain + bonus

    def _plain(self, seat: int) -> int:
        options = self.options
        if self.unfinished:
            return self.table[seat]
        match options["scoring"]:
            case "penalty":
                return self.hands[seat]
            case "winner_takes_hands":
                others = [
                    points for other, points in enumerate(self.hands) if self._side(other) != self._side(seat)
                ]
                if self.went_out is None:
                    return self._at_stock_end(self.hands[seat], others)
                return sum(others) if seat == self.went_out else 0
            case _:
                spared = self.went_out is None and options["no_minus_at_stock_end"]
                return self.table[seat] - (0 if spared else self.hands[seat])

    def _at_stock_end(self, own: int, others: Sequence[int]) -> int:
        if self.options["stock_end_score"] == "minus_hand":
            return -own
        scores = self.options["stock_end_score"] == "lowest_hand" and own == min(self.hands)
        return sum(others) - own * len(others) if scores else 0

    def _bonus(self, plain: int) -> int:
        options = self.options
        if options["scoring"] == "penalty":
            return 0
        bonus = int(options["going_out_bonus"])
        if self.went_rummy:
            match options["going_rummy"]:
                case "double_bonus":
                    return 2 * bonus
                case "double":
                    return 2 * bonus + plain
                case "bonus_10":
                    return bonus + GOING_RUMMY_POINTS
                case _:
                    pass
        return bonus

    def _side(self, seat: int) -> int:
        return side_of(seat, self.options)


def side_of(seat: int, options: Json) -> int:
    """Return the side a seat scores for: its team's number with pairs, else its own."""
    return seat % 2 if options["teams"] == "pairs" else seat


def decision(
    options: Json, history: Sequence[Sequence[int]], *, went_out: int | None, deals: int
) -> tuple[list[int], str] | None:
    """Return the winning sides and the reason once a deal decides the game; None while it goes on.

    `history` holds the totals by side after each deal, `went_out` is the side that went out.
    """
    decided = _decision(options, history, went_out, deals)
    if decided is not None or deals < MOST_DEALS:
        return decided
    totals = history[-1]
    best = (min if options["scoring"] == "penalty" else max)(totals)
    leaders = [side for side, total in enumerate(totals) if total == best]
    return (leaders if len(leaders) == 1 else []), "deal_limit"


def _decision(
    options: Json, history: Sequence[Sequence[int]], went_out: int | None, deals: int
) -> tuple[list[int], str] | None:
    totals = history[-1]
    if options["deals"] is not None:
        return _best(options, totals, "deals") if deals >= options["deals"] else None
    reached = [side for side, total in enumerate(totals) if total >= options["target"]]
    goes_out_on_it = went_out is not None and went_out in reached
    if options["must_go_out_to_win"]:
        return ([went_out], "target") if went_out is not None and goes_out_on_it else None
    if not reached and not _was_tied_at_the_target(options, history[:-1]):
        return None
    if options["go_out_breaks_tie"] and went_out is not None and goes_out_on_it and len(reached) > 1:
        return [went_out], "target"
    return _best(options, totals, "target")


def _was_tied_at_the_target(options: Json, history: Sequence[Sequence[int]]) -> bool:
    """Return whether a game that is played on until one side is ahead was tied at the target."""
    tied_at_target = False
    for totals in history:
        tied = len(_ahead(options, totals)) > 1
        tied_at_target = tied and (tied_at_target or max(totals) >= options["target"])
    return tied_at_target and options["tie"] == "until_ahead"


def _ahead(options: Json, totals: Sequence[int]) -> list[int]:
    best = min(totals) if options["scoring"] == "penalty" else max(totals)
    return [side for side, total in enumerate(totals) if total == best]


def _best(options: Json, totals: Sequence[int], reason: str) -> tuple[list[int], str] | None:
    sides = _ahead(options, totals)
    if len(sides) == 1:
        return sides, reason
    return ([], "tie") if options["tie"] == "draw" else None
