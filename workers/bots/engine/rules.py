"""A variant as numbers and tables, built once for each variant and number of seats."""

from functools import lru_cache
from typing import Final

from service.rummy.cards import ACE, FACE, HIGH_ACE, QUEEN_OF_SPADES, RANK, SUIT, Card, is_joker
from service.rummy.melds import spans
from service.rummy.scoring import points
from service.rummy.variants import Variant
from workers.bots.engine.card_bits import CODES, JOKER, LANE, PACK, RANKS

#: How a stock that has run out goes on (RULES 7).
TAKE_OR_END: Final = 0
RESHUFFLE: Final = 1
FLIP: Final = 2
END_AT_ONCE: Final = 3
PLAY_ON: Final = 4
_STOCK_RULES: Final = ("take_or_end", "reshuffle", "flip", "end_at_once", "play_on")

#: Who scores what (RULES 9).
TABLE_MINUS_HAND: Final = 0
WINNER_TAKES_HANDS: Final = 1
PENALTY: Final = 2
_SCORINGS: Final = ("table_minus_hand", "winner_takes_hands", "penalty")

#: Who scores what where the winner takes the hands and no player went out (RULES 9.7).
MINUS_HAND: Final = 1
LOWEST_HAND: Final = 2
_STOCK_END_SCORES: Final = ("none", "minus_hand", "lowest_hand")

#: What going rummy earns (RULES 9.10).
GOING_RUMMY_NONE: Final = 0
DOUBLE_BONUS: Final = 1
DOUBLE: Final = 2
BONUS_10: Final = 3
_GOING_RUMMY: Final = ("none", "double_bonus", "double", "bonus_10")

#: The engine has a mask for each of two copies of a card.
MAX_PACKS: Final = 2
#: A set without a size limit: more than there are cards of a rank.
NO_LIMIT: Final = 99
#: Rows of the table of spans.
_ROW: Final = 16


class Rules:
    """What a deal must know of its variant.

    `span[16 * low + high]` says whether a run from place `low` to place `high` is legal; place 0 is the
    low ace, 13 the high ace. `pairs` holds for each code the masks of two cards that make a run of three
    with it, `link_masks` all cards of its rank or next to it in its suit.
    """

    __slots__ = (
        "_spans_in",
        "bonus",
        "deep_draw",
        "deep_is_free",
        "distinct",
        "floating",
        "four_aces",
        "going_rummy",
        "hand_size",
        "has_four_aces",
        "jokers",
        "lane_values",
        "link_masks",
        "low_ace",
        "may_keep",
        "melds_a_turn",
        "must_keep",
        "new_meld_only",
        "no_minus",
        "own_side",
        "packs",
        "pairs",
        "pairs_play",
        "places",
        "queen",
        "queen_extra",
        "quiet_turn_limit",
        "rank_masks",
        "renews",
        "same_back",
        "scoring",
        "seats",
        "set_max",
        "set_opens",
        "single",
        "span",
        "span_masks",
        "span_opens",
        "staying",
        "stock_empty",
        "stock_end_score",
        "values",
    )

    def __init__(self, variant: Variant, seats: int) -> None:  # noqa: PLR0915 - one assignment for each rule
        self.seats: int = seats
        self.packs: int = variant.packs
        self.jokers: int = variant.packs * variant.jokers_per_pack
        #: Whether there is one copy of each card and no joker: then a mask alone describes a hand.
        self.single: bool = self.packs == 1 and not self.jokers
        self.quiet_turn_limit: int = variant.quiet_turn_limit
        self.hand_size: int = variant.hand_size
        self.deep_draw: bool = variant.deep_draw
        #: Whether no card of a take deeper than the top discard must be used.
        self.deep_is_free: bool = variant.deep_draw and variant.deepest_card_use == "free"
        self.may_keep: bool = variant.top_discard == "may_keep"
        self.same_back: bool = variant.same_card_back == "allowed"
        self.new_meld_only: bool = variant.deepest_card_use == "new_meld_only"
        self.melds_a_turn: int = variant.melds_per_turn or NO_LIMIT
        self.set_max: int = variant.set_max or NO_LIMIT
        self.distinct: bool = variant.set_distinct_suits
        self.own_side: bool = variant.lay_off_targets == "own_side"
        self.must_keep: bool = variant.must_keep_a_discard
        self.floating: bool = variant.floating
        self.bonus: int = variant.going_out_bonus
        self.going_rummy: int = _GOING_RUMMY.index(variant.going_rummy)
        self.stock_empty: int = _STOCK_RULES.index(variant.stock_empty)
        self.renews: bool = variant.renews_stock
        #: How many discards stay when the others become the stock.
        self.staying: int = 1 if variant.upcard_stays else 0
        self.no_minus: bool = variant.no_minus_at_stock_end
        self.stock_end_score: int = _STOCK_END_SCORES.index(variant.stock_end_score)
        self.scoring: int = _SCORINGS.index(variant.scoring)
        self.pairs_play: bool = variant.teams == "pairs"
        self.values: list[int] = [0] * CODES
        for card in RANK:
            self.values[code_of(card)] = points(card, variant)
        queen = SUIT[QUEEN_OF_SPADES] * LANE + RANK[QUEEN_OF_SPADES] - 1
        #: The mask of the queen of spades, and what it counts beyond other queens.
        self.queen: int = 1 << queen
        self.queen_extra: int = self.values[queen] - self.values[queen % LANE]
        self.low_ace: int = points(FACE[0][ACE], variant, low_ace=True)
        self.has_four_aces: bool = variant.four_aces is not None
        self.four_aces: int = (variant.four_aces or 0) - 4 * points(FACE[0][ACE], variant)
        #: The points of the cards of a lane, by their mask.
        self.lane_values: list[int] = [0] * (RANKS + 1)
        for lane in range(1, RANKS + 1):
            lowest = (lane & -lane).bit_length() - 1
            self.lane_values[lane] = self.lane_values[lane & lane - 1] + self.values[lowest]
        allowed = spans(variant.ace_in_run, variant.ace_two_king)
        self.span: list[bool] = [
            (low + 1, high + 1) in allowed for low in range(HIGH_ACE) for high in range(_ROW)
        ]
        #: The cards of each span in the first lane; a high ace as an ace.
        self.span_masks: list[int] = [
            _span_mask(low, high) if self.span[_ROW * low + high] else 0
            for low in range(14)
            for high in range(_ROW)
        ]
        #: The faces that fit onto each span in the first lane, and onto a set of aces by the suits in it.
        self.span_opens: list[int] = [
            self._opens(low, high) if self.span[_ROW * low + high] else 0
            for low in range(14)
            for high in range(_ROW)
        ]
        self.set_opens: list[int] = [
            sum(1 << suit * LANE for suit in range(4) if not (self.distinct and faces >> suit & 1))
            for faces in range(16)
        ]
        #: The results of `spans_in`; few patterns of a lane occur.
        self._spans_in: dict[int, list[int]] = {}
        self.places: int = PACK
        if variant.ace_in_run == "high":
            self.places &= ~_every_lane(1)
        if variant.ace_in_run != "low":
            self.places |= _every_lane(1 << 13)
        self.pairs: list[list[int]] = [_pairs(code, self.span) for code in range(JOKER)]
        self.rank_masks: list[int] = [_every_lane(1 << code % LANE) for code in range(JOKER)]
        self.link_masks: list[int] = [self._link_mask(code) for code in range(JOKER)]

    def side(self, seat: int) -> int:
        """Return the side a seat scores for."""
        return seat % 2 if self.pairs_play else seat

    def spans_in(self, lane: int) -> list[int]:
        """Return the runs that the places of one suit contain, each as its index in `span`."""
        found = self._spans_in.get(lane)
        if found is None:
            found = []
            for low in range(12):
                high = low
                while high < 14 and lane >> high & 1:
                    if high >= low + 2 and self.span[_ROW * low + high]:
                        found.append(_ROW * low + high)
                    high += 1
            self._spans_in[lane] = found
        return found

    def points_of(self, mask: int) -> int:
        """Return the points of the cards of a mask."""
        if not mask:
            return 0
        lanes = self.lane_values
        return (
            (self.queen_extra if mask & self.queen else 0)
            + lanes[mask & 0x1FFF]
            + lanes[mask >> 15 & 0x1FFF]
            + lanes[mask >> 30 & 0x1FFF]
            + lanes[mask >> 45 & 0x1FFF]
        )

    def _opens(self, low: int, high: int) -> int:
        found = 0
        if low > 0 and self.span[_ROW * (low - 1) + high]:
            found = 1 << low - 1
        if high < 13 and self.span[_ROW * low + high + 1]:
            found |= 1 << (high + 1) % 13
        return found

    def _link_mask(self, code: int) -> int:
        suit, rank = divmod(code, LANE)
        mask = self.rank_masks[code]
        for beside in (rank - 1, rank + 1):
            mask |= _at(suit, beside)
        if rank in (0, 12) and self.span[_ROW * 11 + 13]:
            mask |= _at(suit, 12 - rank)
        return mask & ~(1 << code)


def _span_mask(low: int, high: int) -> int:
    wide = (1 << high + 1) - (1 << low)
    return (wide | wide >> 13) & RANKS


def _at(suit: int, rank: int) -> int:
    return 1 << suit * LANE + rank if 0 <= rank < 13 else 0


def _every_lane(bits: int) -> int:
    return bits | bits << 15 | bits << 30 | bits << 45


def _pairs(code: int, span: list[bool]) -> list[int]:
    suit, rank = divmod(code, LANE)
    found: list[int] = []
    if rank > 12:
        return found
    for place in (0, 13) if rank == 0 else (rank,):
        for low in range(max(0, place - 2), min(place, 11) + 1):
            if span[_ROW * low + low + 2]:
                others = [other % 13 for other in range(low, low + 3) if other != place]
                found.append(sum(1 << suit * LANE + other for other in others))
    return found


def code_of(card: Card) -> int:
    """Return the code of a card; all jokers are alike."""
    return JOKER if is_joker(card) else SUIT[card] * LANE + RANK[card] - 1


def engine_knows(variant: Variant) -> bool:
    """Return whether the engine plays the variant as the rules do.

    Computers and advice play every other variant by `service.rummy` itself.
    """
    return (
        # A second copy of a card has a mask of its own; a third has none.
        variant.packs <= MAX_PACKS
        # A set does not say which of its suits jokers stand for, nor a meld who laid which of its cards.
        and (variant.set_distinct_suits or not variant.jokers_per_pack)
        # A lane of its bits ends with the high ace.
        and variant.ace_in_run != "around"
        # It counts what fits onto the table for all players at once.
        and not variant.lay_off_after_meld
        # It lays cards in any order.
        and not variant.taken_card_first
        # It does not know the totals.
        and variant.target_reached == "deal_end"
        and (variant.four_aces is None or variant.four_aces_laid == "at_once")
    )


@lru_cache(maxsize=64)
def rules_for(variant: Variant, seats: int) -> Rules:
    """Return the tables of a variant for a number of seats; raises ValueError for one it does not know."""
    if not engine_knows(variant):
        raise ValueError("The engine does not know this variant.")
    return Rules(variant, seats)
