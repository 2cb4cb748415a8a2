"""Every sentence that the rules of a game or a preset can print, and the games that print it.

The games are all presets at every number of players; a seeded sample of combinations of options; and the
presets with one option changed, for every value of every option.
"""

import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final

from service.api.views.rule_book import RuleBook, preset_rule_book, variant_rule_book
from service.rummy.errors import VariantContradiction
from service.rummy.options import OPTIONS
from service.rummy.presets import PRESETS, resolve

#: Values of options that are numbers, where a sentence prints the number.
NUMBERS: Final[Mapping[str, tuple[int, ...]]] = {
    "hand_size": (5, 9),
    "first_dealer": (0, 1),
    "target": (100, 300),
    "deals": (2, 3),
}
#: Values that need others beside them, to be combined with every value of every option.
COMPANIONS: Final = (
    {"going_out": "discard_required"},
    {"going_out": "discard_required", "floating": True},
    {"four_aces": 100, "four_aces_laid": "over_time"},
    {"top_discard": "must_use", "deepest_card_use": "new_meld_only"},
    {"going_out_bonus": 25, "going_rummy": "double_bonus"},
    {"target_reached": "at_once"},
    {"stock_empty": "flip", "upcard_stays": True},
    {"stock_empty": "reshuffle", "upcard_stays": True},
    {"top_discard": "must_use", "taken_card_first": True},
    {"set_distinct_suits": False, "set_max": None},
)
COMBINATIONS: Final = 2500


@dataclass(frozen=True, slots=True)
class Printing:
    """A game, and the sentences of its rules: pairs of a rule number and a sentence."""

    preset: str
    seats: int
    overrides: Mapping[str, Any]
    sentences: tuple[tuple[str, str], ...]


def split(text: str) -> list[str]:
    """Return the sentences of a text."""
    return re.split(r"(?<=[.?]) (?=[A-Z\"])", text)


def sentences_of(book: RuleBook) -> tuple[tuple[str, str], ...]:
    """Return the sentences of a book with their rule numbers; the sentence of the preset has rule 12."""
    rules = (
        (rule.rule, one) for chapter in book.chapters for rule in chapter.rules for one in split(rule.text)
    )
    return tuple(chain(rules, (("12", one) for one in split(book.sentence))))


def printings() -> Iterator[Printing]:
    """Yield games with the sentences that they print, always the same ones, those with many options first."""
    for preset, seats in _tables():
        yield Printing(preset, seats, {}, sentences_of(preset_rule_book(preset)))
        yield from _games(preset, seats, [{}])
    chance = random.Random(500)
    tables = [*_tables()]
    for _ in range(COMBINATIONS):
        preset, seats = chance.choice(tables)
        options = chance.sample([*OPTIONS], chance.randint(3, 9))
        yield from _games(preset, seats, [{option: chance.choice(_values(option)) for option in options}])
    single = [{option: value} for option in OPTIONS for value in _values(option)]
    for preset, seats in tables:
        if (preset, seats) in {("classic", 2), ("jokers", 5), ("persian", 4)}:
            yield from _games(preset, seats, [{**other, **one} for other in COMPANIONS for one in single])
        if seats in {PRESETS[preset].players[0], 3, 4, 5}:
            yield from _games(preset, seats, single)


def _tables() -> Iterator[tuple[str, int]]:
    for name, preset in PRESETS.items():
        for seats in range(preset.players[0], preset.players[1] + 1):
            yield name, seats


def _values(option: str) -> tuple[Any, ...]:
    return (*OPTIONS[option].values, *NUMBERS.get(option, ()))


def _games(preset: str, seats: int, choices: list[dict[str, Any]]) -> Iterator[Printing]:
    for overrides in choices:
        try:
            variant = resolve(preset, overrides, seats=seats)
        except VariantContradiction:
            continue
        book = variant_rule_book(variant, seats=seats)
        # The sentence of a preset is about the preset, not about a game with other options.
        sentences = (
            sentences_of(book)
            if not overrides
            else tuple(one for one in sentences_of(book) if one[0] != "12")
        )
        yield Printing(preset, seats, overrides, sentences)
