"""Presets: named variants, each with the rules of one source (RULES 12)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from service.rummy.errors import VariantContradiction
from service.rummy.options import MAX_SEATS, OPTIONS, json_text
from service.rummy.sentences import Sentence
from service.rummy.variants import Variant, check

#: From this number of players on, `packs: auto` is two packs (RULES 1.2).
TWO_PACKS_FROM: Final = 5

_THIRTEEN_OR_SEVEN: Final = {2: 13} | dict.fromkeys(range(3, MAX_SEATS + 1), 7)
_TEN_SEVEN_SIX: Final = {2: 10, 3: 7, 4: 7, 5: 6, 6: 6}


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """A named variant.

    `players` is the minimum and maximum number of seats; `hand_sizes` is what
    `hand_size: auto` means for each. `implies` maps an option and a value chosen by a
    player to other options that change with it, unless the player sets those too.
    """

    name: str
    title: str
    sentence: str
    source: str
    players: tuple[int, int]
    hand_sizes: Mapping[int, int]
    options: Mapping[str, Any]
    implies: Mapping[tuple[str, object], Mapping[str, Any]] = field(default_factory=dict)


_CLASSIC: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "packs": "auto",
        "jokers_per_pack": 0,
        "hand_size": "auto",
        "first_dealer": "low_card",
        "deep_draw": True,
        "top_discard": "must_use",
        "same_card_back": "forbidden",
        "deepest_card_use": "meld_or_lay_off",
        "taken_card_first": False,
        "melds_per_turn": None,
        "set_max": 4,
        "set_distinct_suits": True,
        "ace_in_run": "both",
        "ace_two_king": True,
        "ace_value": "by_place",
        "card_values": "face",
        "queen_of_spades": None,
        "four_aces": None,
        "four_aces_laid": "at_once",
        "lay_off_targets": "any",
        "lay_off_after_meld": False,
        "going_out": "any",
        "floating": False,
        "going_out_bonus": 0,
        "going_rummy": "none",
        "stock_empty": "take_or_end",
        "upcard_stays": False,
        "no_minus_at_stock_end": False,
        "stock_end_score": "none",
        "call_rummy": "off",
        "call_takes": "card_and_above",
        "call_reach": "any",
        "scoring": "table_minus_hand",
        "target": 500,
        "target_reached": "deal_end",
        "deals": None,
        "tie": "until_ahead",
        "must_go_out_to_win": False,
        "go_out_breaks_tie": False,
        "teams": "none",
    }
)
_CARDCOUCH: Final = {**_CLASSIC, "packs": 1, "first_dealer": 1, "ace_two_king": False, "tie": "draw"}
_BASIC_RUMMY: Final = {
    **_CLASSIC,
    "packs": 1,
    "first_dealer": "random",
    "deep_draw": False,
    "top_discard": "may_keep",
    "melds_per_turn": 1,
    "ace_in_run": "low",
    "ace_value": "always_1",
    "going_rummy": "double",
    "stock_empty": "flip",
    "scoring": "winner_takes_hands",
    "target": 100,
}
#: 003: aces count 15 at tables that play them high.
_HIGH_ACES: Final[Mapping[tuple[str, object], Mapping[str, Any]]] = {
    ("ace_in_run", "high"): {"ace_value": "always_15"}
}

PRESETS: Final[Mapping[str, Preset]] = {
    preset.name: preset
    for preset in (
        Preset(
            name="cardcouch",
            title="Head to head",
            sentence="Two players, thirteen cards each; the deepest card taken must be used at once.",
            source="000",
            players=(2, 2),
            hand_sizes={2: 13},
            options=_CARDCOUCH,
        ),
        Preset(
            name="cardcouch-table",
            title="Head to head for more",
            sentence="The head-to-head rules for three to eight players, with seven cards each.",
            source="000",
            players=(3, MAX_SEATS),
            hand_sizes=dict.fromkeys(range(3, MAX_SEATS + 1), 7),
            options={**_CARDCOUCH, "packs": "auto", "first_dealer": "low_card"},
        ),
        Preset(
            name="classic",
            title="Rummy 500",
            sentence="The standard game for two to eight: take any discard and use it at once; play to 500.",
            source="001",
            players=(2, MAX_SEATS),
            hand_sizes=_THIRTEEN_OR_SEVEN,
            options=_CLASSIC,
        ),
        Preset(
            name="ace-low",
            title="Low aces",
            sentence="Aces are low in runs, the highest card deals first; a missed discard may be called.",
            source="002",
            players=(2, MAX_SEATS),
            hand_sizes=_THIRTEEN_OR_SEVEN,
            options={**_CLASSIC, "first_dealer": "high_card", "ace_in_run": "low", "call_rummy": "any_meld"},
        ),
        Preset(
            name="jokers",
            title="With jokers",
            sentence="Two jokers in each pack; the top discard may be kept, and a missed discard called.",
            source="003",
            players=(2, MAX_SEATS),
            hand_sizes=_THIRTEEN_OR_SEVEN,
            options={
                **_CLASSIC,
                "jokers_per_pack": 2,
                "first_dealer": "random",
                "top_discard": "may_keep",
                "stock_empty": "flip",
                "call_rummy": "any_meld",
            },
        ),
        Preset(
            name="basic-rummy",
            title="Basic Rummy",
            sentence="One meld a turn; only the top discard may be taken; going out scores the other hands.",
            source="003",
            players=(2, 6),
            hand_sizes=_TEN_SEVEN_SIX,
            options=_BASIC_RUMMY,
            implies=_HIGH_ACES,
        ),
        Preset(
            name="block-rummy",
            title="Block Rummy",
            sentence="Basic Rummy without a second stock: when it runs out, everyone counts their cards.",
            source="003",
            players=(2, 6),
            hand_sizes=_TEN_SEVEN_SIX,
            options={**_BASIC_RUMMY, "stock_empty": "end_at_once", "stock_end_score": "lowest_hand"},
            implies=_HIGH_ACES,
        ),
        Preset(
            name="penalty-rummy",
            title="Penalty Rummy",
            sentence="Basic Rummy for few points: everyone adds their own hand, and the lowest total wins.",
            source="003",
            players=(2, 6),
            hand_sizes=_TEN_SEVEN_SIX,
            options={**_BASIC_RUMMY, "going_rummy": "none", "scoring": "penalty"},
            implies=_HIGH_ACES,
        ),
        Preset(
            name="kitchen-table",
            title="Kitchen table",
            sentence="Sets of any suits; the top discard may be kept; play goes on when the stock is empty.",
            source="004",
            players=(2, MAX_SEATS),
            hand_sizes=_THIRTEEN_OR_SEVEN,
            options={
                **_CLASSIC,
                "first_dealer": "random",
                "top_discard": "may_keep",
                "same_card_back": "allowed",
                "set_max": None,
                "set_distinct_suits": False,
                "stock_empty": "play_on",
            },
        ),
        Preset(
            name="partnership",
            title="Partners",
            sentence="The standard game for four in pairs: partners sit opposite and share one total.",
            source="001",
            players=(4, 4),
            hand_sizes={4: 7},
            options={**_CLASSIC, "teams": "pairs"},
        ),
        Preset(
            name="persian",
            title="Persian Rummy",
            sentence="Pairs with two jokers; lay off on your own side only; four aces at once count 100.",
            source="000",
            players=(4, 4),
            hand_sizes={4: 7},
            options={
                **_CARDCOUCH,
                "first_dealer": "low_card",
                "jokers_per_pack": 2,
                "teams": "pairs",
                "lay_off_targets": "own_side",
                "four_aces": 100,
            },
        ),
    )
}


def check_options(variant: Variant, options: Mapping[str, Any]) -> None:
    """Raise VariantContradiction unless these option values are those of the variant."""
    played = variant.options()
    for name, value in options.items():
        if value != played[name]:
            raise VariantContradiction(
                name,
                f"options has {json_text(value)}, but preset and overrides give {json_text(played[name])}. "
                "To change it, change overrides.",
            )


def resolve(preset: str, overrides: Mapping[str, Any], *, seats: int, is_agreed: bool = False) -> Variant:
    """Return the variant of a preset with overrides, for a number of seats.

    Raises VariantContradiction, naming the option, for an unknown preset, option or
    value, for options that exclude each other, and for a choice without effect. The
    variant of a game that exists already `is_agreed`: an older release may have accepted
    a choice without effect, and it does no harm.
    """
    base = PRESETS.get(preset)
    if base is None:
        raise VariantContradiction(
            "preset", f"There is no preset {preset!r}; the presets are {', '.join(PRESETS)}."
        )
    for name, value in overrides.items():
        _check_override(name, value)
    min_seats, max_seats = base.players
    if not min_seats <= seats <= max_seats:
        players = f"{min_seats}" if min_seats == max_seats else f"{min_seats} to {max_seats}"
        raise VariantContradiction(
            "seats",
            Sentence("preset_players", "{preset} is for {players} players.", preset=preset, players=players),
        )
    options = dict(base.options)
    for name, value in overrides.items():
        options.update(base.implies.get((name, value), {}))
    options.update(overrides)
    if options["packs"] == "auto":
        options["packs"] = 2 if seats >= TWO_PACKS_FROM else 1
    if options["hand_size"] == "auto":
        options["hand_size"] = base.hand_sizes[seats]
    variant = Variant(name=preset, **options)
    check(variant, seats=seats, chosen=frozenset() if is_agreed else frozenset(overrides))
    return variant


def overrides_of(variant: Variant, *, seats: int) -> dict[str, Any]:
    """Return the overrides that make the variant from its preset."""
    options = variant.options()
    usual = resolve(variant.name, {}, seats=seats).options()
    overrides = {name: value for name, value in options.items() if value != usual[name]}
    # An override may imply another option; if the variant differs there, override that one too.
    implied = resolve(variant.name, overrides, seats=seats, is_agreed=True).options()
    return overrides | {name: value for name, value in options.items() if value != implied[name]}


def _check_override(name: str, value: object) -> None:
    option = OPTIONS.get(name)
    if option is None:
        raise VariantContradiction(
            name, f"There is no option {name!r}; the options are {', '.join(OPTIONS)}."
        )
    if not option.allows(value):
        raise VariantContradiction(name, f"{name} must be {option.allowed()}.")
