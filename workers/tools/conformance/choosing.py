"""Which of the lawful moves to make: well enough that games end, and otherwise by seeded chance.

Points are tabled as soon as they can be, so that totals rise. Everything else is
thrown about, because a client that always plays alike tries few of the rules.
"""

import random
from collections.abc import Sequence
from typing import Final

from workers.tools.conformance.faults import Json
from workers.tools.conformance.scoring import RANKS, points

TAKE_OFTEN: Final = 0.7
KEEP_SELDOM: Final = 0.15
CALL_OFTEN: Final = 0.8
HOLD_BACK: Final = 0.1
THROW_DEAREST: Final = 0.85
#: How far ranks of one suit may be apart in a run of three; an ace stands beside the king as well.
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
            return _table_or_end(by_type, view, dice)
        case "rummy_call":
            calls = by_type.get("call_rummy", [])
            wanted = calls and dice.random() < CALL_OFTEN
            return dice.choice(calls if wanted else by_type.get("pass", calls))
        case _:
            return dice.choice(list(moves))


def _draw(by_type: dict[str, list[Json]], view: Json, dice: random.Random) -> Json:
    takes = by_type.get("take_discard", [])
    others = by_type.get("draw_stock", []) + by_type.get("pass", [])
    # A card that may be kept brings no points: taken too often, it would go round and round.
    options = view["variant"]["options"]
    newest = len(view["discard_pile"]) - 1
    keeps = [move for move in takes if move["body"].get("position") == newest]
    keepable = options["top_discard"] == "may_keep" and len(takes) == len(keeps)
    if takes and (not others or dice.random() < (KEEP_SELDOM if keepable else TAKE_OFTEN)):
        return dice.choice(takes)
    return dice.choice(others)


def _table_or_end(by_type: dict[str, list[Json]], view: Json, dice: random.Random) -> Json:
    tabled = by_type.get("meld", []) + by_type.get("lay_off", [])
    ends = by_type.get("discard", []) + by_type.get("keep", [])
    if tabled and (not ends or dice.random() >= HOLD_BACK):
        worth = [_worth(move["body"], view) for move in tabled]
        best = max(worth)
        return dice.choice([move for move, each in zip(tabled, worth, strict=True) if each == best])
    throws = by_type.get("discard", [])
    if throws and dice.random() < THROW_DEAREST:
        return max(throws, key=lambda move: _cost(move["body"]["card"], view))
    return dice.choice(ends)


def _worth(body: Json, view: Json) -> int:
    options = view["variant"]["options"]
    return sum(points(card, options) for card in body.get("cards", [body.get("card")]))


def _cost(card: str, view: Json) -> int:
    """Return how gladly a card is thrown: what it counts, and much less for one that may yet meld."""
    worth = points(card, view["variant"]["options"])
    return worth - 10 * sum(_are_mates(card, held) for held in view["you"]["hand"])


def _are_mates(card: str, other: str) -> bool:
    """Tell whether two cards may go into one meld with a third, ace high and low; a joker goes with all."""
    if card == other or "X" in card + other:
        return card != other
    apart = abs(RANKS.index(card[0]) - RANKS.index(other[0]))
    return apart == 0 or (card[1] == other[1] and apart in _NEAR)
