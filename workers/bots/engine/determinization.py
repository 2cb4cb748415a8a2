"""Determinization: samples full deals that agree with what one seat knows, and rolls moves out in them."""

from collections.abc import Callable
from typing import Final

from workers.bots.engine.card_bits import JOKER, count, in_melds, linked_cards
from workers.bots.engine.deal import SimulatedDeal
from workers.bots.engine.deal_state import OVER
from workers.bots.engine.melds import CardToLayOff, MeldToLay
from workers.bots.engine.rollout import PolicyWeights, end_turn, roll_out
from workers.bots.engine.rules import TABLE_MINUS_HAND

Chance = Callable[[], float]

#: The kinds of moves to evaluate; the rest of the turn follows the seat's policy.
DRAW_STOCK: Final = 0
TAKE: Final = 1
PASS: Final = 2
TABLE: Final = 3
DISCARD: Final = 4
KEEP: Final = 5
#: Lay nothing more, and discard by policy.
STOP: Final = 6
#: In a call window: call a card and use it at once, or let the next seat draw.
CALL: Final = 7
DO_NOT_CALL: Final = 8

#: How often at most a card of an unlikely hand is exchanged.
_MAX_EXCHANGES: Final = 8


class EngineMove:
    """A move to evaluate: its `kind` of those above, and in `number` the position or code it needs.

    `called` are the positions of the pile that a call takes.
    """

    def __init__(
        self,
        seat: int,
        kind: int,
        number: int,
        lay: MeldToLay | None,
        lay_off: CardToLayOff | None,
        called: list[int],
    ) -> None:
        self.seat: int = seat
        self.kind: int = kind
        self.number: int = number
        self.lay: MeldToLay | None = lay
        self.lay_off: CardToLayOff | None = lay_off
        self.called: list[int] = called


class HiddenCards:
    """What a seat cannot see: which cards, and how many of them each seat and the stock hold."""

    def __init__(
        self, base: SimulatedDeal, seat: int, cards: list[int], hidden: list[int], stock: int, turns: int
    ) -> None:
        self.base: SimulatedDeal = base
        self.seat: int = seat
        self.cards: list[int] = cards
        self.hidden: list[int] = hidden
        self.stock: int = stock
        #: How many turns each seat has had to improve its hand.
        self.turns: int = turns

    def sample(self, chance: Chance, likely: bool) -> SimulatedDeal:
        """Return a deal with the hidden cards placed at random; `likely` makes the hands more plausible."""
        deal = self.base.copy()
        cards = self.cards.copy()
        last = len(cards) - 1
        for place in range(last):
            other = place + int(chance() * (last + 1 - place))
            cards[place], cards[other] = cards[other], cards[place]
        start = 0
        for seat in range(deal.rules.seats):
            hidden = self.hidden[seat]
            if hidden:
                if likely:
                    self._improve_hands(deal, seat, cards, start, hidden, chance)
                    self._reject_unlikely(deal, seat, cards, start, hidden, chance)
                for place in range(start, start + hidden):
                    deal.players[seat].give(cards[place])
                start += hidden
        deal.stock = cards[start : start + self.stock]
        return deal

    def _improve_hands(
        self, deal: SimulatedDeal, seat: int, cards: list[int], start: int, hidden: int, chance: Chance
    ) -> None:
        """Exchange an unlinked card for another, once for each turn played.

        Players replace loose cards every turn, so sampled hands must improve with each turn played.
        """
        rest = len(cards) - start - hidden
        if rest <= 0:
            return
        rules = deal.rules
        known = deal.players[seat].hand
        for _ in range(self.turns):
            hand = known
            for place in range(start, start + hidden):
                if cards[place] != JOKER:
                    hand |= 1 << cards[place]
            unlinked = hand & ~linked_cards(hand, rules.places)
            loosest, highest = -1, -1.0
            for place in range(start, start + hidden):
                code = cards[place]
                if code != JOKER and unlinked >> code & 1:
                    priority = chance()
                    # If only hands score, high cards go first.
                    if rules.scoring != TABLE_MINUS_HAND:
                        priority += rules.values[code]
                    if priority > highest:
                        loosest, highest = place, priority
            if loosest < 0:
                return
            other = start + hidden + int(chance() * rest)
            cards[loosest], cards[other] = cards[other], cards[loosest]

    def _reject_unlikely(
        self, deal: SimulatedDeal, seat: int, cards: list[int], start: int, hidden: int, chance: Chance
    ) -> None:
        """Exchange cards that the seat would have laid, or would have taken the pile for.

        Nearly all players lay what they can. So a hand that holds a meld, or a card that fits onto the
        table, is unlikely; so is one that makes a meld with cards of the pile that the seat declined.
        """
        rest = len(cards) - start - hidden
        if rest <= 0:
            return
        rules = deal.rules
        pile_faces = deal.pile_faces
        turns_ago = (self.seat - seat) % rules.seats
        for code in deal.pile[-turns_ago:]:
            if code != JOKER:
                pile_faces &= ~(1 << code)
        known = deal.players[seat].hand
        fits = deal.players[seat].fits
        for _ in range(_MAX_EXCHANGES):
            hand = known
            for place in range(start, start + hidden):
                if cards[place] != JOKER:
                    hand |= 1 << cards[place]
            unlikely = in_melds(hand, rules.places) | (hand & fits)
            if not unlikely and pile_faces and rules.deep_draw:
                both = hand | pile_faces
                together = in_melds(both, rules.places)
                if together & pile_faces:
                    unlikely = _cards_of_two(hand, pile_faces & together, deal) & together
            unlikely &= ~known
            if not unlikely:
                if self.turns and rules.jokers and linked_cards(hand, rules.places):
                    _remove_jokers(cards, start, hidden, rest, chance)
                return
            # Exchange one of these cards for one of the stock or of a later seat.
            number = int(chance() * count(unlikely))
            for place in range(start, start + hidden):
                code = cards[place]
                if code != JOKER and unlikely >> code & 1:
                    if number == 0:
                        other = start + hidden + int(chance() * rest)
                        cards[place], cards[other] = cards[other], cards[place]
                        break
                    number -= 1


def _remove_jokers(cards: list[int], start: int, hidden: int, rest: int, chance: Chance) -> None:
    """Exchange the jokers of a hand with two linked cards: they would have been laid."""
    for place in range(start, start + hidden):
        if cards[place] == JOKER:
            other = start + hidden + int(chance() * rest)
            cards[place], cards[other] = cards[other], cards[place]


def _cards_of_two(hand: int, pile_faces: int, deal: SimulatedDeal) -> int:
    """Return the cards of the hand of which two make a meld with a card of the pile."""
    rules = deal.rules
    found = 0
    while pile_faces:
        low = pile_faces & -pile_faces
        pile_faces ^= low
        code = low.bit_length() - 1
        alike = hand & rules.rank_masks[code] & ~low
        if alike & (alike - 1):
            found |= alike
        for pair in rules.pairs[code]:
            if hand & pair == pair:
                found |= pair
    return found


def make_move(deal: SimulatedDeal, engine_move: EngineMove, policy: PolicyWeights, chance: Chance) -> None:
    """Make an engine move."""
    kind = engine_move.kind
    if kind == DISCARD:
        deal.discard(engine_move.number)
    elif kind == TAKE:
        deal.take(engine_move.number)
    elif kind == DRAW_STOCK:
        deal.draw_stock()
    elif kind == PASS:
        deal.pass_draw()
    elif kind == KEEP:
        deal.keep()
    elif kind == STOP:
        end_turn(deal, policy, chance)
    elif kind != DO_NOT_CALL:
        if kind == CALL:
            deal.call(engine_move.seat, engine_move.called)
        if engine_move.lay is not None:
            deal.lay(engine_move.lay)
        elif engine_move.lay_off is not None:
            deal.lay_off(engine_move.lay_off)


def roll_out_after(
    sample: SimulatedDeal, engine_move: EngineMove, policies: list[PolicyWeights], chance: Chance
) -> SimulatedDeal:
    """Return a copy of the sample, rolled out to the end of the deal after the move."""
    deal = sample.copy()
    make_move(deal, engine_move, policies[deal.seat], chance)
    if deal.phase != OVER:
        roll_out(deal, policies, chance)
    return deal
