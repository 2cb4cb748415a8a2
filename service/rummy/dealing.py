"""Verifiable shuffles, the first dealer and the deal (RULES 1 and 11).

The seed of a deal is derived from the game's key; its hash is published when the
deal begins and the seed itself when it is over. A seed reveals nothing of other deals.
"""

import hashlib
import hmac
from collections.abc import Iterator, Sequence

from service.rummy.cards import RANK, Card, full_pack
from service.rummy.state import DealerDraw
from service.rummy.variants import Variant

_WORDS = 1 << 32


def deal_seed(key: bytes, deal: int) -> bytes:
    """Return the 32-byte seed of a deal; deals count from 1."""
    return hmac.new(key, f"deal:{deal}".encode(), hashlib.sha256).digest()


def stock_seed(seed: bytes, deal: int, renewal: int) -> bytes:
    """Return the seed of the n-th renewed stock of a deal; renewals count from 1."""
    return hmac.new(seed, f"deal:{deal}:stock:{renewal}".encode(), hashlib.sha256).digest()


def commitment(seed: bytes) -> str:
    """Return the commitment to a seed, published before the seed: its SHA-256 in hex."""
    return hashlib.sha256(seed).hexdigest()


def sandbox_key(seed: str) -> bytes:
    """Return the key of a sandbox game: the same seed and moves give the same game."""
    return hashlib.sha256(seed.encode()).digest()


def shuffled(pack: Sequence[Card], seed: bytes) -> tuple[Card, ...]:
    """Return the cards in the order the seed gives (RULES 11.2).

    Fisher-Yates from the last place down; each place swaps with a place drawn
    uniformly by rejection from SHA-256 in counter mode.
    """
    cards = list(pack)
    words = _words(seed)
    for last in range(len(cards) - 1, 0, -1):
        other = _below(last + 1, words)
        cards[last], cards[other] = cards[other], cards[last]
    return tuple(cards)


def _words(seed: bytes) -> Iterator[int]:
    """Yield big-endian 32-bit words of SHA-256(seed || counter), the counter 8 bytes from 0."""
    counter = 0
    while True:
        block = hashlib.sha256(seed + counter.to_bytes(8, "big")).digest()
        for start in range(0, len(block), 4):
            yield int.from_bytes(block[start : start + 4], "big")
        counter += 1


def _below(bound: int, words: Iterator[int]) -> int:
    """Return a uniformly distributed number from 0 to bound - 1."""
    # Words past the last whole multiple of the bound would favour small numbers.
    limit = _WORDS - _WORDS % bound
    return next(word % bound for word in words if word < limit)


def deal_out(
    pack: Sequence[Card], *, seats: int, hand_size: int, dealer: int
) -> tuple[tuple[tuple[Card, ...], ...], Card, tuple[Card, ...]]:
    """Return hands by seat, the upcard and the stock of a shuffled pack (RULES 11.3).

    One card at a time clockwise from the dealer's left; the next card is the
    upcard; the rest is the stock, its first card drawn first.
    """
    dealt = seats * hand_size
    hands: list[tuple[Card, ...]] = [()] * seats
    for place in range(seats):
        hands[(dealer + 1 + place) % seats] = tuple(pack[place:dealt:seats])
    return tuple(hands), pack[dealt], tuple(pack[dealt + 1 :])


def choose_dealer(variant: Variant, seats: int, key: bytes) -> tuple[int, tuple[DealerDraw, ...]]:
    """Return the first dealer and the cards drawn for the deal (RULES 1.6).

    Only the tied seats draw again. The pack for the draw has no jokers; the cards are
    put back before the shuffle.
    """
    if isinstance(variant.first_dealer, int):
        return variant.first_dealer, ()
    if variant.first_dealer == "random":
        return _below(seats, _words(_dealer_seed(key, 0))), ()
    best = min if variant.first_dealer == "low_card" else max
    draws: list[DealerDraw] = []
    tied = list(range(seats))
    again = 0
    while len(tied) > 1:
        pack = shuffled(full_pack(packs=variant.packs, jokers_per_pack=0), _dealer_seed(key, again))
        drawn = dict(zip(tied, pack, strict=False))
        draws.extend(DealerDraw(seat=seat, card=card, again=again) for seat, card in drawn.items())
        wanted = best(RANK[card] for card in drawn.values())
        tied = [seat for seat, card in drawn.items() if RANK[card] == wanted]
        again += 1
    return tied[0], tuple(draws)


def _dealer_seed(key: bytes, again: int) -> bytes:
    return hmac.new(key, f"dealer:{again}".encode(), hashlib.sha256).digest()
