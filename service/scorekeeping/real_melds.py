"""Melds of real cards, on which no one has noted what the jokers stand for."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, combinations_with_replacement

from service.rummy.cards import ACE, FACE, HIGH_ACE, RANK, SUIT, Card, is_joker
from service.rummy.errors import IllegalMove
from service.rummy.melds import read_meld
from service.rummy.moves import Ace
from service.rummy.state import LaidCard, MeldKind
from service.rummy.variants import Variant


def meld_of_cards(
    cards: Sequence[Card], *, stands_for: Mapping[Card, Card], ace: Ace | None, seat: int, variant: Variant
) -> tuple[MeldKind, tuple[LaidCard, ...]]:
    """Return the kind of meld and its cards as `read_meld` does, with jokers that need no declaration.

    Jokers that are not in `stands_for` fill the places that make it a meld: a set if it can be
    one, else a run as high as it can be. With `ace` it is rather a run with its ace at that
    end. Raises IllegalMove with the rule that is broken.

    >>> from service.rummy.cards import cards
    >>> from service.rummy.presets import resolve
    >>> variant = resolve("jokers", {}, seats=2)
    >>> kind, laid = meld_of_cards(cards("9H X1 7H"), stands_for={}, ace=None, seat=0, variant=variant)
    >>> kind.value, [one.face for one in laid]
    ('run', ['7H', '8H', '9H'])
    """
    silent = [card for card in cards if is_joker(card) and card not in stands_for]
    if not silent:
        return read_meld(cards, stands_for=stands_for, ace=ace, seat=seat, variant=variant)
    others = [stands_for.get(card, card) for card in cards if card not in silent]
    for faces in _fillings(others, len(silent), ace):
        declared = {**stands_for, **dict(zip(silent, faces, strict=True))}
        try:
            return read_meld(cards, stands_for=declared, ace=ace, seat=seat, variant=variant)
        except IllegalMove:
            continue
    raise IllegalMove("not_a_run", "These cards make neither a set nor a run, whatever the jokers stand for.")


def _fillings(others: Sequence[Card], jokers: int, ace: Ace | None) -> Iterator[tuple[Card, ...]]:
    """Yield what the jokers may stand for beside the others: in a set first, unless `ace` means a run."""
    if not others:
        return
    in_sets, in_runs = _in_sets(others, jokers), _in_runs(others, jokers, low_first=ace == "low")
    yield from chain(in_sets, in_runs) if ace is None else chain(in_runs, in_sets)


def _in_sets(others: Sequence[Card], jokers: int) -> Iterator[tuple[Card, ...]]:
    rank = RANK[others[0]]
    if all(RANK[card] == rank for card in others):
        yield from combinations_with_replacement([FACE[suit][rank] for suit in range(4)], jokers)


def _in_runs(others: Sequence[Card], jokers: int, *, low_first: bool) -> Iterator[tuple[Card, ...]]:
    suit, length = SUIT[others[0]], len(others) + jokers
    # `read_meld` refuses a run round the corner where the game does not play them.
    places = range(ACE, HIGH_ACE)
    for low in places if low_first else reversed(places):
        faces = Counter(FACE[suit][low : low + length])
        if Counter(others) <= faces:
            yield tuple((faces - Counter(others)).elements())
