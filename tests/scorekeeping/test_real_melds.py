"""Cards with undeclared jokers are a meld exactly if the rules know a meld of all of them."""

import random

import pytest

from service.rummy.cards import JOKERS, PACK, RANKS, SUITS, is_joker
from service.rummy.errors import IllegalMove
from service.rummy.possible_melds import possible_melds
from service.scorekeeping.real_melds import meld_of_cards
from tests.scorekeeping.entries import variant_of

LOOSE = {"packs": 2, "set_distinct_suits": False, "set_max": None}
VARIANTS = [
    variant_of(2, "jokers", ace_in_run=ace_in_run, **overrides)
    for ace_in_run in ("both", "low", "high", "around")
    for overrides in ({}, LOOSE)
]


def nearly_a_meld(chance, variant):
    """Return cards of a suit that follow one another, or of a rank, with jokers and sometimes a gap."""
    if chance.random() < 0.7:
        suit = chance.choice(SUITS)
        row = [card for card in PACK if card[1] == suit]
    else:
        rank = chance.choice(RANKS)
        row = [card for card in PACK if card[0] == rank] + [chance.choice(PACK)]
    first, length = chance.randrange(len(row)), chance.randint(1, 5)
    cards = [row[(first + away) % len(row)] for away in range(length)]
    cards += chance.sample(JOKERS[: 2 * variant.packs], chance.randint(0, 2))
    chance.shuffle(cards)
    return cards[: len(cards) - (chance.random() < 0.3)] or cards


def is_meld(cards, variant):
    try:
        _, laid = meld_of_cards(cards, stands_for={}, ace=None, seat=0, variant=variant)
    except IllegalMove:
        return False
    assert sorted(one.card for one in laid) == sorted(cards)
    assert all(one.stands_for and not is_joker(one.stands_for) for one in laid if is_joker(one.card))
    return True


@pytest.mark.parametrize("variant", VARIANTS)
def test_jokers_fill_the_places_that_make_a_meld(variant):
    chance = random.Random(f"{variant.ace_in_run} {variant.packs}")
    seen = set()
    for _ in range(400):
        cards = nearly_a_meld(chance, variant)
        known = any(sorted(meld.cards) == sorted(cards) for meld in possible_melds(cards, variant))
        assert is_meld(cards, variant) == known, cards
        seen.add(known)
    assert seen == {True, False}


@pytest.mark.parametrize("ace, faces", [(None, "AS AC AD"), ("low", "AS 2S 3S"), ("high", "QS KS AS")])
def test_an_ace_with_jokers_is_a_set_unless_its_end_is_named(ace, faces):
    variant = variant_of(2, "jokers")

    _, laid = meld_of_cards(["AS", "X1", "X2"], stands_for={}, ace=ace, seat=0, variant=variant)

    assert " ".join(one.face for one in laid) == faces
