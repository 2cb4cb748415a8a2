"""What a seat can work out from its view: which cards are unseen, and how long the deal may last."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from service.rummy.cards import KING, RANK, SUIT, Card, full_pack, is_joker
from service.rummy.moves import KeepCard, LayMeld, PlayerMove
from service.rummy.state import Meld, Phase
from service.rummy.variants import Variant
from service.rummy.views import View

#: Turns until a player goes out: so much for each card held, and at least this. Measured over deals of
#: steady against itself, rounded.
_TURNS_PER_CARD = 0.8
_MIN_TURNS = 1.0
#: Rounds and turns without progress that are ordinary, from deals of all levels. Between two players breaking
#: up after four turns cost a point a deal in the arena; after eight it costs about 0.1.
_PATIENT_ROUNDS = 2
_PATIENT_TURNS = 8
#: Cards of a suit that are no further apart could lie in one run of three.
_NEAR = 2


@dataclass(frozen=True)
class Observation:
    """A view, read by the seat that may act on it; holds nothing that is hidden from that seat."""

    view: View
    variant: Variant
    seat: int

    @classmethod
    def of(cls, view: View, variant: Variant) -> "Observation":
        """Return what the viewer observes; raises ValueError for a viewer without a seat."""
        if view.viewer is None:
            raise ValueError("Only a viewer with a seat has cards to play.")
        return cls(view=view, variant=variant, seat=view.viewer)

    @cached_property
    def hand(self) -> tuple[Card, ...]:
        """The seat's own hand."""
        return self.view.hand or ()

    @cached_property
    def targets(self) -> tuple[Meld, ...]:
        """The melds the seat may lay off on."""
        side, melds = self.variant.side, self.view.melds
        if self.variant.lay_off_targets == "any":
            return melds
        return tuple(meld for meld in melds if side(meld.owner) == side(self.seat))

    @cached_property
    def opponents(self) -> tuple[int, ...]:
        """The seats of the other sides, the next to play first."""
        seats = len(self.view.seats)
        others = [(self.seat + away) % seats for away in range(1, seats)]
        return tuple(seat for seat in others if self.variant.side(seat) != self.variant.side(self.seat))

    @cached_property
    def unseen(self) -> Mapping[Card, int]:
        """How many copies of each card the seat cannot see: they are in the stock or in other hands."""
        pack = full_pack(packs=self.variant.packs, jokers_per_pack=self.variant.jokers_per_pack)
        left = Counter(pack)
        left.subtract(self.hand)
        left.subtract(self.view.discard_pile)
        left.subtract(laid.card for meld in self.view.melds for laid in meld.cards)
        for seat, other in enumerate(self.view.seats):
            if seat != self.seat:
                left.subtract(other.known_cards)
        return {card: copies for card, copies in left.items() if copies > 0}

    @cached_property
    def on_table(self) -> Mapping[Card, int]:
        """How many copies of each card lie in melds, jokers as the cards they stand for."""
        return Counter(laid.face for meld in self.view.melds for laid in meld.cards)

    @cached_property
    def unseen_count(self) -> int:
        """How many cards the seat cannot see; at least 1, so that it can divide."""
        return max(1, sum(self.unseen.values()))

    @cached_property
    def turns_left(self) -> float:
        """How many more turns the seat can expect after this one."""
        smallest_hand = min(self.view.seats[seat].hand_count for seat in self.opponents)
        by_hands = _MIN_TURNS + _TURNS_PER_CARD * smallest_hand
        if self.variant.renews_stock or self.variant.stock_empty == "play_on":
            return by_hands
        return min(by_hands, self.view.stock_count / len(self.view.seats))

    @cached_property
    def turns_played(self) -> float:
        """How many turns each seat has had, estimated from the cards drawn from the stock.

        An underestimate if cards were taken from the pile instead, or the stock was renewed.
        """
        seats, variant = len(self.view.seats), self.variant
        begun = variant.pack_size - seats * variant.hand_size - 1
        return max(0, begun - self.view.stock_count) / seats

    @cached_property
    def is_stalled(self) -> bool:
        """Return whether more turns passed without progress than an ordinary deal has (RULES 7.7)."""
        return self.view.quiet_turns > max(_PATIENT_TURNS, _PATIENT_ROUNDS * len(self.view.seats))

    def hidden_cards(self, seat: int) -> int:
        """Return how many cards of another hand are unknown."""
        other = self.view.seats[seat]
        return other.hand_count - len(other.known_cards)

    def turn_so_far(self, offered: Sequence[PlayerMove]) -> tuple[int, bool]:
        """Return how many melds the current turn has laid, and whether it began with an empty hand.

        A view shows neither. Both are inferred from the legal moves, as far as those depend on them.
        """
        view, limit = self.view, self.variant.melds_per_turn
        assert view.turn is not None  # noqa: S101 - moves are offered in a turn
        if view.phase is not Phase.MELD:
            return 0, view.seats[view.turn.seat].hand_count == 0
        # If no meld is offered, the limit may be reached; assuming so is safe, since none may follow.
        laid = 0 if limit is None or any(isinstance(move, LayMeld) for move in offered) else limit
        return laid, any(isinstance(move, KeepCard) for move in offered)


def count_cards(cards: Iterable[Card]) -> dict[Card, int]:
    """Return how many copies of each card there are."""
    counts: dict[Card, int] = {}
    for card in cards:
        counts[card] = counts.get(card, 0) + 1
    return counts


def count_partners(card: Card, hand: Sequence[Card]) -> int:
    """Return how many other cards of a hand could lie in one meld of three with a card."""
    return sum(could_meld_with(card, other) for other in hand) - 1


def could_meld_with(card: Card, other: Card) -> bool:
    """Return whether two cards could lie in one meld of three; true of a card and itself."""
    if is_joker(other) or RANK[card] == RANK[other]:
        return True
    apart = abs(RANK[card] - RANK[other])
    # An ace is near the king as well.
    return SUIT[card] == SUIT[other] and (apart <= _NEAR or apart >= KING - _NEAR)
