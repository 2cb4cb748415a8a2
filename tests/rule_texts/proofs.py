"""A sentence of the rule texts, the test that would show it false, and faults that this test must notice.

    @states(
        "2.3",
        "To draw, take the top card of the stock.",
        Mutant("drawing", "card=deal.stock[0]", "card=deal.stock[-1]"),
    )
    def the_first_card_of_the_stock_is_drawn(case):
        deal = case.table(hands=["7H 9C"], pile="2C", stock="4C 5C")
        assert "4C" in deal.move(draw_stock()).hand(0)

The test runs for a selection of all games whose rules print the sentence: `case.table` and `case.dealt` set
up their variant. `{name}` in a sentence stands for what varies; `case.said["name"]` is what the game at hand
prints.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from service.rummy.presets import resolve
from service.rummy.state import Phase
from service.rummy.variants import Variant
from tests.support.tables import Table, close_window, dealt, table


@dataclass(frozen=True, slots=True)
class Mutant:
    """A fault of a rule: in service/rummy/`module`.py, `new` in place of `old`, which occurs there once."""

    module: str
    old: str
    new: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A game whose rules print a sentence; `said` is what it says where the sentence varies."""

    preset: str
    seats: int
    overrides: Mapping[str, Any]
    said: Mapping[str, str]

    @property
    def variant(self) -> Variant:
        return resolve(self.preset, self.overrides, seats=self.seats)

    def table(self, **position: Any) -> Table:
        """A game of this variant in a position; see tests.support.tables."""
        return table(preset=self.preset, seats=self.seats, **self.overrides, **position)

    def dealt(self, **how: Any) -> Table:
        """A new game of this variant."""
        return dealt(self.preset, seats=self.seats, **self.overrides, **how)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """A sentence with its test and its mutants."""

    rule: str
    sentence: str
    mutants: tuple[Mutant, ...]
    test: Callable[[Case], None]

    @property
    def name(self) -> str:
        return f"{self.rule} {self.sentence}"

    def reads(self, rule: str, sentence: str) -> dict[str, str] | None:
        """Return what a printed sentence says where this one varies; None if it is another sentence."""
        if rule != self.rule:
            return None
        pattern = re.sub(r"\\{(\w+)\\}", r"(?P<\1>.+)", re.escape(self.sentence))
        found = re.fullmatch(pattern, sentence)
        return None if found is None else found.groupdict()


PROOFS: Final[list[Proof]] = []


def states(rule: str, sentence: str, *mutants: Mutant) -> Callable[[Callable[[Case], None]], Any]:
    """Register a function as the test of a sentence; a test of several sentences is registered for each."""

    def register(test: Callable[[Case], None]) -> Callable[[Case], None]:
        PROOFS.append(Proof(rule=rule, sentence=sentence, mutants=mutants, test=test))
        return test

    return register


def calls_closed(deal: Table) -> Table:
    """Return the table after the call window, if a discard opened one."""
    return deal.move(close_window()) if deal.turn.phase is Phase.RUMMY_CALL else deal
