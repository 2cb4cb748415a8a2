"""Random play: first the kind of move, each as likely, then a move of that kind that is lawful."""

from collections.abc import Callable

from workers.bots.simulator.deal import DRAW, OVER, Deal
from workers.bots.simulator.lawful import can_keep, lawful_discards, lawful_lay_offs, lawful_melds
from workers.bots.simulator.masks import count, in_runs, in_sets, nth_code
from workers.bots.simulator.table import Lay, LayOff

Chance = Callable[[], float]


def play_at_random(deal: Deal, chance: Chance) -> None:
    """Play the deal to its end."""
    while deal.phase != OVER:
        if deal.phase == DRAW:
            _draw(deal, chance)
        elif not _is_plain(deal):
            _table_or_end(deal, chance)
        else:
            # Two masks tell which kinds there are; only the kind that is chosen is listed.
            one = deal.hands[deal.seat]
            melds = in_runs(one, deal.rules.places) | in_sets(one)
            fitting = one & deal.fits[deal.group(deal.seat)]
            kinds = 1 + (melds != 0) + (fitting != 0)
            kind = int(chance() * kinds) if kinds > 1 else 0
            if kind == 0:
                deal.discard(nth_code(one, int(chance() * count(one))))
            elif kind == 1 and melds:
                deal.lay(_one_meld(lawful_melds(deal), chance))
            else:
                deal.lay_off(_one_lay_off(lawful_lay_offs(deal), chance))


def _draw(deal: Deal, chance: Chance) -> None:
    if deal.pile and chance() < 0.5:
        takes = deal.lawful_takes()
        if takes:
            deal.take(takes[int(chance() * len(takes))])
            return
    if deal.can_draw_stock():
        deal.draw_stock()
    else:
        deal.pass_draw()


def _is_plain(deal: Deal) -> bool:
    """Tell whether nothing but the hand itself decides what may be tabled and thrown."""
    rules = deal.rules
    return (
        deal.owed < 0
        and deal.barred < 0
        and not deal.floats
        and not deal.jokers[deal.seat]
        and rules.distinct
        and not rules.must_keep
        and deal.may_meld()
    )


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
