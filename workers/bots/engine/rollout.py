"""Fast linear rollout policies.

A policy is a draw rule and the weights that score draws and discards. The policies of other programs and
the trained ones are all of this form. Every move of a policy is legal.
"""

from collections.abc import Callable, Mapping
from typing import Final

from workers.bots.engine.card_bits import JOKER, count, in_melds, linked_cards, nth_code, two_apart
from workers.bots.engine.deal import SimulatedDeal
from workers.bots.engine.deal_state import DRAW, OVER
from workers.bots.engine.laying import best_meld_with_joker, lay_all, lay_off_one
from workers.bots.engine.legal_plays import can_keep
from workers.bots.engine.legal_takes import legal_takes, makes_a_meld
from workers.bots.engine.rules import END_AT_ONCE

#: The draw rules: never from the pile, the shallowest or deepest take that melds, or by weights.
FROM_STOCK: Final = 0
SHALLOWEST: Final = 1
DEEPEST: Final = 2
WEIGHED: Final = 3

_MIN_MELD_SIZE: Final = 3
#: By the rules a deal ends long before; the bound guards against bugs of the engine.
_MAX_TURNS: Final = 5_000

#: The value of a joker in hand, in points.
JOKER_VALUE: Final = 20.0

Chance = Callable[[], float]


class PolicyWeights:
    """The weights of a linear rollout policy: how it draws, and how it scores discards.

    The card with the highest discard score goes. `value` weighs its points; `own` each own link,
    `any_link` having one, `near` an own card two places away; `pile` each link in the pile; `fits` a card
    that fits onto the table; `known` a link among the cards that opponents were seen to take; `beside` a
    neighbour or twin of a card on the table; `twice` two of its rank in the pile; `luck` a random number.
    A `blind` policy discards a random card without a link, or any card if all have one.

    A draw by weight adds up: `table` for a point that can be laid now; `cost_linked` and `cost_lonely`
    for a point that stays in hand with and without a link, and `haste` for both, more the fewer cards an
    opponent holds; `stock` for a draw from the stock; `each` for a card taken; `deny` for a point taken
    from the pile.
    """

    # Slots, so that a misspelt weight is refused.
    __slots__ = (
        "any_link",
        "beside",
        "blind",
        "cost_linked",
        "cost_lonely",
        "deny",
        "draws",
        "each",
        "fits",
        "haste",
        "known",
        "luck",
        "near",
        "own",
        "pile",
        "stock",
        "table",
        "twice",
        "value",
    )

    def __init__(self, draws: int, *, blind: bool = False) -> None:
        self.draws: int = draws
        self.blind: bool = blind
        self.value: float = 0.0
        self.own: float = 0.0
        self.any_link: float = 0.0
        self.near: float = 0.0
        self.pile: float = 0.0
        self.fits: float = 0.0
        self.known: float = 0.0
        self.beside: float = 0.0
        self.twice: float = 0.0
        self.luck: float = 0.0
        self.table: float = 1.0
        self.cost_linked: float = 0.0
        self.cost_lonely: float = 0.0
        self.haste: float = 0.0
        self.stock: float = 0.0
        self.each: float = 0.0
        self.deny: float = 0.0


def make_policy(draws: int, weights: Mapping[str, float], *, blind: bool = False) -> PolicyWeights:
    """Return a policy with these weights, the others zero; raises AttributeError for an unknown weight."""
    policy = PolicyWeights(draws, blind=blind)
    for name, weight in weights.items():
        setattr(policy, name, weight)
    return policy


def roll_out(deal: SimulatedDeal, policies: list[PolicyWeights], chance: Chance) -> None:
    """Play the deal to its end; `policies` are by seat."""
    turns = 0
    while deal.phase != OVER:
        finish_turn(deal, policies[deal.seat], chance)
        turns += 1
        if turns > _MAX_TURNS:
            raise AssertionError("A rollout does not end.")


def finish_turn(deal: SimulatedDeal, policy: PolicyWeights, chance: Chance) -> None:
    """Play the rest of the current turn."""
    seat = deal.seat
    if deal.phase == DRAW:
        place = choose_take(deal, policy)
        if place >= 0:
            deal.take(place)
        elif deal.can_draw_stock():
            deal.draw_stock()
        else:
            deal.pass_draw()
        if deal.phase == OVER or deal.seat != seat:
            return
    lay_all(deal)
    if deal.phase != OVER and deal.seat == seat:
        end_turn(deal, policy, chance)


# --- Drawing -----------------------------------------------------------------------------------------


def choose_take(deal: SimulatedDeal, policy: PolicyWeights) -> int:
    """Return the position of the pile that the policy takes from, -1 for the stock."""
    if policy.draws == FROM_STOCK or not deal.pile:
        return -1
    rules = deal.rules
    if policy.draws == WEIGHED:
        return _weighed_take(deal, policy)
    if rules.distinct and not rules.jokers:
        pool = deal.player.hand | deal.pile_faces
        if not (in_melds(pool, rules.places) & deal.pile_faces):
            return -1
    return _melding_take(deal, policy.draws == DEEPEST)


def _melding_take(deal: SimulatedDeal, deepest: bool) -> int:
    """Return the deepest or shallowest position whose card melds with the hand and the cards above it."""
    rules, player, pile = deal.rules, deal.player, deal.pile
    if rules.stock_empty == END_AT_ONCE and not deal.stock:
        return -1
    one, two, jokers, size = player.hand, player.twins, player.jokers, player.size
    found = -1
    place = len(pile) - 1
    lowest = 0 if rules.deep_draw else place
    while place >= lowest:
        code = pile[place]
        size += 1
        if code == JOKER:
            jokers += 1
        else:
            bit = 1 << code
            if one & bit:
                two |= bit
            one |= bit
        if makes_a_meld(deal.rules, code, one, two, jokers) and size > _MIN_MELD_SIZE:
            found = place
            if not deepest:
                return found
        place -= 1
    return found


def _weighed_take(deal: SimulatedDeal, policy: PolicyWeights) -> int:
    """Return the take with the highest value; -1 if a draw from the stock is worth more."""
    takes = legal_takes(deal)
    if not takes:
        return -1
    rules, player, pile = deal.rules, deal.player, deal.pile
    smallest_hand = 99
    for other in deal.players:
        if other is not player and other.size < smallest_hand:
            smallest_hand = other.size
    haste = policy.haste / (1 + smallest_hand)
    one, two, jokers, points = player.hand, player.twins, player.jokers, 0
    best, best_place = _draw_value(deal, one, two, jokers, policy, haste) + policy.stock, -1
    place = len(pile)
    for wanted in takes:
        while place > wanted:
            place -= 1
            code = pile[place]
            points += rules.values[code]
            if code == JOKER:
                jokers += 1
                continue
            bit = 1 << code
            if one & bit:
                two |= bit
            one |= bit
        draw_value = _draw_value(deal, one, two, jokers, policy, haste) + policy.deny * points
        draw_value -= policy.each * (len(pile) - place)
        if draw_value > best:
            best, best_place = draw_value, place
    return best_place


def _draw_value(
    deal: SimulatedDeal, one: int, two: int, jokers: int, policy: PolicyWeights, haste: float
) -> float:
    """Return the value of a hand for the seat to move: of the cards it can lay now, and of the rest."""
    rules = deal.rules
    now = in_melds(one, rules.places) | (one & deal.player.fits)
    left = one & ~now
    jokers_value = 0.0
    while jokers:
        jokers -= 1
        jokers_value += JOKER_VALUE
        pair = best_meld_with_joker(rules, left)
        if pair is not None:
            now |= pair.naturals
            left &= ~pair.naturals
    linked = linked_cards(left, rules.places)
    return (
        jokers_value
        + policy.table * rules.points_of(now)
        - (policy.cost_linked + haste) * rules.points_of(linked)
        - (policy.cost_lonely + haste) * (rules.points_of(left ^ linked) + rules.points_of(two))
    )


# --- Discarding --------------------------------------------------------------------------------------


def end_turn(deal: SimulatedDeal, policy: PolicyWeights, chance: Chance) -> None:
    """Discard by policy; keep or lay off the only card if it may not be discarded."""
    only_barred = deal.barred >= 0 and deal.player.size == 1
    if only_barred and can_keep(deal):
        deal.keep()
    elif only_barred:
        lay_off_one(deal)
    else:
        deal.discard(choose_discard(deal, policy, chance))


def choose_discard(deal: SimulatedDeal, policy: PolicyWeights, chance: Chance) -> int:
    """Return the card that the policy discards."""
    rules, player = deal.rules, deal.player
    hand, barred = player.hand, deal.barred
    if barred >= 0 and barred != JOKER and not player.twins >> barred & 1:
        hand &= ~(1 << barred)
    if not hand:
        return JOKER
    if policy.blind:
        if policy.any_link:
            hand = (hand & ~linked_cards(player.hand, rules.places)) or hand
        return nth_code(hand, int(chance() * count(hand)))
    return _highest_score(deal, hand, policy, chance)


def _fits_of_opponents(deal: SimulatedDeal) -> int:
    """Return the faces that opponents can lay off."""
    rules = deal.rules
    if not rules.own_side:
        return deal.player.fits
    found = 0
    for other in range(rules.seats):
        if rules.side(other) != rules.side(deal.seat):
            found |= deal.players[other].fits
    return found


def _highest_score(deal: SimulatedDeal, allowed: int, policy: PolicyWeights, chance: Chance) -> int:
    seat, rules = deal.seat, deal.rules
    hand, twins, pile_faces = deal.player.hand, deal.player.twins, deal.pile_faces
    values, link_masks = rules.values, rules.link_masks
    value, own, any_link, near, pile = policy.value, policy.own, policy.any_link, policy.near, policy.pile
    twice, luck = policy.twice, policy.luck
    close = two_apart(hand, rules.places) if near else 0
    known = 0
    if policy.known:
        for other in range(rules.seats):
            if rules.side(other) != rules.side(seat):
                known |= deal.players[other].known
    fits, on_table = _fits_of_opponents(deal), deal.on_table
    best, chosen = -1e9, JOKER
    while allowed:
        low = allowed & -allowed
        allowed ^= low
        code = low.bit_length() - 1
        linked = link_masks[code]
        score = value * values[code]
        held = hand & linked
        if held:
            score += own * count(held) + any_link
        if close & low:
            score += near
        around = pile_faces & linked
        if around:
            score += pile * count(around)
        if fits & low:
            score += policy.fits
        if known & linked:
            score += policy.known
        if on_table & linked:
            score += policy.beside
        if around and twice and count(pile_faces & rules.rank_masks[code]) > 1:
            score += twice
        if twins & low:
            score -= own
        if luck:
            score += luck * chance()
        if score > best:
            best, chosen = score, code
    return chosen
