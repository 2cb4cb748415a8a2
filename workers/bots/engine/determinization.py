"""Worlds: full deals that agree with what one seat knows, and what a move is worth in them."""

from collections.abc import Callable
from typing import Final

from workers.bots.engine.card_bits import JOKER, count, in_melds, linked
from workers.bots.engine.deal import OVER, Deal
from workers.bots.engine.melds import Lay, LayOff
from workers.bots.engine.rollout import Style, end_turn, play_out
from workers.bots.engine.rules import TABLE_MINUS_HAND

Chance = Callable[[], float]

#: What a candidate does first; the rest of the turn follows the seat's style.
DRAW_STOCK: Final = 0
TAKE: Final = 1
PASS: Final = 2
TABLE: Final = 3
DISCARD: Final = 4
KEEP: Final = 5
#: Table nothing more and throw what the style throws.
STOP: Final = 6
#: In a call window: call a card and use it at once, or let the next seat draw.
CALL: Final = 7
DO_NOT_CALL: Final = 8

#: How often a hand that does not look like its player's is looked over and a card exchanged.
_LOOKS: Final = 8


class Candidate:
    """A move to be weighed: `kind` of those above, `number` the position or code it needs."""

    def __init__(self, seat: int, kind: int, number: int, lay: Lay | None, lay_off: LayOff | None) -> None:
        self.seat: int = seat
        self.kind: int = kind
        self.number: int = number
        self.lay: Lay | None = lay
        self.lay_off: LayOff | None = lay_off


class Unseen:
    """What a seat cannot see: the cards, and how many of them each other seat and the stock hold."""

    def __init__(
        self, base: Deal, seat: int, cards: list[int], hidden: list[int], stock: int, turns: int
    ) -> None:
        self.base: Deal = base
        self.seat: int = seat
        self.cards: list[int] = cards
        self.hidden: list[int] = hidden
        self.stock: int = stock
        #: How many turns a seat has had to make something of its hand.
        self.turns: int = turns

    def world(self, chance: Chance, likely: bool) -> Deal:
        """Return a deal with the unseen cards somewhere; `likely` asks for hands that fit their players."""
        deal = self.base.copy()
        cards = self.cards.copy()
        last = len(cards) - 1
        for place in range(last):
            other = place + int(chance() * (last + 1 - place))
            cards[place], cards[other] = cards[other], cards[place]
        begin = 0
        for seat in range(deal.rules.seats):
            hidden = self.hidden[seat]
            if hidden:
                if likely:
                    self._work_up(deal, seat, cards, begin, hidden, chance)
                    self._look_over(deal, seat, cards, begin, hidden, chance)
                for place in range(begin, begin + hidden):
                    deal.players[seat].give(cards[place])
                begin += hidden
        deal.stock = cards[begin : begin + self.stock]
        return deal

    def _work_up(
        self, deal: Deal, seat: int, cards: list[int], begin: int, hidden: int, chance: Chance
    ) -> None:
        """Exchange a card that goes with nothing for another, once for each turn that was played.

        So has everybody done in the game, and hands grow together by it.
        """
        spare = len(cards) - begin - hidden
        if spare <= 0:
            return
        rules = deal.rules
        known = deal.players[seat].hand
        for _ in range(self.turns):
            hand = known
            for place in range(begin, begin + hidden):
                if cards[place] != JOKER:
                    hand |= 1 << cards[place]
            lonely = hand & ~linked(hand, rules.places)
            worst, most = -1, -1.0
            for place in range(begin, begin + hidden):
                code = cards[place]
                if code != JOKER and lonely >> code & 1:
                    wish = chance()
                    # Where only hands count, what is dear goes first.
                    if rules.scoring != TABLE_MINUS_HAND:
                        wish += rules.values[code]
                    if wish > most:
                        worst, most = place, wish
            if worst < 0:
                return
            other = begin + hidden + int(chance() * spare)
            cards[worst], cards[other] = cards[other], cards[worst]

    def _look_over(
        self, deal: Deal, seat: int, cards: list[int], begin: int, hidden: int, chance: Chance
    ) -> None:
        """Exchange cards that the seat would have tabled, or taken the pile for.

        Nearly everybody tables what he can, so a hand with a meld in it, or a card that fits onto the
        table, is seldom the true one; so is one that would have made a meld with the cards lying there.
        """
        spare = len(cards) - begin - hidden
        if spare <= 0:
            return
        rules = deal.rules
        lying = deal.lying
        back = (self.seat - seat) % rules.seats
        for code in deal.pile[-back:]:
            if code != JOKER:
                lying &= ~(1 << code)
        known = deal.players[seat].hand
        fits = deal.players[seat].fits
        for _ in range(_LOOKS):
            hand = known
            for place in range(begin, begin + hidden):
                if cards[place] != JOKER:
                    hand |= 1 << cards[place]
            odd = in_melds(hand, rules.places) | (hand & fits)
            if not odd and lying and rules.deep_draw:
                both = hand | lying
                together = in_melds(both, rules.places)
                if together & lying:
                    odd = _with_two_of(hand, lying & together, deal) & together
            odd &= ~known
            if not odd:
                if self.turns and rules.jokers and linked(hand, rules.places):
                    _hide_jokers(cards, begin, hidden, spare, chance)
                return
            # One of the odd cards goes, for a card of the stock or of a later seat.
            number = int(chance() * count(odd))
            for place in range(begin, begin + hidden):
                code = cards[place]
                if code != JOKER and odd >> code & 1:
                    if number == 0:
                        other = begin + hidden + int(chance() * spare)
                        cards[place], cards[other] = cards[other], cards[place]
                        break
                    number -= 1


def _hide_jokers(cards: list[int], begin: int, hidden: int, spare: int, chance: Chance) -> None:
    """Exchange jokers of a hand in which two cards go together: they would have gone to the table."""
    for place in range(begin, begin + hidden):
        if cards[place] == JOKER:
            other = begin + hidden + int(chance() * spare)
            cards[place], cards[other] = cards[other], cards[place]


def _with_two_of(hand: int, lying: int, deal: Deal) -> int:
    """Return cards of the hand of which two make a meld with one card of the pile."""
    rules = deal.rules
    found = 0
    while lying:
        low = lying & -lying
        lying ^= low
        code = low.bit_length() - 1
        alike = hand & rules.rank_masks[code] & ~low
        if alike & (alike - 1):
            found |= alike
        for pair in rules.pairs[code]:
            if hand & pair == pair:
                found |= pair
    return found


def make(deal: Deal, candidate: Candidate, style: Style, chance: Chance) -> None:
    """Make the move of a candidate."""
    kind = candidate.kind
    if kind == DISCARD:
        deal.discard(candidate.number)
    elif kind == TAKE:
        deal.take(candidate.number)
    elif kind == DRAW_STOCK:
        deal.draw_stock()
    elif kind == PASS:
        deal.pass_draw()
    elif kind == KEEP:
        deal.keep()
    elif kind == STOP:
        end_turn(deal, style, chance)
    elif kind != DO_NOT_CALL:
        if kind == CALL:
            deal.call(candidate.seat, candidate.number)
        if candidate.lay is not None:
            deal.lay(candidate.lay)
        elif candidate.lay_off is not None:
            deal.lay_off(candidate.lay_off)


def try_out(world: Deal, candidate: Candidate, styles: list[Style], chance: Chance) -> Deal:
    """Return the deal played out from a copy of the world that begins with the candidate."""
    deal = world.copy()
    make(deal, candidate, styles[deal.seat], chance)
    if deal.phase != OVER:
        play_out(deal, styles, chance)
    return deal
