"""One deal, played move by move: chapters 2 to 9 of the rules on integers.

The methods that make moves trust their caller, as `service.rummy.evolve` trusts its events. The legal moves
are listed by `legal_takes` and `legal_moves`; the policies of `rollout` make only legal moves.
"""

from typing import Final

from workers.bots.engine.card_bits import JOKER, LANE, count, mask_of
from workers.bots.engine.deal_state import DRAW, MELD, NO_CARD, NO_SEAT, OVER, DealState
from workers.bots.engine.legal_takes import legal_takes
from workers.bots.engine.melds import LOW_END, ON_SET, CardToLayOff, MeldOnTable, MeldToLay, as_laid
from workers.bots.engine.rules import END_AT_ONCE, PLAY_ON, RESHUFFLE

_FOUR: Final = 4


class SimulatedDeal(DealState):
    """A deal that moves are made in."""

    __slots__ = ()

    def copy(self) -> "SimulatedDeal":
        """Return a copy."""
        new = SimulatedDeal(self.rules, [player.copy() for player in self.players])
        new.on_table = self.on_table
        new.pile = self.pile.copy()
        new.pile_faces = self.pile_faces
        new.stock = self.stock.copy()
        new.melds = [meld.copy() for meld in self.melds]
        new.give_turn(self.seat)
        new.phase = self.phase
        new.owed = self.owed
        new.barred = self.barred
        new.melds_laid = self.melds_laid
        new.tabled = self.tabled
        new.tabled_before = self.tabled_before
        new.floats = self.floats
        new.called = self.called
        new.quiet = self.quiet
        new.quiet_turns = self.quiet_turns
        new.renewals = self.renewals
        new.went_out = self.went_out
        new.chance = self.chance
        return new

    def deal_out(self, order: list[int], dealer: int) -> None:
        """Deal a shuffled pack, the first card to the dealer's left (RULES 11.3)."""
        rules = self.rules
        seats = rules.seats
        dealt = seats * rules.hand_size
        for turn in range(seats):
            player, cards = self.players[(dealer + 1 + turn) % seats], order[turn:dealt:seats]
            if rules.single:
                player.hand, player.size = mask_of(cards), rules.hand_size
            else:
                for code in cards:
                    player.give(code)
        self.put_on_pile(order[dealt])
        rest = order[dealt + 1 :]
        rest.reverse()
        self.stock = rest
        self.give_turn((dealer + 1) % seats)

    # --- Moves ---------------------------------------------------------------------------------

    def draw_stock(self) -> None:
        """Draw from the stock, renewed first if empty."""
        if not self.stock:
            self._renew()
        player, code = self.player, self.stock.pop()
        bit = 1 << code
        if code == JOKER or player.hand & bit:
            player.give(code)
        else:
            # The common case, without a call.
            player.hand |= bit
            player.size += 1
        self.phase = MELD
        self.quiet = self.rules.renews

    def _renew(self) -> None:
        left = len(self.pile) - self.rules.staying
        staying = self.pile[left:]
        del self.pile[left:]
        self.pile.reverse()
        self.stock, self.pile, self.pile_faces = self.pile, [], 0
        for code in staying:
            self.put_on_pile(code)
        if self.rules.stock_empty == RESHUFFLE and self.chance is not None:
            self.chance.shuffle(self.stock)
        self.renewals += 1

    def take(self, position: int) -> None:
        """Take a card of the pile and all cards above it."""
        player, rules, pile = self.player, self.rules, self.pile
        first, cards = pile[position], pile[position:]
        gone, taken = len(cards), 0
        del pile[position:]
        if rules.single:
            taken = mask_of(cards)
            player.hand |= taken
        else:
            for code in cards:
                player.give(code)
                if code != JOKER:
                    taken |= 1 << code
            player.size -= gone
        player.size += gone
        player.known |= taken
        self.pile_faces &= ~taken
        if rules.packs > 1:
            for code in pile:
                if code != JOKER:
                    self.pile_faces |= 1 << code
        self.phase = MELD
        if gone == 1 and rules.may_keep:
            if not rules.same_back:
                self.barred = first
        elif gone == 1 or not rules.deep_is_free:
            self.owed = first

    def call(self, seat: int, places: list[int]) -> None:
        """Take cards of the pile by a rummy call: the caller's turn begins without a draw (RULES 8.4, 8.5).

        `places` are their positions, the called card's first. The use that the call names is made next, by
        `lay` or `lay_off`.
        """
        self._begin_turn(seat)
        pile, self.pile, self.pile_faces = self.pile, [], 0
        self.owed = pile[places[0]]
        for place, code in enumerate(pile):
            if place not in places:
                self.put_on_pile(code)
                continue
            self.player.give(code)
            if code != JOKER:
                self.player.known |= 1 << code
        self.phase = MELD
        self.called = True

    def pass_draw(self) -> None:
        """Pass instead of drawing (RULES 7.6)."""
        if self.rules.stock_empty != PLAY_ON or not self.pile:
            self._end(NO_SEAT)
            return
        self.phase = MELD
        self.quiet = self.player.size == 0 or self.rules.deep_is_free
        if not self.player.size:
            self.end_turn()

    def lay(self, lay: MeldToLay) -> None:
        """Lay a new meld."""
        player, rules = self.player, self.rules
        values = rules.values
        won = rules.points_of(lay.naturals)
        if lay.wild or lay.twins:
            won += values[JOKER] * count(lay.wild) + rules.points_of(lay.twins)
        if lay.suit >= 0:
            # A natural ace at the low end scores less.
            if lay.low == 0 and lay.naturals >> lay.suit * LANE & 1:
                won += rules.low_ace - values[lay.suit * LANE]
        elif lay.low == 0 and rules.has_four_aces and count(lay.naturals) + count(lay.twins) >= _FOUR:
            won += rules.four_aces
        player.points += won
        if self.owed >= 0 and lay.spends(self.owed):
            self.owed = NO_CARD
        if self.barred >= 0 and lay.spends(self.barred):
            self.barred = NO_CARD
        self.spend(lay)
        new = as_laid(lay, self.seat)
        new.opens = self.opens_of(new)
        self.melds.append(new)
        self.set_fits(player.fits | new.opens)
        self.melds_laid += 1
        self.on_table |= lay.naturals | lay.wild
        self._after_laying()

    def spend(self, lay: MeldToLay) -> None:
        """Remove the cards of a meld from the hand."""
        player = self.player
        player.size -= lay.size
        if lay.wild:
            player.jokers -= count(lay.wild)
        twins = player.twins
        if twins:
            # Of a card held twice, the second copy goes first.
            spare = twins & lay.naturals & ~lay.twins
            player.twins = twins & ~(spare | lay.twins)
            player.hand &= ~(lay.naturals & ~spare)
        else:
            player.hand &= ~lay.naturals

    def lay_off(self, move: CardToLayOff) -> None:
        """Add a card to a meld on the table."""
        player, rules = self.player, self.rules
        self.put(move)
        self.on_table |= 1 << move.face
        value = rules.values[move.code]
        if move.end == LOW_END and move.code % LANE == 0 and move.code != JOKER:
            value = rules.low_ace
        player.points += value
        player.drop(move.code)
        if move.code == self.owed and (self.called or not rules.new_meld_only):
            self.owed = NO_CARD
        if move.code == self.barred:
            self.barred = NO_CARD
        self.count_fits()
        self._after_laying()

    def put(self, move: CardToLayOff) -> None:
        """Extend a meld by a card, without touching the hand."""
        meld = self.melds[move.meld]
        meld.size += 1
        if move.end == ON_SET:
            meld.faces |= 1 << move.face // LANE
        elif move.end == LOW_END:
            meld.low -= 1
        else:
            meld.high += 1
        meld.opens = self.opens_of(meld)

    def _after_laying(self) -> None:
        player = self.player
        self.tabled = True
        self.quiet = False
        player.has_tabled = True
        if not player.size:
            if self.rules.floating:
                self.end_turn()
            else:
                self._end(self.seat)

    def count_fits(self) -> None:
        """Recompute which faces fit onto the melds on which the seat to move may lay off."""
        fits = 0
        if self.rules.own_side:
            for meld in self.melds:
                if self.is_open(meld):
                    fits |= meld.opens
        else:
            for meld in self.melds:
                fits |= meld.opens
        self.set_fits(fits)

    def set_fits(self, fits: int) -> None:
        """Set the faces that fit, for every seat that may lay off where the seat to move may."""
        rules = self.rules
        if not rules.own_side:
            for player in self.players:
                player.fits = fits
        elif rules.pairs_play:
            for player in self.players[self.seat % 2 :: 2]:
                player.fits = fits
        else:
            self.player.fits = fits

    def opens_of(self, meld: MeldOnTable) -> int:
        """Return the faces that fit onto a meld."""
        rules = self.rules
        if meld.suit >= 0:
            return rules.span_opens[meld.low * 16 + meld.high] << meld.suit * LANE
        return rules.set_opens[meld.faces] << meld.low if meld.size < rules.set_max else 0

    def place(self, melds: list[MeldOnTable]) -> None:
        """Put melds of a running game on the table."""
        here, self.melds = self.seat, melds
        for meld in melds:
            meld.opens = self.opens_of(meld)
            self.give_turn(meld.owner)
            self.count_fits()
        self.give_turn(here)

    def discard(self, code: int) -> None:
        """Discard a card, which ends the turn."""
        player = self.player
        if code == JOKER or player.twins:
            player.drop(code)
            self.put_on_pile(code)
        else:
            # The common case, without a call.
            bit = 1 << code
            player.hand ^= bit
            player.size -= 1
            self.pile.append(code)
            self.pile_faces |= bit
        if player.size:
            self.end_turn()
        else:
            self._end(self.seat)

    def keep(self) -> None:
        """Keep the one card in hand after floating."""
        self.end_turn()

    def end_turn(self) -> None:
        """Pass the turn to the next seat, or end the deal if it cannot go on."""
        rules, player = self.rules, self.player
        if self.quiet:
            self.quiet_turns += 1
            if self.quiet_turns >= rules.quiet_turn_limit:
                self._end(NO_SEAT)
                return
        else:
            self.quiet_turns = 0
        if player.known:
            player.known &= player.hand
        if not self.stock and self._has_no_next_turn():
            self._end(NO_SEAT)
            return
        seat = self.seat + 1
        if seat == rules.seats:
            seat = 0
        self._begin_turn(seat)

    def _begin_turn(self, seat: int) -> None:
        self.seat = seat
        self.player = player = self.players[seat]
        # `owed` is unset already: no turn ends before the card is used.
        self.phase = DRAW
        self.barred = NO_CARD
        self.melds_laid = 0
        self.tabled = False
        self.tabled_before = player.has_tabled
        self.floats = player.size == 0
        self.called = False
        self.quiet = True

    def _has_no_next_turn(self) -> bool:
        """Return whether the deal ends with this turn because the stock is empty (RULES 7.1, 7.4, 7.6)."""
        rules = self.rules
        if not self.pile or rules.stock_empty == END_AT_ONCE:
            return True
        if rules.stock_empty == PLAY_ON or self.can_draw_stock():
            return False
        here = self.seat
        self.give_turn((here + 1) % rules.seats)
        nothing = not legal_takes(self)
        self.give_turn(here)
        return nothing

    def _end(self, seat: int) -> None:
        self.phase = OVER
        self.went_out = seat
