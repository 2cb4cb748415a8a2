"""Chooses a legal move: well enough that games end, and otherwise at random.

Points are laid as soon as possible, so that totals rise. Everything else is random, because a client
that always plays the same way exercises few of the rules.
"""

import random
from collections.abc import Sequence
from typing import Final

from workers.tools.conformance.expected_scores import RANKS, points
from workers.tools.conformance.failures import Json

TAKE_PROBABILITY: Final = 0.7
KEEP_PROBABILITY: Final = 0.15
CALL_PROBABILITY: Final = 0.8
HOLD_BACK_PROBABILITY: Final = 0.1
DISCARD_HIGHEST_PROBABILITY: Final = 0.85
#: How far apart ranks of one suit may be in a run of three; an ace is also next to the king.
_NEAR: Final = frozenset({1, 2, len(RANKS) - 2, len(RANKS) - 1})


def choose(moves: Sequence[Json], view: Json, dice: random.Random) -> Json:
    """Return one of the moves; there must be one."""
    by_type: dict[str, list[Json]] = {}
    for move in moves:
        by_type.setdefault(move["type"], []).append(move)
    match view["phase"]:
        case "draw":
            return _draw(by_type, view, dice)
        case "meld":
            return _lay_or_end(by_type, view, dice)
        case "rummy_call":
            calls = by_type.get("call_rummy", [])
            wanted = calls and dice.random() < CALL_PROBABILITY
            return dice.choice(calls if wanted else by_type.get("pass", calls))
        case _:
            return dice.choice(list(moves))


def _draw(by_type: dict[str, list[Json]], view: Json, dice: random.Random) -> Json:
    takes = by_type.get("take_discard", [])
    others = by_type.get("draw_stock", []) + by_type.get("pass", [])
    # A card that may be kept brings no points: taking it often would go on forever.
    options = view["variant"]["options"]
    newest = len(view["discard_pile"]) - 1
    keeps = [move for move in takes if move["body"].get("position") == newest]
    keepable = options["top_discard"] == "may_keep" and len(takes) == len(keeps)
    if takes and (not others or dice.random() < (KEEP_PROBABILITY if keepable else TAKE_PROBABILITY)):
        return dice.choice(takes)
    return dice.choice(others)


def _lay_or_end(by_type: dict[str, list[Json]], view: Json, dice: random.Random) -> Json:
    lays = by_type.get("meld", []) + by_type.get("lay_off", [])
    ends = by_type.get("discard", []) + by_type.get("keep", [])
    if lays and (not ends or dice.random() >= HOLD_BACK_PROBABILITY):
        worth = [_worth(move["body"], view) for move in lays]
        best = max(worth)
        return dice.choice([move for move, each in zip(lays, worth, strict=True) if each == best])
    discards = by_type.get("discard", [])
    if discards and dice.random() < DISCARD_HIGHEST_PROBABILITY:
        return max(discards, key=lambda move: _discard_value(move["body"]["card"], view))
    return dice.choice(ends)


def _worth(body: Json, view: Json) -> int:
    options = view["variant"]["options"]
    return sum(points(card, options) for card in body.get("cards", [body.get("card")]))


def _discard_value(card: str, view: Json) -> int:
    """Return how good a discard a card is: its points, much less for one that may still meld."""
    worth = points(card, view["variant"]["options"])
    return worth - 10 * sum(_may_meld(card, held) for held in view["you"]["hand"])


def _may_meld(card: str, other: str) -> bool:
    """Return whether a third card can make a meld of two, ace high or low; a joker fits any card."""
    if card == other or "X" in card + other:
        return card != other
    apart = abs(RANKS.index(card[0]) - RANKS.index(other[0]))
    return apart == 0 or (card[1] == other[1] and apart in _NEAR)
