"""The reference policies, a few lines each: how they draw, what they lay, what they discard."""

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Final

from service.rummy.cards import ORDER, RANK, Card
from service.rummy.melds import can_lay_off
from service.rummy.moves import LayMeld, LayOff, TakeDiscard
from service.rummy.possible_melds import possible_melds
from workers.bots.bot import Bot
from workers.bots.evaluation.melding import MeldPlan, best_meld_plan
from workers.bots.reference.framework import (
    AnyMove,
    ReferencePlayer,
    ReferencePolicy,
    Situation,
    are_neighbours,
    count_links,
    count_own_links,
    is_set,
    table_value,
)

#: `deadwood` takes no more cards than this.
_MAX_DEADWOOD_DEPTH: Final = 5
_MAX_ONE_MELD_SIZE: Final = 5
_SMALLEST: Final = 3
#: What each link counts against discarding a card (srs-d, peeker).
_OWN_LINK: Final = 4
_PILE_LINK: Final = 4
_REAL_LINK: Final = 5
#: A card that opponents could lay off counts as two links.
_COULD_BE_LAID_OFF: Final = 2


# --- Drawing --------------------------------------------------------------------------------------


def _from_stock(_: Situation) -> None:
    """Never take from the pile."""


def _first_depth_with_a_meld(situation: Situation) -> TakeDiscard | None:
    """Take the fewest cards that give the hand any meld; if that take is illegal, none."""
    for depth in range(1, len(situation.view.discard_pile) + 1):
        if next(possible_melds(situation.pool(depth), situation.variant), None) is not None:
            return situation.takes.get(depth)
    return None


def _first_take_that_melds(situation: Situation) -> TakeDiscard | None:
    """Take the fewest cards of which the deepest melds."""
    return next((take for depth, take in situation.takes.items() if _melds(take, depth, situation)), None)


def _deepest_take_that_melds(situation: Situation) -> TakeDiscard | None:
    """Take down to the deepest card that melds with the hand and the cards above it."""
    deepest_first = reversed(situation.takes.items())
    return next((take for depth, take in deepest_first if _melds(take, depth, situation)), None)


def _melds(take: TakeDiscard, depth: int, situation: Situation) -> bool:
    """Return whether the deepest card melds with the hand and the cards above it."""
    return (
        next(possible_melds(situation.pool(depth), situation.variant, with_card=take.card), None) is not None
    )


def _best_of_five_depths(situation: Situation) -> TakeDiscard | None:
    """Take the depth with the most meld points less deadwood, if that is more than now."""
    best, best_value = None, _melds_less_deadwood(situation.hand, situation)
    for depth, take in situation.takes.items():
        value = _melds_less_deadwood(situation.pool(depth), situation)
        if depth <= _MAX_DEADWOOD_DEPTH and value > best_value:
            best, best_value = take, value
    return best


def _upcard_if_usable_now(situation: Situation) -> TakeDiscard | None:
    """Take the upcard alone, if it melds or can be laid off."""
    take = situation.takes.get(1)
    if take is None:
        return None
    fits = any(can_lay_off(take.card, meld, situation.variant) for meld in situation.view.melds)
    return take if fits or _melds(take, 1, situation) else None


# --- Laying ---------------------------------------------------------------------------------------


def _lay_nothing(_: Situation) -> None:
    """Never lay anything."""


def _one_meld_then_lay_offs(situation: Situation) -> LayMeld | LayOff | None:
    """Lay the meld with most points, of at most five cards, one a turn; then lay off all that fits."""
    small = [meld for meld in situation.melds if len(meld.cards) <= _MAX_ONE_MELD_SIZE]
    if small and not situation.melds_laid:
        return max(small, key=lambda meld: (situation.owed in meld.cards, table_value(meld, situation)))
    return next(iter(situation.lay_offs), None)


def _sets_then_runs(situation: Situation) -> LayMeld | None:
    """Lay the largest set, else the largest run, as long as a card stays in hand."""
    melds = [meld for meld in situation.melds if len(meld.cards) < len(situation.hand)]
    return max(melds, key=lambda meld: (is_set(meld), len(meld.cards)), default=None)


def _first_melds_and_one_pass(situation: Situation) -> LayMeld | LayOff | None:
    """Lay the first melds there are, then go over the hand once for lay-offs."""
    if situation.melds:
        return situation.melds[0]
    # A card that did not fit when its turn came is not tried again.
    behind = -1 if situation.laid_off is None else ORDER[situation.laid_off]
    left = [lay_off for lay_off in situation.lay_offs if ORDER[lay_off.card] >= behind]
    return min(left, key=lambda lay_off: ORDER[lay_off.card], default=None)


def _longest_then_all_lay_offs(situation: Situation) -> LayMeld | LayOff | None:
    """Lay the meld of the card that must be used, then the longest; lay off all, on own melds first."""
    if situation.melds:
        return max(situation.melds, key=lambda meld: (situation.owed in meld.cards, len(meld.cards)))
    own = {meld.id for meld in situation.view.melds if meld.owner == situation.view.viewer}
    return max(situation.lay_offs, key=lambda lay_off: lay_off.meld_id in own, default=None)


def _best_partition_then_lay_offs(situation: Situation) -> LayMeld | LayOff | None:
    """Lay the melds of the best partition, then lay off, the card with most points first."""
    for option in _partition(situation.hand, situation, owed=situation.owed).options:
        listed = [meld for meld in situation.melds if option.begins_with(meld)]
        if listed:
            return max(listed, key=option.lies_as)
    return max(situation.lay_offs, key=lambda lay_off: situation.counts(lay_off.card), default=None)


def _partition(hand: tuple[Card, ...], situation: Situation, *, owed: Card | None = None) -> MeldPlan:
    return best_meld_plan(
        hand, (), situation.variant, owed=owed, melds_allowed=situation.variant.melds_per_turn
    )


def _melds_less_deadwood(hand: tuple[Card, ...], situation: Situation) -> int:
    """Return the points of the best melds of a hand, less those of the cards left over."""
    best = _partition(hand, situation)
    return best.points - sum(situation.counts(card) for card in best.rest)


# --- Discarding -----------------------------------------------------------------------------------


def _no_preference(_card: Card, _spot: Situation) -> float:
    return 0


def _lowest_points(card: Card, situation: Situation) -> float:
    return -situation.counts(card)


def _least_deadwood(card: Card, situation: Situation) -> float:
    left = list(situation.hand)
    left.remove(card)
    return _melds_less_deadwood(tuple(left), situation)


def _highest_harmless_points(card: Card, situation: Situation) -> float:
    """Prefer cards with no neighbour or twin in a meld and fewer than two of their rank in the pile."""
    tabled = [laid.face for meld in situation.view.melds for laid in meld.cards]
    feeds = any(are_neighbours(card, face) or RANK[card] == RANK[face] for face in tabled)
    seen = sum(1 for other in situation.view.discard_pile if RANK[other] == RANK[card])
    harmless = not feeds and seen < 2  # noqa: PLR2004 - as the policy has it
    return situation.counts(card) + (1000 if harmless else 0)


def _has_no_link(card: Card, situation: Situation) -> float:
    return 0 if count_own_links(card, situation) else 1


def _points_less_links(card: Card, situation: Situation) -> float:
    fits = any(can_lay_off(card, meld, situation.variant) for meld in situation.view.melds)
    open_links = count_links(card, situation.view.discard_pile) + (_COULD_BE_LAID_OFF if fits else 0)
    return (
        0.5 * situation.counts(card) - _OWN_LINK * count_own_links(card, situation) - _PILE_LINK * open_links
    )


def _points_less_real_links(card: Card, situation: Situation) -> float:
    """Count links in the opponents' real hands. This cheats."""
    side = situation.variant.side
    own = side(situation.view.viewer or 0)
    real = [other for seat, hand in enumerate(situation.hands or ()) if side(seat) != own for other in hand]
    return (
        situation.counts(card)
        - _OWN_LINK * count_own_links(card, situation)
        - _REAL_LINK * count_links(card, real)
    )


POLICIES: Final[Mapping[str, ReferencePolicy]] = MappingProxyType(
    {
        "nop": ReferencePolicy(draw=_from_stock, lay=_lay_nothing, discard_score=_no_preference),
        "one-meld": ReferencePolicy(
            draw=_from_stock, lay=_one_meld_then_lay_offs, discard_score=_lowest_points
        ),
        "greedy": ReferencePolicy(
            draw=_first_depth_with_a_meld, lay=_sets_then_runs, discard_score=_no_preference
        ),
        "deadwood": ReferencePolicy(
            draw=_best_of_five_depths, lay=_best_partition_then_lay_offs, discard_score=_least_deadwood
        ),
        "strategic": ReferencePolicy(
            draw=_first_take_that_melds, lay=_first_melds_and_one_pass, discard_score=_highest_harmless_points
        ),
        "srs": ReferencePolicy(
            draw=_deepest_take_that_melds, lay=_longest_then_all_lay_offs, discard_score=_has_no_link
        ),
        "srs-d": ReferencePolicy(
            draw=_deepest_take_that_melds, lay=_longest_then_all_lay_offs, discard_score=_points_less_links
        ),
        "peeker": ReferencePolicy(
            draw=_upcard_if_usable_now, lay=_one_meld_then_lay_offs, discard_score=_points_less_real_links
        ),
    }
)

#: The players that are shown all hands.
CHEATS: Final = frozenset({"peeker"})


def reference_player(name: str) -> ReferencePlayer:
    """Return a reference player for one seat and one deal; raises KeyError for an unknown name."""
    return ReferencePlayer(POLICIES[name])


REFERENCE_PLAYERS: Final[Mapping[str, Callable[[], Bot]]] = MappingProxyType(
    {"random": AnyMove, **{name: partial(reference_player, name) for name in POLICIES}}
)
"""Makes a reference player for one seat and one deal, by its name."""
