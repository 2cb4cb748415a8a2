"""The options of the rules: the values that each may take, and what they mean to a player.

The names and values are part of the HTTP contract.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

MIN_SEATS: Final = 2
MAX_SEATS: Final = 8
MAX_DEALS: Final = 200
MAX_TARGET: Final = 100_000
MIN_HAND_SIZE: Final = 3
MAX_HAND_SIZE: Final = 50


OptionValue = str | int | bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """The values an option may have, and what it means to a player.

    `meanings` says what each named value means; `numbers` is an inclusive range of further values.
    `rule` is the number in RULES.md.
    """

    meanings: Mapping[OptionValue, str] = field(default_factory=dict)
    numbers: tuple[int, int] | None = None
    rule: str
    meaning: str

    @property
    def values(self) -> tuple[OptionValue, ...]:
        """The named values, in the order in which they are shown."""
        return tuple(self.meanings)

    def allows(self, value: object) -> bool:
        """Return whether the option may have the value; True is not 1, and False is not 0."""
        if any(type(value) is type(allowed) and value == allowed for allowed in self.values):
            return True
        return self.numbers is not None and type(value) is int and self.numbers[0] <= value <= self.numbers[1]

    def allowed(self) -> str:
        """Return the allowed values as a phrase for a message."""
        words = [json_text(value) for value in self.values]
        if self.numbers is not None:
            words.append(f"a whole number from {self.numbers[0]} to {self.numbers[1]}")
        return " or ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else words[0]


def json_text(value: object) -> str:
    """Return a value as a client writes it in JSON, words without quotes."""
    named = {None: "null", True: "true", False: "false"}
    return named[value] if value is None or isinstance(value, bool) else str(value)


OPTIONS: Final[Mapping[str, Option]] = {
    "packs": Option(
        meanings={"auto": "one pack, two from five players", 1: "one pack", 2: "two packs", 3: "three packs"},
        rule="1.2",
        meaning="Packs shuffled together; auto is one, two from five players.",
    ),
    "jokers_per_pack": Option(
        meanings={0: "no jokers", 1: "one joker in each pack", 2: "two jokers in each pack"},
        rule="1.3",
        meaning="Jokers added to each pack as wild cards.",
    ),
    "hand_size": Option(
        meanings={"auto": "what the preset deals to this number of players"},
        numbers=(MIN_HAND_SIZE, MAX_HAND_SIZE),
        rule="1.4",
        meaning="Cards dealt to each player; auto follows the preset and the number of players.",
    ),
    "first_dealer": Option(
        meanings={
            "low_card": "the player who draws the lowest card",
            "high_card": "the player who draws the highest card",
            "random": "chance decides",
        },
        numbers=(0, MAX_SEATS - 1),
        rule="1.6",
        meaning="Who deals first: the lowest or highest card drawn, chance, or a named seat.",
    ),
    "deep_draw": Option(
        meanings={True: "any discard, with all cards above it", False: "the top discard only"},
        rule="2.11",
        meaning="Whether any discard may be taken with all above it, or the top discard only.",
    ),
    "top_discard": Option(
        meanings={
            "must_use": "it must be melded or laid off in this turn",
            "may_keep": "it may stay in the hand",
        },
        rule="2.8",
        meaning="Whether a top discard taken alone must be used in the turn that takes it, or may be kept.",
    ),
    "same_card_back": Option(
        meanings={
            "forbidden": "it stays in the hand for this turn",
            "allowed": "it may be discarded again at once",
        },
        rule="2.9",
        meaning="Whether a top discard taken alone and kept may be discarded in the same turn.",
    ),
    "deepest_card_use": Option(
        meanings={
            "meld_or_lay_off": "it must be melded or laid off in this turn",
            "new_meld_only": "it must be part of a new meld in this turn",
            "free": "it may stay in the hand",
        },
        rule="2.10",
        meaning="How the deepest card taken must be used: melded or laid off, in a new meld only, or not.",
    ),
    "taken_card_first": Option(
        meanings={False: "the turn may lay cards in any order", True: "the turn lays that card first"},
        rule="2.13",
        meaning="Whether the card that must be used has to be laid before any other card.",
    ),
    "melds_per_turn": Option(
        meanings={None: "as many as you like", 1: "one new meld in a turn"},
        rule="3.9",
        meaning="How many melds a turn allows; null is no limit.",
    ),
    "set_max": Option(
        meanings={4: "four cards at most", None: "as many cards of the rank as there are"},
        rule="3.4",
        meaning="The most cards a set may hold; null is no limit.",
    ),
    "set_distinct_suits": Option(
        meanings={True: "no suit twice in a set", False: "the same card of two packs may lie in a set"},
        rule="3.3",
        meaning="Whether the cards of a set must be of different suits.",
    ),
    "ace_in_run": Option(
        meanings={
            "both": "A-2-3 and Q-K-A",
            "low": "A-2-3 only",
            "high": "Q-K-A only",
            "around": "A-2-3, Q-K-A and K-A-2",
        },
        rule="3.6",
        meaning="Whether an ace in a run stands below the two, above the king, either, or between the two.",
    ),
    "ace_two_king": Option(
        meanings={
            True: "a run may hold all thirteen cards of a suit",
            False: "a run with an ace and a two never holds the king",
        },
        rule="3.8",
        meaning="Whether a run that holds an ace and a two may reach the king.",
    ),
    "ace_value": Option(
        meanings={
            "by_place": "15 points, and 1 at the low end of a run",
            "always_15": "15 points everywhere",
            "always_1": "1 point everywhere",
        },
        rule="9.2",
        meaning="What an ace counts: 15 but 1 at the low end of a run, or the same everywhere.",
    ),
    "card_values": Option(
        meanings={
            "face": "twos to nines count their number",
            "five_point": "twos to nines count 5 points each",
        },
        rule="9.3",
        meaning="Whether twos to nines count their number, or five points each.",
    ),
    "queen_of_spades": Option(
        meanings={None: "10 points, as other queens", 40: "40 points"},
        rule="9.12",
        meaning="What the queen of spades counts; null is what other queens count.",
    ),
    "four_aces": Option(
        meanings={None: "the sum of the four aces", 100: "100 points"},
        rule="9.5",
        meaning="What four aces laid together count; null is the sum of the aces.",
    ),
    "four_aces_laid": Option(
        meanings={
            "at_once": "all four in one meld",
            "over_time": "all four by one player, also one after the other",
        },
        rule="9.5",
        meaning="Whether four aces count extra only if one player lays them at once, or also over time.",
    ),
    "lay_off_targets": Option(
        meanings={"any": "on every meld on the table", "own_side": "on the melds of your own side"},
        rule="4.5",
        meaning="Whether cards may be laid off on every meld or one's own side's.",
    ),
    "lay_off_after_meld": Option(
        meanings={
            False: "you may lay off from the first turn",
            True: "you lay off after your first meld of the deal",
        },
        rule="4.6",
        meaning="Whether a player may lay off only after laying a meld of their own in the deal.",
    ),
    "going_out": Option(
        meanings={
            "any": "your last card may be melded, laid off or discarded",
            "discard_required": "your last card must be discarded",
        },
        rule="6.3",
        meaning="Whether the last card may be melded or laid off, or must be discarded.",
    ),
    "floating": Option(
        meanings={False: "you keep a card to discard", True: "you may lay every card and wait without cards"},
        rule="6.4",
        meaning="Whether a player may meld every card and wait without cards; with discard_required only.",
    ),
    "going_out_bonus": Option(
        meanings={0: "no bonus", 25: "25 points"}, rule="9.9", meaning="Points for going out."
    ),
    "going_rummy": Option(
        meanings={
            "none": "nothing more",
            "double_bonus": "50 points in place of the bonus of 25",
            "double": "the points of the deal count twice",
            "bonus_10": "10 points more",
        },
        rule="9.10",
        meaning="What going out in one turn, with no card laid before it, earns.",
    ),
    "stock_empty": Option(
        meanings={
            "take_or_end": "a player takes a discard, or the deal ends",
            "reshuffle": "the discards are shuffled and become the stock",
            "flip": "the discards are turned over and become the stock",
            "end_at_once": "the deal ends with the last card of the stock",
            "play_on": "the deal goes on with discards, until all pass",
        },
        rule="7",
        meaning="What happens when the stock has run out.",
    ),
    "upcard_stays": Option(
        meanings={False: "all discards become the stock", True: "the newest discard stays on the pile"},
        rule="7.8",
        meaning="Whether the newest discard stays when the other discards become the stock.",
    ),
    "no_minus_at_stock_end": Option(
        meanings={False: "cards in hand are subtracted as always", True: "cards in hand are not counted"},
        rule="9.11",
        meaning="Whether cards in hand go uncounted when the deal ends on the stock.",
    ),
    "stock_end_score": Option(
        meanings={
            "none": "no player scores",
            "minus_hand": "all lose the points of their hand",
            "lowest_hand": "the lowest hand scores what the others have more",
        },
        rule="9.7",
        meaning="What winner_takes_hands gives at a stock end: nothing, minus each hand, or lowest wins.",
    ),
    "call_rummy": Option(
        meanings={
            "off": "no calls",
            "table_or_pile": "with cards of the table and the pile only",
            "any_meld": "with cards in hand, too",
        },
        rule="8",
        meaning="Whether others may call a missed discard, and whether cards in hand may join it.",
    ),
    "call_takes": Option(
        meanings={
            "card_and_above": "the card and all above it",
            "needed": "the cards that the use needs",
            "single_card": "the newest discard, to lay it off",
        },
        rule="8.4",
        meaning="What a caller takes: the card and all above, what the use needs, or a card to lay off.",
    ),
    "call_reach": Option(
        meanings={"any": "any discard of the pile", "newest": "the newest discard"},
        rule="8.2",
        meaning="Whether any discard may be called, or the newest only.",
    ),
    "scoring": Option(
        meanings={
            "table_minus_hand": "all score what they laid minus what they hold",
            "winner_takes_hands": "the player who goes out scores the hands of the others",
            "penalty": "the points in hand count against you, and the lowest total wins",
        },
        rule="9",
        meaning="Who scores what at the end of a deal.",
    ),
    "target": Option(numbers=(1, MAX_TARGET), rule="10.1", meaning="The total that ends the game."),
    "target_reached": Option(
        meanings={"deal_end": "at the end of the deal", "at_once": "as soon as cards that you lay reach it"},
        rule="10.1",
        meaning="Whether the target counts at the end of a deal, or at once when laid cards reach it.",
    ),
    "deals": Option(
        meanings={None: "deals are played until the target is reached"},
        numbers=(1, MAX_DEALS),
        rule="10.2",
        meaning="A fixed number of deals in place of the target; null plays to the target.",
    ),
    "tie": Option(
        meanings={
            "until_ahead": "further deals until one total is the best",
            "play_on": "further deals until one total is the best and at the target",
            "draw": "the game is a draw",
        },
        rule="10.3",
        meaning="Whether a tie is broken by the next lead, by the target again, or is a draw.",
    ),
    "must_go_out_to_win": Option(
        meanings={
            False: "the best total at the target wins",
            True: "a player wins in a deal in which they go out",
        },
        rule="10.4",
        meaning="Whether only a player who goes out can win the game.",
    ),
    "go_out_breaks_tie": Option(
        meanings={False: "the higher total wins", True: "the player who went out wins"},
        rule="10.5",
        meaning="Whether going out decides it among those who reach the target in one deal.",
    ),
    "teams": Option(
        meanings={"none": "everyone alone", "pairs": "partners sit opposite and have one total"},
        rule="1.8",
        meaning="Everyone alone, or partners opposite with one total.",
    ),
}
