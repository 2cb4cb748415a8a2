"""The policies themselves, a few lines each: how they draw, what they table, what they throw."""

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Final

from service.rummy.cards import ORDER, RANK, Card
from service.rummy.melds import can_lay_off
from service.rummy.moves import LayMeld, LayOff, TakeDiscard
from service.rummy.possible_melds import possible_melds
from workers.bots.bot import Bot
from workers.bots.evaluation.melding import Tabling, best_tabling
from workers.bots.reference.framework import (
    AnyMove,
    BenchPlayer,
    Policy,
    Spot,
    are_neighbours,
    is_set,
    links,
    own_links,
    table_value,
)

#: A deal has settled more than this many cards deep only for those who look: deadwood does not.
_DEEPEST_OF_DEADWOOD: Final = 5
_LARGEST_OF_ONE_MELD: Final = 5
_SMALLEST: Final = 3
#: What a card counts against, for each link that it has (SRS-D, peeker).
_OWN_LINK: Final = 4
_PILE_LINK: Final = 4
_REAL_LINK: Final = 5
#: A card that could be laid off at once is given away: as bad as two links.
_COULD_BE_LAID_OFF: Final = 2


# --- Drawing --------------------------------------------------------------------------------------


def _from_stock(_: Spot) -> None:
    """Take nothing, ever."""


def _first_depth_with_a_meld(spot: Spot) -> TakeDiscard | None:
    """Take as few cards as give hand and take any meld; where that is unlawful, nothing."""
    for depth in range(1, len(spot.view.discard_pile) + 1):
        if next(possible_melds(spot.pool(depth), spot.variant), None) is not None:
            return spot.takes.get(depth)
    return None


def _first_take_that_melds(spot: Spot) -> TakeDiscard | None:
    """Take as few cards as make a meld of the deepest one."""
    return next((take for depth, take in spot.takes.items() if _melds(take, depth, spot)), None)


def _deepest_take_that_melds(spot: Spot) -> TakeDiscard | None:
    """Take down to the deepest card that melds with the hand and all above it."""
    deepest_first = reversed(spot.takes.items())
    return next((take for depth, take in deepest_first if _melds(take, depth, spot)), None)


def _melds(take: TakeDiscard, depth: int, spot: Spot) -> bool:
    """Tell whether the card asked for makes a meld with the hand and the cards above it."""
    return next(possible_melds(spot.pool(depth), spot.variant, with_card=take.card), None) is not None


def _best_of_five_depths(spot: Spot) -> TakeDiscard | None:
    """Take what leaves the best melds less deadwood, if that is better than now."""
    best, most = None, _less_deadwood(spot.hand, spot)
    for depth, take in spot.takes.items():
        worth = _less_deadwood(spot.pool(depth), spot)
        if depth <= _DEEPEST_OF_DEADWOOD and worth > most:
            best, most = take, worth
    return best


def _upcard_if_usable_now(spot: Spot) -> TakeDiscard | None:
    """Take the upcard alone, where it melds or can be laid off."""
    take = spot.takes.get(1)
    if take is None:
        return None
    fits = any(can_lay_off(take.card, meld, spot.variant) for meld in spot.view.melds)
    return take if fits or _melds(take, 1, spot) else None


# --- Tabling --------------------------------------------------------------------------------------


def _lay_nothing(_: Spot) -> None:
    """Table nothing, ever."""


def _one_meld_then_lay_offs(spot: Spot) -> LayMeld | LayOff | None:
    """Lay the dearest meld of at most five cards, one a turn; then lay off whatever fits."""
    small = [meld for meld in spot.melds if len(meld.cards) <= _LARGEST_OF_ONE_MELD]
    if small and not spot.melds_laid:
        return max(small, key=lambda meld: (spot.owed in meld.cards, table_value(meld, spot)))
    return next(iter(spot.lay_offs), None)


def _sets_then_runs(spot: Spot) -> LayMeld | None:
    """Lay the largest set, else the largest run, while a card stays in hand."""
    melds = [meld for meld in spot.melds if len(meld.cards) < len(spot.hand)]
    return max(melds, key=lambda meld: (is_set(meld), len(meld.cards)), default=None)


def _first_melds_and_one_pass(spot: Spot) -> LayMeld | LayOff | None:
    """Lay the first melds there are, then go over the hand once for lay-offs."""
    if spot.melds:
        return spot.melds[0]
    # A card that did not fit when its turn came is not asked again.
    behind = -1 if spot.laid_off is None else ORDER[spot.laid_off]
    left = [lay_off for lay_off in spot.lay_offs if ORDER[lay_off.card] >= behind]
    return min(left, key=lambda lay_off: ORDER[lay_off.card], default=None)


def _longest_then_all_lay_offs(spot: Spot) -> LayMeld | LayOff | None:
    """Lay the owed card's meld, then the longest; lay off everything, on one's own melds first."""
    if spot.melds:
        return max(spot.melds, key=lambda meld: (spot.owed in meld.cards, len(meld.cards)))
    own = {meld.id for meld in spot.view.melds if meld.owner == spot.view.viewer}
    return max(spot.lay_offs, key=lambda lay_off: lay_off.meld_id in own, default=None)


def _best_partition_then_dearest(spot: Spot) -> LayMeld | LayOff | None:
    """Lay the melds of the best partition, then lay off, the dearest card first."""
    for piece in _partition(spot.hand, spot, owed=spot.owed).pieces:
        listed = [meld for meld in spot.melds if piece.begins_with(meld)]
        if listed:
            return max(listed, key=piece.lies_as)
    return max(spot.lay_offs, key=lambda lay_off: spot.counts(lay_off.card), default=None)


def _partition(hand: tuple[Card, ...], spot: Spot, *, owed: Card | None = None) -> Tabling:
    return best_tabling(hand, (), spot.variant, owed=owed, melds_allowed=spot.variant.melds_per_turn)


def _less_deadwood(hand: tuple[Card, ...], spot: Spot) -> int:
    """Return what the best melds of a hand count, less the cards that are left over."""
    best = _partition(hand, spot)
    return best.points - sum(spot.counts(card) for card in best.rest)


# --- Throwing -------------------------------------------------------------------------------------


def _anything(_card: Card, _spot: Spot) -> float:
    return 0


def _cheapest(card: Card, spot: Spot) -> float:
    return -spot.counts(card)


def _least_deadwood(card: Card, spot: Spot) -> float:
    left = list(spot.hand)
    left.remove(card)
    return _less_deadwood(tuple(left), spot)


def _dearest_that_feeds_nobody(card: Card, spot: Spot) -> float:
    """Prefer what is no neighbour or twin of a tabled card, with fewer than two of its rank in the pile."""
    tabled = [laid.face for meld in spot.view.melds for laid in meld.cards]
    feeds = any(are_neighbours(card, face) or RANK[card] == RANK[face] for face in tabled)
    seen = sum(1 for other in spot.view.discard_pile if RANK[other] == RANK[card])
    harmless = not feeds and seen < 2  # noqa: PLR2004 - as the policy has it
    return spot.counts(card) + (1000 if harmless else 0)


def _without_a_link(card: Card, spot: Spot) -> float:
    return 0 if own_links(card, spot) else 1


def _dear_and_without_links(card: Card, spot: Spot) -> float:
    fits = any(can_lay_off(card, meld, spot.variant) for meld in spot.view.melds)
    open_links = links(card, spot.view.discard_pile) + (_COULD_BE_LAID_OFF if fits else 0)
    return 0.5 * spot.counts(card) - _OWN_LINK * own_links(card, spot) - _PILE_LINK * open_links


def _useless_to_the_real_hands(card: Card, spot: Spot) -> float:
    """Look into the opponents' hands. This cheats."""
    side = spot.variant.side
    own = side(spot.view.viewer or 0)
    real = [other for seat, hand in enumerate(spot.hands or ()) if side(seat) != own for other in hand]
    return spot.counts(card) - _OWN_LINK * own_links(card, spot) - _REAL_LINK * links(card, real)


POLICIES: Final[Mapping[str, Policy]] = MappingProxyType(
    {
        "nop": Policy(draw=_from_stock, table=_lay_nothing, worth=_anything),
        "one-meld": Policy(draw=_from_stock, table=_one_meld_then_lay_offs, worth=_cheapest),
        "greedy": Policy(draw=_first_depth_with_a_meld, table=_sets_then_runs, worth=_anything),
        "deadwood": Policy(
            draw=_best_of_five_depths, table=_best_partition_then_dearest, worth=_least_deadwood
        ),
        "strategic": Policy(
            draw=_first_take_that_melds, table=_first_melds_and_one_pass, worth=_dearest_that_feeds_nobody
        ),
        "srs": Policy(draw=_deepest_take_that_melds, table=_longest_then_all_lay_offs, worth=_without_a_link),
        "srs-d": Policy(
            draw=_deepest_take_that_melds, table=_longest_then_all_lay_offs, worth=_dear_and_without_links
        ),
        "peeker": Policy(
            draw=_upcard_if_usable_now, table=_one_meld_then_lay_offs, worth=_useless_to_the_real_hands
        ),
    }
)

#: The one that is shown everybody's cards.
CHEATS: Final = frozenset({"peeker"})


def bench_player(name: str) -> BenchPlayer:
    """Return a bench player for one seat and one deal; raises KeyError for a name nobody has."""
    return BenchPlayer(POLICIES[name])


BENCH: Final[Mapping[str, Callable[[], Bot]]] = MappingProxyType(
    {"random": AnyMove, **{name: partial(bench_player, name) for name in POLICIES}}
)
"""Who makes a bench player for one seat and one deal, by its name."""
