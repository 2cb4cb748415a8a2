"""How rollout policies lay cards: all they can, the longest melds first."""

from typing import Final

from workers.bots.engine.card_bits import HIGH, JOKER, LANE, RANKS, codes_of, count, in_runs, in_sets
from workers.bots.engine.deal import SimulatedDeal
from workers.bots.engine.deal_state import OVER
from workers.bots.engine.legal_plays import legal_lay_offs, legal_melds, openings
from workers.bots.engine.melds import HIGH_END, LOW_END, ON_SET, CardToLayOff, MeldToLay, span_mask
from workers.bots.engine.rules import Rules

#: With so few cards left, or after a long meld, the rules about the last card may apply: then every move is
#: checked.
_SMALL_HAND: Final = 6
_MIN_MELD_SIZE: Final = 3


def lay_all(deal: SimulatedDeal) -> None:
    """Lay the card that must be used, then the longest melds, then lay off all that fits."""
    seat = deal.seat
    if deal.owed >= 0:
        _lay_owed_card(deal)
    while deal.phase != OVER and deal.seat == seat:
        must_check = deal.barred >= 0 or deal.rules.must_keep
        lay = None if must_check and deal.player.size <= _SMALL_HAND else longest_meld(deal)
        if lay is not None and not (must_check and lay.size >= deal.player.size - 1):
            deal.lay(lay)
        elif lay is not None or (must_check and deal.player.size <= _SMALL_HAND):
            if not _lay_any_legal(deal):
                return
        elif not lay_off_one(deal):
            return


def _lay_owed_card(deal: SimulatedDeal) -> None:
    """Lay the card that must be used: in the longest meld it makes, else by laying off."""
    seat = deal.seat
    plain = not deal.player.jokers and deal.rules.distinct and not deal.rules.must_keep and deal.owed != JOKER
    while deal.owed >= 0 and deal.phase != OVER and deal.seat == seat:
        best = _longest_meld_with(deal, deal.owed) if plain and deal.may_meld() else None
        if best is None and not plain:
            most = 0
            for lay in legal_melds(deal):
                if lay.spends(deal.owed):
                    # Of equal melds the one with fewer jokers: a joker can be laid later.
                    gain = (
                        deal.rules.points_of(lay.naturals) + deal.rules.points_of(lay.twins) - count(lay.wild)
                    )
                    if best is None or gain > most:
                        best, most = lay, gain
        if best is not None:
            deal.lay(best)
            return
        offs = legal_lay_offs(deal)
        chosen = offs[0]
        for off in offs:
            if off.code == deal.owed:
                chosen = off
        deal.lay_off(chosen)


def _longest_meld_with(deal: SimulatedDeal, code: int) -> MeldToLay | None:
    """Return the longest meld without jokers that includes the card, or None."""
    rules, one = deal.rules, deal.player.hand
    held = one & rules.rank_masks[code]
    size = count(held)
    best: MeldToLay | None = None
    if size >= _MIN_MELD_SIZE:
        best = MeldToLay(-1, code % LANE, code % LANE, held, 0, 0)
    else:
        size = 2
    suit, rank = code // LANE, code % LANE
    lane = one >> suit * LANE & RANKS
    wide = (lane | (lane & 1) << HIGH) & rules.places >> suit * LANE
    places = (0, HIGH) if rank == 0 else (rank,)
    for place in places:
        if not wide >> place & 1:
            continue
        low = high = place
        while low > 0 and wide >> low - 1 & 1:
            low -= 1
        while high < HIGH and wide >> high + 1 & 1:
            high += 1
        # Only a run over ace, two and king can be too long: it is cut at the end away from the card.
        while high - low >= size and not rules.span[low * 16 + high]:
            if place - low > high - place:
                low += 1
            else:
                high -= 1
        if high - low >= size:
            size = high - low + 1
            best = MeldToLay(suit, low, high, span_mask(suit, low, high), 0, 0)
    return best


def _lay_any_legal(deal: SimulatedDeal) -> bool:
    """Lay something from the full list of legal moves; return whether there was anything."""
    best: MeldToLay | None = None
    size = 0
    for lay in legal_melds(deal):
        if lay.size > size:
            best, size = lay, lay.size
    if best is not None:
        deal.lay(best)
        return True
    offs = legal_lay_offs(deal)
    if offs:
        deal.lay_off(offs[0])
    return bool(offs)


def longest_meld(deal: SimulatedDeal) -> MeldToLay | None:
    """Return the longest meld of the hand, of equals one with more points, or None."""
    if not deal.may_meld():
        return None
    rules = deal.rules
    one = deal.player.hand
    best: MeldToLay | None = None
    size = 0
    runs = in_runs(one, rules.places)
    if runs:
        best = _longest_run(runs, rules)
        if best is not None:
            size = best.size
    if rules.distinct:
        sets = in_sets(one)
        if sets:
            ranks = (sets | sets >> 15 | sets >> 30 | sets >> 45) & RANKS
            for rank in codes_of(ranks):
                held = sets & rules.rank_masks[rank]
                cards = count(held)
                if cards > size or (cards == size and (rank == 0 or rank > 8)):
                    best, size = MeldToLay(-1, rank, rank, held, 0, 0), cards
    else:
        best = _longest_set_of_any_suits(deal, best, size)
    if best is None and deal.player.jokers:
        return best_meld_with_joker(rules, one)
    return best


def _longest_run(runs: int, rules: Rules) -> MeldToLay | None:
    best: MeldToLay | None = None
    size = 2
    for suit in range(4):
        lane = runs >> suit * LANE & RANKS
        if not lane:
            continue
        wide = (lane | (lane & 1) << HIGH) & rules.places >> suit * LANE
        low = 0
        while low <= 11:
            if not wide >> low & 1:
                low += 1
                continue
            high = low
            while high < HIGH and wide >> high + 1 & 1:
                high += 1
            top = high
            while high - low >= size and not rules.span[low * 16 + high]:
                high -= 1
            if high - low >= size:
                best, size = MeldToLay(suit, low, high, span_mask(suit, low, high), 0, 0), high - low + 1
            low = top + 1
    return best


def _longest_set_of_any_suits(deal: SimulatedDeal, best: MeldToLay | None, size: int) -> MeldToLay | None:
    rules = deal.rules
    one, two = deal.player.hand, deal.player.twins
    for rank in range(13):
        held, twins = one & rules.rank_masks[rank], two & rules.rank_masks[rank]
        cards = count(held) + count(twins)
        if cards > size and cards >= _MIN_MELD_SIZE and cards <= rules.set_max:
            best, size = MeldToLay(-1, rank, rank, held, twins, 0), cards
    return best


def best_meld_with_joker(rules: Rules, one: int) -> MeldToLay | None:
    """Return the meld of two cards and a joker with most points."""
    best: MeldToLay | None = None
    most = 0
    for code in codes_of(one):
        suit, rank = code // LANE, code % LANE
        others = one & rules.rank_masks[code]
        if others & (others - 1):
            others = (others & -others) | (1 << (others & (others - 1)).bit_length() - 1)
            won = 2 * rules.values[code]
            if won > most:
                missing = rules.rank_masks[code] & ~others
                best, most = MeldToLay(-1, rank, rank, others, 0, missing & -missing), won
        for low in range(max(0, rank - 2), min(rank, 11) + 1):
            run = span_mask(suit, low, low + 2)
            if rules.span[low * 16 + low + 2] and count(run & one) == 2:
                won = 0
                for held in codes_of(run & one):
                    won += rules.values[held]
                if won > most:
                    best, most = MeldToLay(suit, low, low + 2, run & one, 0, run & ~one), won
    return best


def lay_off_one(deal: SimulatedDeal) -> bool:
    """Lay off a card that fits, else a joker; return whether there was one."""
    seat, player = deal.seat, deal.player
    fitting = player.hand & player.fits
    if not fitting and not (player.jokers and player.fits):
        return False
    code = (fitting & -fitting).bit_length() - 1 if fitting else JOKER
    best: CardToLayOff | None = None
    for place, meld in enumerate(deal.melds):
        if not deal.is_open(meld):
            continue
        if code != JOKER and not meld.opens >> code & 1:
            continue
        end = _fitting_end(deal, place, code)
        if end >= ON_SET:
            face = code
            if code == JOKER:
                face, end = openings(deal, meld)[0]
            best = CardToLayOff(place, code, face, end)
            # Prefer own melds.
            if meld.owner == seat:
                break
    if best is None:
        return False
    deal.lay_off(best)
    return True


def _fitting_end(deal: SimulatedDeal, place: int, code: int) -> int:
    """Return the end of a meld where the card fits, less than `ON_SET` if it does not."""
    meld, rules = deal.melds[place], deal.rules
    if code == JOKER:
        return ON_SET if openings(deal, meld) else ON_SET - 1
    suit, rank = code // LANE, code % LANE
    if meld.suit < 0:
        fits = (
            rank == meld.low and meld.size < rules.set_max and not (rules.distinct and meld.faces >> suit & 1)
        )
        return ON_SET if fits else ON_SET - 1
    if suit != meld.suit:
        return ON_SET - 1
    if (meld.high + 1) % 13 == rank and meld.high < HIGH and rules.span[meld.low * 16 + meld.high + 1]:
        return HIGH_END
    if meld.low - 1 == rank and rules.span[(meld.low - 1) * 16 + meld.high]:
        return LOW_END
    return ON_SET - 1
