"""How simulated players play: quick policies, each a handful of numbers.

A `Style` is a point in one space of habits: which draw it likes, whether it lays off, and what
weighs when it throws a card. Other programs' players are points of it, and so is the one that was
trained to do well against them. Every move they make is lawful.
"""

from collections.abc import Callable, Mapping
from typing import Final

from workers.bots.engine.card_bits import JOKER, count, in_melds, linked, nth_code, two_apart
from workers.bots.engine.deal import DRAW, OVER, Deal
from workers.bots.engine.laying import lay_one_off, meld_with_a_joker, table_all
from workers.bots.engine.legal_moves import can_keep
from workers.bots.engine.legal_takes import lawful_takes, makes_a_meld
from workers.bots.engine.rules import END_AT_ONCE

#: What a style likes to draw.
FROM_STOCK: Final = 0
SHALLOWEST: Final = 1
DEEPEST: Final = 2
WEIGHED: Final = 3

_SMALLEST: Final = 3
#: A deal ends by the rules long before it has so many turns; the bound is against a fault of ours.
_MOST_TURNS: Final = 5_000

#: What a joker in hand promises, in points.
JOKER_PROMISE: Final = 20.0

Chance = Callable[[], float]


class Style:
    """The habits of a player: a draw it likes, and what weighs when it draws and throws.

    Throwing: `value` of the card itself; `own` for each own link, `any_link` for having one, `near`
    for an own card two away; `pile` for each link in the pile; `fits` for a card that goes onto the
    table; `known` for a link among what an opponent was seen to take; `beside` for a neighbour or twin
    of the table; `twice` for a card with two of its rank in the pile; `luck` for chance. A `blind`
    style throws any card without a link, and any card where all have one.

    Drawing by weight: `table` for a point that can be tabled now; `cost_linked` and `cost_lonely` for
    a point that stays in hand with a link and without one, `haste` more of both the fewer cards an
    opponent holds; `stock` for a draw from the stock; `each` for a card taken; `deny` for a point taken
    from the pile.
    """

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


def style(draws: int, weights: Mapping[str, float], *, blind: bool = False) -> Style:
    """Return a style with these weights, the others nought."""
    made = Style(draws, blind=blind)
    for name, weight in weights.items():
        setattr(made, name, weight)
    return made


def play_out(deal: Deal, styles: list[Style], chance: Chance) -> None:
    """Play the deal to its end; `styles` are by seat."""
    turns = 0
    while deal.phase != OVER:
        play_turn(deal, styles[deal.seat], chance)
        turns += 1
        if turns > _MOST_TURNS:
            raise AssertionError("a simulated deal does not end")


def play_turn(deal: Deal, style: Style, chance: Chance) -> None:
    """Play the rest of the running turn."""
    seat = deal.seat
    if deal.phase == DRAW:
        place = best_take(deal, style)
        if place >= 0:
            deal.take(place)
        elif deal.can_draw_stock():
            deal.draw_stock()
        else:
            deal.pass_draw()
        if deal.phase == OVER or deal.seat != seat:
            return
    table_all(deal)
    if deal.phase != OVER and deal.seat == seat:
        end_turn(deal, style, chance)


# --- Drawing -----------------------------------------------------------------------------------------


def best_take(deal: Deal, style: Style) -> int:
    """Return the position of the pile the style takes from, -1 for the stock."""
    if style.draws == FROM_STOCK or not deal.pile:
        return -1
    rules = deal.rules
    if style.draws == WEIGHED:
        return _weighed_take(deal, style)
    if rules.distinct and not rules.jokers:
        pool = deal.player.hand | deal.lying
        if not (in_melds(pool, rules.places) & deal.lying):
            return -1
    return _melding_take(deal, style.draws == DEEPEST)


def _melding_take(deal: Deal, deepest: bool) -> int:
    """Return the deepest or the shallowest position whose card melds with the hand and all above it."""
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
        if makes_a_meld(deal.rules, code, one, two, jokers) and size > _SMALLEST:
            found = place
            if not deepest:
                return found
        place -= 1
    return found


def _weighed_take(deal: Deal, style: Style) -> int:
    """Return the take that promises more than the stock and most of all; -1 where none does."""
    takes = lawful_takes(deal)
    if not takes:
        return -1
    rules, player, pile = deal.rules, deal.player, deal.pile
    fewest = 99
    for other in deal.players:
        if other is not player and other.size < fewest:
            fewest = other.size
    haste = style.haste / (1 + fewest)
    one, two, jokers, points = player.hand, player.twins, player.jokers, 0
    best, best_place = _promise(deal, one, two, jokers, style, haste) + style.stock, -1
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
        promise = _promise(deal, one, two, jokers, style, haste) + style.deny * points
        promise -= style.each * (len(pile) - place)
        if promise > best:
            best, best_place = promise, place
    return best_place


def _promise(deal: Deal, one: int, two: int, jokers: int, style: Style, haste: float) -> float:
    """Return what cards are worth to the seat to move: those it can table now, and those it cannot."""
    rules = deal.rules
    now = in_melds(one, rules.places) | (one & deal.player.fits)
    left = one & ~now
    hope = 0.0
    while jokers:
        jokers -= 1
        hope += JOKER_PROMISE
        pair = meld_with_a_joker(rules, left)
        if pair is not None:
            now |= pair.nat
            left &= ~pair.nat
    beside = linked(left, rules.places)
    return (
        hope
        + style.table * rules.worth(now)
        - (style.cost_linked + haste) * rules.worth(beside)
        - (style.cost_lonely + haste) * (rules.worth(left ^ beside) + rules.worth(two))
    )


# --- Throwing ----------------------------------------------------------------------------------------


def end_turn(deal: Deal, style: Style, chance: Chance) -> None:
    """Throw the card the style misses least, or keep or lay off the only one where it may not be thrown."""
    only_barred = deal.barred >= 0 and deal.player.size == 1
    if only_barred and can_keep(deal):
        deal.keep()
    elif only_barred:
        lay_one_off(deal)
    else:
        deal.discard(best_discard(deal, style, chance))


def best_discard(deal: Deal, style: Style, chance: Chance) -> int:
    """Return the card the style throws."""
    rules, player = deal.rules, deal.player
    hand, barred = player.hand, deal.barred
    if barred >= 0 and barred != JOKER and not player.twins >> barred & 1:
        hand &= ~(1 << barred)
    if not hand:
        return JOKER
    if style.blind:
        if style.any_link:
            hand = (hand & ~linked(player.hand, rules.places)) or hand
        return nth_code(hand, int(chance() * count(hand)))
    return _least_missed(deal, hand, style, chance)


def _fits_of_others(deal: Deal) -> int:
    """Return the faces that opponents can lay off."""
    rules = deal.rules
    if not rules.own_side:
        return deal.player.fits
    found = 0
    for other in range(rules.seats):
        if rules.side(other) != rules.side(deal.seat):
            found |= deal.players[other].fits
    return found


def _least_missed(deal: Deal, allowed: int, style: Style, chance: Chance) -> int:
    seat, rules = deal.seat, deal.rules
    hand, twins, lying = deal.player.hand, deal.player.twins, deal.lying
    values, links = rules.values, rules.links
    value, own, any_link, away, pile = style.value, style.own, style.any_link, style.near, style.pile
    twice, luck = style.twice, style.luck
    close = two_apart(hand, rules.places) if away else 0
    known = 0
    if style.known:
        for other in range(rules.seats):
            if rules.side(other) != rules.side(seat):
                known |= deal.players[other].known
    fits, on_table = _fits_of_others(deal), deal.on_table
    best, chosen = -1e9, JOKER
    while allowed:
        low = allowed & -allowed
        allowed ^= low
        code = low.bit_length() - 1
        beside = links[code]
        score = value * values[code]
        held = hand & beside
        if held:
            score += own * count(held) + any_link
        if close & low:
            score += away
        around = lying & beside
        if around:
            score += pile * count(around)
        if fits & low:
            score += style.fits
        if known & beside:
            score += style.known
        if on_table & beside:
            score += style.beside
        if around and twice and count(lying & rules.rank_masks[code]) > 1:
            score += twice
        if twins & low:
            score -= own
        if luck:
            score += luck * chance()
        if score > best:
            best, chosen = score, code
    return chosen
