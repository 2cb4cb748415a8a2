"""The best melds and lay-offs that a hand can lay this turn.

The search is exact for hands of a size that occurs in play. Beyond a number of steps it goes on greedily,
with the most valuable option that fits, so that a hand of fifty cards takes no longer.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from service.rummy.cards import PACK, Card
from service.rummy.state import Meld
from service.rummy.variants import Variant
from workers.bots.evaluation.meld_options import FIELD, GUARDS, MeldOption, OptionGenerator, total, unit

#: About 5 ms; hands of up to twenty cards need a tenth of it.
_MAX_STEPS: Final = 1500


@dataclass(frozen=True, slots=True, kw_only=True)
class MeldPlan:
    """What to lay this turn: the options, the points they score, and the hand that is left."""

    options: tuple[MeldOption, ...]
    points: int
    rest: tuple[Card, ...]


@dataclass(slots=True)
class _Search:
    """Finds the most valuable choice of options for a count of cards; memoizes every count."""

    options: Sequence[MeldOption]
    by_lowest: dict[int, list[MeldOption]] = field(default_factory=dict)
    known: dict[int, tuple[int, MeldOption | None]] = field(default_factory=dict)
    steps: int = 0

    def __post_init__(self) -> None:
        for option in self.options:
            self.by_lowest.setdefault(_lowest(option.count), []).append(option)

    def best(self, cards: int) -> int:
        """Return the highest value that options of these cards reach."""
        cards = self._without_useless(cards)
        if not cards:
            return 0
        if cards in self.known:
            return self.known[cards][0]
        self.steps += 1
        lowest = _lowest(cards)
        best: tuple[int, MeldOption | None] | None = None
        for option in self.by_lowest[lowest]:
            if fits(option, cards):
                value = option.value + self.best(cards - option.count)
                if best is None or value > best[0]:
                    best = (value, option)
                if self.steps > _MAX_STEPS:
                    break
        if best is None or self.steps <= _MAX_STEPS:
            value = self.best(cards - (1 << FIELD * lowest))
            if best is None or value > best[0]:
                best = (value, None)
        self.known[cards] = best
        return best[0]

    def chosen(self, cards: int) -> list[MeldOption]:
        """Return the options that reach the value of `best`."""
        options = []
        while cards := self._without_useless(cards):
            self.best(cards)
            option = self.known[cards][1]
            if option is None:
                cards -= 1 << FIELD * _lowest(cards)
            else:
                options.append(option)
                cards -= option.count
        return options

    def _without_useless(self, cards: int) -> int:
        """Return the cards without the lowest ones that begin no option."""
        while cards:
            lowest = _lowest(cards)
            if lowest in self.by_lowest:
                break
            cards &= ~(((1 << FIELD) - 1) << FIELD * lowest)
        return cards


def _lowest(cards: int) -> int:
    """Return the lowest non-empty field."""
    return ((cards & -cards).bit_length() - 1) // FIELD


def fits(option: MeldOption, cards: int) -> bool:
    """Return whether the cards include those of the option."""
    return ((cards | GUARDS) - option.count) & GUARDS == GUARDS


def best_meld_plan(
    hand: Sequence[Card],
    targets: Sequence[Meld],
    variant: Variant,
    *,
    owed: Card | None = None,
    melds_allowed: int | None = None,
) -> MeldPlan:
    """Return the most valuable plan; with a card that must be used, one that uses it if there is one.

    `melds_allowed` is how many new melds the turn still allows, None for any number.
    """
    options = OptionGenerator(hand, targets, variant).options()
    cards = total(hand)
    chosen = _choose(options, cards, owed, variant, melds_allowed)
    if not chosen and owed is not None:
        chosen = _choose(options, cards, None, variant, melds_allowed)
    if variant.going_out == "discard_required" and sum(option.count for option in chosen) == cards:
        # One card must be left to discard: take the best choice without one of them, if there is any.
        spared = [card for card in dict.fromkeys(hand) if card != owed or hand.count(card) > 1]
        choices = [_choose(options, cards - unit(card), owed, variant, melds_allowed) for card in spared]
        without = max(choices, key=_total_value, default=[])
        chosen = without if without or variant.must_keep_a_discard else chosen
    return MeldPlan(
        options=tuple(chosen),
        points=sum(option.points for option in chosen),
        rest=_cards_left(hand, chosen),
    )


def _choose(
    options: Sequence[MeldOption], cards: int, owed: Card | None, variant: Variant, melds_allowed: int | None
) -> list[MeldOption]:
    if melds_allowed is None:
        return _free_choice(_Search(options), options, cards, owed, variant)
    lay_offs = [option for option in options if option.meld_id is not None]
    search = _Search(lay_offs)
    choices = [_free_choice(search, lay_offs, cards, owed, variant)]
    if melds_allowed:
        for meld in options:
            if meld.meld_id is None and fits(meld, cards):
                still_owed = None if owed is None or _uses(meld, owed, variant) else owed
                rest = _free_choice(search, lay_offs, cards - meld.count, still_owed, variant)
                choices.append([meld, *rest])
    if owed is not None:
        choices = [choice for choice in choices if any(_uses(option, owed, variant) for option in choice)]
    return max(choices, key=_total_value, default=[])


def _free_choice(
    search: _Search, options: Sequence[MeldOption], cards: int, owed: Card | None, variant: Variant
) -> list[MeldOption]:
    """Return the most valuable options, one that uses the owed card among them."""
    if owed is None:
        return search.chosen(cards)
    best: tuple[int, MeldOption] | None = None
    for option in options:
        if _uses(option, owed, variant) and fits(option, cards):
            value = option.value + search.best(cards - option.count)
            if best is None or value > best[0]:
                best = (value, option)
    if best is None:
        return []
    return [best[1], *search.chosen(cards - best[1].count)]


def _uses(option: MeldOption, owed: Card, variant: Variant) -> bool:
    if option.meld_id is not None and variant.deepest_card_use == "new_meld_only":
        return False
    return bool(option.count & (((1 << FIELD) - 1) * unit(owed)))


def _total_value(options: Iterable[MeldOption]) -> int:
    return sum(option.value for option in options)


def _cards_left(hand: Sequence[Card], chosen: Iterable[MeldOption]) -> tuple[Card, ...]:
    cards = total(hand) - sum(option.count for option in chosen)
    left = []
    for card in hand:
        if cards & (((1 << FIELD) - 1) * unit(card)):
            cards -= unit(card)
            left.append(card)
    return tuple(left)


assert total(PACK) < GUARDS  # noqa: S101 - every card has a field below the jokers'
