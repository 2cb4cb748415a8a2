"""Legal takes from the pile, and whether a card that must be used can be used.

The duty to use a card (RULES 2.5 to 2.7) is checked as in `service.rummy.must_use`: for a new meld by
three cards of the hand, for laying off by the gap to a run.
"""

from typing import Final

from workers.bots.engine.card_bits import HIGH, JOKER, LANE, RANKS, codes_of, count, in_melds
from workers.bots.engine.deal_state import DealState
from workers.bots.engine.rules import END_AT_ONCE, Rules

_MIN_MELD_SIZE: Final = 3


def legal_takes(deal: DealState) -> list[int]:
    """Return the positions from which the seat to draw may take, the top discard first."""
    found = _takes_checked(deal)
    if deal.rules.deep_is_free and not (deal.rules.stock_empty == END_AT_ONCE and not deal.stock):
        found.extend(range(len(deal.pile) - 2, -1, -1))
    return found


def _takes_checked(deal: DealState) -> list[int]:
    """Return the legal takes of the top discard, and those of deeper cards that must be used."""
    rules, pile, player = deal.rules, deal.pile, deal.player
    found: list[int] = []
    if not pile or (rules.stock_empty == END_AT_ONCE and not deal.stock):
        return found
    one, two, jokers, size = player.hand, player.twins, player.jokers, player.size
    place = len(pile) - 1
    code = pile[place]
    if rules.may_keep and (size > 0 or _can_get_rid_of(deal, code)):
        found.append(place)
    lowest = 0 if rules.deep_draw and not rules.deep_is_free else place
    wanted = -1
    if rules.distinct and rules.jokers == 0:
        # Most piles hold nothing useful; masks show that at once.
        wanted = useful_cards(deal, one)
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
            and can_use_card(deal, code, one, two, jokers, size, may_meld=True)
        ):
            found.append(place)
        place -= 1
    return found


def _single_takes(deal: DealState, wanted: int, found: list[int]) -> list[int]:
    """Add the takes that must be used at once, with one copy of each card; `wanted` are the candidates."""
    pile, one, size, top = deal.pile, deal.player.hand, deal.player.size, len(deal.pile) - 1
    if deal.rules.may_keep:
        # The top discard is in `found` already.
        wanted &= ~(1 << pile[top])
    place = top
    while wanted:
        code = pile[place]
        bit = 1 << code
        one |= bit
        size += 1
        if wanted & bit:
            if place != top and (deal.rules.deep_is_free or not deal.rules.deep_draw):
                return found
            wanted ^= bit
            if can_use_card(deal, code, one, 0, 0, size, True):
                found.append(place)
        place -= 1
    return found


def useful_cards(deal: DealState, one: int) -> int:
    """Return a superset of the cards of the pile that the hand `one` can use."""
    pile_faces = deal.pile_faces
    pool = one | pile_faces
    found = in_melds(pool, deal.rules.places)
    fits = deal.player.fits
    if pool & fits:
        # A chain of lay-offs stays in the suits of the cards that fit.
        found |= fits
        for suit in range(4):
            if (pool & fits) >> suit * LANE & RANKS:
                found |= RANKS << suit * LANE
    return found & pile_faces


def _can_get_rid_of(deal: DealState, code: int) -> bool:
    """Return whether a turn that takes the top discard into an empty hand can end."""
    rules = deal.rules
    if rules.floating or rules.same_back:
        return True
    return can_lay_off_last(deal, code)


def can_lay_off_last(deal: DealState, code: int) -> bool:
    """Return whether the last card of a hand may be laid off."""
    fits = deal.player.fits
    return not deal.rules.must_keep and (fits != 0 if code == JOKER else (fits >> code & 1) == 1)


def can_use_card(
    deal: DealState, code: int, one: int, two: int, jokers: int, size: int, may_meld: bool
) -> bool:
    """Return whether a hand can use the card this turn and then end the turn (RULES 2.6)."""
    rules = deal.rules
    spare = size - 1 if rules.must_keep else size
    if (deal.called or not rules.new_meld_only) and spare >= 1:
        fits = deal.player.fits
        if code == JOKER:
            if fits:
                return True
        elif fits >> code & 1 or _can_reach(deal, code, one, jokers, spare, fits):
            return True
    return may_meld and spare >= _MIN_MELD_SIZE and makes_a_meld(rules, code, one, two, jokers)


def _can_reach(deal: DealState, code: int, one: int, jokers: int, spare: int, fits: int) -> bool:
    """Return whether cards laid off first can extend a run of the table to the card."""
    suit = code // LANE
    if not jokers and not (one & fits) >> suit * LANE & RANKS:
        return False
    rank = code % LANE
    return _reaches(deal, suit, rank, one, jokers, spare) or (
        rank == 0 and _reaches(deal, suit, HIGH, one, jokers, spare)
    )


def _reaches(deal: DealState, suit: int, place: int, one: int, jokers: int, spare: int) -> bool:
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
    """Return whether the card and two others make a meld; the masks include the card."""
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
    if alike + jokers >= _MIN_MELD_SIZE - 1:
        return True
    return any(count(one & pair) + jokers >= _MIN_MELD_SIZE - 1 for pair in rules.pairs[code])


def _joker_makes_a_meld(rules: Rules, one: int, two: int, jokers: int) -> bool:
    """Return whether one joker of the hand and two other cards make a meld."""
    if not one:
        return False
    if jokers >= _MIN_MELD_SIZE - 1:
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
