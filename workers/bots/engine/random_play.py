"""Random play: a random kind of move, all equally likely, then a random legal move of that kind."""

from collections.abc import Callable
from itertools import permutations
from typing import Final

from workers.bots.engine.card_bits import HIGH, LANE, count, mask_of, nth_code
from workers.bots.engine.deal import SimulatedDeal
from workers.bots.engine.deal_state import DRAW, MELD, NO_CARD, OVER
from workers.bots.engine.legal_plays import (
    can_keep,
    legal_discards,
    legal_lay_offs,
    legal_melds,
    may_lay,
    may_lay_off,
    openings,
    plain_lay,
    plain_melds,
    possible_lay_offs,
)
from workers.bots.engine.legal_takes import can_use_card, legal_takes, useful_cards
from workers.bots.engine.melds import HIGH_END, LOW_END, ON_SET, CardToLayOff, MeldOnTable, MeldToLay
from workers.bots.engine.rules import END_AT_ONCE

Chance = Callable[[], float]

#: Kinds of moves after the draw, and the orders in which to try them.
_MELD: Final = 0
_LAY_OFF: Final = 1
_DISCARD: Final = 2
_ORDERS: Final = list(permutations((_MELD, _LAY_OFF, _DISCARD)))


def shuffle(cards: list[int], chance: Chance) -> None:
    """Shuffle cards in place."""
    random = chance()
    for last in range(len(cards) - 1, 0, -1):
        # One random number has 53 bits, enough for four cards: each uses the remainder of the one before.
        if last & 3 == 3:
            random = chance()
        random *= last + 1
        other = int(random)
        random -= other
        cards[last], cards[other] = cards[other], cards[last]


def play_at_random(deal: SimulatedDeal, chance: Chance) -> None:
    """Play the deal to its end."""
    rules = deal.rules
    # Without these rules masks show which kinds of moves exist, and one move is generated, not all.
    is_simple = (
        rules.distinct
        and rules.single
        and not rules.must_keep
        and not rules.may_keep
        and not rules.floating
        and not rules.own_side
        and rules.deep_draw
    )
    while deal.phase != OVER:
        if is_simple:
            _play_simple_turn(deal, chance)
        else:
            _make_listed_move(deal, chance)


def _play_simple_turn(deal: SimulatedDeal, chance: Chance) -> None:
    """Play the rest of a turn, generating one move at a time."""
    if deal.phase == DRAW:
        place = _random_take(deal, chance) if deal.pile and chance() < 0.5 else NO_CARD
        if place >= 0:
            deal.take(place)
        elif deal.stock or deal.can_draw_stock():
            deal.draw_stock()
        else:
            deal.pass_draw()
    player, rules = deal.player, deal.rules
    while deal.phase == MELD:
        # Try the kinds of moves in a random order.
        for kind in _ORDERS[int(chance() * 6)]:
            if kind == _MELD:
                if deal.melds_laid < rules.melds_a_turn:
                    melds = plain_melds(player.hand, rules)
                    lay = _random_meld(deal, melds, chance) if melds else None
                    if lay is not None:
                        deal.lay(lay)
                        break
            elif kind == _LAY_OFF:
                fitting = player.hand & player.fits
                if fitting:
                    off = _random_lay_off(deal, fitting, chance)
                    if off is not None:
                        deal.lay_off(off)
                        break
            elif deal.owed < 0:
                deal.discard(nth_code(player.hand, int(chance() * player.size)))
                return


def _random_take(deal: SimulatedDeal, chance: Chance) -> int:
    """Return a random legal take, -1 if there is none."""
    if deal.rules.stock_empty == END_AT_ONCE and not deal.stock:
        return -1
    player, pile = deal.player, deal.pile
    wanted = useful_cards(deal, player.hand)
    while wanted:
        code = nth_code(wanted, int(chance() * count(wanted)))
        wanted ^= 1 << code
        place = pile.index(code)
        hand = player.hand | mask_of(pile[place:])
        if can_use_card(deal, code, hand, 0, 0, player.size + len(pile) - place, True):
            return place
    return -1


def _random_meld(deal: SimulatedDeal, melds: list[int], chance: Chance) -> MeldToLay | None:
    """Return one of these melds that is legal; None if all would strand the card that must be used."""
    while melds:
        number = melds.pop(int(chance() * len(melds)))
        lay = plain_lay(number, deal.player.hand, deal.rules)
        if deal.owed < 0 or may_lay(deal, lay):
            return lay
    return None


def _random_lay_off(deal: SimulatedDeal, fitting: int, chance: Chance) -> CardToLayOff | None:
    """Return a random legal lay-off, or None; first a random card, then a random meld."""
    if deal.owed >= 0:
        offs = possible_lay_offs(deal)
        while offs:
            off = offs.pop(int(chance() * len(offs)))
            if may_lay_off(deal, off):
                return off
        return None
    # No other rule restricts lay-offs here.
    face = nth_code(fitting, int(chance() * count(fitting)))
    bit = 1 << face
    places = [place for place, meld in enumerate(deal.melds) if meld.opens & bit]
    place = places[int(chance() * len(places))] if len(places) > 1 else places[0]
    return CardToLayOff(place, face, face, _random_end(deal, deal.melds[place], face, chance))


def _random_end(deal: SimulatedDeal, meld: MeldOnTable, face: int, chance: Chance) -> int:
    """Return a random end of a meld where the face fits."""
    if meld.suit < 0:
        return ON_SET
    if meld.low == 1 and meld.high == HIGH - 1:
        # A run from two to king takes an ace, perhaps at either end.
        ends = [end for _, end in openings(deal, meld)]
        return ends[int(chance() * len(ends))]
    return LOW_END if face % LANE == meld.low - 1 else HIGH_END


def _make_listed_move(deal: SimulatedDeal, chance: Chance) -> None:
    """Make one move from the lists of all legal moves."""
    if deal.phase == DRAW:
        takes = legal_takes(deal) if chance() < 0.5 else []
        if takes:
            deal.take(takes[int(chance() * len(takes))])
        elif deal.can_draw_stock():
            deal.draw_stock()
        else:
            deal.pass_draw()
    else:
        _lay_or_end_turn(deal, chance)


def _lay_or_end_turn(deal: SimulatedDeal, chance: Chance) -> None:
    melds, offs, codes = legal_melds(deal), legal_lay_offs(deal), legal_discards(deal)
    keeps = can_keep(deal)
    kinds = (len(melds) > 0) + (len(offs) > 0) + (len(codes) > 0) + keeps
    kind = int(chance() * kinds)
    if melds:
        if kind == 0:
            deal.lay(_pick_meld(melds, chance))
            return
        kind -= 1
    if offs:
        if kind == 0:
            deal.lay_off(_pick_lay_off(offs, chance))
            return
        kind -= 1
    if codes and kind == 0:
        deal.discard(codes[int(chance() * len(codes))])
    else:
        deal.keep()


def _pick_meld(melds: list[MeldToLay], chance: Chance) -> MeldToLay:
    return melds[int(chance() * len(melds))]


def _pick_lay_off(offs: list[CardToLayOff], chance: Chance) -> CardToLayOff:
    return offs[int(chance() * len(offs))]
