"""A variant: the value of every option of the rules.

`OPTIONS` (in options.py) holds the values each may take; `resolve` (in presets.py) turns
a preset and overrides into a checked `Variant`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final, Literal

from service.rummy.errors import VariantContradiction
from service.rummy.options import MAX_SEATS, MIN_SEATS, OPTIONS
from service.rummy.sentences import Sentence

QUIET_TURNS_PER_CARD: Final = 3

Teams = Literal["none", "pairs"]
StockEmpty = Literal["take_or_end", "reshuffle", "flip", "end_at_once", "play_on"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """The rules of one game: a value for every option.

    `packs` and `hand_size` are numbers here: `auto` is resolved for the number of seats.
    `name` is the preset it was made from; the rules do not read it.
    """

    name: str
    packs: int
    jokers_per_pack: int
    hand_size: int
    first_dealer: str | int
    deep_draw: bool
    top_discard: str
    same_card_back: str
    deepest_card_use: str
    taken_card_first: bool = False
    melds_per_turn: int | None
    set_max: int | None
    set_distinct_suits: bool
    ace_in_run: str
    ace_two_king: bool
    ace_value: str
    card_values: str
    queen_of_spades: int | None = None
    four_aces: int | None
    four_aces_laid: str = "at_once"
    lay_off_targets: str
    lay_off_after_meld: bool = False
    going_out: str
    floating: bool
    going_out_bonus: int
    going_rummy: str
    stock_empty: StockEmpty
    upcard_stays: bool = False
    no_minus_at_stock_end: bool
    stock_end_score: str = "none"
    call_rummy: str
    call_takes: str
    call_reach: str = "any"
    scoring: str
    target: int
    target_reached: str = "deal_end"
    deals: int | None
    tie: str
    must_go_out_to_win: bool
    go_out_breaks_tie: bool
    teams: Teams

    def options(self) -> dict[str, Any]:
        """Return every option by name, in the order of `OPTIONS`."""
        return {name: getattr(self, name) for name in OPTIONS}

    @property
    def pack_size(self) -> int:
        """The number of cards in all packs, with jokers."""
        return self.packs * (52 + self.jokers_per_pack)

    @property
    def must_keep_a_discard(self) -> bool:
        """Return whether only a discard may empty a hand (RULES 6.3)."""
        return self.going_out == "discard_required" and not self.floating

    @property
    def quiet_turn_limit(self) -> int:
        """The number of turns in a row without progress that end a deal (RULES 7.7)."""
        return QUIET_TURNS_PER_CARD * self.pack_size

    @property
    def lay_off_settles(self) -> bool:
        """Return whether laying off a card that must be used is enough (RULES 2.10)."""
        return self.deepest_card_use != "new_meld_only"

    def owes_deepest(self, taken: int) -> bool:
        """Return whether the deepest of `taken` cards must be used (RULES 2.5, 2.8, 2.10)."""
        return self.top_discard == "must_use" if taken == 1 else self.deepest_card_use != "free"

    @property
    def renews_stock(self) -> bool:
        """Return whether the discard pile becomes the stock when the stock is empty (RULES 7.2, 7.3)."""
        return self.stock_empty in ("reshuffle", "flip")

    @property
    def hands_join_calls(self) -> bool:
        """Return whether cards in hand may join a call, so that hidden cards decide what can be called."""
        return self.call_rummy == "any_meld" and self.call_takes != "single_card"

    @property
    def call_beats_take(self) -> bool:
        """Return whether the next player can call a card that they could not take in their turn.

        A call uses its card at once, so it is a take that some option refuses: the take of a
        card below the newest (RULES 2.11), of one that would be laid off (RULES 2.10), or
        without the cards above that the use does not need (RULES 8.4).
        """
        deeper = self.calls_reach_deeper
        lays_off_only = self.deepest_card_use == "new_meld_only" and (
            deeper or self.top_discard == "must_use"
        )
        return lays_off_only or (deeper and (not self.deep_draw or self.call_takes == "needed"))

    @property
    def calls_reach_deeper(self) -> bool:
        """Return whether discards below the newest may be called (RULES 8.2, 8.4)."""
        return self.call_reach == "any" and self.call_takes != "single_card"

    def side(self, seat: int) -> int:
        """Return the side a seat scores for: its team with pairs, else the seat itself."""
        return seat % 2 if self.teams == "pairs" else seat

    def sides(self, seats: int) -> int:
        """Return the number of sides, each with one total."""
        return 2 if self.teams == "pairs" else seats


@dataclass(frozen=True, slots=True, kw_only=True)
class Clash:
    """Options that exclude each other, or of which one makes another meaningless.

    `when` holds option values that are refused together. `option` is the option named in
    the refusal. A clash with `only_if_chosen` is refused only where the player chose that
    option: a preset's default may be without effect beside another option, but a choice
    of the player is never ignored.
    """

    option: str
    when: Mapping[str, Sequence[object]]
    because: str
    only_if_chosen: bool = False


_ON = (True,)
_AT_ONCE = ("at_once",)
_COUNTS_NO_TABLE = ("winner_takes_hands", "penalty")

CLASHES: Final[tuple[Clash, ...]] = (
    Clash(
        option="floating",
        when={"floating": _ON, "going_out": ("any",)},
        because="floating needs going_out: discard_required.",
    ),
    Clash(
        option="same_card_back",
        when={"same_card_back": ("allowed",), "top_discard": ("must_use",)},
        because="a top discard that must be used is never discarded; set top_discard: may_keep.",
        only_if_chosen=True,
    ),
    Clash(
        option="deepest_card_use",
        when={"deepest_card_use": ("new_meld_only",), "deep_draw": (False,), "top_discard": ("may_keep",)},
        because="only the top discard can be taken and it may be kept, so no card must be used.",
    ),
    Clash(
        option="deepest_card_use",
        when={"deepest_card_use": ("free",), "deep_draw": (False,)},
        because="only the top discard can be taken; set top_discard: may_keep, or deep_draw: true.",
    ),
    Clash(
        option="taken_card_first",
        when={"taken_card_first": _ON, "deep_draw": (False,), "top_discard": ("may_keep",)},
        because="only the top discard can be taken and it may be kept, so no card must be used.",
    ),
    Clash(
        option="taken_card_first",
        when={"taken_card_first": _ON, "deepest_card_use": ("free",), "top_discard": ("may_keep",)},
        because="no card that is taken must be used.",
    ),
    Clash(
        option="ace_two_king",
        when={"ace_two_king": (False,), "ace_in_run": ("around",)},
        because="a run that goes round the corner holds king, ace and two; set ace_in_run to another value.",
        only_if_chosen=True,
    ),
    Clash(
        option="call_takes",
        when={"call_takes": ("single_card", "needed"), "call_rummy": ("off",)},
        because="no player may call; set call_rummy too.",
    ),
    Clash(
        option="call_reach",
        when={"call_reach": ("newest",), "call_rummy": ("off",)},
        because="no player may call; set call_rummy too.",
    ),
    Clash(
        option="call_reach",
        when={"call_reach": ("any",), "call_takes": ("single_card",)},
        because="call_takes: single_card calls the top discard only.",
        only_if_chosen=True,
    ),
    Clash(
        option="call_takes",
        when={"call_takes": ("needed",), "call_reach": ("newest",)},
        because="there is nothing above the top discard; set call_reach: any.",
    ),
    Clash(
        option="going_rummy",
        when={"going_rummy": ("double_bonus",), "going_out_bonus": (0,)},
        because="there is no bonus to double; set going_out_bonus: 25.",
    ),
    Clash(
        option="going_out_bonus",
        when={"going_out_bonus": (25,), "scoring": ("penalty",)},
        because="penalty scoring counts only what is left in hand.",
        only_if_chosen=True,
    ),
    Clash(
        option="upcard_stays",
        when={"upcard_stays": _ON, "stock_empty": ("take_or_end", "end_at_once", "play_on")},
        because="the discard pile does not become the stock; set stock_empty: reshuffle or flip.",
    ),
    Clash(
        option="no_minus_at_stock_end",
        when={"no_minus_at_stock_end": _ON, "scoring": _COUNTS_NO_TABLE},
        because="it needs scoring: table_minus_hand.",
        only_if_chosen=True,
    ),
    Clash(
        option="stock_end_score",
        when={"stock_end_score": ("minus_hand", "lowest_hand"), "scoring": ("table_minus_hand", "penalty")},
        because="it needs scoring: winner_takes_hands.",
        only_if_chosen=True,
    ),
    Clash(
        option="four_aces",
        when={"four_aces": (100,), "scoring": _COUNTS_NO_TABLE},
        because="cards on the table count only with scoring: table_minus_hand.",
        only_if_chosen=True,
    ),
    Clash(
        option="four_aces_laid",
        when={"four_aces_laid": ("over_time",), "four_aces": (None,)},
        because="four aces count nothing extra; set four_aces: 100.",
    ),
    Clash(
        option="four_aces_laid",
        when={"four_aces_laid": ("over_time",), "scoring": _COUNTS_NO_TABLE},
        because="cards on the table count only with scoring: table_minus_hand.",
        only_if_chosen=True,
    ),
    Clash(
        option="must_go_out_to_win",
        when={"must_go_out_to_win": _ON, "scoring": ("penalty",)},
        because="under penalty scoring the lowest total wins when a player reaches the target.",
    ),
    Clash(
        option="go_out_breaks_tie",
        when={"go_out_breaks_tie": _ON, "scoring": ("penalty",)},
        because="under penalty scoring the lowest total wins when a player reaches the target.",
    ),
    Clash(
        option="target_reached",
        when={"target_reached": _AT_ONCE, "scoring": _COUNTS_NO_TABLE},
        because="cards are written when they are laid only with scoring: table_minus_hand.",
    ),
    Clash(
        option="target_reached",
        when={"target_reached": _AT_ONCE, "must_go_out_to_win": _ON},
        because="with must_go_out_to_win only the player who goes out can win.",
    ),
    Clash(
        option="go_out_breaks_tie",
        when={"go_out_breaks_tie": _ON, "target_reached": _AT_ONCE},
        because="with target_reached: at_once only one side can reach the target.",
    ),
    Clash(
        option="tie",
        when={"tie": ("until_ahead", "play_on", "draw"), "target_reached": _AT_ONCE},
        because="with target_reached: at_once only one side can reach the target, so there is no tie.",
        only_if_chosen=True,
    ),
    Clash(
        option="tie",
        when={"tie": ("until_ahead", "draw"), "must_go_out_to_win": _ON},
        because="with must_go_out_to_win only one side can win, so there is no tie.",
        only_if_chosen=True,
    ),
)
#: Options without effect between two players where a call does no more than a take.
_CALL_OPTIONS: Final = ("call_rummy", "call_takes", "call_reach")
_NEEDS_TARGET: Final[Mapping[str, object]] = {
    "must_go_out_to_win": True,
    "go_out_breaks_tie": True,
    "target_reached": "at_once",
}


def check(variant: Variant, *, seats: int, chosen: frozenset[str] = frozenset()) -> None:
    """Raise VariantContradiction unless the options make a playable game for the seats.

    `chosen` names the options that a player set: each must have an effect beside the
    others.
    """
    for name, option in OPTIONS.items():
        if not option.allows(getattr(variant, name)):
            raise VariantContradiction(name, f"{name} must be {option.allowed()}.")
    if not MIN_SEATS <= seats <= MAX_SEATS:
        raise VariantContradiction(
            "seats",
            Sentence(
                "too_many_or_few_seats",
                "Rummy 500 is for {least} to {most} players.",
                least=MIN_SEATS,
                most=MAX_SEATS,
            ),
        )
    for clash in CLASHES:
        if clash.only_if_chosen and clash.option not in chosen:
            continue
        if all(getattr(variant, name) in values for name, values in clash.when.items()):
            raise VariantContradiction(
                clash.option,
                Sentence(
                    "option_does_not_fit",
                    "{option} does not fit: {because}",
                    option=clash.option,
                    because=clash.because,
                ),
            )
    if variant.deals is not None:
        _check_fixed_deals(variant, chosen)
    _check_calls(variant, seats, chosen)
    if variant.teams == "pairs" and seats != 4:  # noqa: PLR2004 - two pairs
        raise VariantContradiction("teams", "teams: pairs needs exactly four seats.")
    if isinstance(variant.first_dealer, int) and variant.first_dealer >= seats:
        raise VariantContradiction(
            "first_dealer",
            Sentence(
                "first_dealer_out_of_range",
                "There is no seat {first_dealer}; seats count from 0.",
                first_dealer=variant.first_dealer,
            ),
        )
    _check_cards(variant, seats, chosen)


def _check_fixed_deals(variant: Variant, chosen: frozenset[str]) -> None:
    if "target" in chosen:
        raise VariantContradiction(
            "target", "A fixed number of deals replaces the target: give deals or target."
        )
    for name, value in _NEEDS_TARGET.items():
        if getattr(variant, name) == value:
            raise VariantContradiction(
                name,
                Sentence(
                    "needs_target",
                    "{option} needs a target; with a fixed number of deals the best total wins.",
                    option=name,
                ),
            )


def _check_calls(variant: Variant, seats: int, chosen: frozenset[str]) -> None:
    """Refuse chosen calls between two players where a call does no more than a take (RULES 8.3)."""
    if seats > MIN_SEATS or variant.call_rummy == "off" or variant.call_beats_take:
        return
    for name in _CALL_OPTIONS:
        if name in chosen:
            raise VariantContradiction(
                name,
                Sentence(
                    "no_effect_with_two",
                    "{option} has no effect with two players: the other one draws next and may take all "
                    "that they could call. Leave {option} out, or make takes stricter with deep_draw: false.",
                    option=name,
                ),
            )


def _check_cards(variant: Variant, seats: int, chosen: frozenset[str]) -> None:
    # One upcard and at least one stock card must be left after the deal.
    needed = seats * variant.hand_size + 2
    if needed > variant.pack_size:
        option = "packs" if "packs" in chosen and "hand_size" not in chosen else "hand_size"
        raise VariantContradiction(
            option,
            Sentence(
                "pack_too_small",
                "{seats} hands of {hand_size}, an upcard and a stock need {needed} cards; the game has "
                "{pack_size}.",
                seats=seats,
                hand_size=variant.hand_size,
                needed=needed,
                pack_size=variant.pack_size,
            ),
        )


assert set(OPTIONS) == {field.name for field in fields(Variant)} - {"name"}  # noqa: S101 - one table, one class
