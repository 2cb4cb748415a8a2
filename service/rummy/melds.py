"""Which cards make a meld, and which cards fit onto one (RULES 3, 4 and 5).

A run covers a span of places in one suit: place 1 is a low ace, 2 to 13 the two to
the king, 14 a high ace, and 15 onwards the two and the ranks that follow it in a run that
goes round the corner.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise

from service.rummy.cards import ACE, FACE, HIGH_ACE, KING, RANK, SUIT, Card, is_joker
from service.rummy.errors import IllegalMove
from service.rummy.moves import Ace, End
from service.rummy.sentences import Sentence
from service.rummy.state import LaidCard, Meld, MeldKind
from service.rummy.variants import Variant

MIN_MELD_SIZE = 3


@cache
def spans(ace_in_run: str, ace_two_king: bool) -> frozenset[tuple[int, int]]:  # noqa: FBT001 - cache keys
    """Return the spans (lowest place, highest place) a run may cover, two places long or more.

    A run holds one card of each rank, so an ace is at one end or the other, never
    at both, or anywhere in a run that goes round the corner, which may begin with any rank.
    One pack with the ace at either end has 185 + 12 runs and sets of three to five cards
    (RULES 3.5 to 3.8).
    """
    if ace_in_run == "around":
        return frozenset((low, low + more) for low in range(ACE, KING + 1) for more in range(1, KING))
    lowest = ACE if ace_in_run in ("both", "low") else 2
    highest = HIGH_ACE if ace_in_run in ("both", "high") else KING
    allowed = set()
    for low in range(lowest, highest):
        for high in range(low + 1, highest + 1):
            one_ace = not (low == ACE and high == HIGH_ACE)
            ace_and_two = low == ACE or (high == HIGH_ACE and low <= 2)  # noqa: PLR2004 - the two
            if one_ace and (ace_two_king or not (ace_and_two and high >= KING)):
                allowed.add((low, high))
    return frozenset(allowed)


def is_span(low: int, high: int, variant: Variant) -> bool:
    """Return whether a run of the variant may cover the places from low to high.

    Places below the ace are those of the ranks before it in a run that goes round the corner.
    """
    start = first_place(low)
    return (start, high + start - low) in spans(variant.ace_in_run, variant.ace_two_king)


def first_place(place: int) -> int:
    """Return the place that a run begins with: a place below the ace is a king, a queen and so on."""
    return place if place >= ACE else place + KING


def places_of(rank: int, variant: Variant) -> tuple[int, ...]:
    """Return every place that a card of the rank may have in a run, or next to one."""
    if variant.ace_in_run == "around":
        return (rank - KING, rank, rank + KING)
    return (rank, rank + KING) if rank == ACE else (rank,)


def read_meld(
    cards: Sequence[Card], *, stands_for: Mapping[Card, Card], ace: Ace | None, seat: int, variant: Variant
) -> tuple[MeldKind, tuple[LaidCard, ...]]:
    """Return the kind of meld the cards make and the cards in order.

    A run is ordered low to high, a set as given. This does not check that the player
    holds the cards. Raises IllegalMove with the rule that is broken.

    >>> from service.rummy.cards import cards
    >>> from service.rummy.presets import resolve
    >>> classic = resolve("classic", {}, seats=2)
    >>> kind, laid = read_meld(cards("9H 7H 8H"), stands_for={}, ace=None, seat=0, variant=classic)
    >>> kind.value, [one.card for one in laid]
    ('run', ['7H', '8H', '9H'])
    """
    if len(cards) < MIN_MELD_SIZE:
        raise IllegalMove("too_few_cards", "A meld needs three cards or more.")
    for card, face in stands_for.items():
        if face != card and not (is_joker(card) and card in cards):
            raise not_a_joker(card)
    laid = [LaidCard(card=card, laid_by=seat, stands_for=_declared(card, stands_for)) for card in cards]
    if all(one.stands_for for one in laid):
        raise IllegalMove("joker_needs_a_natural", "A meld needs at least one card that is not a joker.")
    if len({RANK[one.face] for one in laid}) == 1:
        _check_set(laid, variant)
        return MeldKind.SET, tuple(laid)
    return MeldKind.RUN, _as_run(laid, ace, variant)


def not_a_joker(card: Card) -> IllegalMove:
    """Return the refusal of a substitution for a card that is not a joker of this move."""
    return IllegalMove(
        "not_a_joker",
        Sentence(
            "only_a_joker_stands_for",
            "Only a joker you lay can stand for another card; the {card} cannot.",
            card=card,
        ),
    )


def joker_not_declared(joker: Card, face: Card | None) -> IllegalMove:
    """Return the refusal of a joker that stands for no card, or for a joker."""
    if face is None:
        return IllegalMove(
            "joker_not_declared",
            Sentence("say_what_joker_stands_for", "Say which card {joker} stands for.", joker=joker),
        )
    return IllegalMove(
        "joker_not_declared",
        Sentence(
            "joker_for_joker",
            "A joker cannot stand for a joker: say which other card {joker} stands for.",
            joker=joker,
        ),
    )


def _declared(card: Card, stands_for: Mapping[Card, Card]) -> Card | None:
    if not is_joker(card):
        return None
    face = stands_for.get(card)
    if face is None or is_joker(face):
        raise joker_not_declared(card, face)
    return face


def _check_set(laid: Sequence[LaidCard], variant: Variant) -> None:
    if variant.set_max is not None and len(laid) > variant.set_max:
        raise IllegalMove(
            "set_too_large",
            Sentence("set_too_large", "A set holds at most {set_max} cards.", set_max=variant.set_max),
        )
    if variant.set_distinct_suits and len({SUIT[one.face] for one in laid}) < len(laid):
        raise IllegalMove("duplicate_suit", "The cards of a set must be of different suits.")


def _as_run(laid: Sequence[LaidCard], ace: Ace | None, variant: Variant) -> tuple[LaidCard, ...]:
    ranks = sorted(RANK[one.face] for one in laid)
    if len({SUIT[one.face] for one in laid}) > 1:
        raise _no_run_of_many_suits(ranks)
    if len(set(ranks)) < len(ranks):
        raise IllegalMove("not_a_run", "A run cannot hold two cards of one rank.")
    if ranks[0] == ACE and variant.ace_in_run == "around":
        low, high = _span_around(ranks, ace)
    else:
        low, high = _span(ranks, ace, variant)
    if not is_span(low, high, variant):
        raise IllegalMove("ace_two_king", "In this game a run with an ace and a two cannot reach the king.")
    return tuple(sorted(laid, key=lambda one: place_in_run(RANK[one.face], low)))


def _no_run_of_many_suits(ranks: Sequence[int]) -> IllegalMove:
    if len(set(ranks)) < len(ranks):
        return IllegalMove("not_a_set", "The cards of a set must all be of one rank.")
    return IllegalMove("mixed_suits", "The cards of a run must all be of one suit.")


def place_in_run(rank: int, low: int) -> int:
    """Return the place of a rank in a run from `low`: what is lower follows the king."""
    return rank + KING if rank < low else rank


def _span(ranks: Sequence[int], ace: Ace | None, variant: Variant) -> tuple[int, int]:
    """Return the span of sorted, different ranks of one suit; raise IllegalMove if they have none."""
    if ranks[0] != ACE:
        if ranks[-1] - ranks[0] >= len(ranks):
            raise IllegalMove("not_consecutive", "The cards of a run must follow one another in rank.")
        return ranks[0], ranks[-1]
    low_fits = ranks[-1] == len(ranks)
    high_fits = ranks[1] == HIGH_ACE - len(ranks) + 1
    if low_fits and (ace == "low" or not high_fits or (ace is None and variant.ace_in_run == "low")):
        if variant.ace_in_run == "high":
            raise IllegalMove("ace_high_only", "In this game an ace in a run is high: it follows the king.")
        if ace == "high":
            raise IllegalMove("not_consecutive", "The ace cannot be high here: the ranks would have a gap.")
        return ACE, ranks[-1]
    if high_fits:
        if variant.ace_in_run == "low":
            raise IllegalMove("ace_low_only", "In this game an ace in a run is low: it comes before the two.")
        if ace == "low":
            raise IllegalMove("not_consecutive", "The ace cannot be low here: the ranks would have a gap.")
        return ranks[1], HIGH_ACE
    # Ranks that would be unbroken if the ace followed the king go round the corner.
    if KING in ranks and _gaps(ranks) == 1:
        raise IllegalMove("round_the_corner", "A run cannot go round the corner from king to ace to two.")
    raise IllegalMove("not_consecutive", "The cards of a run must follow one another in rank.")


def _span_around(ranks: Sequence[int], ace: Ace | None) -> tuple[int, int]:
    """Return the span of sorted, different ranks with an ace in a game where runs go round the corner."""
    size = len(ranks)
    if size == KING:
        # Where a whole suit begins makes no difference but to the ace.
        low = ACE if ace == "low" else ACE + 1
        return low, low + KING - 1
    starts = [rank for rank in ranks if (rank - 1 or KING) not in ranks]
    if len(starts) > 1:
        raise IllegalMove("not_consecutive", "The cards of a run must follow one another in rank.")
    low = starts[0]
    if ace is not None and (ace == "low") != (low == ACE):
        raise IllegalMove(
            "not_consecutive",
            Sentence("ace_leaves_gap", "The ace cannot be {ace} here: the ranks would have a gap.", ace=ace),
        )
    return low, low + size - 1


def _gaps(ranks: Sequence[int]) -> int:
    """Return the number of gaps in the sorted ranks."""
    return sum(1 for lower, upper in pairwise(ranks) if upper != lower + 1)


def openings(meld: Meld, variant: Variant) -> dict[Card, tuple[End | None, ...]]:
    """Return the cards that fit onto a meld and the ends they fit: low, high, None in a set.

    Only the thirteenth card of a suit can fit both ends: an ace on a run from the two to the
    king, or any card in a run that goes round the corner.
    """
    return _openings_of_run(meld, variant) if meld.kind is MeldKind.RUN else _openings_of_set(meld, variant)


def _openings_of_run(meld: Meld, variant: Variant) -> dict[Card, tuple[End | None, ...]]:
    allowed = spans(variant.ace_in_run, variant.ace_two_king)
    low, high, faces = meld.low, meld.high, FACE[meld.suit]
    start = first_place(low - 1)
    below: tuple[End, ...] = ("low",) if (start, high + start - low + 1) in allowed else ()
    above: tuple[End, ...] = ("high",) if (low, high + 1) in allowed else ()
    before = faces[start]
    if below and above and before == faces[high + 1]:
        return {before: below + above}
    found: dict[Card, tuple[End | None, ...]] = {}
    if below:
        found[before] = below
    if above:
        found[faces[high + 1]] = above
    return found


def _openings_of_set(meld: Meld, variant: Variant) -> dict[Card, tuple[End | None, ...]]:
    if variant.set_max is not None and len(meld.cards) >= variant.set_max:
        return {}
    rank = meld.rank
    taken = {SUIT[laid.face] for laid in meld.cards} if variant.set_distinct_suits else ()
    return {FACE[suit][rank]: (None,) for suit in range(4) if suit not in taken}


def fitting_ends(meld: Meld, face: Card, variant: Variant) -> tuple[End | None, ...]:
    """Return the ends of a run that a card fits, (None,) for a set, () where it does not fit."""
    return openings(meld, variant).get(face, ())


def can_lay_off(card: Card, meld: Meld, variant: Variant) -> bool:
    """Return whether a card fits onto a meld; a joker fits where any card does.

    >>> from service.rummy.presets import resolve
    >>> from service.rummy.state import LaidCard
    >>> sevens = Meld(
    ...     id="m1",
    ...     owner=0,
    ...     kind=MeldKind.SET,
    ...     cards=tuple(LaidCard(card=Card(code), laid_by=0) for code in ("7C", "7D", "7S")),
    ...     laid_at_once=3,
    ... )
    >>> classic = resolve("classic", {}, seats=2)
    >>> can_lay_off(Card("7H"), sevens, classic), can_lay_off(Card("8H"), sevens, classic)
    (True, False)
    """
    fits = openings(meld, variant)
    return bool(fits) if is_joker(card) else card in fits


def why_not(meld: Meld, face: Card, variant: Variant) -> IllegalMove:
    """Return the refusal of a card that does not fit onto a meld."""
    if meld.kind is MeldKind.SET:
        if RANK[face] != meld.rank:
            return IllegalMove(
                "not_adjacent",
                Sentence(
                    "card_not_of_rank",
                    "The {card} does not have the rank of that set.",
                    card=face,
                ),
            )
        if variant.set_max is not None and len(meld.cards) >= variant.set_max:
            return IllegalMove(
                "set_complete",
                Sentence(
                    "set_complete",
                    "That set is complete: it has {set_max} cards.",
                    set_max=variant.set_max,
                ),
            )
        return IllegalMove("duplicate_suit", "The cards of a set must be of different suits.")
    return _why_not_in_run(meld, face, variant)


def _why_not_in_run(meld: Meld, face: Card, variant: Variant) -> IllegalMove:
    if SUIT[face] != meld.suit:
        return IllegalMove(
            "mixed_suits",
            Sentence("card_not_of_suit", "The {card} does not have the suit of that run.", card=face),
        )
    low, high, rank = meld.low, meld.high, RANK[face]
    below = rank == low - 1
    above = high + 1 in ((rank, HIGH_ACE) if rank == ACE else (rank,))
    around = variant.ace_in_run == "around"
    # Every neighbour fits a run that goes round the corner until the run is whole.
    if not around and (below or above):
        return _why_not_at_end(meld, rank, variant, below=below)
    if not around and ((low == ACE and rank == KING) or (high == HIGH_ACE and rank == ACE + 1)):
        return IllegalMove("round_the_corner", "A run cannot go round the corner from king to ace to two.")
    if any(laid.face == face for laid in meld.cards):
        return IllegalMove(
            "not_adjacent",
            Sentence(
                "run_has_card",
                "That run already has the {card}; it takes only the next card at an end.",
                card=face,
            ),
        )
    return IllegalMove(
        "not_adjacent",
        Sentence("card_fits_no_end", "The {card} does not fit either end of that run.", card=face),
    )


def _why_not_at_end(meld: Meld, rank: int, variant: Variant, *, below: bool) -> IllegalMove:
    """Return the refusal of a rank that is next to an end of a run and still may not join it."""
    holds_an_ace = meld.low == ACE or meld.high == HIGH_ACE
    if rank == ACE and holds_an_ace:
        return IllegalMove(
            "round_the_corner", "A run holds only one ace, and that run has one at the other end."
        )
    if rank == ACE and below and variant.ace_in_run == "high":
        return IllegalMove("ace_high_only", "In this game an ace in a run is high: it follows the king.")
    if rank == ACE and not below and variant.ace_in_run == "low":
        return IllegalMove("ace_low_only", "In this game an ace in a run is low: it comes before the two.")
    return IllegalMove("ace_two_king", "In this game a run with an ace and a two cannot reach the king.")
