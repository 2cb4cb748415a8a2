"""What a seat can tell from its view: which cards are still about, and how long the deal may last."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from service.rummy.cards import KING, RANK, SUIT, Card, full_pack, is_joker
from service.rummy.moves import KeepCard, LayMeld, PlayerMove
from service.rummy.state import Meld, Phase
from service.rummy.variants import Variant
from service.rummy.views import View

#: Turns a player needs to get rid of a card, and what he needs however few he holds: measured over
#: deals of steady against itself, rounded.
_TURNS_A_CARD = 0.8
_TURNS_AT_LEAST = 1.0
#: Cards of a suit that are no further apart could lie in one run of three.
_NEAR = 2


@dataclass(frozen=True)
class Sight:
    """A view, read by the seat that may act on it. Nothing in here is hidden from that seat."""

    view: View
    variant: Variant
    seat: int

    @classmethod
    def of(cls, view: View, variant: Variant) -> "Sight":
        """Return the sight of the viewer; raises ValueError for a viewer without a seat."""
        if view.viewer is None:
            raise ValueError("Only a seat has cards to play.")
        return cls(view=view, variant=variant, seat=view.viewer)

    @cached_property
    def hand(self) -> tuple[Card, ...]:
        """The cards of the seat itself."""
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
        """The seats that score for another side, the next to play first."""
        seats = len(self.view.seats)
        others = [(self.seat + away) % seats for away in range(1, seats)]
        return tuple(seat for seat in others if self.variant.side(seat) != self.variant.side(self.seat))

    @cached_property
    def unseen(self) -> Mapping[Card, int]:
        """How many copies of each card lie where the seat cannot see them: stock and other hands."""
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
    def unseen_count(self) -> int:
        """How many cards the seat cannot see; 1 at least, to divide by."""
        return max(1, sum(self.unseen.values()))

    @cached_property
    def turns_left(self) -> float:
        """How many more turns the seat can hope for after this one."""
        fewest = min(self.view.seats[seat].hand_count for seat in self.opponents)
        by_hands = _TURNS_AT_LEAST + _TURNS_A_CARD * fewest
        if self.variant.renews_stock or self.variant.stock_empty == "play_on":
            return by_hands
        return min(by_hands, self.view.stock_count / len(self.view.seats))

    @cached_property
    def turns_played(self) -> float:
        """How many turns each seat has had, judged by the cards that have left the stock.

        Too few where cards were taken from the pile in their place, or a stock was renewed.
        """
        seats, variant = len(self.view.seats), self.variant
        begun = variant.pack_size - seats * variant.hand_size - 1
        return max(0, begun - self.view.stock_count) / seats

    def hidden_cards(self, seat: int) -> int:
        """Return how many cards of another hand are not known."""
        other = self.view.seats[seat]
        return other.hand_count - len(other.known_cards)

    def turn_so_far(self, offered: Sequence[PlayerMove]) -> tuple[int, bool]:
        """Return how many melds the running turn has laid, and whether it began without cards.

        A view tells neither; the moves offered tell as much of it as they depend on.
        """
        view, limit = self.view, self.variant.melds_per_turn
        assert view.turn is not None  # noqa: S101 - moves are offered in a turn
        if view.phase is not Phase.MELD:
            return 0, view.seats[view.turn.seat].hand_count == 0
        # Where none is offered, as many as a turn may lay may have been laid: then none may follow.
        laid = 0 if limit is None or any(isinstance(move, LayMeld) for move in offered) else limit
        return laid, any(isinstance(move, KeepCard) for move in offered)


def counted(cards: Iterable[Card]) -> dict[Card, int]:
    """Return how often each card is there."""
    counts: dict[Card, int] = {}
    for card in cards:
        counts[card] = counts.get(card, 0) + 1
    return counts


def links(card: Card, hand: Sequence[Card]) -> int:
    """Return how many cards of a hand a card goes with: of its rank, or near it in its suit."""
    return sum(goes_with(card, other) for other in hand) - 1


def goes_with(card: Card, other: Card) -> bool:
    """Tell whether two cards could lie in one meld of three; a card goes with itself."""
    if is_joker(other) or RANK[card] == RANK[other]:
        return True
    apart = abs(RANK[card] - RANK[other])
    # An ace is near the king too.
    return SUIT[card] == SUIT[other] and (apart <= _NEAR or apart >= KING - _NEAR)
