"""Random play: first the kind of move, each as likely, then a move of that kind that is lawful."""

from collections.abc import Callable
from itertools import permutations
from typing import Final

from workers.bots.engine.card_bits import HIGH, LANE, count, mask_of, nth_code
from workers.bots.engine.deal import DRAW, MELD, NO_CARD, OVER, Deal
from workers.bots.engine.legal_moves import (
    can_keep,
    lawful_discards,
    lawful_lay_offs,
    lawful_melds,
    may_lay,
    may_lay_off,
    openings,
    plain_lay,
    plain_melds,
    possible_lay_offs,
)
from workers.bots.engine.legal_takes import can_settle, lawful_takes, of_use
from workers.bots.engine.melds import HIGH_END, LOW_END, ON_SET, Lay, LayOff, Tabled
from workers.bots.engine.rules import END_AT_ONCE

Chance = Callable[[], float]

#: Kinds of moves in the second part of a turn, and the orders to look for them.
_MELD: Final = 0
_LAY_OFF: Final = 1
_DISCARD: Final = 2
_ORDERS: Final = list(permutations((_MELD, _LAY_OFF, _DISCARD)))


def shuffle(cards: list[int], chance: Chance) -> None:
    """Shuffle cards in their place."""
    fate = chance()
    for last in range(len(cards) - 1, 0, -1):
        # A number has 53 bits of chance, enough for four cards: what one leaves over is the next one's.
        if last & 3 == 3:
            fate = chance()
        fate *= last + 1
        other = int(fate)
        fate -= other
        cards[last], cards[other] = cards[other], cards[last]


def play_at_random(deal: Deal, chance: Chance) -> None:
    """Play the deal to its end."""
    rules = deal.rules
    # Without these, two masks tell which kinds of moves there are, and one move is looked for, not all.
    plain = (
        rules.distinct
        and rules.single
        and not rules.must_keep
        and not rules.may_keep
        and not rules.floating
        and not rules.own_side
        and rules.deep_draw
    )
    while deal.phase != OVER:
        if plain:
            _play_turn(deal, chance)
        else:
            _move(deal, chance)


def _play_turn(deal: Deal, chance: Chance) -> None:
    """Play the rest of a turn in which one move is looked for at a time."""
    if deal.phase == DRAW:
        place = _a_take(deal, chance) if deal.pile and chance() < 0.5 else NO_CARD
        if place >= 0:
            deal.take(place)
        elif deal.stock or deal.can_draw_stock():
            deal.draw_stock()
        else:
            deal.pass_draw()
    player, rules = deal.player, deal.rules
    while deal.phase == MELD:
        # The kinds of moves in any order, and the first of which there is one.
        for kind in _ORDERS[int(chance() * 6)]:
            if kind == _MELD:
                if deal.melds_laid < rules.melds_a_turn:
                    melds = plain_melds(player.hand, rules)
                    lay = _a_meld(deal, melds, chance) if melds else None
                    if lay is not None:
                        deal.lay(lay)
                        break
            elif kind == _LAY_OFF:
                fitting = player.hand & player.fits
                if fitting:
                    off = _a_lay_off(deal, fitting, chance)
                    if off is not None:
                        deal.lay_off(off)
                        break
            elif deal.owed < 0:
                deal.discard(nth_code(player.hand, int(chance() * player.size)))
                return


def _a_take(deal: Deal, chance: Chance) -> int:
    """Return one of the lawful takes; -1 where there is none."""
    if deal.rules.stock_empty == END_AT_ONCE and not deal.stock:
        return -1
    player, pile = deal.player, deal.pile
    wanted = of_use(deal, player.hand)
    while wanted:
        code = nth_code(wanted, int(chance() * count(wanted)))
        wanted ^= 1 << code
        place = pile.index(code)
        hand = player.hand | mask_of(pile[place:])
        if can_settle(deal, code, hand, 0, 0, player.size + len(pile) - place, True):
            return place
    return -1


def _a_meld(deal: Deal, melds: list[int], chance: Chance) -> Lay | None:
    """Return one of these melds that is lawful; None where all would strand the card that is owed."""
    while melds:
        number = melds.pop(int(chance() * len(melds)))
        lay = plain_lay(number, deal.player.hand, deal.rules)
        if deal.owed < 0 or may_lay(deal, lay):
            return lay
    return None


def _a_lay_off(deal: Deal, fitting: int, chance: Chance) -> LayOff | None:
    """Return one of the lawful lay-offs, the card drawn first; None where there is none."""
    if deal.owed >= 0:
        offs = possible_lay_offs(deal)
        while offs:
            off = offs.pop(int(chance() * len(offs)))
            if may_lay_off(deal, off):
                return off
        return None
    # Nothing else stands in the way of one here.
    face = nth_code(fitting, int(chance() * count(fitting)))
    bit = 1 << face
    places = [place for place, meld in enumerate(deal.melds) if meld.opens & bit]
    place = places[int(chance() * len(places))] if len(places) > 1 else places[0]
    return LayOff(place, face, face, _an_end(deal, deal.melds[place], face, chance))


def _an_end(deal: Deal, meld: Tabled, face: int, chance: Chance) -> int:
    """Return one of the ends of a meld where a face fits that fits onto it."""
    if meld.suit < 0:
        return ON_SET
    if meld.low == 1 and meld.high == HIGH - 1:
        # From two to king: an ace, and perhaps at either end.
        ends = [end for _, end in openings(deal, meld)]
        return ends[int(chance() * len(ends))]
    return LOW_END if face % LANE == meld.low - 1 else HIGH_END


def _move(deal: Deal, chance: Chance) -> None:
    """Make one move by the lists of all lawful moves."""
    if deal.phase == DRAW:
        takes = lawful_takes(deal) if chance() < 0.5 else []
        if takes:
            deal.take(takes[int(chance() * len(takes))])
        elif deal.can_draw_stock():
            deal.draw_stock()
        else:
            deal.pass_draw()
    else:
        _table_or_end(deal, chance)


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
