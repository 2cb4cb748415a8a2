"""Taking from the pile: what may be taken, and whether a card that must be used can be.

A card's duty to reach the table (RULES 2.5 to 2.7) is judged as in `service.rummy.must_use`: three cards
of the hand decide what a new meld can do, the gap to a run what laying off can do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from workers.bots.engine.card_bits import HIGH, JOKER, LANE, RANKS, codes_of, count, in_melds
from workers.bots.engine.rules import END_AT_ONCE, Rules

if TYPE_CHECKING:
    # A deal asks for itself whether the next seat can take anything.
    from workers.bots.engine.deal import Deal

_SMALLEST: Final = 3


def lawful_takes(deal: Deal) -> list[int]:
    """Return the positions of the pile that the seat to draw may take from, the upcard first."""
    rules, pile, player = deal.rules, deal.pile, deal.player
    found: list[int] = []
    if not pile or (rules.stock_empty == END_AT_ONCE and not deal.stock):
        return found
    one, two, jokers, size = player.hand, player.twins, player.jokers, player.size
    place = len(pile) - 1
    code = pile[place]
    if rules.may_keep and (size > 0 or _can_part_with(deal, code)):
        found.append(place)
    lowest = 0 if rules.deep_draw else place
    wanted = -1
    if rules.distinct and rules.jokers == 0:
        # Most piles hold nothing of use; three masks tell so at once.
        wanted = of_use(deal, one)
        if rules.single:
            return _single_takes(deal, wanted, found)
        if not wanted:
            return found
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
        if (
            (wanted < 0 or wanted >> code & 1)
            and not (rules.may_keep and place == len(pile) - 1)
            and can_settle(deal, code, one, two, jokers, size, may_meld=True)
        ):
            found.append(place)
        place -= 1
    return found


def _single_takes(deal: Deal, wanted: int, found: list[int]) -> list[int]:
    """Add the takes to be used at once, where every card is there once; `wanted` are all there can be."""
    pile, one, size, top = deal.pile, deal.player.hand, deal.player.size, len(deal.pile) - 1
    if deal.rules.may_keep:
        # That one was taken care of.
        wanted &= ~(1 << pile[top])
    place = top
    while wanted:
        code = pile[place]
        bit = 1 << code
        one |= bit
        size += 1
        if wanted & bit:
            if not deal.rules.deep_draw and place != top:
                return found
            wanted ^= bit
            if can_settle(deal, code, one, 0, 0, size, True):
                found.append(place)
        place -= 1
    return found


def of_use(deal: Deal, one: int) -> int:
    """Return the cards of the pile that may be of use; no other is, beside the hand `one`."""
    lying = deal.lying
    pool = one | lying
    found = in_melds(pool, deal.rules.places)
    fits = deal.player.fits
    if pool & fits:
        # Whatever a chain of lay-offs could reach lies in the suits of what fits.
        found |= fits
        for suit in range(4):
            if (pool & fits) >> suit * LANE & RANKS:
                found |= RANKS << suit * LANE
    return found & lying


def _can_part_with(deal: Deal, code: int) -> bool:
    """Tell whether a turn that takes the lone upcard into an empty hand can end."""
    rules = deal.rules
    if rules.floating or rules.same_back:
        return True
    return can_lay_off_last(deal, code)


def can_lay_off_last(deal: Deal, code: int) -> bool:
    """Tell whether the last card of a hand may be laid off."""
    fits = deal.player.fits
    return not deal.rules.must_keep and (fits != 0 if code == JOKER else (fits >> code & 1) == 1)


def can_settle(deal: Deal, code: int, one: int, two: int, jokers: int, size: int, may_meld: bool) -> bool:
    """Tell whether such a hand can table the card this turn, and the turn be ended then (RULES 2.6)."""
    rules = deal.rules
    spare = size - 1 if rules.must_keep else size
    if (deal.called or not rules.new_meld_only) and spare >= 1:
        fits = deal.player.fits
        if code == JOKER:
            if fits:
                return True
        elif fits >> code & 1 or _can_reach(deal, code, one, jokers, spare, fits):
            return True
    return may_meld and spare >= _SMALLEST and makes_a_meld(rules, code, one, two, jokers)


def _can_reach(deal: Deal, code: int, one: int, jokers: int, spare: int, fits: int) -> bool:
    """Tell whether cards laid off before it can bring a run of the table as far as the card."""
    suit = code // LANE
    if not jokers and not (one & fits) >> suit * LANE & RANKS:
        return False
    rank = code % LANE
    return _reaches(deal, suit, rank, one, jokers, spare) or (
        rank == 0 and _reaches(deal, suit, HIGH, one, jokers, spare)
    )


def _reaches(deal: Deal, suit: int, place: int, one: int, jokers: int, spare: int) -> bool:
    lane = one >> suit * LANE & RANKS
    lane |= (lane & 1) << HIGH
    for meld in deal.melds:
        if meld.suit != suit or not deal.is_open(meld):
            continue
        if place > meld.high:
            span, gap = meld.low * 16 + place, (1 << place) - (1 << meld.high + 1)
            cards = place - meld.high
        elif place < meld.low:
            span, gap = place * 16 + meld.high, (1 << meld.low) - (1 << place + 1)
            cards = meld.low - place
        else:
            continue
        if cards <= spare and deal.rules.span[span] and count(gap & ~lane) <= jokers:
            return True
    return False


def makes_a_meld(rules: Rules, code: int, one: int, two: int, jokers: int) -> bool:
    """Tell whether the card and two others of the cards make a meld; they hold the card."""
    if code == JOKER:
        return _joker_makes_a_meld(rules, one, two, jokers)
    others = one & rules.rank_masks[code] & ~(1 << code)
    if jokers == 0 and rules.distinct:
        if others & (others - 1):
            return True
        for pair in rules.pairs[code]:
            if one & pair == pair:
                return True
        return False
    alike = count(others)
    if not rules.distinct:
        alike += count(two & rules.rank_masks[code])
    if alike + jokers >= _SMALLEST - 1:
        return True
    return any(count(one & pair) + jokers >= _SMALLEST - 1 for pair in rules.pairs[code])


def _joker_makes_a_meld(rules: Rules, one: int, two: int, jokers: int) -> bool:
    """Tell whether one joker of the hand and two other cards make a meld."""
    if not one:
        return False
    if jokers >= _SMALLEST - 1:
        return True
    for code in codes_of(one):
        others = count(one & rules.rank_masks[code]) - 1
        if not rules.distinct:
            others += count(two & rules.rank_masks[code])
        if others >= 1:
            return True
        for pair in rules.pairs[code]:
            if one & pair:
                return True
    return False
