"""Random play: first the kind of move, each as likely, then a move of that kind that is lawful."""

from collections.abc import Callable

from workers.bots.simulator.deal import DRAW, OVER, Deal
from workers.bots.simulator.lawful import (
    can_keep,
    lawful_discards,
    lawful_lay_offs,
    lawful_melds,
    may_lay,
    possible_melds,
)
from workers.bots.simulator.masks import count, in_melds, nth_code
from workers.bots.simulator.rules import END_AT_ONCE
from workers.bots.simulator.table import Lay, LayOff

Chance = Callable[[], float]


def shuffle(cards: list[int], chance: Chance) -> None:
    """Shuffle cards in their place."""
    for last in range(len(cards) - 1, 0, -1):
        other = int(chance() * (last + 1))
        cards[last], cards[other] = cards[other], cards[last]


def play_at_random(deal: Deal, chance: Chance) -> None:
    """Play the deal to its end."""
    rules = deal.rules
    # Without these, two masks tell which kinds of moves there are, and one move is looked for, not all.
    plain = (
        rules.distinct
        and not rules.jokers
        and not rules.must_keep
        and not rules.may_keep
        and not rules.floating
        and not rules.own_side
        and rules.deep_draw
    )
    while deal.phase != OVER:
        if deal.phase == DRAW:
            if deal.pile and chance() < 0.5:
                place = _a_take(deal, chance) if plain else _any_take(deal, chance)
                if place >= 0:
                    deal.take(place)
                    continue
            if deal.stock or deal.can_draw_stock():
                deal.draw_stock()
            else:
                deal.pass_draw()
        elif plain:
            _play_plainly(deal, chance)
        else:
            _table_or_end(deal, chance)


def _a_take(deal: Deal, chance: Chance) -> int:
    """Return one of the lawful takes; -1 where there is none."""
    if deal.rules.stock_empty == END_AT_ONCE and not deal.stock:
        return -1
    player, pile = deal.player, deal.pile
    wanted = deal.wanted(player.hand)
    if not wanted:
        return -1
    places = [place for place, code in enumerate(pile) if wanted >> code & 1]
    while places:
        place = places.pop(int(chance() * len(places)))
        one, two = player.hand, player.twins
        for code in pile[place:]:
            bit = 1 << code
            if one & bit:
                two |= bit
            one |= bit
        if deal.can_settle(pile[place], one, two, 0, player.size + len(pile) - place, True):
            return place
    return -1


def _any_take(deal: Deal, chance: Chance) -> int:
    takes = deal.lawful_takes()
    return takes[int(chance() * len(takes))] if takes else -1


def _play_plainly(deal: Deal, chance: Chance) -> None:
    one = deal.player.hand
    fitting = one & deal.player.fits
    melds_held = in_melds(one, deal.rules.places)
    if not melds_held and not fitting:
        # As most turns go: nothing to table, and so nothing owed.
        deal.discard(nth_code(one, int(chance() * count(one))))
        return
    can_meld = melds_held != 0 and deal.may_meld()
    kinds = can_meld + (fitting != 0) + (deal.owed < 0)
    kind = int(chance() * kinds) if kinds > 1 else 0
    if can_meld and kind == 0:
        melds = possible_melds(deal, one, deal.player.twins, 0)
        while melds:
            lay = melds.pop(int(chance() * len(melds)))
            if may_lay(deal, lay):
                deal.lay(lay)
                break
        else:
            # All of them would strand the card that is owed.
            deal.lay_off(_one_lay_off(lawful_lay_offs(deal), chance))
    elif fitting and kind == can_meld:
        offs = lawful_lay_offs(deal)
        if offs:
            deal.lay_off(_one_lay_off(offs, chance))
        else:
            deal.lay(_one_meld(lawful_melds(deal), chance))
    else:
        deal.discard(nth_code(one, int(chance() * count(one))))


def _table_or_end(deal: Deal, chance: Chance) -> None:
    melds, offs, codes = lawful_melds(deal), lawful_lay_offs(deal), lawful_discards(deal)
    keeps = can_keep(deal)
    kinds = (len(melds) > 0) + (len(offs) > 0) + (len(codes) > 0) + keeps
    kind = int(chance() * kinds)
    if melds:
        if kind == 0:
            deal.lay(_one_meld(melds, chance))
            return
        kind -= 1
    if offs:
        if kind == 0:
            deal.lay_off(_one_lay_off(offs, chance))
            return
        kind -= 1
    if codes and kind == 0:
        deal.discard(codes[int(chance() * len(codes))])
    else:
        deal.keep()


def _one_meld(melds: list[Lay], chance: Chance) -> Lay:
    return melds[int(chance() * len(melds))]


def _one_lay_off(offs: list[LayOff], chance: Chance) -> LayOff:
    return offs[int(chance() * len(offs))]
