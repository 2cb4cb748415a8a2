"""Random play: every move drawn from all that are lawful."""

from collections.abc import Callable

from workers.bots.simulator.deal import DRAW, OVER, Deal
from workers.bots.simulator.lawful import can_keep, lawful_discards, lawful_lay_offs, lawful_melds
from workers.bots.simulator.masks import count, in_runs, in_sets, nth_code

Chance = Callable[[], float]


def play_at_random(deal: Deal, chance: Chance) -> None:
    """Play the deal to its end, each move drawn from all that are lawful."""
    while deal.phase != OVER:
        if deal.phase == DRAW:
            takes = deal.lawful_takes()
            number = int(chance() * (len(takes) + 1)) if takes else 0
            if number:
                deal.take(takes[number - 1])
            elif deal.can_draw_stock():
                deal.draw_stock()
            else:
                deal.pass_draw()
        else:
            _random_tabling_or_end(deal, chance)


def _random_tabling_or_end(deal: Deal, chance: Chance) -> None:
    seat, rules = deal.seat, deal.rules
    one = deal.hands[seat]
    plain = deal.owed < 0 and deal.barred < 0 and not deal.floats and not deal.jokers[seat] and rules.distinct
    if (
        plain
        and not one & deal.fits[deal.group(seat)]
        and not in_sets(one)
        and not in_runs(one, rules.places)
    ):
        deal.discard(nth_code(one, int(chance() * count(one))))
        return
    melds, offs = lawful_melds(deal), lawful_lay_offs(deal)
    if deal.owed < 0 and deal.barred < 0 and not deal.floats and not deal.jokers[seat]:
        throws = count(one)
        number = int(chance() * (throws + len(melds) + len(offs)))
        if number < throws:
            deal.discard(nth_code(one, number))
            return
        number -= throws
    else:
        codes = lawful_discards(deal)
        if can_keep(deal):
            codes.append(-1)
        number = int(chance() * (len(codes) + len(melds) + len(offs)))
        if number < len(codes):
            if codes[number] < 0:
                deal.keep()
            else:
                deal.discard(codes[number])
            return
        number -= len(codes)
    if number < len(melds):
        deal.lay(melds[number])
    else:
        deal.lay_off(offs[number - len(melds)])
