"""The legal melds, lay-offs and discards: every move of a turn after the draw."""

from itertools import combinations
from typing import Final

from workers.bots.engine.card_bits import ACES, HIGH, JOKER, LANE, RANKS, codes_of, count
from workers.bots.engine.deal import SimulatedDeal
from workers.bots.engine.deal_state import NO_CARD
from workers.bots.engine.legal_takes import can_lay_off_last, can_use_card
from workers.bots.engine.melds import HIGH_END, LOW_END, ON_SET, CardToLayOff, MeldOnTable, MeldToLay, as_laid
from workers.bots.engine.rules import Rules

_FOUR: Final = 4
_MIN_MELD_SIZE: Final = 3
#: Melds by number: 0 to 3 are runs in a suit, then sets without one suit, then whole ranks.
_SET_WITHOUT: Final = 4
_WHOLE_SET: Final = 8


def legal_discards(deal: SimulatedDeal) -> list[int]:
    """Return the codes of the cards that may be discarded."""
    if deal.owed >= 0:
        return []
    player = deal.player
    codes = codes_of(player.hand)
    if player.jokers:
        codes.append(JOKER)
    barred = deal.barred
    if barred >= 0 and player.holds(barred) == 1:
        codes.remove(barred)
    return codes


def can_keep(deal: SimulatedDeal) -> bool:
    """Return whether the turn may end by keeping the only card (RULES 6.5)."""
    return deal.floats and deal.rules.floating and deal.owed < 0 and deal.player.size == 1


def openings(deal: SimulatedDeal, meld: MeldOnTable) -> list[tuple[int, int]]:
    """Return the faces that fit onto a meld, each with its end."""
    found: list[tuple[int, int]] = []
    if meld.suit < 0:
        if meld.size < deal.rules.set_max:
            for suit in range(4):
                if not (deal.rules.distinct and meld.faces >> suit & 1):
                    found.append((suit * LANE + meld.low, ON_SET))
        return found
    if meld.low > 0 and deal.rules.span[(meld.low - 1) * 16 + meld.high]:
        found.append((meld.suit * LANE + meld.low - 1, LOW_END))
    if meld.high < HIGH and deal.rules.span[meld.low * 16 + meld.high + 1]:
        found.append((meld.suit * LANE + (meld.high + 1) % 13, HIGH_END))
    return found


def legal_lay_offs(deal: SimulatedDeal) -> list[CardToLayOff]:
    """Return every legal lay-off of the seat to move."""
    return [off for off in possible_lay_offs(deal) if may_lay_off(deal, off)]


def possible_lay_offs(deal: SimulatedDeal) -> list[CardToLayOff]:
    """Return every lay-off of a card that fits, except of a card that must go into a new meld."""
    player = deal.player
    found: list[CardToLayOff] = []
    hand, fits, jokers = player.hand, player.fits, player.jokers
    if not hand & fits and not (jokers and fits):
        return found
    settles = deal.called or not deal.rules.new_meld_only
    place = -1
    for meld in deal.melds:
        place += 1
        if not jokers and not hand & meld.opens:
            continue
        if not deal.is_open(meld):
            continue
        for face, end in openings(deal, meld):
            if hand >> face & 1 and (settles or face != deal.owed or player.holds(face) > 1):
                found.append(CardToLayOff(place, face, face, end))
            if jokers and (settles or deal.owed != JOKER or jokers > 1):
                found.append(CardToLayOff(place, JOKER, face, end))
    return found


def may_lay_off(deal: SimulatedDeal, move: CardToLayOff) -> bool:
    """Return whether one of the `possible_lay_offs` is legal."""
    player = deal.player
    settles = deal.called or not deal.rules.new_meld_only
    settled = deal.owed < 0 or (settles and move.code == deal.owed)
    if settled:
        if player.size > 2:
            return True
        if player.size == 1:
            return not deal.rules.must_keep
        if deal.barred < 0:
            return True
    # Make it and take it back: what it opens may be what the owed card needs.
    kept, fits = deal.melds[move.meld].copy(), player.fits
    deal.put(move)
    player.drop(move.code)
    deal.count_fits()
    barred = NO_CARD if move.code == deal.barred else deal.barred
    is_legal = _leaves_a_way(deal, settled, barred)
    player.give(move.code)
    deal.melds[move.meld] = kept
    deal.set_fits(fits)
    return is_legal


def _leaves_a_way(deal: SimulatedDeal, settled: bool, barred: int) -> bool:
    """Return whether a turn can go on: rules of the owed card, the barred card and the last card."""
    player = deal.player
    if deal.owed >= 0 and not settled:
        return can_use_card(
            deal, deal.owed, player.hand, player.twins, player.jokers, player.size, deal.may_meld()
        )
    if not player.size:
        return not deal.rules.must_keep
    if player.size == 1 and barred >= 0 and not (deal.floats and deal.rules.floating):
        return player.holds(barred) == 0 or can_lay_off_last(deal, barred)
    return True


def legal_melds(deal: SimulatedDeal) -> list[MeldToLay]:
    """Return every legal new meld of the seat to move."""
    if not deal.may_meld():
        return []
    player = deal.player
    found = possible_melds(deal, player.hand, player.twins, player.jokers)
    if not found or (deal.owed < 0 and deal.barred < 0 and not deal.rules.must_keep):
        return found
    return [lay for lay in found if may_lay(deal, lay)]


def may_lay(deal: SimulatedDeal, lay: MeldToLay) -> bool:
    """Return whether a meld may be laid: an owed card stays usable, and the turn can end."""
    player = deal.player
    settled = deal.owed < 0 or lay.spends(deal.owed)
    left = player.size - lay.size
    if settled and left > 1:
        return True
    one, two, jokers, size, fits = player.hand, player.twins, player.jokers, player.size, player.fits
    deal.spend(lay)
    deal.melds_laid += 1
    barred = NO_CARD if deal.barred >= 0 and lay.spends(deal.barred) else deal.barred
    is_legal = _leaves_a_way(deal, settled, barred)
    if not is_legal and left:
        # The new meld itself may take the card.
        new = as_laid(lay, deal.seat)
        new.opens = deal.opens_of(new)
        deal.melds.append(new)
        deal.set_fits(fits | new.opens)
        is_legal = _leaves_a_way(deal, settled, barred)
        deal.melds.pop()
        deal.set_fits(fits)
    deal.melds_laid -= 1
    player.hand, player.twins, player.jokers, player.size = one, two, jokers, size
    return is_legal


def possible_melds(deal: SimulatedDeal, one: int, two: int, jokers: int) -> list[MeldToLay]:
    """Return every meld that can be made of some cards."""
    rules = deal.rules
    found: list[MeldToLay] = []
    if not jokers:
        for number in plain_melds(one, rules):
            found.append(plain_lay(number, one, rules))
        if not rules.distinct:
            _sets_of_any_suits(one, two, rules.set_max, found)
        return found
    for used in range(jokers + 1):
        _wild_runs(one, used, rules, found)
        _wild_sets(one, used, rules, found)
    return found


def plain_melds(one: int, rules: Rules) -> list[int]:
    """Return the melds without jokers, each as a number for `plain_lay`; sets only of different suits.

    A caller that wants one of them need not build them all.
    """
    found: list[int] = []
    wide = (one | (one & ACES) << HIGH) & rules.places
    starts = wide & wide >> 1 & wide >> 2
    if starts:
        wide = starts | starts << 1 | starts << 2
        for suit in range(4):
            lane = wide >> suit * LANE & 0x3FFF
            if lane:
                for span in rules.spans_in(lane):
                    found.append(suit << 8 | span)
    # `ranks_of_three`, inlined to save a call.
    low, high = one & 0x3FFFFFFF, one >> 30
    both, either = low & high, low | high
    ranks = ((both & either >> 15) | (both >> 15 & either)) & 0x1FFF if rules.distinct else 0
    while ranks:
        rank = (ranks & -ranks).bit_length() - 1
        ranks &= ranks - 1
        found.append(_WHOLE_SET << 8 | rank)
        if one & rules.rank_masks[rank] == rules.rank_masks[rank]:
            for missing in range(4):
                found.append(_SET_WITHOUT + missing << 8 | rank)
    return found


def plain_lay(number: int, one: int, rules: Rules) -> MeldToLay:
    """Return the meld for a number of `plain_melds`."""
    kind, place = number >> 8, number & 0xFF
    if kind < _SET_WITHOUT:
        return MeldToLay(kind, place >> 4, place & 15, rules.span_masks[place] << kind * LANE, 0, 0)
    held = one & rules.rank_masks[place]
    if kind != _WHOLE_SET:
        held ^= 1 << (kind - _SET_WITHOUT) * LANE + place
    return MeldToLay(-1, place, place, held, 0, 0)


def _sets_of_any_suits(one: int, two: int, most: int, found: list[MeldToLay]) -> None:
    """Add the sets of a game in which suits may repeat, second copies included."""
    for rank in range(13):
        column = 1 << rank | 1 << rank + 15 | 1 << rank + 30 | 1 << rank + 45
        held, twins = one & column, two & column
        if count(held) + count(twins) < _MIN_MELD_SIZE:
            continue
        part = held
        while part:
            second = twins & part
            while True:
                if _MIN_MELD_SIZE <= count(part) + count(second) <= most:
                    found.append(MeldToLay(-1, rank, rank, part, second, 0))
                if not second:
                    break
                second = (second - 1) & twins & part
            part = (part - 1) & held


def _wild_runs(one: int, used: int, rules: Rules, found: list[MeldToLay]) -> None:
    """Add the runs with exactly `used` jokers, which may replace cards of the hand."""
    for suit in range(4):
        lane = one >> suit * LANE & RANKS
        lane |= (lane & 1) << HIGH
        for low in range(13):
            for high in range(low + 2, HIGH + 1):
                wide = (1 << high + 1) - (1 << low)
                missing = count(wide & ~lane)
                if missing > used:
                    break
                if not rules.span[low * 16 + high] or used >= high - low + 1:
                    continue
                spare = codes_of(wide & lane)
                for replaced in combinations(spare, used - missing):
                    wild = wide & ~lane
                    for place in replaced:
                        wild |= 1 << place
                    naturals = wide & ~wild
                    found.append(
                        MeldToLay(
                            suit,
                            low,
                            high,
                            ((naturals | naturals >> HIGH) & RANKS) << suit * LANE,
                            0,
                            ((wild | wild >> HIGH) & RANKS) << suit * LANE,
                        )
                    )


def _wild_sets(one: int, used: int, rules: Rules, found: list[MeldToLay]) -> None:
    """Add the sets of different suits with exactly `used` jokers."""
    for rank in range(13):
        column = 1 << rank | 1 << rank + 15 | 1 << rank + 30 | 1 << rank + 45
        held = one & column
        part = held
        while part:
            if _MIN_MELD_SIZE <= count(part) + used <= min(_FOUR, rules.set_max):
                for standing in combinations(codes_of(column & ~part), used):
                    wild = 0
                    for code in standing:
                        wild |= 1 << code
                    found.append(MeldToLay(-1, rank, rank, part, 0, wild))
            part = (part - 1) & held
